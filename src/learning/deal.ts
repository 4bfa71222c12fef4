import { derive, uniform } from "../solver/seeded-chance.js";

/**
 * Deals people over parties with skewed labels (Hsu et al. 2019): for each label, the parties' proportions are a draw
 * from the Dirichlet distribution with the given concentration. Without a skew everybody goes to a uniform party.
 */
export function dealPeople(labels: Uint8Array, parties: number, skew: number | undefined, seed: number): Uint32Array[] {
  const dealt: number[][] = Array.from({ length: parties }, () => []);
  dealtTo(labels, parties, skew, seed).forEach((party, i) => {
    dealt[party].push(i);
  });
  return dealt.map((people) => Uint32Array.from(people));
}

/** What draws are for: those to learn from, or those to measure on, who are dealt in the same proportions. */
const draws = { learn: 2, measure: 3 } as const;

/** The party of each. */
export function dealtTo(
  labels: Uint8Array,
  parties: number,
  skew: number | undefined,
  seed: number,
  whom: keyof typeof draws = "learn",
): Uint32Array {
  const classes = labels.reduce((most, label) => Math.max(most, label + 1), 2);
  const shares = Array.from({ length: classes }, (_, label) => cumulative(parties, skew, derive(seed, useOf(label))));
  const choice = derive(seed, draws[whom]);
  return Uint32Array.from(labels, (label, i) => {
    const ends = shares[label];
    const at = uniform(choice, i);
    let party = 0;
    while (party < parties - 1 && ends[party] <= at) party++;
    return party;
  });
}

/** Labels have the numbers that draws do not have. */
function useOf(label: number): number {
  return label < draws.learn ? label : label + Object.keys(draws).length;
}

function cumulative(parties: number, skew: number | undefined, seed: number): number[] {
  const logs = Array.from({ length: parties }, (_, party) =>
    skew === undefined ? 0 : logGamma(skew, derive(seed, party)),
  );
  // With a small concentration, draws are smaller than a double can hold. Only their ratios matter.
  const most = Math.max(...logs);
  const draws = logs.map((log) => Math.exp(log - most));
  const total = draws.reduce((sum, draw) => sum + draw, 0);
  let end = 0;
  return draws.map((draw) => {
    end += draw / total;
    return end;
  });
}

/** The logarithm of a gamma draw: Marsaglia and Tsang 2000, with U^(1/shape) for shapes below 1. */
function logGamma(shape: number, seed: number): number {
  let used = 0;
  const next = () => uniform(seed, used++);
  const boost = shape < 1 ? Math.log(next()) / shape : 0;
  const d = (shape < 1 ? shape + 1 : shape) - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
    const v = (1 + c * normal) ** 3;
    if (v > 0 && Math.log(next()) < normal ** 2 / 2 + d - d * v + d * Math.log(v)) return Math.log(d * v) + boost;
  }
}
