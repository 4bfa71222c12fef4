import { MoietyError } from "../../errors.js";
import { integerLimit } from "../integers.js";

/** What one party promises of the numbers that it will send: none is farther from 0 than this. */
export interface Promised {
  readonly party: string;
  readonly bound: number;
}

/**
 * Promise: if every party keeps its bound (`toIntegers` checks each number against it), no sum of their numbers wraps
 * around 2^64, even after each was multiplied by at most `factor`. Refuses at the start of a job otherwise.
 */
export function proveHeadroom(promises: readonly Promised[], factor = 1): void {
  for (const { party, bound } of promises) {
    if (!Number.isFinite(bound) || bound < 0) {
      throw new MoietyError(
        "input",
        `party ${party} promises numbers up to ${bound}: a finite bound of at least 0 is needed`,
      );
    }
  }
  const total = promises.reduce((sum, { bound }) => sum + bound, 0) * factor;
  // A little less than the limit, for the rounding of this very sum.
  if (total < integerLimit * (1 - 2 ** -20)) return;
  const bits = Math.max(1, Math.floor(Math.log2(total)) - 62);
  throw new MoietyError(
    "infeasible",
    `masked sums could reach 2^${Math.log2(total).toFixed(1)} and must stay below 2^63: take ${bits} bits off the grid, or remove outliers`,
  );
}
