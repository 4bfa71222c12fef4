import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type ReadOptions, readTable } from "./disk/read.js";
import { preparePeople } from "./people.js";
import { cellsOf, failure, Scratch } from "./testing/fixtures.js";
import type { Column } from "./types.js";

const scratch = new Scratch();
afterAll(() => scratch.remove());

/** The column that these cells become in a CSV file, quoted as they are, beside one of plain numbers. */
async function read(cells: readonly string[], options: ReadOptions = {}, name = "c.csv"): Promise<Column> {
  const lines = cells.map((cell, i) => `${i}.5,"${cell.replaceAll('"', '""')}"`);
  const path = scratch.file(name, `n,x\n${lines.join("\n")}\n`);
  return (await readTable(path, options)).columns[1];
}

/** More rows than the sample by which columns are judged first. */
const beyondTheSample = 21_000;

describe("what is missing", () => {
  test.each(["NA", "N/A", "NaN", "null", "-", "?", "na", "n/a", "nan", "NULL", "Null", "", " ", " NA "])(
    "'%s' in a column of numbers, booleans or dates",
    async (mark) => {
      const numbers = await read(["1", mark, "2.5", "-3e2"]);
      expect(numbers).toMatchObject({ kind: "numeric", missing: 1, notFinite: 0 });
      expect(cellsOf(numbers)).toEqual([1, null, 2.5, -300]);
      const booleans = await read(["true", mark, "false", "true"]);
      expect(booleans).toMatchObject({ kind: "text", spells: "boolean", missing: 1, levels: ["false", "true"] });
      const dates = await read(["2020-01-31", mark, "1969-12-31"]);
      expect(dates).toMatchObject({ kind: "text", spells: "date", missing: 1 });
      expect(cellsOf(dates)).toEqual(["2020-01-31", null, "1969-12-31"]);
    },
  );

  test("cells without quotes and with nothing in them, among decimal commas, thousands and marks", async () => {
    const path = scratch.file("bare.csv", "a;b;c\n1,5;1.234.567;NA\n;;3\n2,5;2.345.678;\n");
    const { columns } = await readTable(path);
    expect(columns.map(cellsOf)).toEqual([
      [1.5, null, 2.5],
      [1_234_567, null, 2_345_678],
      [null, 3, null],
    ]);
  });

  test("in text only what is empty: ? and NA are values there", async () => {
    const cells = ["NA", "?", "", "DE", "-", "null"];
    expect(cellsOf(await read(cells))).toEqual(["NA", "?", null, "DE", "-", "null"]);
    expect(await read(["NA", "NA", "?"])).toMatchObject({ kind: "text", missing: 0 });
  });

  test("what is empty, in every source", async () => {
    const { columns } = await readTable("SELECT unnest(['a', '', 'b']) t, unnest(['1', '', '2']) n");
    expect(columns).toMatchObject([{ missing: 1, levels: ["a", "b"] }, { missing: 1 }]);
  });

  test("what --na names, everywhere, and nothing else in text", async () => {
    expect(cellsOf(await read(["NA", "?", "DE", "na"], { na: ["NA", "?"] }))).toEqual([null, null, "DE", "na"]);
    expect(cellsOf(await read(["1", "unknown", "2", "NA"], { na: ["unknown"] }))).toEqual([1, null, 2, null]);
    expect(cellsOf(await read(["true", "unknown"], { na: ["unknown"] }))).toEqual(["true", null]);
    expect(cellsOf(await read(["7", "x7", "unknown"], { na: ["unknown"], text: ["x"] }))).toEqual(["7", "x7", null]);
  });

  test("a number that --na names, however it is written, in every kind of source", async () => {
    expect(await read(["1", "-999", "-999.0", "2"], { na: ["-999"] })).toMatchObject({ kind: "numeric", missing: 2 });
    expect(cellsOf(await read(["1", "-999", "NA", "2"], { na: ["-999"] }))).toEqual([1, null, null, 2]);
    const query = "SELECT unnest([1, -999]) i, unnest([0.5::FLOAT, -999]) f, unnest(['a', '-999']) t";
    const { columns } = await readTable(query, { na: ["-999"] });
    expect(columns.map(cellsOf)).toEqual([
      [1, null],
      [0.5, null],
      ["a", null],
    ]);
  });

  test("NaN in Parquet and the like is missing, and infinity is broken", async () => {
    const { columns } = await readTable("SELECT unnest(['nan'::DOUBLE, 1, 'inf'::DOUBLE, NULL]) x");
    expect(columns[0]).toMatchObject({ kind: "numeric", missing: 2, notFinite: 1 });
  });

  test("marks far down are found as well as those at the top", async () => {
    const cells = Array.from({ length: beyondTheSample }, (_, i) => String(i / 8));
    cells[beyondTheSample - 1] = "NA";
    const column = await read(cells);
    expect(column).toMatchObject({ kind: "numeric", missing: 1 });
    expect(cellsOf(column).slice(0, 3)).toEqual([0, 0.125, 0.25]);
  });

  test("a protected or categorical column of codes with marks has missing values, as --missing rules", async () => {
    const path = scratch.file("codes.csv", `x,sex\n${["1,0", "2,1", "3,NA", "4,0", "5,1"].join("\n")}\n`);
    const table = await readTable(path);
    expect(await failure(() => preparePeople(table, { protect: ["sex"] }))).toMatch(/'sex' has 1 missing value/);
    const people = preparePeople(table, { protect: ["sex"], missing: "drop" });
    expect(people).toMatchObject({ n: 4, attributes: [{ groups: ["0", "1"] }] });
  });
});

describe("how numbers are written", () => {
  test.each<[string, string[], number[]]>([
    ["thousands by comma", ["1,234", "12", "1,234,567.5", "-1,000.25"], [1234, 12, 1_234_567.5, -1000.25]],
    ["thousands by point", ["1.234", "12", "1.234.567,5", "-1.000,25"], [1234, 12, 1_234_567.5, -1000.25]],
    ["thousands by space", ["1 234", "12", "1 234 567.5", "7.25"], [1234, 12, 1_234_567.5, 7.25]],
    ["thousands by hard space", ["1\u00a0234", "12", "1\u202f234\u202f567,5"], [1234, 12, 1_234_567.5]],
    ["thousands by apostrophe", ["1'234", "12", "1’234’567.5"], [1234, 12, 1_234_567.5]],
    ["decimal commas", ["0,5", "12", "1,25", "-3,125e2"], [0.5, 12, 1.25, -312.5]],
    ["decimal commas of three digits, one of them after a zero", ["1,234", "0,500"], [1.234, 0.5]],
    ["points are decimal", ["1.234", "12.500", "950"], [1.234, 12.5, 950]],
  ])("%s", async (_what, cells, expected) => {
    expect(cellsOf(await read(cells))).toEqual(expected);
    // The same beside a mark, and where the sample has not seen it.
    expect(cellsOf(await read([...cells, "NA"]))).toEqual([...expected, null]);
    const late = [...Array.from({ length: beyondTheSample }, () => "3"), ...cells];
    expect(cellsOf(await read(late, {}, "late.csv")).slice(beyondTheSample)).toEqual(expected);
  });

  test("a file between semicolons with decimal commas, as spreadsheets save it in half of Europe", async () => {
    const path = scratch.file("de.csv", "Alter;Quote;Betrag\r\n31;0,5;1.234,50\r\n44;0,25;980,00\r\n");
    expect((await readTable(path)).columns.map(cellsOf)).toEqual([
      [31, 44],
      [0.5, 0.25],
      [1234.5, 980],
    ]);
  });

  test("is decided by column, the same by any of its rows first", async () => {
    const whole = fc.integer({ min: -9_999_999, max: 9_999_999 });
    const cents = fc.integer({ min: 0, max: 99 });
    const rows = fc.array(fc.tuple(whole, cents), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom(",.", ".,", " .", " ,", "'."), async (numbers, [group, decimal]) => {
        const cells = numbers.map(([n, c]) => {
          const digits = String(Math.abs(n)).replace(/\B(?=(\d{3})+$)/g, group!);
          return `${n < 0 ? "-" : ""}${digits}${decimal}${String(c).padStart(2, "0")}`;
        });
        const expected = numbers.map(([n, c]) =>
          Number(`${n < 0 ? "-" : ""}${Math.abs(n)}.${String(c).padStart(2, "0")}`),
        );
        expect(cellsOf(await read(cells, {}, "any.csv"))).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });
});

describe("what could be read in two ways", () => {
  const cells = ["1,234", "950", "52,000"];

  test("is text that may be protected, and no feature, unless --decimal says which", async () => {
    const column = await read(cells);
    expect(column).toMatchObject({ kind: "text", doubt: "marks", notNumbers: ["B2", "B4"] });
    expect(cellsOf(await read(cells, { decimal: "point" }))).toEqual([1234, 950, 52_000]);
    expect(cellsOf(await read(cells, { decimal: "comma" }))).toEqual([1.234, 950, 52]);
    const table = await readTable(scratch.path("c.csv"));
    expect(preparePeople(table, { protect: ["x"], features: ["n"], partial: true }).n).toBe(3);
    for (const options of [{}, { features: ["x"] }]) {
      const message = await failure(() => preparePeople(table, options), "input", ["1,234", "52"]);
      expect(message).toMatch(/column 'x' could be read in two ways.*B2 and B4.*`decimal: point` or `decimal: comma`/);
    }
  });

  test("points are in doubt too where another column has decimal commas", async () => {
    const path = scratch.file("de2.csv", "a;b;c;d\n1.234;0,5;7;1.5\n12.500;0,25;8;2.25\n");
    const { columns } = await readTable(path);
    expect(columns.map((column) => (column.kind === "text" ? column.doubt : cellsOf(column)))).toEqual([
      "marks",
      [0.5, 0.25],
      [7, 8],
      [1.5, 2.25],
    ]);
    expect(cellsOf((await readTable(path, { decimal: "comma" })).columns[0])).toEqual([1234, 12_500]);
    expect(cellsOf((await readTable(path, { decimal: "point" })).columns[0])).toEqual([1.234, 12.5]);
  });

  test("points beside decimal commas are judged by every row, wherever they are", async () => {
    const rows = (late: string) => {
      const whole = Array.from({ length: beyondTheSample }, (_, i) => `${i % 900};0,5;${(i % 900) + 1}.250`);
      return `a;b;c\n${whole.join("\n")}\n${late}\n`;
    };
    const doubts = async (late: string) => {
      const { columns } = await readTable(scratch.file("far.csv", rows(late)));
      return columns.map((column) => (column.kind === "text" ? column.doubt : column.kind));
    };
    expect(await doubts("7;0,5;8.125")).toEqual(["numeric", "numeric", "marks"]);
    expect(await doubts("1.234;0,5;8.125")).toEqual(["marks", "numeric", "marks"]);
    expect(await doubts("7;0,5;8.5")).toEqual(["numeric", "numeric", "numeric"]);
  });

  test("--decimal decides only what is open", async () => {
    expect(cellsOf(await read(["0,5", "1,234"], { decimal: "point" }))).toEqual([0.5, 1.234]);
    expect(cellsOf(await read(["1.5", "1.234"], { decimal: "comma" }))).toEqual([1.5, 1.234]);
  });
});

describe("a column over 95% numeric that cannot be read", () => {
  const lines = (bad: string, every = 30) =>
    Array.from({ length: 90 }, (_, i) => (i % every === 15 ? bad : String(i * 1.5)));
  const at = ["B17", "B47", "B77"];

  test.each(["n.a.", "12 kg", "forty", "1,5"])("because of '%s' names three cells and the remedy", async (bad) => {
    await read(lines(bad));
    const table = await readTable(scratch.path("c.csv"));
    expect(table.columns[1]).toMatchObject({ kind: "text", doubt: "cells", notNumbers: at });
    for (const [options, remedy] of [
      [{}, /or `exclude: x`$/],
      [{ features: ["x"] }, /or leave the column out$/],
    ] as const) {
      const message = await failure(() => preparePeople(table, options), "input", [bad]);
      expect(message).toMatch(remedy);
      expect(message).toMatch(
        /column 'x' looks numeric, but 3 of its 90 cells \(B17, B47 and B77\) are not numbers; .*`na`/,
      );
    }
  });

  test("is no error for who names it as protected, categorical, excluded or the id, or names other features", async () => {
    await read(lines("n.a."));
    const table = await readTable(scratch.path("c.csv"));
    for (const options of [{ categorical: ["x"] }, { exclude: ["x"] }, { features: ["n"] }]) {
      expect(preparePeople(table, options).n).toBe(90);
    }
    expect(preparePeople(table, { protect: ["x"], partial: true }).n).toBe(90);
    expect(cellsOf(await read(lines("n.a."), { na: ["n.a."] }))[15]).toBeNull();
    expect(await read(lines("n.a."), { text: ["x"] })).not.toHaveProperty("doubt");
  });

  test("is text in peace at 95% or less", async () => {
    expect(await read(lines("n.a.", 18))).not.toHaveProperty("doubt");
  });

  test("rows are counted as a spreadsheet counts them: breaks within cells, and empty lines", async () => {
    const rows = Array.from({ length: 60 }, (_, i) => `${i},"a\nb"${i % 20 === 5 ? "\n" : ""}`);
    rows[50] = 'x,"a\nb"';
    const { columns } = await readTable(scratch.file("lines.csv", `n,t\n${rows.join("\n")}\n`));
    // The header, three empty lines, and 51 rows.
    expect(columns[0]).toMatchObject({ doubt: "cells", notNumbers: ["A55"] });
  });

  test("columns beyond Z have two letters", async () => {
    const names = Array.from({ length: 30 }, (_, i) => `c${i}`);
    const rows = Array.from({ length: 40 }, (_, r) => names.map((_, i) => (i === 27 && r === 0 ? "x" : "1")).join());
    const table = await readTable(scratch.file("wide.csv", `${names.join()}\n${rows.join("\n")}\n`), {
      columns: ["c27"],
    });
    expect(table.columns[0]).toMatchObject({ notNumbers: ["AB2"] });
  });
});

describe("booleans and dates", () => {
  const path = () =>
    scratch.file(
      "kinds.csv",
      [
        "x,member,smokes,born,seen",
        "1,TRUE,yes,2000-02-29,2020-01-01 12:00:00",
        "2,False,No,1970-01-02,2020-01-02T00:00Z",
        "4,TRUE,no,1969-12-31,2020-01-01 18:00:00+06",
      ].join("\n"),
    );

  test("are numbers when they are named, and never by default", async () => {
    const table = await readTable(path());
    expect(table.columns.map((column) => (column.kind === "text" ? column.spells : column.kind))).toEqual([
      "numeric",
      "boolean",
      "boolean",
      "date",
      "date",
    ]);
    expect(preparePeople(table).dimensionNames).toEqual(["x"]);
    const { dimensions } = preparePeople(table, { features: ["member", "smokes", "born", "seen"], scale: "none" });
    const raw = dimensions.map((values) => Array.from(values, (value) => value - values[2]));
    expect(raw).toEqual([
      [0, -1, 0],
      [1, 0, 0],
      [11_016 + 1, 2, 0],
      [0, 0.5, 0],
    ]);
  });

  test("as groups and categories are levels as they are written", async () => {
    const table = await readTable(path());
    const people = preparePeople(table, { features: ["x"], protect: ["member"], categorical: ["born"] });
    expect(people.attributes[0]).toMatchObject({ groups: ["False", "TRUE"] });
    expect(people.dimensionNames).toContain("born=2000-02-29");
  });

  test("one cell that is neither makes the column text", async () => {
    for (const bad of ["2021-02-30", "31.12.2020", "1999-13-01", "yes"]) {
      expect(await read(["2020-01-31", bad])).not.toHaveProperty("spells");
    }
    expect(await read(["true", "no"])).not.toHaveProperty("spells");
    // Single letters are codes: F may be a sex, and T a grade.
    expect(await read(["t", "f"])).not.toHaveProperty("spells");
  });

  test("days are counted from 1970-01-01, the same as any calendar's", async () => {
    const days = fc.array(fc.integer({ min: -700_000, max: 2_900_000 }), { minLength: 2, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(days, async (numbers) => {
        fc.pre(new Set(numbers).size > 1);
        const cells = numbers.map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
        fc.pre(cells.every((cell) => /^\d/.test(cell)));
        await read(cells, {}, "days.csv");
        const table = await readTable(scratch.path("days.csv"));
        const { dimensions, encodings } = preparePeople(table, { features: ["x"], scale: "minmax" });
        const { shift, scale } = encodings[0] as { shift: number; scale: number };
        dimensions[0].forEach((value, i) => {
          expect(value * scale + shift).toBeCloseTo(numbers[i], 4);
        });
      }),
      { numRuns: 20 },
    );
  });

  test("types of the engine", async () => {
    const { columns } = await readTable(
      "SELECT true b, DATE '2020-01-31' d, TIMESTAMP '2020-01-31 06:00:00' t, TIME '06:00:00' c, [1] l",
    );
    expect(columns.map((column) => column.kind === "text" && column.spells)).toEqual([
      "boolean",
      "date",
      "date",
      undefined,
      undefined,
    ]);
  });
});

describe("sources that know their types", () => {
  test("call text what spells numbers; it is no feature by default, and one when it is named", async () => {
    const { columns, ...table } = await readTable(
      "SELECT range x, CASE WHEN range = 3 THEN 'NA' ELSE CAST(range / 2 AS VARCHAR) END t FROM range(9)",
    );
    expect(columns[1]).toMatchObject({ kind: "text", spells: "number", missing: 1 });
    const whole = { ...table, columns };
    expect(preparePeople(whole).dimensionNames).toEqual(["x"]);
    const named = preparePeople(whole, { features: ["t"], missing: "drop", scale: "none" });
    expect(Array.from(named.dimensions[0])).toEqual([0, 0.5, 1, 2, 2.5, 3, 3.5, 4]);
    const commas = await readTable("SELECT unnest(['1,234', '5,678']) t, unnest([1, 2]) x", { decimal: "comma" });
    expect(Array.from(preparePeople(commas, { features: ["t"], scale: "none" }).dimensions[0])).toEqual([1.234, 5.678]);
  });

  test("JSON in which a column has numbers and marks holds numbers", async () => {
    const path = scratch.file("mixed.json", '[{"n":1,"b":true},{"n":"NA","b":"NA"},{"n":2.5,"b":false}]');
    const { columns } = await readTable(path);
    expect(cellsOf(columns[0])).toEqual([1, null, 2.5]);
    expect(columns[1]).toMatchObject({ spells: "boolean", missing: 1 });
  });

  test("name rows as labels do", async () => {
    const table = await readTable(
      "SELECT CASE WHEN range = 7 THEN 'x' ELSE CAST(range AS VARCHAR) END t FROM range(90)",
    );
    expect(await failure(() => preparePeople(table, { features: ["t"] }))).toMatch(/1 cell \(row 7\) is not a number/);
  });
});
