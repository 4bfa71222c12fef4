import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { tableFromCsv } from "./csv-text.js";
import { readTable, writeTable } from "./disk/index.js";
import { generateTable } from "./generate.js";
import type { Table } from "./types.js";

const folder = mkdtempSync(join(tmpdir(), "moiety-csv-text-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const texts = {
  "line ends of two kinds": "a,b,sex\r\n1,2,F\n3,4,M\r\n5,6,F\n",
  "line ends of two kinds, beginning with the other": "a,b,sex\n1,2,F\r\n3,4,M\n",
  underscores: "a,b\n1_000,1\n2_000,2\n",
  "underscores beside decimal commas": "a;b\n1,5;1_0\n2,5;2\n",
  plain: "age,sex\n31,F\n45,M\n",
  "quotes, line ends in cells and no last line end": 'name,"the, age"\r\n"a ""b""\nc",31\r\nd,45',
  "semicolons, decimal commas and thousands": "age;income;debt\n31;1.234,5;1.000\n45;2.345,25;2.000\n",
  "empty lines and empty cells": "\ufeffage,visits\n31,\n\n,7\n\n45,8\n",
  "one column with empty lines": "age\n31\n\n45\n",
  "marks of missing values": "age,vote,born\n31,yes,2000-01-31\nNA,no,?\n45,-,2001-02-28\n",
  "numbers in doubt":
    "a,b\n1,x\n2,y\nthree,z\n4,u\n5,v\n6,w\n7,x\n8,y\n9,x\n10,x\n11,x\n12,x\n13,x\n14,x\n15,x\n16,x\n17,x\n18,x\n19,x\n20,x\n21,x\n22,x\n",
  "either mark": 'a,b\n"1,234",1\n"5,678",2\n',
};

/** Files keep whole numbers in narrower arrays. */
function wide(table: Table): Table {
  const columns = table.columns.map((column) =>
    column.kind === "numeric" ? { ...column, values: Float64Array.from(column.values) } : column,
  );
  return { ...table, columns };
}

it.each(Object.entries(texts))("reads the text as a file is read: %s", async (name, text) => {
  const path = join(folder, `${name.length}.csv`);
  writeFileSync(path, text);
  for (const options of [{}, { na: ["31"] }, { decimal: "comma" }] as const) {
    expect(tableFromCsv(text, options)).toEqual(wide(await readTable(path, options)));
  }
});

it("reads a generated population as the file of it is read, whatever columns are text", async () => {
  const path = join(folder, "people.csv");
  await writeTable(path, generateTable("people", { n: 2000 }));
  const { readFileSync } = await import("node:fs");
  const text = readFileSync(path, "utf8");
  for (const options of [{}, { text: ["person", "age"] }]) {
    expect(tableFromCsv(text, options)).toEqual(wide(await readTable(path, options)));
  }
});

it.each([
  ["a,b\n1,2\n3\n", /row 3 has 1 cell and the header has 2/],
  ['a,b\n1,2\n"3,4\n', /row 3 opens a quote that is never closed/],
  ["a,a\n1,2\n", /2 columns named 'a'/],
  ["a,b\n", /the text has no rows/],
])("refuses %j in one line", (text, line) => {
  expect(() => tableFromCsv(text)).toThrow(line);
  expect(() => tableFromCsv("a,b\n1,2\n", { text: ["c"] })).toThrow(/unknown column 'c'/);
});
