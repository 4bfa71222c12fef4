import { describe, expect, test } from "vitest";
import { cluster } from "../algorithms/cluster.js";
import { coordinates, LevelMembers, ScaledNumbers, wholeDimensions } from "./dimension.js";
import { generateTable } from "./generate.js";
import { preparePeople } from "./people.js";
import { moments } from "./scale.js";
import type { Dimension, NumberArray, People, Table } from "./types.js";

const n = 10_000;
const some = (value: (i: number) => number) => Float64Array.from({ length: n }, (_, i) => value(i));
const wholes = some((i) => ((i * 7919) % 201) - 100);
const kinds: readonly (readonly [string, NumberArray])[] = [
  ["doubles", some((i) => Math.sin(i) * 1e5 + 0.1)],
  ["singles", Float32Array.from(some((i) => Math.sin(i)))],
  ["with gaps", some((i) => (i % 11 === 0 ? Number.NaN : i / 3))],
  ["bytes", Int8Array.from(wholes)],
  ["16 bits", Int16Array.from(some((i) => (i * 37) % 30_000))],
  ["32 bits", Int32Array.from(some((i) => i * 100_003 - 5e8))],
];
const all = Uint32Array.from({ length: n }, (_, i) => i);
const orders: readonly (readonly [string, Uint32Array])[] = [
  ["all rows", all],
  ["other order", all.map((i) => (i * 7) % n)],
  ["some rows", all.filter((i) => i % 3 > 0)],
];
const cases = kinds.flatMap(([kind, values]) => orders.map(([order, rows]) => ({ kind, order, values, rows })));

describe("a dimension that is read where it is needed has the bits of one that is kept", () => {
  function same(dimension: Dimension): void {
    const whole = dimension.whole();
    const read = new Float32Array(whole.length + 5);
    for (let from = 0; from < whole.length; from += 777) {
      dimension.read(from, Math.min(whole.length, from + 777), read, 5 + from);
    }
    expect(read.subarray(5)).toEqual(Float32Array.from(whole));
    expect(Float64Array.from(whole.keys(), (i) => dimension.at(i))).toEqual(Float64Array.from(whole));
  }

  test.each(cases)("$kind, $order", ({ values, rows }) => {
    same(new ScaledNumbers({ values }, rows, { shift: 0.3, scale: 1.7, mean: 4 }));
  });

  test.each([true, false])("a level of a category, single precision: %s", (single) => {
    const codes = Int32Array.from({ length: n }, (_, i) => (i % 4) - 1);
    for (const [, rows] of orders) {
      for (const code of [-1, 2]) same(new LevelMembers(codes, rows, { code, weight: Math.SQRT1_2 }, single));
    }
  });
});

describe("moments are the same bits", () => {
  test.each(cases)("$kind, $order: of an array of any width, and of chosen rows", ({ values, rows }) => {
    const gathered = Float64Array.from(rows, (row) => values[row]);
    expect(moments(values, rows)).toEqual(moments(gathered));
    if (rows === all) expect(moments(values)).toEqual(moments(gathered));
  });
});

/** The same people as if they were many. */
function readOnly(table: Table, people: People): People {
  const readers = people.encodings.flatMap((encoding): Dimension[] => {
    const column = table.columns.find(({ name }) => name === encoding.column)!;
    if (column.kind !== "numeric" || encoding.kind !== "numeric") throw new Error("numbers only");
    const { shift, scale, mean = 0 } = encoding;
    return [new ScaledNumbers(column, people.sourceRows, { shift, scale, mean })];
  });
  return { ...people, dimensions: wholeDimensions(readers), readers };
}

describe("people whose dimensions are read have the labels of people whose dimensions are kept", () => {
  const table = generateTable("people", { n: 6000, seed: 3 });
  const people = preparePeople(table, { id: "person", protect: ["sex"] });

  test.each([
    { k: 4, parties: 1, threads: 1 },
    { k: 4, parties: 3, threads: 2 },
  ])("%j", async (asked) => {
    const kept = await cluster(people, asked);
    const read = await cluster(readOnly(table, people), asked);
    expect(read.labels).toEqual(kept.labels);
    expect(read.result.sse).toBe(kept.result.sse);
  });

  test("looking at one dimension makes no other", () => {
    let made = 0;
    const counting = (values: Float64Array): Dimension => ({
      length: values.length,
      single: false,
      at: (i) => values[i],
      read: () => undefined,
      whole: () => {
        made++;
        return values;
      },
    });
    const readers = [counting(Float64Array.of(1, 2)), counting(Float64Array.of(3, 4))];
    const lazy = { dimensions: wholeDimensions(readers), readers };
    expect(lazy.dimensions.length).toBe(2);
    expect(coordinates(lazy, 1)(0)).toBe(3);
    expect(made).toBe(0);
    expect([lazy.dimensions[1], lazy.dimensions[1]]).toEqual([Float64Array.of(3, 4), Float64Array.of(3, 4)]);
    expect(made).toBe(1);
  });
});

test("numbers that lie far from zero keep their labels", async () => {
  const table = generateTable("people", { n: 3000, seed: 5 });
  const moved: Table = {
    ...table,
    columns: table.columns.map((column) =>
      column.kind === "numeric"
        ? { ...column, values: Float64Array.from(column.values, (x) => Math.round(x) + 1e9) }
        : column,
    ),
  };
  const near: Table = {
    ...table,
    columns: moved.columns.map((column) =>
      column.kind === "numeric" ? { ...column, values: Float64Array.from(column.values, (x) => x - 1e9) } : column,
    ),
  };
  const labels = async (each: Table) => (await cluster(preparePeople(each, { protect: ["sex"] }), { k: 4 })).labels;
  expect(await labels(moved)).toEqual(await labels(near));
});
