import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { counted, distinctCount, uncertaintyRemoved } from "./association.js";
import { describeTable } from "./describe.js";
import { generateTable } from "./generate.js";
import { preparePeople } from "./people.js";
import { numbers, tableOf, texts } from "./testing/fixtures.js";

const everyRow = (n: number) => Uint32Array.from({ length: n }, (_, i) => i);

describe("how much a column tells of groups", () => {
  const groups = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 30, maxLength: 200 });

  test("everything, where it says the same in other words", () => {
    fc.assert(
      fc.property(groups, (cells) => {
        fc.pre(new Set(cells).size > 1);
        const rows = everyRow(cells.length);
        const own = counted(texts("g", cells), rows);
        const renamed = counted(texts("h", cells.map((cell) => `${cell}${cell}`)), rows); // biome-ignore format: one line
        const asNumbers = counted(numbers("n", cells.map((cell) => cell.charCodeAt(0) * 7)), rows); // biome-ignore format: one line
        // What chance would explain is taken off.
        expect(uncertaintyRemoved(renamed, own)).toBeGreaterThan(0.8);
        expect(uncertaintyRemoved(asNumbers, own)).toBeGreaterThan(0.8);
      }),
    );
  });

  test("nothing, where it has nothing to do with them", () => {
    const n = 9000;
    const group = counted(texts("g", Array.from({ length: n }, (_, i) => `g${i % 3}`)), everyRow(n)); // biome-ignore format: one line
    const other = counted(numbers("x", Array.from({ length: n }, (_, i) => Math.floor(i / 3) % 100)), everyRow(n)); // biome-ignore format: one line
    expect(uncertaintyRemoved(other, group)).toBeLessThan(0.001);
    const same = counted(numbers("x", Array<number>(n).fill(4)), everyRow(n));
    expect(uncertaintyRemoved(same, group)).toBe(0);
    expect(uncertaintyRemoved(group, same)).toBe(0);
  });

  test("half of it, where it tells two of four groups", () => {
    const n = 8000;
    const cells = Array.from({ length: n }, (_, i) => i % 4);
    const group = counted(numbers("g", cells), everyRow(n));
    const half = counted(numbers("h", cells.map((cell) => cell >> 1)), everyRow(n)); // biome-ignore format: one line
    expect(uncertaintyRemoved(half, group)).toBeCloseTo(0.5, 2);
  });
});

test("different values are counted without those that are missing", () => {
  expect(distinctCount(numbers("x", [3, null, 1, 3, -2, null]))).toBe(3);
  expect(distinctCount(texts("x", ["b", null, "a", "b"]))).toBe(2);
});

describe("a table of people", () => {
  const table = generateTable("people", { n: 600, seed: 4 });
  const described = describeTable(table);
  const column = (name: string) => described.columns.find((each) => each.name === name);

  test("has parts for its columns, with reasons", () => {
    expect(column("person")).toMatchObject({ role: "id", distinct: 600, missing: 0, kind: "text" });
    expect(column("sex")).toMatchObject({ role: "protect", kind: "text", why: "named like a protected attribute" });
    expect(column("age")).toMatchObject({ role: "protect", kind: "numeric" });
    expect(column("income")).toMatchObject({ role: "feature", why: "a number" });
    expect(column("job")).toMatchObject({ role: "left out", why: "text" });
  });

  test("has groups of few values, and no other values of anybody", () => {
    const { codes, levels } = table.columns.find(({ name }) => name === "sex") as ReturnType<typeof texts>;
    const sizes = Object.fromEntries(levels.map((level, l) => [level, codes.filter((code) => code === l).length]));
    expect(column("sex")?.groups).toEqual(sizes);
    expect(Object.keys(column("age")?.groups ?? {})).toHaveLength(4);
    expect(JSON.stringify(described)).not.toContain("P0000001");
    expect(column("income")?.groups).toBeUndefined();
  });

  test("says what gives groups away, the strongest first", () => {
    const shares = described.predictors.map(({ share }) => share);
    expect(shares).toEqual([...shares].sort((a, b) => b - a));
    expect(described.predictors.find(({ column: name, of }) => name === "hours" && of === "sex")).toBeDefined();
  });

  test("suggests a request that can be prepared", () => {
    expect(described.suggestion).toEqual({ protect: ["sex", "ethnicity", "age:quartiles"], id: "person" });
    expect(preparePeople(table, described.suggestion!).n).toBe(600);
  });
});

describe("what is suggested can be prepared, whatever the table is like", () => {
  const n = 24;
  const cells = (cell: fc.Arbitrary<unknown>) => fc.array(cell, { minLength: n, maxLength: n });
  const name = fc.constantFrom("id", "sex", "age", "race*", "a:b", "income", "x", "born, when", "town", "no", "y");
  const numeric = fc.tuple(
    name,
    cells(fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 40 }) }, fc.constant(null))),
  );
  const textual = fc.tuple(
    name,
    cells(fc.oneof({ weight: 8, arbitrary: fc.constantFrom("p", "q", "r") }, fc.constant(null))),
  );
  const column = fc.oneof(
    numeric.map(([title, list]) => numbers(title, list as (number | null)[])),
    textual.map(([title, list]) => texts(title, list as (string | null)[])),
  );

  test("or nothing is", () => {
    fc.assert(
      fc.property(fc.uniqueArray(column, { minLength: 1, maxLength: 8, selector: (each) => each.name }), (columns) => {
        const table = tableOf(...columns);
        const { suggestion, columns: seen } = describeTable(table);
        expect(seen.map((each) => each.name)).toEqual(columns.map((each) => each.name));
        if (suggestion === null) return;
        const { protect, ...rest } = suggestion;
        // Of few people some may be left in one group only; the command then protects less.
        expect(() => preparePeople(table, rest)).not.toThrow();
        expect(protect?.length ?? 1).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});

test("a category that is the same for all people whose values are complete is not suggested", () => {
  const places = texts("place", [...Array(20).fill("p"), "q"]);
  const born = numbers("age", [...Array.from({ length: 20 }, (_, i) => 20 + i), null]);
  expect(describeTable(tableOf(places, born)).suggestion).toBeNull();
  expect(describeTable(tableOf(texts("place", [...Array(19).fill("p"), "q", "q"]), born)).suggestion).toMatchObject({
    categorical: ["place"],
    missing: "drop",
  });
});
