import { MoietyError } from "../../errors.js";

/**
 * What releases may reveal about one person, in measures that add up. Releases with a pure promise (Laplace noise) are counted
 * in two of them, epsilon and rho, so that the better of two proofs can be taken in the end.
 */
export interface Loss {
  /** Sum of the epsilons of the pure releases. */
  readonly epsilon: number;
  /** Sum of their epsilon^2 / 2: a pure epsilon is (epsilon^2 / 2)-zCDP (Bun and Steinke 2016, proposition 1.4). */
  readonly pureRho: number;
  /** Sum of the rhos of all other releases: zero-concentrated differential privacy (Gaussian noise). */
  readonly rho: number;
  /** How far the noise is from what the proof assumes: the logarithm of the largest factor between the two. */
  readonly slack: number;
}

/** What people are told: for any event and neighbouring data, P <= e^epsilon P' + delta. */
export interface Guarantee {
  readonly epsilon: number;
  readonly delta: number;
}

export const nothing: Loss = { epsilon: 0, pureRho: 0, rho: 0, slack: 0 };

export function pure(epsilon: number): Loss {
  return { ...nothing, epsilon, pureRho: epsilon ** 2 / 2 };
}

export function concentrated(rho: number, slack = 0): Loss {
  return { ...nothing, rho, slack };
}

/** Releases one after the other, each free to look at those before: losses add up. */
export function sequential(...losses: readonly Loss[]): Loss {
  const sum = (name: keyof Loss) => losses.reduce((total, loss) => total + loss[name], 0);
  return { epsilon: sum("epsilon"), pureRho: sum("pureRho"), rho: sum("rho"), slack: sum("slack") };
}

/**
 * What holds for data that differ in two steps, as when one person is replaced by another: pure epsilon doubles, rho
 * grows fourfold (Bun and Steinke 2016, proposition 1.9). The slack is about the noise, not about the data.
 */
export function twoSteps({ epsilon, pureRho, rho, slack }: Loss): Loss {
  return { epsilon: 2 * epsilon, pureRho: 4 * pureRho, rho: 4 * rho, slack };
}

/** rho-zCDP is (rho + 2 sqrt(rho ln(1/delta)), delta)-private (Bun and Steinke 2016, proposition 1.3). */
export function epsilonOf(rho: number, delta: number): number {
  if (rho === 0) return 0;
  return delta > 0 ? rho + 2 * Math.sqrt(rho * Math.log(1 / delta)) : Number.POSITIVE_INFINITY;
}

/**
 * The smallest epsilon that is proved at this delta. Either everything is counted as zCDP; or the pure releases keep
 * their epsilons, which add to the (epsilon, delta) of the rest. If the noise is only within a factor e^slack of what
 * this assumes, P(S) <= e^slack Q(S) <= e^slack (e^epsilon Q'(S) + delta) <= e^(epsilon + 2 slack) P'(S) + e^slack delta.
 */
export function guarantee({ epsilon, pureRho, rho, slack }: Loss, delta: number): Guarantee {
  const inner = delta * Math.exp(-slack);
  const apart = epsilon + epsilonOf(rho, inner);
  const together = epsilonOf(rho + pureRho, inner);
  const least = Math.min(apart, together) + 2 * slack;
  return { epsilon: least, delta: rho === 0 && apart <= together ? 0 : delta };
}

/** The largest rho whose guarantee at this delta is epsilon: (sqrt(L + epsilon) - sqrt(L))^2 with L = ln(1/delta). */
export function rhoWithin({ epsilon, delta }: Guarantee): number {
  if (!(delta > 0 && delta < 1)) {
    throw new MoietyError("usage", `delta is ${delta}: give a number above 0 and below 1, such as 1e-5`);
  }
  if (epsilon === Number.POSITIVE_INFINITY) return epsilon;
  const logarithm = Math.log(1 / delta);
  return (Math.sqrt(logarithm + epsilon) - Math.sqrt(logarithm)) ** 2;
}

/** The largest pure epsilon of one more release that keeps all together within the guarantee. */
export function pureLeft({ epsilon, pureRho, rho, slack }: Loss, whole: Guarantee): number {
  const { room, delta } = inside(whole, slack);
  const apart = room - epsilon - epsilonOf(rho, delta);
  const together = delta > 0 && room > 0 ? 2 * (rhoWithin({ epsilon: room, delta }) - rho - pureRho) : 0;
  return Math.max(0, apart, together > 0 ? Math.sqrt(together) : 0);
}

/** The largest rho of one more release that keeps all together within the guarantee; 0 without a delta. */
export function rhoLeft({ epsilon, pureRho, rho, slack }: Loss, whole: Guarantee): number {
  const { room, delta } = inside(whole, slack);
  if (!(delta > 0)) return 0;
  const apart = room > epsilon ? rhoWithin({ epsilon: room - epsilon, delta }) - rho : 0;
  const together = room > 0 ? rhoWithin({ epsilon: room, delta }) - rho - pureRho : 0;
  return Math.max(0, apart, together);
}

/** What a guarantee leaves for the proof after the slack. */
function inside({ epsilon, delta }: Guarantee, slack: number): { room: number; delta: number } {
  return { room: epsilon - 2 * slack, delta: delta * Math.exp(-slack) };
}
