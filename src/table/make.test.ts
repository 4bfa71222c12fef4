import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Cell, type ColumnData, tableFromColumns, tableFromRecords } from "./make.js";
import { preparePeople } from "./people.js";
import { cellsOf, failure } from "./testing/fixtures.js";

describe("a table from records", () => {
  const records = [
    { age: 31, sex: "F", member: true, born: new Date("1990-05-01"), count: 7n, since: "2020-01-31" },
    { age: 45, sex: "M", member: false, born: new Date("1980-02-03T10:00:00Z"), count: 9n, since: "2021-02-03" },
    { age: null, sex: "", count: 8n, extra: 1, since: "" },
  ];

  test("has a column for every name, of the kind of its cells", () => {
    const table = tableFromRecords(records);
    expect(table.rows).toBe(3);
    expect(table.columns.map(({ name }) => name)).toEqual(["age", "sex", "member", "born", "count", "since", "extra"]);
    expect(table.columns.map(cellsOf)).toEqual([
      [31, 45, null],
      ["F", "M", null],
      ["true", "false", null],
      ["1990-05-01", "1980-02-03T10:00:00.000Z", null],
      [7, 9, 8],
      ["2020-01-31", "2021-02-03", null],
      [null, null, 1],
    ]);
    const spells = table.columns.map((column) => (column.kind === "text" ? column.spells : undefined));
    expect(spells).toEqual([undefined, undefined, "boolean", "date", undefined, "date", undefined]);
    expect(table.columns.map(({ missing }) => missing)).toEqual([1, 1, 1, 1, 0, 1, 2]);
  });

  test("is one that people can be made from", () => {
    const people = preparePeople(
      tableFromRecords(Array.from({ length: 20 }, (_, i) => ({ x: i * i, sex: i % 2 ? "F" : "M" }))),
      { protect: ["sex"] },
    );
    expect([people.n, people.dimensionNames, people.attributes[0].groups]).toEqual([20, ["x"], ["F", "M"]]);
  });

  test("is the same as one from columns", () => {
    const cell: fc.Arbitrary<Cell>[] = [fc.double(), fc.string(), fc.boolean()];
    const column = fc.oneof(...cell.map((each) => fc.array(fc.option(each), { minLength: 5, maxLength: 5 })));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), column, { minKeys: 1 }), (columns) => {
        const records = Array.from({ length: 5 }, (_, i) =>
          Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, cells[i]])),
        );
        expect(tableFromRecords(records)).toEqual(tableFromColumns(columns));
      }),
    );
  });
});

describe("a table from columns", () => {
  test("takes floating-point arrays as they are, and copies others", () => {
    const values = Float64Array.of(1, Number.NaN, Number.POSITIVE_INFINITY);
    const { columns } = tableFromColumns({ values, small: Int8Array.of(1, 2, 3), big: BigInt64Array.of(1n, 2n, 3n) });
    expect(columns[0]).toEqual({ kind: "numeric", name: "values", values, missing: 1, notFinite: 1 });
    expect((columns[0] as { values: unknown }).values).toBe(values);
    expect(columns.slice(1).map(cellsOf)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(tableFromColumns(new Map([["x", [1, 2]]])).rows).toBe(2);
  });

  const refused: [unknown, RegExp][] = [
    [{ a: [1, 2], b: [1] }, /column 'a' has 2 rows and column 'b' has 1/],
    [{ a: [1, "secret"] }, /column 'a' holds a number in row 0 and text in row 1: make them all of one kind/],
    [{ a: [null, "secret", 3] }, /holds text in row 1 and a number in row 2/],
    [{ a: [true, 1] }, /holds a boolean in row 0 and a number in row 1/],
    [{ a: [{}] }, /column 'a' holds an object in row 0/],
    [{ a: [new Date("x")] }, /invalid date in row 0/],
    [{ a: [2n ** 60n] }, /too large to be exact in row 0: give it as text/],
    [{ a: 5 }, /column 'a' is a number: give an array/],
    [{ a: null }, /column 'a' is null/],
    [{ a: [] }, /no rows/],
    [{}, /no columns/],
  ];
  test.each(refused)("%o is refused", async (columns, says) => {
    expect(await failure(() => tableFromColumns(columns as Record<string, ColumnData>), "input", ["secret"])).toMatch(
      says,
    );
  });

  test("nonsense is refused in words", async () => {
    for (const nonsense of [null, undefined, 3, "people.csv", [1], new Float64Array(3), () => 1]) {
      expect(await failure(() => tableFromColumns(nonsense as never), "usage")).toMatch(/^columns are /);
    }
    for (const nonsense of [null, undefined, 3, {}, () => 1]) {
      expect(await failure(() => tableFromRecords(nonsense as never), "usage")).toMatch(/^records are /);
    }
    expect(await failure(() => tableFromRecords([{ a: 1 }, 3 as never]))).toMatch(/^row 1 is a number/);
    expect(await failure(() => tableFromRecords([]))).toMatch(/no columns/);
  });
});
