import { describe, expect, test } from "vitest";
import { type GeneratorKind, generateParts, generateTable, generatorKinds } from "./generate.js";
import { preparePeople } from "./people.js";
import { failure } from "./testing/fixtures.js";
import type { Column, NumericColumn, Table, TextColumn } from "./types.js";

function column<K extends Column["kind"]>(table: Table, name: string, kind: K): Extract<Column, { kind: K }> {
  const found = table.columns.find((candidate) => candidate.name === name);
  expect(found?.kind).toBe(kind);
  return found as Extract<Column, { kind: K }>;
}

/** How much of a feature's variance lies between groups: 0 when they are alike. */
function betweenShare({ values }: NumericColumn, { codes, levels }: TextColumn): number {
  const mean = Array.from(values).reduce((sum, x) => sum + x, 0) / values.length;
  const sums = new Float64Array(levels.length);
  const counts = new Float64Array(levels.length);
  let total = 0;
  values.forEach((value: number, i: number) => {
    sums[codes[i]] += value - mean;
    counts[codes[i]]++;
    total += (value - mean) ** 2;
  });
  return sums.reduce((sum, s, g) => sum + (counts[g] > 0 ? (s * s) / counts[g] : 0), 0) / total;
}

function cellOf(column: Column, row: number): number | string {
  return column.kind === "numeric" ? column.values[row] : column.levels[column.codes[row]];
}

describe.each(generatorKinds)("%s", (kind) => {
  test("the same seed gives the same table, another seed another", () => {
    const first = generateTable(kind, { n: 400, seed: 7 });
    expect(generateTable(kind, { n: 400, seed: 7 })).toEqual(first);
    expect(generateTable(kind, { n: 400, seed: 8 })).not.toEqual(first);
    expect(first.rows).toBe(400);
  });

  test("is the same part by part", () => {
    const n = 150_000;
    const whole = generateTable(kind, { n, seed: 7 });
    const { rows, parts } = generateParts(kind, { n, seed: 7 });
    expect(rows).toBe(n);
    let first = 0;
    for (const part of parts) {
      part.columns.forEach((made, j) => {
        expect(made.name).toBe(whole.columns[j].name);
        const differing = Array.from({ length: part.rows }, (_, i) => i).filter(
          (i) => cellOf(made, i) !== cellOf(whole.columns[j], first + i),
        );
        expect(differing).toEqual([]);
      });
      first += part.rows;
    }
    expect(first).toBe(n);
  });

  test("can be clustered as it is", () => {
    const table = generateTable(kind);
    for (const each of table.columns) expect(each.missing).toBe(0);
    const people = preparePeople(table);
    expect(people.n).toBe(table.rows);
    expect(people.warnings).toEqual([]);
  });
});

describe("what the data is like", () => {
  test("people: groups differ in what they have", () => {
    const table = generateTable("people", { n: 20_000 });
    const person = column(table, "person", "text");
    expect(person.levels[0]).toBe("P0000001");
    expect(new Set(person.levels).size).toBe(20_000);
    expect(column(table, "sex", "text").levels).toEqual(["F", "M", "X"]);
    expect(column(table, "ethnicity", "text").levels).toHaveLength(5);
    expect(betweenShare(column(table, "hours", "numeric"), column(table, "sex", "text"))).toBeGreaterThan(0.02);
    expect(betweenShare(column(table, "education", "numeric"), column(table, "ethnicity", "text"))).toBeGreaterThan(
      0.03,
    );
    expect(betweenShare(column(table, "income", "numeric"), column(table, "region", "text"))).toBeGreaterThan(0.02);
    const { attributes } = preparePeople(table, {
      id: "person",
      protect: ["sex", "ethnicity"],
      categorical: ["job", "housing"],
    });
    expect(attributes).toHaveLength(2);
    const incomes = column(table, "income", "numeric").values.slice().sort();
    expect(incomes[10_000]).toBeGreaterThan(8000);
    expect(incomes[10_000]).toBeLessThan(60_000);
  });

  test("census: 53 coded columns in single precision, correlated with sex and age", () => {
    const table = generateTable("census", { n: 20_000 });
    const coded = table.columns.filter((each) => each.kind === "numeric");
    expect(coded).toHaveLength(53);
    for (const { values } of coded) {
      expect(values).toBeInstanceOf(Float32Array);
      expect(values.every((value: number) => Number.isInteger(value) && value >= 0 && value < 20)).toBe(true);
    }
    const mean = (by: string) =>
      coded.reduce((sum, each) => sum + betweenShare(each, column(table, by, "text")), 0) / coded.length;
    expect(mean("sex")).toBeGreaterThan(0.005);
    expect(mean("ageBand")).toBeGreaterThan(0.1);
  });

  test("blobs: as many dimensions and blobs as asked, of uneven sizes", () => {
    const table = generateTable("blobs", { n: 5000, d: 3, k: 7 });
    expect(table.columns.map(({ name }) => name)).toEqual(["x0", "x1", "x2", "blob", "group", "age"]);
    const { codes, levels } = column(table, "blob", "text");
    const sizes = levels.map((_, j) => codes.filter((code) => code === j).length);
    expect(levels).toHaveLength(7);
    expect(sizes[0]).toBeGreaterThan(1.8 * sizes[6]);
    expect(betweenShare(column(table, "x0", "numeric"), column(table, "blob", "text"))).toBeGreaterThan(0.8);
  });

  test("twomoon and gaussian18: the papers' sizes, two groups in equal parts", () => {
    for (const [kind, n] of [
      ["twomoon", 1000],
      ["gaussian18", 500],
    ] as const satisfies [GeneratorKind, number][]) {
      const table = generateTable(kind);
      expect(table.rows).toBe(n);
      const { codes } = column(table, "group", "text");
      expect(Math.abs(codes.filter((code) => code === 0).length - n / 2)).toBeLessThanOrEqual(n / 18);
    }
    expect(column(generateTable("gaussian18"), "cluster", "text").levels).toHaveLength(18);
  });

  test("grid: 50 points around each of 16 places, and the smaller beta the more local the parties", () => {
    const table = generateTable("grid", { sd: 0 });
    const x = column(table, "x", "numeric").values;
    expect(new Set(x)).toEqual(new Set([-7.5, -2.5, 2.5, 7.5]));
    const { codes } = column(table, "cluster", "text");
    for (let c = 0; c < 16; c++) expect(codes.filter((code) => code === c)).toHaveLength(50);
    const locality = (beta: number) => {
      const wide = generateTable("grid", { n: 16_000, beta });
      return betweenShare(column(wide, "x", "numeric"), column(wide, "party", "text"));
    };
    expect(locality(0.1)).toBeGreaterThan(locality(10) + 0.05);
  });

  test("wrong requests", async () => {
    expect(await failure(() => generateTable("people", { n: 0 }), "usage")).toMatch(/n=0 should be/);
    // Before anything is drawn, which would take years.
    for (const kind of generatorKinds) {
      const tooMany = () => generateTable(kind, { n: Number.MAX_SAFE_INTEGER });
      expect(await failure(tooMany, "usage")).toMatch(/ should be a whole number from 1 to 50000000$/);
    }
    expect(await failure(() => generateTable("blob" as GeneratorKind), "usage")).toMatch(/did you mean 'blobs'/);
    expect(await failure(() => generateTable("blobs", { k: 0.5 }), "usage")).toMatch(/k=0.5/);
    expect(await failure(() => generateTable("grid", { sd: -1 }), "usage")).toMatch(/sd=-1/);
  });
});
