import { uniform } from "./seeded-chance.js";

/** Runners of a heat, and bits of a speed: a distance times a speed must leave room for blinding. */
const heatSize = 64;
const speedBits = 10;

/** Takes part in the last heat with distance 0, before all people: it wins only if every distance is 0. */
export const none = 0xffffffff;

/** Who is fastest in each heat, by distance times speed: places within the heats, the lowest of equal ones. */
export type Pick = (runners: Uint32Array, speeds: Float64Array, width: number) => Promise<Uint8Array> | Uint8Array;

/**
 * k-means++ as a race: everybody's squared distance is divided by an exponential number, and the largest wins, which is
 * the same as drawing people in proportion to their distances, and needs only comparisons. It is run in heats, with the
 * speeds of each as whole numbers: the fastest has 2^10 - 1, and the others are rounded to that. So it is the same race
 * whoever compares, and blinded or not. Undefined when nobody has a distance.
 */
export async function race(n: number, seed: number, pick: Pick): Promise<number | undefined> {
  let runners: Uint32Array = new Uint32Array(n).map((_, row) => row);
  const times = runnersTimes(n, seed);
  while (runners.length > heatSize - 1) {
    const heats = Math.ceil(runners.length / heatSize);
    const places = new Uint32Array(heats * heatSize);
    // The last heat is filled up with its last runner.
    for (let at = 0; at < places.length; at++) places[at] = runners[Math.min(at, runners.length - 1)];
    runners = await winners(places, heatSize, times, pick);
  }
  const last = new Uint32Array(runners.length + 1);
  last[0] = none;
  last.set(runners, 1);
  const [winner] = await winners(last, last.length, times, pick);
  return winner === none ? undefined : winner;
}

async function winners(runners: Uint32Array, width: number, times: Float64Array, pick: Pick): Promise<Uint32Array> {
  const best = await pick(runners, heatSpeeds(runners, width, times), width);
  return Uint32Array.from(best, (place, heat) => runners[heat * width + place]);
}

function heatSpeeds(runners: Uint32Array, width: number, times: Float64Array): Float64Array {
  const most = 2 ** speedBits - 1;
  const speeds = new Float64Array(runners.length);
  for (let heat = 0; heat < runners.length; heat += width) {
    let least = Number.POSITIVE_INFINITY;
    for (let at = heat; at < heat + width; at++) {
      if (runners[at] !== none) least = Math.min(least, times[runners[at]]);
    }
    for (let at = heat; at < heat + width; at++) {
      if (runners[at] !== none) speeds[at] = Math.max(1, Math.floor((most * least) / times[runners[at]]));
    }
  }
  return speeds;
}

function runnersTimes(n: number, seed: number): Float64Array {
  const times = new Float64Array(n);
  for (let person = 0; person < n; person++) times[person] = -Math.log(uniform(seed, person));
  return times;
}

/** Judges heats by distances that are known. */
export function pickBy(distances: Float64Array): Pick {
  return (runners, speeds, width) => {
    const best = new Uint8Array(runners.length / width);
    for (let heat = 0; heat < best.length; heat++) {
      let most = -1;
      for (let place = 0; place < width; place++) {
        const at = heat * width + place;
        const product = runners[at] === none ? 0 : distances[runners[at]] * speeds[at];
        if (product <= most) continue;
        most = product;
        best[heat] = place;
      }
    }
    return best;
  };
}

/** The one with the least time who is not taken yet: everybody with the same chance. */
export function anybody(n: number, seed: number, taken: ReadonlySet<number>): number {
  let least = Number.NEGATIVE_INFINITY;
  let winner = -1;
  for (let person = 0; person < n; person++) {
    const luck = uniform(seed, person);
    if (luck <= least || taken.has(person)) continue;
    least = luck;
    winner = person;
  }
  return winner;
}
