/** How numbers are written. Little endian, as every machine that runs WebAssembly has them. */
export const numberArrays = { float64: Float64Array, float32: Float32Array, int32: Int32Array } as const;
export type NumberType = keyof typeof numberArrays;
export type Numbers = Float64Array | Float32Array | Int32Array;

/** An array that comes after a message: a table of numbers, by rows or by columns. */
export interface ArrayShape {
  readonly type: NumberType;
  readonly rows: number;
  readonly columns: number;
  readonly order: "rows" | "columns";
}

export function bytesOf({ buffer, byteOffset, byteLength }: Numbers): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

export function typeOf(array: Numbers): NumberType {
  return array instanceof Float64Array ? "float64" : array instanceof Float32Array ? "float32" : "int32";
}
