import { afterAll, describe, expect, it } from "vitest";
import { ColumnThreads } from "./column-threads.js";
import { NumericDimensions } from "./dimension.js";
import { isOnlyView } from "./garbage.js";
import { moments, scalingOf } from "./scale.js";
import type { Moments, NumericColumn } from "./types.js";

const rows = 9001;
const columns: readonly (readonly [string, (row: number) => number])[] = [
  ["fractions", (row) => Math.sin(row) * 50],
  ["far from 0", (row) => 1e9 + Math.cos(row)],
  ["gaps", (row) => (row % 7 === 0 ? Number.NaN : row / 3)],
  ["the same", () => 0.1],
];

function columnOf(name: string, numberOf: (row: number) => number): NumericColumn {
  // Room for more rows than came, as a reader leaves it.
  const values = new Float64Array(rows + 100).subarray(0, rows);
  for (let row = 0; row < rows; row++) values[row] = numberOf(row);
  isOnlyView(values);
  return { kind: "numeric", name, values, missing: 0, notFinite: 0 };
}

const all = Uint32Array.from({ length: rows }, (_, row) => row);
const orders: readonly (readonly [string, Uint32Array])[] = [
  ["all rows", all],
  ["another order", all.map((row) => (row * 7) % rows)],
  ["some rows", all.filter((row) => row % 3 > 0)],
];

describe("coordinates that threads make have the bits of those that are made here", () => {
  const open: ColumnThreads[] = [];
  afterAll(() => Promise.all(open.map((threads) => threads.close())));

  it.each(orders)("%s", async (_, sourceRows) => {
    for (const scale of ["standard", "minmax", "none"] as const) {
      const made = columns.map(([name, numberOf]) => columnOf(name, numberOf));
      const { personOf, n } = new NumericDimensions(sourceRows, rows, true, columns.length);
      const threads = new ColumnThreads(2, made, { personOf, n, scale });
      open.push(threads);
      for (const [at, [name, numberOf]] of columns.entries()) {
        const here = new NumericDimensions(sourceRows, rows, true, 1);
        let found: Moments | undefined;
        const dimension = here.make(columnOf(name, numberOf), (numbers) => {
          found = moments(numbers);
          return { ...scalingOf(found, scale), mean: found.mean };
        });
        const theirs = await threads.scaled(made[at]);
        expect(theirs?.found).toEqual(found);
        const mine = new Float32Array(n);
        (dimension as { read: (from: number, to: number, into: Float32Array, at: number) => void }).read(0, n, mine, 0);
        expect(theirs?.coordinates).toEqual(mine);
      }
    }
  });

  it("columns whose memory others may look at, and columns of other numbers, stay as they are", () => {
    const shared = new Float64Array(2 * rows).subarray(0, rows);
    const narrow = new Int8Array(rows);
    const left = [shared, narrow].map((values): NumericColumn => ({ ...columnOf("x", () => 1), values }));
    const threads = new ColumnThreads(1, left, { personOf: undefined, n: rows, scale: "standard" });
    open.push(threads);
    expect(left.map((column) => threads.scaled(column))).toEqual([undefined, undefined]);
    expect([shared.length, narrow.length]).toEqual([rows, rows]);
  });

  it("what is stopped fails, and nothing waits for it", async () => {
    const column = columnOf("x", (row) => row + 0.5);
    const threads = new ColumnThreads(1, [column], { personOf: undefined, n: rows, scale: "standard" });
    const scaled = threads.scaled(column);
    await threads.close();
    await expect(scaled).rejects.toMatchObject({ code: "cancelled" });
  });
});
