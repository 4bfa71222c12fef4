import { squaresOf } from "./workspace.js";

/** Codes of a byte go from -127 to 127. */
const largestCode = 127;

/** What one step of the byte of each dimension stands for: the largest coordinate has the largest code. */
export function byteSteps(numbers: Float32Array, stride: number): Float32Array {
  const steps = new Float32Array(stride);
  for (let i = 0; i < numbers.length; i += stride) {
    for (let j = 0; j < stride; j++) steps[j] = Math.max(steps[j], Math.abs(numbers[i + j]));
  }
  return steps.map((most) => most / largestCode);
}

/** A vector's bytes. */
export function encodeRow(row: Float32Array, steps: Float32Array, into: Int8Array): void {
  for (let j = 0; j < row.length; j++) into[j] = steps[j] > 0 ? Math.round(row[j] / steps[j]) : 0;
}

/**
 * The squared length of each row as its bytes have it, or of the numbers where there are no bytes. A score of both then is wrong by what
 * rounding does to the difference of query and row, and not to all of the row.
 */
export function rowSquares(numbers: Float32Array, stride: number, steps: Float32Array): Float32Array {
  if (steps.length === 0) return squaresOf(numbers, stride);
  const codes = new Int8Array(stride);
  return Float32Array.from({ length: numbers.length / stride }, (_, i) => {
    encodeRow(numbers.subarray(i * stride, (i + 1) * stride), steps, codes);
    return codes.reduce((sum, code, j) => sum + (code * steps[j]) ** 2, 0);
  });
}

/**
 * A query in 16 bits, each coordinate times its dimension's step, so that the product with a row of bytes is a sum of whole numbers. Returns
 * what one unit of such a product stands for. Sums stay below 2^31.
 */
export function encodeQuery(query: Float32Array, steps: Float32Array, into: Int16Array): number {
  let most = 0;
  for (let j = 0; j < query.length; j++) most = Math.max(most, Math.abs(query[j] * steps[j]));
  const room = Math.min(32_767, Math.floor(2 ** 31 / (largestCode * query.length)) - 1);
  const unit = most > 0 ? most / room : 1;
  for (let j = 0; j < query.length; j++) into[j] = Math.round((query[j] * steps[j]) / unit);
  return unit;
}
