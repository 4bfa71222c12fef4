/** A person with two groups: numbers, group and label. */
export interface Person {
  readonly x: readonly number[];
  readonly group: number;
  readonly label: number;
}
export type Party = readonly Person[];

/** The largest |lambda|, the penalty of a squared difference (Table I), and that of squared weights, which makes the risk have one lowest place. */
export const dual = { most: 5, penalty: 2, ridge: 0.01 } as const;

/** (11) of one party's people: the augmented Lagrangian, its gradient, and the difference of the groups' mean losses. */
export function gradientOf(w: Float64Array, lambda: number, people: Party, penalty: number = dual.penalty) {
  const losses = [0, 0];
  const counts = [0, 0];
  const slopes = [new Float64Array(w.length), new Float64Array(w.length)];
  for (const { x, group, label } of people) {
    const z = x.reduce((sum, value, j) => sum + value * w[j], 0);
    const away = label === 1 ? -z : z;
    losses[group] += Math.max(0, away) + Math.log1p(Math.exp(-Math.abs(away)));
    counts[group]++;
    const g = 1 / (1 + Math.exp(-z)) - label;
    for (let j = 0; j < w.length; j++) slopes[group][j] += g * x[j];
  }
  // A batch that lacks a group has no fairness term.
  const both = counts[0] > 0 && counts[1] > 0;
  const difference = both ? losses[0] / counts[0] - losses[1] / counts[1] : 0;
  const c = both ? lambda + penalty * difference : 0;
  const gradient = w.map((value, j) => {
    const apart = both ? slopes[0][j] / counts[0] - slopes[1][j] / counts[1] : 0;
    return (slopes[0][j] + slopes[1][j]) / people.length + c * apart + dual.ridge * value;
  });
  const ridge = (dual.ridge / 2) * w.reduce((sum, value) => sum + value ** 2, 0);
  const loss = (losses[0] + losses[1]) / people.length + ridge;
  return { value: loss + lambda * difference + (penalty / 2) * difference ** 2, gradient, difference };
}

/** The largest augmented Lagrangian of all parties, alike in size, over |lambda| <= 5: it is linear in lambda, so at an end. */
export function riskOf(w: Float64Array, parties: readonly Party[]): number {
  const at = parties.map((people) => gradientOf(w, 0, people));
  const mean = (of: (each: (typeof at)[number]) => number) => at.reduce((sum, each) => sum + of(each), 0) / at.length;
  return mean(({ value }) => value) + dual.most * Math.abs(mean(({ difference }) => difference));
}

/** Rounds of the method of multipliers, and steps of each: the risk then falls by less than 1e-12. */
const effort = { rounds: 30, steps: 400 } as const;

/**
 * The lowest risk found, by other means than FFALM: where the best lambda is within its bounds, the lowest risk has no mean difference, and
 * the method of multipliers with a penalty on that mean finds it; descents are by steps that are halved until they lower what they are to lower.
 */
export function lowestRisk(parties: readonly Party[]): number {
  const weight = 4;
  let w: Float64Array = new Float64Array(parties[0][0].x.length);
  let lambda = 0;
  let least = Number.POSITIVE_INFINITY;
  const lagrangian = (at: Float64Array) => {
    const each = parties.map((people) => gradientOf(at, 0, people));
    const mean = each.reduce((sum, { difference }) => sum + difference, 0) / each.length;
    const value = each.reduce((sum, { value: own }) => sum + own, 0) / each.length;
    return { mean, value: value + lambda * mean + (weight / 2) * mean ** 2 };
  };
  for (let round = 0; round < effort.rounds; round++) {
    let length = 1;
    for (let i = 0; i < effort.steps && length > 1e-12; i++) {
      const { mean, value } = lagrangian(w);
      const pull = lambda + weight * mean;
      const gradient = new Float64Array(w.length);
      for (const people of parties) {
        gradientOf(w, pull, people).gradient.forEach((slope, j) => {
          gradient[j] += slope / parties.length;
        });
      }
      const size = gradient.reduce((sum, slope) => sum + slope ** 2, 0);
      length *= 2;
      let next = w;
      do {
        length /= 2;
        next = w.map((own, j) => own - length * gradient[j]);
      } while (length > 1e-12 && lagrangian(next).value > value - (length / 2) * size);
      if (length > 1e-12) w = next;
      length *= 2;
    }
    least = Math.min(least, riskOf(w, parties));
    lambda += weight * lagrangian(w).mean;
  }
  return least;
}
