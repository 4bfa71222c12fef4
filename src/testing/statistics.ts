/**
 * What a chi-square statistic exceeds once in a million when nothing is wrong: the cube-root normal approximation of
 * Wilson and Hilferty.
 */
export function chiSquareLimit(degrees: number): number {
  const spread = 2 / (9 * degrees);
  return degrees * (1 - spread + 4.7534 * Math.sqrt(spread)) ** 3;
}

export function chiSquare(seen: readonly number[], expected: readonly number[]): number {
  return seen.reduce((sum, count, at) => sum + (expected[at] > 0 ? (count - expected[at]) ** 2 / expected[at] : 0), 0);
}
