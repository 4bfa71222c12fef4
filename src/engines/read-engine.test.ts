// Slow: starts a database server where there is one.
import { expect, it } from "vitest";
import { awkwardTable } from "../scans/testing/tables.js";
import { asLevels } from "../table/index.js";
import type { Table } from "../table/types.js";
import { namesInEngine, readEngine } from "./read-engine.js";
import { inEveryEngine } from "./testing/places.js";

const rows = (table: Table) =>
  Array.from({ length: table.rows }, (_, row) =>
    table.columns.map((column) => (column.kind === "numeric" ? column.values[row] : column.levels[column.codes[row]!])),
  );
const sorted = (table: Table) =>
  rows(table)
    .map((row) => JSON.stringify(row))
    .sort();

inEveryEngine((place) => {
  const awkward = awkwardTable(300);

  it("reads the people of a table in the order of their columns, all or some of them", async () => {
    await place.load("awkward", awkward);
    const whole = await readEngine(place.address("awkward"));
    expect(sorted(whole)).toEqual(sorted(awkward));
    const people = rows(whole).map(([person]) => String(person));
    expect(people).toEqual([...people].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    const some = await readEngine(place.address("awkward"), { columns: ["sex", "age"] });
    expect(rows(some)).toEqual(rows({ ...whole, columns: ["sex", "age"].map((name) => find(whole, name)) }));
    expect(some.unread).toEqual(awkward.columns.map(({ name }) => name).filter((name) => !/^(sex|age)$/.test(name)));
    expect(await namesInEngine(place.address("awkward"))).toEqual(awkward.columns.map(({ name }) => name));
    await expect(readEngine(place.address("awkward"), { columns: ["agee"] })).rejects.toThrow("did you mean 'age'?");
  });

  it("keeps every digit of long whole numbers, and reads every type that people are described by", async () => {
    const types =
      place.name === "Spark"
        ? { text: "STRING", exact: "DECIMAL(12, 3)" }
        : { text: "VARCHAR(9)", exact: "DECIMAL(12,3)" };
    const engine = await place.engine();
    await engine.run("DROP TABLE IF EXISTS typed");
    await engine.run(
      `CREATE TABLE typed AS SELECT CAST(9007199254740993 AS BIGINT) + n AS person, CAST(n AS ${types.exact}) / 8 AS exact, ` +
        `CAST(n AS SMALLINT) AS small, n % 2 = 0 AS even, DATE '2001-02-03' AS born, CAST('x' AS ${types.text}) AS note, CAST(NULL AS BIGINT) AS nothing ` +
        "FROM (SELECT 0 AS n UNION ALL SELECT 2 AS n UNION ALL SELECT 1 AS n) AS numbers",
    );
    await engine.close();
    const table = await readEngine(place.address("typed"));
    expect(asLevels(find(table, "person")).levels).toEqual([
      "9007199254740993",
      "9007199254740994",
      "9007199254740995",
    ]);
    expect(rows(table).map((row) => row.slice(1, 6))).toEqual([
      [0, 0, "true", "2001-02-03", "x"],
      [0.125, 1, "false", "2001-02-03", "x"],
      [0.25, 2, "true", "2001-02-03", "x"],
    ]);
    expect(find(table, "nothing").missing).toBe(3);
  });
});

function find({ columns }: Table, name: string) {
  return columns.find((column) => column.name === name)!;
}
