import { afterAll, describe, expect, test } from "vitest";
import { cellsOf, failure, Scratch } from "../testing/fixtures.js";
import { withEngine } from "./engine.js";
import { readTable } from "./read.js";
import { scanRows } from "./scan.js";

const scratch = new Scratch();
afterAll(() => scratch.remove());

/** More than one row group of Parquet, and a last chunk that is not full. */
const rows = 300_001;

function run(sql: string): Promise<void> {
  return withEngine(async (connection) => void (await connection.run(sql)));
}

function taken(relation: string, expression: string, known?: number): Promise<number[]> {
  return withEngine(async (connection) => {
    const values: number[] = [];
    const scan = { expressions: [expression], relation, ...(known === undefined ? {} : { rows: known }) };
    await scanRows(connection, scan, (chunk, start, count) => {
      expect(values.length).toBe(start);
      for (let i = 0; i < count; i++) values.push(Number(chunk.getColumnVector(0).getItem(i)));
    });
    return values;
  });
}

describe("a stream", () => {
  const numbered = (name: string) => scratch.path(name);

  test.each(["whole.parquet", "whole.csv"])("%s: every row, in order", async (name) => {
    await run(`COPY (SELECT range AS i FROM range(${rows})) TO '${numbered(name)}'`);
    const all = Array.from({ length: rows }, (_, i) => i);
    expect(await taken(`'${numbered(name)}'`, "i")).toEqual(all);
    expect(await taken(`'${numbered(name)}'`, "i", rows)).toEqual(all);
  });

  test("of a query keeps the query's order", async () => {
    const found = await taken(`(SELECT range AS i FROM range(${rows}) ORDER BY i DESC\n)`, "i");
    expect(found).toEqual(Array.from({ length: rows }, (_, i) => rows - 1 - i));
  });

  test.each([rows - 1, rows + 1])("of another number of rows than there were is an error: %i", async (known) => {
    await expect(taken(`(SELECT range AS i FROM range(${rows}))`, "i", known)).rejects.toThrow(/was changed/);
  });

  test("of nothing has no rows", async () => {
    expect(await taken("(SELECT range AS i FROM range(0))", "i")).toEqual([]);
  });

  const bad = `SELECT range AS i, CASE WHEN range = ${rows - 1} THEN 'x' ELSE CAST(range AS VARCHAR) END AS t FROM range(${rows})`;

  test.each(["bad.parquet", "bad.csv"])("%s: a bad cell in the last chunk is an error", async (name) => {
    await run(`COPY (${bad}) TO '${numbered(name)}'`);
    for (const known of [undefined, rows]) {
      const reading = taken(`read_${name.slice(4)}('${numbered(name)}')`, "CAST(t AS DOUBLE)", known);
      await expect(reading).rejects.toThrow(/Conversion/);
    }
  });

  test("a bad cell in the last chunk of a query is an error", async () => {
    expect(await failure(readTable(`SELECT CAST(t AS DOUBLE) t FROM (${bad})`))).toMatch(/does not fit/);
  });

  test("a bad cell in the last chunk of a CSV file makes its column text, with all rows", async () => {
    await run(`COPY (${bad}) TO '${numbered("late.csv")}'`);
    const table = await readTable(numbered("late.csv"));
    expect(table.rows).toBe(rows);
    expect(cellsOf(table.columns[1]).slice(-2)).toEqual([String(rows - 2), "x"]);
  });

  test("a Parquet file that ends early is an error", async () => {
    const { readFileSync } = await import("node:fs");
    await run(`COPY (SELECT random() AS i FROM range(${rows})) TO '${numbered("cut.parquet")}'`);
    const bytes = readFileSync(numbered("cut.parquet"));
    // The footer says that there are more pages than the damaged middle holds.
    bytes.fill(0xff, Math.floor(bytes.length * 0.9), Math.floor(bytes.length * 0.95));
    const path = scratch.file("broken.parquet", bytes);
    expect(await failure(readTable(path))).toMatch(/not a table/);
  });
});

describe("many columns of a Parquet file", () => {
  const many = Array.from(
    { length: 21 },
    (_, j) => `CASE WHEN range % 97 <> ${j} THEN range * ${j} + 0.5 END AS x${j}`,
  );
  const select = `SELECT 'p' || range AS person, ${many.join(", ")}, range % 3 AS g FROM range(5000)`;

  test("are the same, in their order, by one thread and by two", async () => {
    const path = scratch.path("many.parquet");
    await run(`COPY (${select}) TO '${path}'`);
    const one = await readTable(path, { id: "person", threads: 1 });
    const two = await readTable(path, { id: "person", threads: 2 });
    expect(two).toEqual(one);
    expect(one.columns.map(({ name }) => name)).toEqual(["person", ...many.map((_, j) => `x${j}`), "g"]);
    expect(cellsOf(one.columns[3]).slice(1, 4)).toEqual([2.5, null, 6.5]);
  });

  test("tell how far they are, from nothing to all", async () => {
    const path = scratch.path("watched.parquet");
    await run(`COPY (SELECT range AS person, ${many.join(", ")} FROM range(200000)) TO '${path}'`);
    const told: number[] = [];
    await readTable(path, { onProgress: ({ rows }) => told.push(rows) });
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(told.at(-1)).toBeGreaterThan(100_000);
    expect(told.at(-1)).toBeLessThanOrEqual(200_000);
  });
});

describe("narrow arrays hold what the source says", () => {
  const cases: readonly [string, readonly (number | null)[], unknown][] = [
    ["DOUBLE", [1, -128, 127], Int8Array],
    ["DOUBLE", [1, -129, 127], Int16Array],
    ["BIGINT", [1, 2, 32_768], Int32Array],
    ["DOUBLE", [1, 2, 2 ** 31], Float64Array],
    ["DOUBLE", [1, 2, 0.5], Float64Array],
    ["DOUBLE", [1, null, 3], Float64Array],
    ["FLOAT", [1, 2, -3], Int8Array],
    ["FLOAT", [1, 2, 70_000], Float32Array],
    ["FLOAT", [1, 0.5, null], Float32Array],
  ];
  test.each(cases)("%s %j", async (type, cells, kept) => {
    const list = cells.map((cell) => `(${cell ?? "NULL"}::${type})`).join(", ");
    const [column] = (await readTable(`SELECT * FROM (VALUES ${list}) t(v)`)).columns;
    expect(cellsOf(column)).toEqual(cells);
    expect(column.kind === "numeric" && column.values).toBeInstanceOf(kept);
    expect(column.kind === "numeric" && column.single).toBe(
      type === "FLOAT" && kept !== Float32Array ? true : undefined,
    );
  });

  test("blocks of different widths are one column", async () => {
    const far = 200_000;
    const [column] = (
      await readTable(`SELECT CASE WHEN range = ${far} THEN 0.5 ELSE range % 100 END v FROM range(${rows})`)
    ).columns;
    const cells = cellsOf(column);
    expect(cells.length).toBe(rows);
    expect([cells[99], cells[far], cells[far + 1]]).toEqual([99, 0.5, (far + 1) % 100]);
  });
});
