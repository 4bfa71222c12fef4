import { describe, expect, test } from "vitest";
import { cluster } from "../algorithms/cluster.js";
import { coordinates, isKept, LevelMembers, NumericDimensions, ScaledNumbers, wholeDimensions } from "./dimension.js";
import { generateTable } from "./generate.js";
import { preparePeople } from "./people.js";
import { moments } from "./scale.js";
import type { Column, Dimension, NumberArray, People, Table } from "./types.js";

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

  const scaling = { shift: 0.3, scale: 1.7, mean: 4 };
  const inFull = ({ values, rows }: (typeof cases)[number]) =>
    Float64Array.from(rows, (row) => ((Number.isNaN(values[row]) ? 4 : values[row]) - 0.3) / 1.7);

  test.each([Int8Array, Int16Array])("%o", (Narrow) => {
    for (const single of [true, false]) same(new ScaledNumbers(Narrow.from(wholes), single, scaling));
  });

  test.each(cases)("$kind, $order: of many people as of few, in single precision", (each) => {
    const { values, rows } = each;
    const seen: Float64Array[] = [];
    const made = [false, true, true].map((many, at) => {
      const numeric = new NumericDimensions(rows, n, many, at === 2 ? 5000 : 0);
      // The numbers are looked at while they are there: their memory may be used again.
      const make = () =>
        numeric.make({ values, missing: 0 }, (numbers) => {
          seen.push(Float64Array.from(numbers));
          return scaling;
        });
      const [first, second] = [make(), make()];
      const whole = [first, second].map((one) => (isKept(one!) ? one : one!.whole()));
      expect(whole[0]).toEqual(whole[1]);
      return whole[0];
    });
    const single = values instanceof Float32Array;
    expect(made[0]).toEqual(single ? Float32Array.from(inFull(each)) : inFull(each));
    for (const one of made.slice(1)) expect(Float32Array.from(one)).toEqual(Float32Array.from(inFull(each)));
    for (const numbers of seen) expect(numbers).toEqual(Float64Array.from(rows, (row) => values[row]));
  });

  test.each([true, false])("a level of a category, single precision: %s", (single) => {
    const places = Int16Array.from({ length: n }, (_, i) => i % 4);
    for (const place of [0, 2]) same(new LevelMembers(places, { place, weight: Math.SQRT1_2 }, single));
  });
});

test.each(kinds)("moments are the same bits of an array of any width: %s", (_, values) => {
  expect(moments(values)).toEqual(moments(Float64Array.from(values)));
});

/** The same people as if they were many. */
function readOnly(table: Table, people: People, movable = 0): People {
  const numeric = new NumericDimensions(people.sourceRows, table.rows, true, movable);
  const readers = people.encodings.map((encoding) => {
    const column = table.columns.find(({ name }) => name === encoding.column)!;
    if (column.kind !== "numeric" || encoding.kind !== "numeric") throw new Error("numbers only");
    const { mean = 0, ...scaling } = encoding;
    return numeric.make(column, () => ({ ...scaling, mean }))!;
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
    expect(read.result.sse / kept.result.sse).toBeCloseTo(1, 7);
  });

  /** So many columns could come that a block holds some thousand people only. */
  const manyColumns = 5000;

  test.each([
    { k: 4, parties: 1, threads: 1 },
    { k: 4, parties: 3, threads: 2 },
  ])("also where the solver has taken them over, in a second run too: %j", async (asked) => {
    const fractions = table.columns.map((column): Column => {
      if (column.kind !== "numeric") return column;
      return { ...column, values: Float64Array.from(column.values, (value, i) => value + ((i * Math.SQRT2) % 1)) };
    });
    const own = { ...table, columns: fractions };
    const kept = preparePeople(own, { id: "person", protect: ["sex"] });
    const movable = readOnly(own, kept, manyColumns);
    const before = movable.readers!.map((reader) => (reader as Dimension).whole());
    expect(before).toEqual(kept.dimensions.map((values) => Float32Array.from(values)));
    const { labels } = await cluster(kept, asked);
    const { labels: first, gridBits } = await cluster(movable, asked);
    expect(first).toEqual(labels);
    const after = movable.readers!.map((reader) => (reader as Dimension).whole());
    // The nearest point of the grid.
    const isNear = (value: number, i: number, j: number) => Math.abs(value - before[j][i]) <= 2 ** -(gridBits + 1);
    const isOnGrid = (value: number) => Number.isInteger(value * 2 ** gridBits);
    expect(after.every((values, j) => values.every((value, i) => isOnGrid(value) && isNear(value, i, j)))).toBe(true);
    expect(Float32Array.from({ length: 50 }, (_, i) => coordinates(movable, 0)(97 * i))).toEqual(
      Float32Array.from({ length: 50 }, (_, i) => after[0][97 * i]),
    );
    expect((await cluster(movable, asked)).labels).toEqual(labels);
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

test.each([false, true])("dates keep their labels as the numbers of their days, many people: %s", async (many) => {
  const table = generateTable("people", { n: 3000, seed: 5 });
  const day = 86_400_000;
  const born = (scale: number): Table => ({
    ...table,
    columns: table.columns.map((column) =>
      column.kind === "numeric"
        ? { ...column, values: Float64Array.from(column.values, (x) => scale * (Math.round(x) + 10_000)) }
        : column,
    ),
  });
  const labels = async (each: Table) => {
    const people = preparePeople(each, { protect: ["sex"] });
    return (await cluster(many ? readOnly(each, people) : people, { k: 4 })).labels;
  };
  expect(await labels(born(day))).toEqual(await labels(born(1)));
});
