/** Both runs of an experiment and how often each outcome was seen. */
function histogram(draw: () => number, times: number): Map<number, number> {
  const seen = new Map<number, number>();
  for (let i = 0; i < times; i++) {
    const value = draw();
    seen.set(value, (seen.get(value) ?? 0) + 1);
  }
  return seen;
}

/**
 * The privacy loss that an attacker can prove from samples: over all events "at most t" and "at least t", the largest
 * ln(P / P') that is certain beyond one in a million, P and P' being the event's probabilities under neighbouring data.
 * It is a lower bound on epsilon: above the promise, the promise is broken.
 */
export function provenLoss(one: () => number, other: () => number, times: number, delta = 0): number {
  const [a, b] = [histogram(one, times), histogram(other, times)];
  const values = [...new Set([...a.keys(), ...b.keys()])].sort((x, y) => x - y);
  // One in a million over all events and both directions: Bonferroni, then a normal quantile (Wilson's interval).
  const z = quantile(1e-6 / (4 * values.length));
  let worst = 0;
  let [below, belowOther] = [0, 0];
  for (const value of values) {
    below += a.get(value) ?? 0;
    belowOther += b.get(value) ?? 0;
    for (const [p, q] of [
      [below, belowOther],
      [belowOther, below],
      [times - below, times - belowOther],
      [times - belowOther, times - below],
    ]) {
      const least = lower(p, times, z) - delta;
      if (least > 0) worst = Math.max(worst, Math.log(least / upper(q, times, z)));
    }
  }
  return worst;
}

function lower(count: number, times: number, z: number): number {
  return wilson(count / times, times, z, -1);
}

function upper(count: number, times: number, z: number): number {
  return wilson(count / times, times, z, 1);
}

function wilson(p: number, times: number, z: number, sign: number): number {
  const spread = z * Math.sqrt((p * (1 - p)) / times + z ** 2 / (4 * times ** 2));
  return (p + z ** 2 / (2 * times) + sign * spread) / (1 + z ** 2 / times);
}

/** How many deviations a normal draw exceeds with this small probability (upper bound, from the Mills ratio). */
function quantile(probability: number): number {
  let z = 1;
  while (Math.exp(-(z ** 2) / 2) / (z * Math.sqrt(2 * Math.PI)) > probability) z += 0.01;
  return z;
}
