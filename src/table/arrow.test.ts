import * as arrow from "apache-arrow";
import { describe, expect, test } from "vitest";
import { tableFromArrow } from "./arrow.js";
import { preparePeople } from "./people.js";
import { cellsOf, failure } from "./testing/fixtures.js";

describe("a table from Arrow", () => {
  test("has the same cells", () => {
    const born = [new Date("1990-05-01"), null, new Date("1980-02-03")];
    const table = tableFromArrow(
      new arrow.Table({
        x: arrow.vectorFromArray([1.5, null, 3]),
        single: arrow.makeVector(Float32Array.of(1, 2, 3)),
        half: arrow.vectorFromArray([0.5, 1, null], new arrow.Float16()),
        whole: arrow.vectorFromArray([1, 2, null], new arrow.Int32()),
        big: arrow.vectorFromArray([1n, null, 3n], new arrow.Int64()),
        text: arrow.vectorFromArray(["a", "b", null], new arrow.Utf8()),
        coded: arrow.vectorFromArray(["q", "p", "q"]),
        yes: arrow.vectorFromArray([true, false, null]),
        day: arrow.vectorFromArray(born, new arrow.DateDay()),
        when: arrow.vectorFromArray(
          [new Date("2020-01-02T03:04:05.678Z"), null, born[0]],
          new arrow.TimestampMillisecond(),
        ),
        none: arrow.vectorFromArray([null, null, null]),
        cents: arrow.vectorFromArray(
          [199n, 250n, 1n].map((value) => new Uint32Array([Number(value), 0, 0, 0])),
          new arrow.Decimal(2, 10, 128),
        ),
      }),
    );
    expect(Object.fromEntries(table.columns.map((column) => [column.name, cellsOf(column)]))).toEqual({
      x: [1.5, null, 3],
      single: [1, 2, 3],
      half: [0.5, 1, null],
      whole: [1, 2, null],
      big: [1, null, 3],
      text: ["a", "b", null],
      coded: ["q", "p", "q"],
      yes: ["true", "false", null],
      day: ["1990-05-01", null, "1980-02-03"],
      when: ["2020-01-02T03:04:05.678Z", null, "1990-05-01"],
      none: [null, null, null],
      cents: [1.99, 2.5, 0.01],
    });
    const spells = (name: string) =>
      (table.columns.find((column) => column.name === name) as { spells?: string }).spells;
    expect(["yes", "day", "when", "text"].map(spells)).toEqual(["boolean", "date", "date", undefined]);
    expect(table.columns[1]).toMatchObject({ values: Float32Array.of(1, 2, 3) });
  });

  test("in several pieces, and as it comes over the wire", () => {
    const n = 50;
    const part = (from: number) =>
      arrow.tableFromArrays({
        income: Float64Array.from({ length: n }, (_, i) => (from + i) ** 2),
        sex: Array.from({ length: n }, (_, i) => (i % 2 ? "F" : "M")),
      });
    const whole = arrow.tableFromIPC(arrow.tableToIPC(part(0).concat(part(n))));
    const people = preparePeople(tableFromArrow(whole), { protect: ["sex"] });
    expect([people.n, people.dimensionNames]).toEqual([2 * n, ["income"]]);
  });

  test("what is no table of numbers, texts, booleans and dates is refused", async () => {
    const lists = new arrow.Table({ l: arrow.vectorFromArray([[1], [2]]) });
    expect(await failure(() => tableFromArrow(lists))).toMatch(/column 'l' is of Arrow's type List<Float64>/);
    for (const nonsense of [null, undefined, 3, {}, [], { schema: {} }, { schema: { fields: [] } }]) {
      expect(await failure(() => tableFromArrow(nonsense as never), "usage")).toMatch(/not an Arrow table/);
    }
    expect(await failure(() => tableFromArrow(arrow.tableFromArrays({ x: [] as number[] })))).toMatch(/no rows/);
  });
});
