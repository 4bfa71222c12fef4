// Slow: it makes a model and a dozen assignments.
import { afterEach, describe, expect, it } from "vitest";
import { type AssignOptions, assign } from "../algorithms/assign.js";
import { cluster } from "../algorithms/cluster.js";
import { type Model, parseModel, predict, toModel } from "../algorithms/model.js";
import { judgeNewcomers, newcomersOf } from "../algorithms/newcomers.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { generateTable } from "../table/generate.js";
import { preparePeople } from "../table/people.js";
import type { Column, NumericColumn, Table } from "../table/types.js";
import { assignScanned } from "./assign.js";
import { predictScanned } from "./predict.js";
import { MemoryScanner } from "./testing/memory-scanner.js";
import { scanTuning } from "./tuning.js";

const usual = { ...scanTuning };
afterEach(() => {
  Object.assign(scanTuning, usual);
});

const old = generateTable("people", { n: 8000, seed: 5 });
const fresh = generateTable("people", { n: 4000, seed: 77 });
const protect = ["sex", "age:30,50"];

const models = new Map<string, Promise<Model>>();

function modelOf(options: Partial<ClusterOptions> = {}, groups = protect): Promise<Model> {
  const asked = JSON.stringify([options, groups]);
  const made = models.get(asked) ?? makeModel(options, groups);
  models.set(asked, made);
  return made;
}

async function makeModel(options: Partial<ClusterOptions>, groups: readonly string[]): Promise<Model> {
  const columns = { features: ["income", "hours", "tenure"], categorical: ["job"], protect: groups };
  const people = preparePeople(old, columns);
  const made = toModel(people, await cluster(people, { k: 4, effort: "quick", ...options }));
  // As it is after a file.
  return parseModel(JSON.parse(JSON.stringify(made)));
}

/** Everybody's labels, by row. */
async function labelled(model: Model, table: Table, options: AssignOptions = {}) {
  const found = await assignScanned(new MemoryScanner(table), model, options);
  const labels = new Uint16Array(table.rows);
  await found.writeLabels({
    write: async ({ ids, clusters }) => {
      clusters.forEach((label, i) => {
        labels[Number(ids[i])] = label;
      });
    },
  });
  return { ...found, labels };
}

function withColumn(table: Table, column: Column): Table {
  return { ...table, columns: [...table.columns.filter(({ name }) => name !== column.name), column] };
}

function numbers(name: string, value: (row: number) => number): NumericColumn {
  const values = Float64Array.from({ length: fresh.rows }, (_, row) => value(row));
  return { kind: "numeric", name, values, missing: values.filter(Number.isNaN).length, notFinite: 0 };
}

const weighed = withColumn(
  fresh,
  numbers("weight", (row) => 0.5 + (row % 7)),
);

const cases: readonly [string, Partial<ClusterOptions>, string[], Table, AssignOptions][] = [
  ["groups", {}, protect, fresh, {}],
  ["some groups", {}, protect, fresh, { protect: ["age"], tolerance: 3 }],
  ["the people of the model together", {}, protect, fresh, { together: true }],
  ["sizes", { maxSize: 2500 }, ["sex"], fresh, {}],
  ["even sizes without groups", { balance: "hard" }, [], fresh, {}],
  ["room that is left", { maxSize: 4000 }, ["sex"], fresh, { together: true }],
  ["weights", {}, protect, weighed, { weights: "weight" }],
  ["other bounds", {}, protect, fresh, { bounds: { sex: { F: { min: 0.49, max: 0.52 } } } }],
];

describe("newcomers who are only scanned", () => {
  // Prices of a sample of so few are worth little; of many people see below.
  for (const [part, most] of [
    ["some", 1.04],
    ["all", 1.001],
  ] as const) {
    it.each(cases)(
      `keep what newcomers in memory keep at about the same cost, ${part} sampled: %s`,
      async (...asked) => {
        if (part === "some") Object.assign(scanTuning, { sample: 2000, few: 0 });
        const [, made, groups, table, options] = asked;
        const model = await modelOf(made, groups);
        const own = await assign(model, table, options);
        const { result, labels, model: updated } = await labelled(model, table, options);
        expect(result.sse).toBeLessThanOrEqual(own.result.sse * most);
        const { fair, n, k, together, online, tolerance, weights, bounds } = own.result;
        expect(result).toMatchObject({ fair, n, k, together, online, tolerance, bounds, method: "streamed" });
        expect(result.weights).toEqual(weights);
        expect(result.nearestViolation).toBeCloseTo(own.result.nearestViolation, 6);
        expect(result.nearestSse / own.result.nearestSse).toBeCloseTo(1, 4);
        expect(result.gap === null).toBe(part === "some");
        // What is told is what follows from the labels.
        const held = { ...model, promises: { ...model.promises!, tolerance: tolerance } };
        const attributes = held.promises.attributes.filter(({ name }) => bounds[name]);
        const people = newcomersOf(held, attributes, table, options.weights ? { weights: options.weights } : {});
        const bounded = { ...held, promises: { ...held.promises, attributes: boundedBy(attributes, bounds) } };
        expect(judgeNewcomers(bounded, people, labels, together)).toMatchObject({
          sizes: result.sizes,
          groups: result.groups,
          maxViolation: result.maxViolation,
        });
        expect(updated.people?.reduce((sum, count) => sum + count, 0)).toBe(
          own.model.people?.reduce((sum, count) => sum + count, 0),
        );
        expect(updated.promises!.attributes.map(({ counts }) => counts !== undefined)).toEqual(
          own.model.promises!.attributes.map(({ counts }) => counts !== undefined),
        );
      },
    );
  }

  it("cost no more than newcomers in memory where they are so many that a sample leads", async () => {
    const model = await modelOf();
    const many = generateTable("people", { n: scanTuning.few + 9000, seed: 6 });
    const own = await assign(model, many);
    const { result } = await assignScanned(new MemoryScanner(many), model, {});
    expect(result.scanned!.sample).toBeLessThan(many.rows);
    expect([own.result.fair, result.fair]).toEqual([true, true]);
    expect(result.sse).toBeLessThanOrEqual(own.result.sse * 1.001);
  });

  it("are refused with the words for newcomers in memory", async () => {
    const model = await modelOf();
    const women = rowsWhere(fresh, "sex", "F");
    const strange = withColumn(fresh, { ...textOf(fresh, "sex"), levels: ["F", "M", "other"] });
    const trade = withColumn(fresh, {
      ...textOf(fresh, "job"),
      levels: textOf(fresh, "job").levels.map((_, i) => `t${i}`),
    });
    const without = { ...fresh, columns: fresh.columns.filter(({ name }) => name !== "tenure") };
    const holes = (name: string) =>
      withColumn(
        fresh,
        numbers(name, (row) => (row % 100 === 3 ? Number.NaN : row % 60)),
      );
    const small = await modelOf({ maxSize: 2100 });
    const requests: [Model, Table, AssignOptions][] = [
      [model, women, {}],
      [model, women, { together: true, tolerance: 0 }],
      [
        small,
        withColumn(
          weighed,
          numbers("weight", () => 3),
        ),
        { weights: "weight" },
      ],
      [model, strange, {}],
      [model, trade, {}],
      [model, without, {}],
      [model, holes("hours"), {}],
      [model, holes("age"), {}],
      [model, holes("weight"), { weights: "weight" }],
      [
        model,
        withColumn(
          fresh,
          numbers("weight", (row) => row - 2),
        ),
        { weights: "weight" },
      ],
      [model, fresh, { protect: ["region"] }],
      [model, fresh, { id: "persn" }],
      [model, fresh, { id: "sex" }],
      [{ ...model, promises: undefined }, fresh, {}],
    ];
    for (const [asked, table, options] of requests) {
      const own = await assign(asked, table, options).catch((error: Error) => error);
      expect(own).toBeInstanceOf(Error);
      await expect(labelled(asked, table, options)).rejects.toThrow((own as Error).message);
    }
    const far = withColumn(
      fresh,
      numbers("income", (row) => (row === 9 ? 1e12 : row)),
    );
    await expect(labelled(model, far)).rejects.toThrow(/too far from the model's for exact distances/);
  });

  it("are left out or filled in where values are missing", async () => {
    const model = await modelOf();
    const holes = withColumn(
      fresh,
      numbers("hours", (row) => (row % 100 === 3 ? Number.NaN : row % 60)),
    );
    for (const missing of ["drop", "mean"] as const) {
      const own = await assign(model, holes, { missing });
      const { result } = await labelled(model, holes, { missing });
      expect(result).toMatchObject({ n: own.result.n, fair: own.result.fair, warnings: own.result.warnings });
      expect(result.sse).toBeLessThanOrEqual(own.result.sse * 1.001);
    }
  });

  it("are judged at the nearest centres as in memory", async () => {
    const model = await modelOf();
    const { fairness } = await predict(model, fresh, { protect: ["sex", "region"] });
    const asked = { protect: ["sex", "region"] };
    const sink = { write: async () => undefined };
    const { n, leftOut, warnings, ...judged } = await predictScanned(new MemoryScanner(fresh), model, asked, sink);
    expect([n, warnings]).toEqual([4000, []]);
    expect(leftOut).toContainEqual({ column: "debts", why: "not in the model" });
    expect(judged).toEqual(fairness);
  });
});

function boundedBy(
  attributes: NonNullable<Model["promises"]>["attributes"],
  bounds: Awaited<ReturnType<typeof assign>>["result"]["bounds"],
) {
  return attributes.map((attribute) => ({
    ...attribute,
    lower: attribute.groups.map((group) => bounds[attribute.name]![group]!.min),
    upper: attribute.groups.map((group) => bounds[attribute.name]![group]!.max),
  }));
}

function textOf({ columns }: Table, name: string) {
  const column = columns.find((each) => each.name === name)!;
  if (column.kind !== "text") throw new Error(`${name} is not text`);
  return column;
}

function rowsWhere(table: Table, name: string, level: string): Table {
  const { codes, levels } = textOf(table, name);
  const rows = Array.from(codes.keys()).filter((row) => levels[codes[row]!] === level);
  const columns = table.columns.map((column) =>
    column.kind === "numeric"
      ? { ...column, values: Float64Array.from(rows, (row) => column.values[row]!) }
      : { ...column, codes: Int32Array.from(rows, (row) => column.codes[row]!) },
  );
  return { ...table, rows: rows.length, columns };
}
