/** What the high part counts: rows that weigh 2^32 in all still have low parts below 2^53. */
export const wideStep = 2 ** 20;

/**
 * A whole number that may be beyond 2^53, in two parts that are added up apart: high * 2^20 + low. Sums of parts are exact in any order, and
 * rounded once, where they are joined.
 */
export type WideSum = readonly [high: number, low: number];

export function wideOf(value: bigint): WideSum {
  const low = BigInt.asUintN(20, value);
  return [Number((value - low) / BigInt(wideStep)), Number(low)];
}

export function bigintOf([high, low]: WideSum): bigint {
  return BigInt(high) * BigInt(wideStep) + BigInt(low);
}

/** The number at this place of a list of wide sums, high and low in turn. */
export function joined(parts: ArrayLike<number>, at = 0): number {
  return parts[2 * at] * wideStep + parts[2 * at + 1];
}
