import { uniform } from "./seeded-chance.js";

/** People of one contest, and bits of a factor: a distance exponentials a factor must leave room for blinding. */
const contestSize = 64;
const factorBits = 10;

/** Takes part in the last contest with distance 0, before all people: it wins only if every distance is 0. */
export const noRow = 0xffffffff;

/** Contests of `width` people each, row after row, who compete by distance times factor. */
export interface Contests {
  readonly rows: Uint32Array;
  readonly factors: Float64Array;
  readonly width: number;
}

/** Who wins each contest, by distance times factor: places within the contests, the lowest of equal ones. */
export type PickWinners = (contests: Contests) => Uint8Array;

/** A draw in progress: it hands over contests, is told their winners, and ends with whom it drew. */
export type ContestDraw<T> = Generator<Contests, T, Uint8Array>;

/**
 * k-means++ by comparisons alone: everybody's squared distance is divided by an exponential number, and the largest quotient
 * wins, which is the same as drawing people in proportion to their distances. The quotients are compared in contests of a few
 * people, round after round, with the factors of each contest as whole numbers: the largest is 2^10 - 1, and the others are
 * rounded to that. So the same person wins whoever compares, and blinded or not. Undefined when nobody has a distance. Whoever counts
 * for two is drawn as often as two would be: the exponential number is divided by the weight.
 */
export function* drawByDistance(
  n: number,
  seed: number,
  weights: Float64Array | undefined,
): ContestDraw<number | undefined> {
  const exponentials = exponentialNumbers(n, seed, weights);
  const rows = yield* winnersOfContests(contestSize - 1, contestSize, exponentials);
  const last = new Uint32Array(rows.length + 1);
  last[0] = noRow;
  last.set(rows, 1);
  const [winner] = yield* winners(last, last.length, exponentials);
  return winner === noRow ? undefined : winner;
}

/** Several people, each drawn in this way from among a part of the people: at most so many. */
export function drawSeveral(
  n: number,
  seed: number,
  weights: Float64Array | undefined,
  most: number,
): ContestDraw<Uint32Array> {
  return winnersOfContests(most, Math.ceil(n / most), exponentialNumbers(n, seed, weights));
}

/** Draws with somebody who sees the distances. */
export function drawn<T>(drawing: ContestDraw<T>, pick: PickWinners): T {
  let step = drawing.next();
  while (!step.done) step = drawing.next(pick(step.value));
  return step.value;
}

/** Rounds of contests among so many people, until no more than so many are left. */
function* winnersOfContests(most: number, people: number, exponentials: Float64Array): ContestDraw<Uint32Array> {
  let rows: Uint32Array = new Uint32Array(exponentials.length).map((_, row) => row);
  while (rows.length > most) {
    const width = Math.min(contestSize, people);
    const contests = Math.ceil(rows.length / width);
    const places = new Uint32Array(contests * width);
    // The last contest is filled up with its last row.
    for (let at = 0; at < places.length; at++) places[at] = rows[Math.min(at, rows.length - 1)];
    rows = yield* winners(places, width, exponentials);
  }
  return rows;
}

function* winners(rows: Uint32Array, width: number, exponentials: Float64Array): ContestDraw<Uint32Array> {
  const best = yield { rows, factors: factorsOf(rows, width, exponentials), width };
  return Uint32Array.from(best, (place, contest) => rows[contest * width + place]);
}

function factorsOf(rows: Uint32Array, width: number, exponentials: Float64Array): Float64Array {
  const most = 2 ** factorBits - 1;
  const factors = new Float64Array(rows.length);
  for (let contest = 0; contest < rows.length; contest += width) {
    let least = Number.POSITIVE_INFINITY;
    for (let at = contest; at < contest + width; at++) {
      if (rows[at] !== noRow) least = Math.min(least, exponentials[rows[at]]);
    }
    for (let at = contest; at < contest + width; at++) {
      if (rows[at] !== noRow) factors[at] = Math.max(1, Math.floor((most * least) / exponentials[rows[at]]));
    }
  }
  return factors;
}

function exponentialNumbers(n: number, seed: number, weights?: Float64Array): Float64Array {
  const exponentials = new Float64Array(n);
  for (let person = 0; person < n; person++) {
    exponentials[person] = -Math.log(uniform(seed, person)) / (weights ? weights[person] : 1);
  }
  return exponentials;
}

/** Judges contests by distances that are known. */
export function pickBy(distances: Float64Array): PickWinners {
  return ({ rows, factors, width }) => {
    const best = new Uint8Array(rows.length / width);
    for (let contest = 0; contest < best.length; contest++) {
      let most = -1;
      for (let place = 0; place < width; place++) {
        const at = contest * width + place;
        const product = rows[at] === noRow ? 0 : distances[rows[at]] * factors[at];
        if (product <= most) continue;
        most = product;
        best[contest] = place;
      }
    }
    return best;
  };
}

/** The one with the least time who is not taken yet: everybody with the same chance, or in proportion to the weights. */
export function randomRow(n: number, seed: number, taken: ReadonlySet<number>, weights?: Float64Array): number {
  let least = Number.NEGATIVE_INFINITY;
  let winner = -1;
  for (let person = 0; person < n; person++) {
    const drawn = uniform(seed, person);
    const luck = weights ? Math.log(drawn) / weights[person] : drawn;
    if (luck <= least || taken.has(person)) continue;
    least = luck;
    winner = person;
  }
  return winner;
}
