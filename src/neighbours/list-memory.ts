import { encodeRow } from "./byte-rows.js";
import type { VectorStore } from "./list-search.js";
import type { ListRows, Lists } from "./types.js";
import type { VectorRows, Workspace } from "./workspace.js";

/** Vectors in the kernels' memory, in their own order; rows of lists are copied from them. */
export class ListMemory implements VectorStore {
  constructor(
    private readonly space: Workspace,
    private readonly held: VectorRows,
    private readonly lists: Lists,
    private readonly rows: ListRows,
  ) {}

  readRows(from: number, to: number, into: Uint8Array): void {
    const { stride } = this.space;
    const { steps } = this.lists;
    for (let row = from; row < to; row++) {
      const vector = this.numbers(this.rows.vectors[row]);
      const at = into.byteOffset + (row - from) * (steps.length > 0 ? stride : stride * 4);
      if (steps.length > 0) encodeRow(vector, steps, new Int8Array(into.buffer, at, stride));
      else new Float32Array(into.buffer, at, stride).set(vector);
    }
  }

  readVector(vector: number, into: Float32Array): void {
    into.set(this.numbers(vector));
  }

  close(): void {}

  private numbers(vector: number): Float32Array {
    return this.space.numbers(this.held, vector, vector + 1);
  }
}
