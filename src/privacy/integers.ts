import { MoietyError } from "../errors.js";

/**
 * Whole numbers mod 2^64, as they are masked, added and sent. Their bytes are those of the wire: little-endian, as on
 * every machine that Node runs on. Plain loops over BigInt64Array: the engine turns them into 64-bit instructions.
 */
export type Integers = BigInt64Array;

/** No sum may leave the signed 64-bit range. */
export const integerLimit = 2 ** 63;

/** Refuses what is not whole or is beyond the promised bound: a sum that wraps around would be wrong unnoticed. */
export function toIntegers(values: Float64Array, bound: number): Integers {
  const result = new BigInt64Array(values.length);
  const words = new Uint32Array(result.buffer);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (!(value <= bound && value >= -bound) || value !== Math.floor(value)) {
      throw new MoietyError("failed", `a value is not a whole number within the promised bound of ${bound}`);
    }
    const high = Math.floor(value * 2 ** -32);
    words[2 * i] = value - high * 2 ** 32;
    words[2 * i + 1] = high;
  }
  return result;
}

/** Back to numbers. Beyond 2^53 a number would be rounded: refused. */
export function toNumbers(values: Integers): Float64Array {
  const low = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const high = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  const result = new Float64Array(values.length);
  let worst = 0;
  for (let i = 0; i < values.length; i++) {
    result[i] = high[2 * i + 1] * 2 ** 32 + low[2 * i];
    worst = Math.max(worst, Math.abs(result[i]));
  }
  if (worst > Number.MAX_SAFE_INTEGER) throw new MoietyError("failed", "a sum is beyond 2^53: masks did not cancel");
  return result;
}

export function addInto(sum: Integers, part: Integers): void {
  if (part.length !== sum.length) {
    throw new MoietyError("failed", `${part.length} numbers cannot be added to ${sum.length}`);
  }
  for (let i = 0; i < sum.length; i++) sum[i] = BigInt.asIntN(64, sum[i] + part[i]);
}

/** Bytes of a number on the wire: all 8, or as few as sums below a bound need. */
export function bytesFor(bound: number): number {
  if (bound >= integerLimit) {
    throw new MoietyError(
      "infeasible",
      `sums could reach 2^${Math.log2(bound).toFixed(1)} and must stay below 2^63: remove outliers or transform the columns (logarithms)`,
    );
  }
  return Math.max(fewestBytes, Math.ceil((Math.log2(bound + 1) + 1) / 8));
}

export const fewestBytes = 5;

/** Numbers from their lowest bytes. Their other bytes mean nothing until `signed` has set them. */
export function unpack(bytes: Uint8Array, width: number, into: Integers): void {
  if (bytes.length !== into.length * width) {
    throw new MoietyError("failed", `${bytes.length} bytes are not ${into.length} numbers of ${width} bytes`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  // The last ones have no 8 bytes to read; numbers of 8 bytes are copied at once.
  const last = width === 8 ? 0 : Math.max(0, into.length - 2);
  for (let i = 0, at = 0; i < last; i++, at += width) into[i] = view.getBigInt64(at, true);
  if (width === 8) bytesOf(into).set(bytes);
  else for (let i = last; i < into.length; i++) bytesOf(into).set(bytes.subarray(i * width, (i + 1) * width), 8 * i);
}

/** As `addInto`, from bytes of the wire, aligned or not: they are copied in pieces, into memory that is allocated once. */
export function addBytes(sum: Integers, bytes: Uint8Array, width = 8): void {
  if (bytes.length !== sum.length * width) {
    throw new MoietyError("failed", `${bytes.length} bytes cannot be added to ${sum.length} numbers`);
  }
  for (let from = 0; from < sum.length; from += scratch.length) {
    const part = sum.subarray(from, from + scratch.length);
    const piece = scratch.subarray(0, part.length);
    unpack(bytes.subarray(from * width, (from + part.length) * width), width, piece);
    addInto(part, piece);
  }
}

/** Sets the upper bytes of sums that were added up from so many of their lowest bytes. */
export function signed(sum: Integers, width: number): Integers {
  const shift = 8 * (8 - width);
  const halves = new Int32Array(sum.buffer, sum.byteOffset, 2 * sum.length);
  for (let at = 1; shift > 0 && at < halves.length; at += 2) halves[at] = (halves[at] << shift) >> shift;
  return sum;
}

const scratch: Integers = new BigInt64Array(8192);

/** The numbers' bytes, without copying. */
export function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** Numbers from bytes of the wire; copies where the bytes do not lie on an 8-byte boundary. */
export function integersOf(bytes: Uint8Array): Integers {
  if (bytes.length % 8 !== 0) throw new MoietyError("failed", `${bytes.length} bytes are not whole 64-bit numbers`);
  // Not `slice`: of a Buffer that would be a view.
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  return new BigInt64Array(aligned.buffer, aligned.byteOffset, aligned.length / 8);
}
