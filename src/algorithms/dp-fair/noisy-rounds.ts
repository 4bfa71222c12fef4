import { MoietyError } from "../../errors.js";
import { termsOf } from "../../kernels/mixture-rows.js";
import { type Noise, privateUnit } from "../../parties/mixture-site.js";
import { concentrated } from "../../privacy/accounting/loss.js";
import { gaussianVariance } from "../../privacy/noise/gaussian.js";
import { gaussianSlack, type Sharing } from "../../privacy/noise/noise-shares.js";
import type { PlannedPeople } from "../method.js";
import type { PrivateRounds } from "./em.js";
import type { PrivacyCosts } from "./statement.js";

/** How counts, sums and products share the budget of a round of the mixture. */
const budgetOfRound = { counts: 0.2, sums: 0.4, products: 0.4 } as const;
/** And of a round of Lloyd's, which needs no products. */
export const budgetOfLloyd = { counts: 0.2, sums: 0.8, products: 0 } as const;

/** People's columns, and the dimensions that they become. */
export interface Dimensions {
  readonly dims: number;
  readonly columns: number;
}

export function dimensionsOf({ dimensions, columns = dimensions.length }: PlannedPeople): Dimensions {
  return { dims: dimensions.length, columns };
}

/**
 * Rounds of noisy sums over components, which together cost `rho`. One more person adds z to one component: 1, x and the products
 * of x, at most 1, sqrt(c) and sqrt(c (c + 1) / 2) long for c columns, in units of the grid: a column is one number in [-1, 1], or a category of
 * whose levels one only is not 0, so |x|^2 <= c; and the squared products are (|x|^4 + sum of x_i^4) / 2, where x_i^4 <= x_i^2. Products are not asked
 * for where they have no budget.
 */
export function noisyRounds(
  what: string,
  { rounds, components, dims, columns, rho }: Dimensions & { rounds: number; components: number; rho: number },
  sharing: Sharing,
  budget: Readonly<Record<keyof typeof budgetOfRound, number>> = budgetOfRound,
): { readonly rounds: PrivateRounds; readonly part: PrivacyCosts["parts"][number] } {
  const person = 1 / privateUnit ** 2;
  const { counts, sums, products } = budget;
  const each = rho / rounds;
  const variances = [
    gaussianVariance(person, counts * each),
    gaussianVariance(columns * person, sums * each),
    ...(products > 0 ? [gaussianVariance(((columns * (columns + 1)) / 2) * person, products * each)] : []),
  ];
  const noise: Noise = { kind: "gaussian", variances, sharing };
  const countDeviation = Math.sqrt(1 / (2 * counts * each));
  const sumDeviation = Math.sqrt(columns / (2 * sums * each));
  const values = rounds * components * (products > 0 ? termsOf(dims) : dims + 1);
  const slack = Math.max(...variances.map((variance) => gaussianSlack(variance, sharing)));
  return {
    rounds: { rounds, noise, countDeviation, sumDeviation },
    part: {
      what: `${what}, ${rounds} rounds`,
      mechanism: gaussianOn(countDeviation),
      loss: concentrated(rho, values * slack),
    },
  };
}

/** The mechanism in words. */
export function gaussianOn(countDeviation: number): string {
  return `discrete Gaussian, deviation ${round(countDeviation)} people on each count`;
}

/** To three digits, for messages. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}

export function checkEpsilon(epsilon: number | undefined): void {
  if (!(epsilon! > 0)) throw new MoietyError("usage", `epsilon is ${epsilon}: give a number above 0, such as 1`);
}

/** Where everything about people is private, so are the smallest and largest values of the features. */
export function checkBounds({ publicBounds }: Pick<PlannedPeople, "publicBounds">): void {
  if (publicBounds) return;
  throw new MoietyError(
    "usage",
    'bounds from the data would give people away: name public ones for every feature with `box`, such as {"age": [0, 100]}',
  );
}
