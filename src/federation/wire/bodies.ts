import { MoietyError } from "../../errors.js";
import type { Moves } from "../../parties/types.js";
import { bytesOf } from "../../privacy/integers.js";

/** Moves of single people: all rows, then all clusters. */
export function movesBody({ rows, to }: Moves): Uint8Array {
  const body = new Uint8Array(rows.byteLength + to.byteLength);
  body.set(bytesOf(rows));
  body.set(bytesOf(to), rows.byteLength);
  return body;
}

export function movesOf(body: Uint8Array, count: number): Moves {
  return { rows: uint32(body.subarray(0, 4 * count), count), to: uint16(body.subarray(4 * count), count) };
}

/** Numbers from the wire, in memory of their own. Throws "failed" when there are not so many. */
export function uint16(body: Uint8Array, count: number): Uint16Array {
  checkLength(body, 2 * count);
  return new Uint16Array(new Uint8Array(body).buffer);
}

export function uint32(body: Uint8Array, count: number): Uint32Array {
  checkLength(body, 4 * count);
  return new Uint32Array(new Uint8Array(body).buffer);
}

export function checkLength(body: Uint8Array, bytes: number): void {
  if (body.length !== bytes) throw new MoietyError("failed", `a body of ${body.length} bytes should have ${bytes}`);
}
