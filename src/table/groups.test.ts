import { describe, expect, test } from "vitest";
import { preparePeople } from "./people.js";
import { failure, numbers, tableOf, texts } from "./testing/fixtures.js";

const n = 1200;
const count = Array.from({ length: n }, (_, i) => i);
const table = tableOf(
  numbers("x", count.map((i) => (i * 7919) % 1013)), // biome-ignore format: one line
  numbers("age", count.map((i) => 18 + (i % 60))), // biome-ignore format: one line
  numbers("code", count.map((i) => i % 20)), // biome-ignore format: one line
  texts("job", count.map((i) => `job ${i % 21}`)), // biome-ignore format: one line
  texts("town", count.map((i) => `town ${i % 101}`)), // biome-ignore format: one line
  texts("sex", count.map((i) => (i % 2 ? "F" : "M"))), // biome-ignore format: one line
);
const prepare = (protect: string[], maxGroups?: number) =>
  preparePeople(table, { features: ["x"], protect, ...(maxGroups === undefined ? {} : { maxGroups }) });

describe("how many groups there may be", () => {
  test("over 20 different numbers are a quantity, and the advice says how to cut it", async () => {
    const says = /column 'age' has 60 different numbers; make groups of them, such as age:25,40,65 or age:quartiles/;
    expect(await failure(() => prepare(["age"]))).toMatch(says);
    expect(await failure(() => prepare(["sex*age"]))).toMatch(says);
    expect(prepare(["code"])).toMatchObject({ warnings: [], attributes: [{ groups: { length: 20 } }] });
    expect(prepare(["age:quartiles"]).attributes[0].groups).toHaveLength(4);
  });

  test("numbers that are codes are allowed by saying how many", async () => {
    expect(prepare(["age"], 60).attributes[0].groups).toHaveLength(60);
    expect(await failure(() => prepare(["age"], 59))).toMatch(/60 different numbers/);
  });

  test("over 20 groups of text are a warning, over 100 an error, also of an intersection", async () => {
    expect(prepare(["job"]).warnings).toEqual([expect.stringMatching(/^protected attribute 'job' has 21 groups: /)]);
    expect(await failure(() => prepare(["town"]))).toMatch(
      /'town' has 101 groups, and 100 are allowed; .*`maxGroups: 101`/,
    );
    expect(await failure(() => prepare(["job*code"]))).toMatch(/'job\*code' has 420 groups, and 100 are allowed/);
    expect(await failure(() => prepare(["job"], 10))).toMatch(/'job' has 21 groups, and 10 are allowed/);
    expect(prepare(["town"], 101).attributes[0].groups).toHaveLength(101);
    expect(prepare(["job*code"], 1000).attributes[0].groups).toHaveLength(420);
  });

  test("an id is one whatever is allowed", async () => {
    const ids = tableOf(table.columns[0], texts("who", count.map((i) => `p${i}`))); // biome-ignore format: one line
    const asked = { protect: ["who"], maxGroups: 65_535 };
    expect(await failure(() => preparePeople(ids, asked))).toMatch(
      /1200 groups among 1200 people; it looks like an id/,
    );
  });

  test("all of it is said before columns are measured", async () => {
    const measure = () => {
      throw new Error("measured");
    };
    for (const protect of [["age"], ["town"], ["job*code"], ["age:2000"]]) {
      await failure(() => preparePeople(table, { features: ["x"], protect, measure }));
    }
  });
});
