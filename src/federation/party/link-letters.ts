import { failed } from "../../errors.js";
import type { LinkedBy, Links, Weights } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { linksOnCard } from "../consent/card-columns.js";

/** What one site's letter says of everybody: the grid of weights and the weights, then with whom each belongs. */
export function linksToBytes({ weights, together }: LinkedBy): Buffer {
  const parts: Uint8Array[] = [];
  if (weights) parts.push(bytesOf(Float64Array.of(weights.unit)), bytesOf(weights.values));
  if (together) parts.push(bytesOf(together.codes));
  return Buffer.concat(parts);
}

/** What the card says that this site's letter is about, of n people. Throws "failed" on anything else. */
export function linksFromBytes(card: Card, owner: string, bytes: Uint8Array, n: number): LinkedBy {
  const columns = new Map(
    linksOnCard(card).flatMap((each) => (each.party === owner ? [[each.link, each.column]] : [])),
  );
  const [weighing, joining] = [columns.get("weights"), columns.get("together")];
  const weightBytes = weighing === undefined ? 0 : 8 * (n + 1);
  if (bytes.length !== weightBytes + (joining === undefined ? 0 : 4 * n)) throw wrong(owner);
  // Aligned for typed arrays.
  const own = Uint8Array.from(bytes);
  return {
    ...(weighing === undefined
      ? {}
      : { weights: weightsFrom(weighing, new Float64Array(own.buffer, 0, n + 1), owner) }),
    ...(joining === undefined
      ? {}
      : { together: linksFrom(joining, new Int32Array(own.buffer, weightBytes, n), owner) }),
  };
}

function weightsFrom(column: string, numbers: Float64Array, owner: string): Weights {
  const [unit, values] = [numbers[0], numbers.slice(1)];
  const isWhole = (value: number) => value > 0 && Number.isSafeInteger(value / unit);
  if (!(unit > 0 && Number.isInteger(Math.log2(unit)) && values.every(isWhole))) throw wrong(owner);
  return { column, values, unit, total: values.reduce((sum, value) => sum + value, 0) };
}

/** Numbers come as they first occur. */
function linksFrom(column: string, codes: Int32Array, owner: string): Links {
  let count = 0;
  for (const code of codes) {
    if (code < 0 || code > count) throw wrong(owner);
    if (code === count) count++;
  }
  return { column, codes, count };
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Int32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function wrong(owner: string) {
  return failed(`what ${owner} says of who counts how is not about the same people`);
}
