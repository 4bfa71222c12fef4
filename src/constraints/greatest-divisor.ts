/** Of two whole numbers from 0 on; 0 has every divisor. */
export function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
