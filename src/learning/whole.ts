import { MoietyError } from "../errors.js";

/**
 * What leaves a party: whole numbers whose sum over all parties stays below 2^53, so that sums are exact, do not depend
 * on the order of the parties, and can be taken under masks.
 */
export type WholeNumbers = Float64Array;

/** Sums over all parties stay below this, so that they are exact with one bit to spare. */
export const largestSum = 2 ** 52;

/** Parameters are of single precision: more fraction bits would hold nothing of them. */
const mostBits = 40;
/** With fewer fraction bits, rounding would show in the model. */
const fewestBits = 8;

/** Fraction bits such that `total` times `bound`, the most that all parties' values can add up to, has room. */
export function fractionBits(total: number, bound: number): number {
  const bits = Math.min(mostBits, Math.floor(Math.log2(largestSum / (total * bound))));
  if (bits >= fewestBits) return bits;
  const seen = `${total} people with values up to ${bound.toPrecision(3)} leave ${bits} bits for fractions`;
  throw new MoietyError(
    "input",
    `${seen}, and ${fewestBits} are needed: use a lower \`rate\`, fewer \`epochs\` or a larger \`batch\``,
  );
}

/** `value` times 2^bits as a whole number, first moved into [-bound, bound]; what is not a number becomes 0. */
export function toWhole(value: number, bound: number, bits: number): number {
  const inside = Math.min(bound, Math.max(-bound, value));
  return Number.isNaN(inside) ? 0 : Math.round(inside * 2 ** bits);
}
