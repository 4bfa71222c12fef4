import { MoietyError } from "../../errors.js";
import type { RowMemory } from "../../kernels/blinding.js";
import type { Scale, TieOrder } from "../blinding/pass.js";
import { bytesOf, type Integers, integersOf } from "../integers.js";

/**
 * Rows of whole numbers that are masked and not blinded: every row as its differences to the column that comes first in the
 * order of ties (the own cluster, then by number), in that order. All parties send them alike.
 *
 * Promise: the smallest of each row stays the smallest, by value and then by the order of ties, exactly. Whoever adds up
 * the masked differences of all parties sees the differences of the sums, row by row, and nothing of one party.
 */
export class MaskedRows {
  /** u16 [rows]: who stays first in a tie; 0 for nobody. */
  private readonly labels: number;

  /** The rows before, in the same memory, are done with. */
  constructor(
    private readonly memory: RowMemory,
    readonly rows: number,
    readonly width: number,
    ties: TieOrder,
  ) {
    this.labels = ties === "index" ? 0 : memory.put("labels", ties);
  }

  /**
   * This party's differences of some rows, [rows][width - 1], from its scores, [rows][width]. They are the taker's until
   * the next ones take their place.
   */
  differences(scores: Float64Array, from: number, { bound, wall = 0 }: Scale): Integers {
    const { memory, width, labels } = this;
    const rows = scores.length / width;
    if (!Number.isInteger(rows) || from + rows > this.rows) {
      throw new MoietyError("failed", `${scores.length} scores came for ${this.rows - from} rows of ${width}`);
    }
    const at = memory.put("given", scores);
    const bytes = rows * (width - 1) * 8;
    const out = memory.buffer("differences", bytes);
    const own = labels === 0 ? 0 : labels + 2 * from;
    if (!memory.kernels.subtractRows(at, rows, width, own, bound, wall, out)) {
      throw new MoietyError("failed", `a score is not a whole number within the promised bound of ${bound}`);
    }
    return integersOf(memory.bytes(out, bytes));
  }

  /** The lowest bytes of numbers that `differences` gave, as they travel; the taker's as these are. */
  packed(numbers: Integers, bytes: number): Uint8Array {
    if (bytes === 8) return bytesOf(numbers);
    const out = this.memory.buffer("packed", numbers.byteLength + 8);
    this.memory.kernels.packNumbers(numbers.byteOffset, numbers.length, bytes, out);
    return this.memory.bytes(out, numbers.length * bytes);
  }

  /** What the coordinator's answer means: the column of each row. */
  read(positions: Uint8Array): Uint16Array {
    const { memory, rows, width, labels } = this;
    const at = memory.put("positions", positions);
    const out = memory.buffer("read", rows * 2);
    if (positions.length !== rows || !memory.kernels.readPositions(at, rows, width, labels, out)) {
      throw new MoietyError(
        "failed",
        `${positions.length} positions came for ${rows} rows of ${width}, or one is beyond`,
      );
    }
    return new Uint16Array(memory.bytes(out, rows * 2).slice().buffer);
  }
}
