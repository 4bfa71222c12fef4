import { afterAll, expect, it } from "vitest";
import { readTable } from "./disk/index.js";
import { tableFromJson } from "./json-text.js";
import { Scratch } from "./testing/fixtures.js";

const scratch = new Scratch();
afterAll(() => scratch.remove());

/** What a table says, whatever arrays it keeps its cells in. */
const facts = ({ rows, columns }: Awaited<ReturnType<typeof readTable>>) => [
  rows,
  columns.map((column) =>
    column.kind === "numeric"
      ? [column.name, [...column.values], column.missing]
      : [column.name, Array.from(column.codes, (code) => column.levels[code] ?? null), column.spells, column.doubt],
  ),
];

it.each([
  ["numbers and texts", `[{"v":1},{"v":"x"},{"v":2.50},{"v":1.0}]`],
  ["numbers and marks", `[{"v":1},{"v":"NA"},{"v":2.50}]`],
  ["numbers and empty texts", `[{"v":1},{"v":""},{"v":2.50}]`],
  ["numbers as texts", `[{"v":"1"},{"v":"2.50"}]`],
  ["booleans and numbers", `[{"v":true},{"v":1},{"v":false}]`],
  ["texts and booleans", `[{"v":"a"},{"v":true},{"v":null}]`],
  ["nothing at all", `[{"v":null,"w":1},{"v":null,"w":2}]`],
  ["whole and other numbers", `[{"v":1},{"v":2.5}]`],
  ["dates", `[{"v":"2020-01-01"},{"v":"2021-02-03"}]`],
  ["lists", `[{"v":[1]},{"v":[2,3]},{"v":[]},{"v":[1]}]`],
  ["objects", `[{"v":{"a": 1.0}},{"v":null},{"v":{"b":["é/", 1e3]}},{"v":{"a":1}}]`],
  ["lists of objects", `[{"v":[{"a":1},{"b":null}]},{"v":[{"a":1},{"b":null}]}]`],
  ["nested and plain", `[{"v":{"a":1}},{"v":"plain"},{"v":[2]},{"v":3}]`],
  ["lines", `{"v":{"a":{"b":[1, 2]}}, "w":1}\n{"w":2}\n`],
  ["numbers as Python writes them", `[{"v":NaN,"w":"NaN","x":1},{"v":2.5,"w":"a \\"NaN","x":-Infinity}]`],
  ["text behind a mark", `\ufeff[{"v":1,"w":"x"},{"v":2,"w":"\ufeff"}]`],
  ["names with quotes", `[{"it's \\"it\\"":{"a":1},"w":1},{"it's \\"it\\"":null,"w":2}]`],
])("JSON of %s is the same table in a tab and in the terminal", async (_, text) => {
  expect(facts(tableFromJson(text, "table.json"))).toEqual(facts(await readTable(scratch.file("table.json", text))));
});

it("what Parquet files and queries hold nested is written as JSON, too", async () => {
  const table = await readTable("SELECT {'a': 1.0, 'b': [i, 2]} AS v, [] AS w, i FROM range(2) t(i)");
  expect(table.columns.slice(0, 2).map((column) => column.kind === "text" && column.levels)).toEqual([
    ['{"a":1,"b":[0,2]}', '{"a":1,"b":[1,2]}'],
    ["[]"],
  ]);
});
