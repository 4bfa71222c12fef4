import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { cellsOf, failure, numbers, Scratch, tableOf, texts } from "../testing/fixtures.js";
import type { Table } from "../types.js";
import { describeSource, readTable } from "./read.js";
import { writeTable } from "./write.js";

const scratch = new Scratch();
afterAll(() => scratch.remove());

const people = tableOf(
  numbers("age", [31, null, 47, 1e300, -0.1]),
  texts("name, full", ["Ann", 'B"b', "Zoë, the long-named one", null, "𝒳"]),
  texts("sex", ["f", "m", "f", "x", "m"]),
);

function same(read: Table, written: Table): void {
  expect(read.rows).toBe(written.rows);
  expect(read.columns.map((column) => [column.name, column.kind, column.missing, cellsOf(column)])).toEqual(
    written.columns.map((column) => [column.name, column.kind, column.missing, cellsOf(column)]),
  );
}

describe("every format gives the same table", () => {
  test.each(["a.csv", "a.csv.gz", "a.parquet"])("%s, written and read", async (name) => {
    const path = scratch.path(name);
    await writeTable(path, people);
    same(await readTable(path), people);
  });

  test("a query over the file, with its order kept", async () => {
    await writeTable(scratch.path("q.parquet"), people);
    same(await readTable(`SELECT * FROM '${scratch.path("q.parquet")}' -- all of it;`), people);
    const sorted = await readTable(`from '${scratch.path("q.parquet")}' select sex, age order by age desc nulls last;`);
    expect(cellsOf(sorted.columns[1])).toEqual([1e300, 47, 31, -0.1, null]);
  });

  test("json, ndjson and tab-separated text", async () => {
    const expected = tableOf(numbers("n", [1, 2.5]), texts("t", ["x", null]), texts("b", ["true", "false"]));
    same(await readTable(scratch.file("a.json", '[{"n":1,"t":"x","b":true},{"n":2.5,"t":null,"b":false}]')), expected);
    same(await readTable(scratch.file("a.ndjson", '{"n":1,"t":"x","b":true}\n{"n":2.5,"b":false}\n')), expected);
    same(await readTable(scratch.file("a.tsv", "n\tt\tb\n1\tx\ttrue\n2.5\t\tfalse\n")), expected);
    const mixed = await readTable(scratch.file("mixed.json", '[{"n":1},{"n":"x"}]'));
    expect(cellsOf(mixed.columns[0])).toEqual(["1", "x"]);
  });

  test("more columns than are read at once, in several chunks, with gaps, wider numbers further down, and rows that grow shorter", async () => {
    const rows = 9000;
    const wide = [40, 300, 70_000, 0.5, 1e12];
    const columns = Array.from({ length: 40 }, (_, j) => {
      const cells = Array.from({ length: rows }, (_, i) => {
        if (j % 3 === 0 && (i * 7 + j) % 1000 === 0) return null;
        return i < 200 * j ? (i * (j + 1)) % 100 : -wide[j % wide.length];
      });
      return numbers(`n${j}`, cells);
    });
    const long = "a text that is much longer in the first rows than in others";
    const table = tableOf(
      ...columns,
      texts(
        "t",
        Array.from({ length: rows }, (_, i) => (i < 100 ? long : `t${i % 9}`)),
      ),
    );
    for (const name of ["many.parquet", "many.csv", "many.csv.gz"]) {
      await writeTable(scratch.path(name), table);
      same(await readTable(scratch.path(name)), table);
    }
  });

  test("any numbers and texts survive CSV and Parquet", async () => {
    const cell = fc.option(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
      { nil: null },
    );
    const word = fc.option(
      fc.string({ unit: "binary", minLength: 1 }).map((word) => `:${word.replaceAll("\0", "")}.`),
      { nil: null },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, word), { minLength: 1, maxLength: 40 }), async (rows) => {
        const table = tableOf(
          numbers("n", [0.5, ...rows.map(([n]) => (n === 0 ? 0 : n))]),
          texts("t", [":", ...rows.map(([, t]) => t)]),
        );
        for (const name of ["any.csv", "any.parquet"]) {
          await writeTable(scratch.path(name), table);
          same(await readTable(scratch.path(name)), table);
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe("kinds of columns", () => {
  test("one text cell at the very end makes the column text, and others stay numbers", async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => `${i},${i / 2},`);
    const path = scratch.file("late.csv", `a,b,c\n${rows.join("\n")}\nunknown,1.5,7\n`);
    const { columns } = await readTable(path);
    expect(columns.map(({ kind }) => kind)).toEqual(["text", "numeric", "numeric"]);
    expect(cellsOf(columns[0]).at(-1)).toBe("unknown");
    expect(columns[2]).toMatchObject({ missing: 30_000 });
    expect(cellsOf(columns[2]).at(-1)).toBe(7);
  });

  test("a query over a CSV whose column turns to text late is read by every row", async () => {
    const lines = Array.from({ length: 30_000 }, (_, i) => (i === 29_999 ? "Steady,1" : "No,1"));
    const path = scratch.file("late-query.csv", `taken,x\n${lines.join("\n")}\n`);
    const table = await readTable(`SELECT * FROM '${path}' WHERE x = 1`);
    expect(table.rows).toBe(30_000);
    expect(table.columns[0].kind).toBe("text");
  });

  test("an error late in a long query is an error and not the end of the table", async () => {
    const query =
      "SELECT CASE WHEN range = 900000 THEN CAST('x' || range AS DOUBLE) ELSE range END v FROM range(1000000)";
    expect(await failure(readTable(query))).toMatch(/does not fit its column's type/);
  });

  test("types of the engine", async () => {
    const table = await readTable(
      "SELECT 1::TINYINT i, 2.5::DECIMAL(9,2) d, 3::HUGEINT h, 0.1::FLOAT f, true b, DATE '2020-01-31' t, [1,2] l",
    );
    expect(table.columns.map((column) => [column.name, column.kind, cellsOf(column)[0]])).toEqual([
      ["i", "numeric", 1],
      ["d", "numeric", 2.5],
      ["h", "numeric", 3],
      ["f", "numeric", Math.fround(0.1)],
      ["b", "text", "true"],
      ["t", "text", "2020-01-31"],
      ["l", "text", "[1,2]"],
    ]);
    expect(table.columns[3].kind === "numeric" && table.columns[3].values).toBeInstanceOf(Float32Array);
  });

  test("infinity is counted apart from missing, and NaN is missing", async () => {
    const { columns } = await readTable(scratch.file("nan.csv", "a,b\n1,nan\n,inf\n3,2\n"));
    expect(columns[0]).toMatchObject({ missing: 1, notFinite: 0 });
    expect(columns[1]).toMatchObject({ kind: "numeric", missing: 1, notFinite: 1 });
  });

  test("a column asked for as text keeps zeros and digits", async () => {
    const path = scratch.file("ids.csv", "id,x\n007,1\n12345678901234567890,2\n");
    const { columns } = await readTable(path, { text: ["id"] });
    expect(cellsOf(columns[0])).toEqual(["007", "12345678901234567890"]);
    const query = await readTable("SELECT 9007199254740993 id, 1.5::DOUBLE x, 2::DOUBLE y", { text: ["id", "x", "y"] });
    expect(query.columns.map((column) => cellsOf(column)[0])).toEqual(["9007199254740993", "1.5", "2"]);
  });

  test("levels are in byte order, whatever the order of rows", async () => {
    const words = ["b", "\u{1f600}", "a", "\uffee", "é", "a longer level than twelve bytes", "B"];
    const sorted = [...words].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const order of [words, [...words].reverse()]) {
      const { columns } = await readTable(
        scratch.file("levels.csv", `w,x\n${order.map((w) => `${w},1`).join("\n")}\n`),
      );
      expect(columns[0].kind === "text" && columns[0].levels).toEqual(sorted);
      expect(cellsOf(columns[0])).toEqual(order);
    }
  });

  test("many levels, short and long", async () => {
    const words = Array.from({ length: 50_000 }, (_, i) =>
      i % 3 === 0 ? `a long word with number ${i % 6000}` : `w${i % 20_000}`,
    );
    const { columns } = await readTable(scratch.file("many.csv", `w,x\n${words.map((w) => `${w},1`).join("\n")}\n`));
    expect(cellsOf(columns[0])).toEqual(words);
  });

  test("odd headers: quotes, semicolons, line ends, names that differ in case only, no name", async () => {
    const path = scratch.file("odd[1].csv", '\ufeff"a;b";A;a;""\r\n1;2;x;4\r\n');
    expect(await describeSource(path)).toEqual([
      { name: "a;b", kind: "numeric" },
      { name: "A", kind: "numeric" },
      { name: "a", kind: "text" },
      { name: "column3", kind: "numeric" },
    ]);
    expect((await readTable(path)).columns.map((column) => cellsOf(column)[0])).toEqual([1, 2, "x", 4]);
  });

  test("columns: only these, in this order, once", async () => {
    const path = scratch.file("some.csv", "a,b,c\n1,2,3\n");
    const { columns } = await readTable(path, { columns: ["c", "a", "c"] });
    expect(columns.map((column) => [column.name, ...cellsOf(column)])).toEqual([
      ["c", 3],
      ["a", 1],
    ]);
  });
});

describe("bad input is one line without data", () => {
  const secret = "Hildegard";
  const say = (source: string) => failure(readTable(source), "input", [secret]);

  test("files", async () => {
    scratch.file("people.csv", "a\n1\n");
    expect(await say(scratch.path("poeple.csv"))).toMatch(
      /^no such file: .*poeple\.csv; did you mean '.*\/people\.csv'\?$/,
    );
    scratch.file("zipped.csv.gz", "");
    expect(await say(scratch.path("zipped.csv"))).toMatch(/; did you mean '.*\/zipped\.csv\.gz'\?$/);
    expect(await say(scratch.path("none/x.csv"))).toMatch(/^no such file: /);
    expect(await say(scratch.folder)).toMatch(/is a folder/);
    expect(await say(scratch.file("void.csv", ""))).toMatch(/empty file/);
    expect(await say(scratch.file("head.csv", "a,b\n"))).toMatch(/has no rows/);
    expect(await say(scratch.file("twice.csv", "a,b,a\n1,2,3\n"))).toMatch(/2 columns named 'a'/);
  });

  test("not a table", async () => {
    const ragged = scratch.file("ragged.csv", `a,b\n1,${secret}\n2\n3,x\n`);
    expect(await say(ragged)).toMatch(/row 3 has 1 cell and the header has 2/);
    expect(await say(scratch.file("wide.csv", `a,b\n1,2,${secret}\n`))).toMatch(/row 2 has 3 cells/);
    const quote = scratch.file("quote.csv", `a,b\n1,"${secret}\n2,3\n`);
    expect(await say(quote)).toMatch(/quote that is never closed/);
    const neither = scratch.file("neither.csv", Buffer.from(`a,b\n${secret}\xfc\x81,2\n`, "latin1"));
    expect(await say(neither)).toMatch(/neither UTF-8 nor Windows-1252; save it as UTF-8/);
    expect(
      await say(
        scratch.file(
          "junk.csv",
          Uint8Array.from({ length: 3000 }, (_, i) => (i * i) % 251),
        ),
      ),
    ).toMatch(/not a table/);
    expect(await say(scratch.file("junk.parquet", secret))).toMatch(/Parquet/);
    expect(await say(scratch.file("junk.json", `{"a": "${secret}`))).toMatch(/JSON/);
    expect(await say(scratch.file("plain.csv.gz", `a\n${secret}\n`))).toMatch(/gzip/);
    const whole = gzipSync(`a,b\n${`1,${secret}\n`.repeat(50_000)}`);
    expect(await say(scratch.file("cut.csv.gz", whole.subarray(0, whole.length - 40)))).toMatch(/whole gzip/);
  });

  test("queries", async () => {
    expect(await say("SELECT * FROM 'nowhere.csv'")).toBe("no such file in the query: nowhere.csv");
    expect(await say("SELECT * FROM nowhere")).toMatch(/nowhere does not exist/);
    expect(await say("SELECT FROM WHERE")).toMatch(/syntax error/);
    expect(await say("SELECT 1 a, 2 a")).toMatch(/2 columns named 'a'/);
    expect(await say("SELECT 1 a, 2 A")).toMatch(/'a' and 'A' that differ in case only/);
    expect(await say("SELECT 1 a WHERE false")).toMatch(/no rows/);
    const file = scratch.file("cast.csv", `a,b\nx,1\n${secret},2\n`);
    expect(await say(`SELECT CAST(a AS DOUBLE) FROM '${file}'`)).toMatch(/TRY_CAST/);
    expect(await say("SELECT 1; SELECT 2")).toMatch(/2 SQL statements/);
  });

  test("unknown columns", async () => {
    const path = scratch.file("known.csv", "age,sex\n1,f\n");
    const message = await failure(readTable(path, { columns: ["agee"] }));
    expect(message).toBe("unknown column 'agee'; did you mean 'age'? (there are: age, sex)");
    expect(await failure(readTable(path, { text: ["sexx"] }))).toMatch(/did you mean 'sex'/);
  });
});
