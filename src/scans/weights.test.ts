// Slow: it makes some dozen fair clusterings.
import { afterEach, describe, expect, it } from "vitest";
import { shapes } from "../../bench/shapes.js";
import { cluster } from "../algorithms/cluster.js";
import { measureFairness, sse } from "../metrics/index.js";
import { preparePeople } from "../table/people.js";
import type { Column, People, Table } from "../table/types.js";
import { Draws } from "../testing/draws.js";
import { clusterScanned, type ScanOptions } from "./cluster.js";
import { prepareScan } from "./prepare.js";
import { MemoryScanner } from "./testing/memory-scanner.js";
import { tableOfShape } from "./testing/tables.js";
import { scanTuning } from "./tuning.js";

const usual = { ...scanTuning };
afterEach(() => {
  Object.assign(scanTuning, usual);
});

const column = (name: string, values: readonly number[]): Column => {
  return { kind: "numeric", name, values: Float64Array.from(values), missing: 0, notFinite: 0 };
};

/** The people of a shape with weights in a column `w`. */
function weighed(people: People, weights: readonly number[]): Table {
  const table = tableOfShape(people);
  return { ...table, columns: [...table.columns, column("w", weights)] };
}

async function labelled(table: Table, { attributes }: People, options: ScanOptions) {
  const protect = attributes.map(({ name }) => name);
  const columns = { protect, weights: "w", scale: "none" } as const;
  const found = await clusterScanned(new MemoryScanner(table), columns, options);
  const labels = new Uint16Array(table.rows);
  await found.writeLabels({
    write: async ({ ids, clusters }) => {
      clusters.forEach((label, i) => {
        labels[Number(ids[i])] = label;
      });
    },
  });
  return { ...found, labels, people: preparePeople(table, columns) };
}

describe("weights of people who are only scanned", () => {
  for (const shape of shapes.filter((_, at) => at % 2 === 0)) {
    it(`count in sizes, shares and costs, and the result is fair within the largest: ${shape.name}`, async () => {
      Object.assign(scanTuning, { sample: 1000, few: 0 });
      const draws = new Draws(shape.k);
      const given = shape.people(2500);
      const fractions = shape.k % 2 === 0;
      const weights = draws.list(given.n, () => (fractions ? Math.exp(draws.normal() / 2) : draws.between(1, 5)));
      const { clustering, labels, people } = await labelled(weighed(given, weights), given, { k: shape.k });
      const { result } = clustering;
      const { values, total, unit } = people.weights!;
      const largest = values.reduce((most, weight) => Math.max(most, weight));
      expect(result).toMatchObject({ fair: true, weights: { column: "w", total, unit }, tolerance: largest });
      expect(result.atoms).toMatchObject({ count: 2500, largest });
      const sizes = new Array<number>(shape.k).fill(0);
      labels.forEach((label, i) => {
        sizes[label] += values[i];
      });
      expect(result.sizes).toEqual(sizes);
      expect(Math.abs(result.sse / sse(people.dimensions, labels, shape.k, values) - 1)).toBeLessThan(1e-3);
      const bounds = people.attributes.map(({ name, groups, codes }) => {
        const counts = groups.map((_, at) => values.reduce((sum, w, i) => sum + (codes[i] === at ? w : 0), 0));
        const told = groups.map((group) => result.bounds[name]![group]!);
        return {
          attribute: name,
          groups,
          counts,
          lower: told.map(({ min }) => min),
          upper: told.map(({ max }) => max),
        };
      });
      const measured = measureFairness({ people, labels, k: shape.k, bounds, tolerance: largest });
      expect(measured.maxViolation).toBeCloseTo(result.maxViolation, 6);
      expect(measured.groups).toEqual(result.groups);
    });
  }

  it("lead to the clusters of weighted people in memory, where all are looked at", async () => {
    const draws = new Draws(3);
    const given = shapes[2].people(900);
    const table = weighed(
      given,
      draws.list(900, () => draws.between(1, 4)),
    );
    const { clustering, sample } = await labelled(table, given, { k: 4 });
    const own = await cluster(sample, { k: 4 });
    expect(sample.weights!.total).toBe(clustering.result.weights!.total);
    expect(clustering.labels).toEqual(own.labels);
    expect(clustering.result).toMatchObject({
      fair: own.result.fair,
      sizes: own.result.sizes,
      atoms: own.result.atoms,
    });
  });

  it("scale columns as copies do, and are whole multiples of the unit of people in memory", async () => {
    const draws = new Draws(5);
    const times = draws.list(300, () => draws.between(1, 4));
    const x = draws.list(300, () => draws.normal() ** 3);
    const copies = times.flatMap((count, i) => new Array<number>(count).fill(x[i]));
    const scanOf = (columns: readonly Column[], weights?: string) => {
      const scanner = new MemoryScanner({
        rows: columns[0]!.kind === "numeric" ? columns[0]!.values.length : 0,
        columns,
      });
      return prepareScan(scanner, { features: ["x"], ...(weights ? { weights } : {}) });
    };
    const own = await scanOf([column("x", x), column("w", times)], "w");
    const other = await scanOf([column("x", copies)]);
    expect(own.everybody.encodings).toEqual(other.everybody.encodings);
    expect(own.counts).toEqual(other.counts);
    const fractions = draws.list(300, () => Math.exp(draws.normal()));
    const table = { rows: 300, columns: [column("x", x), column("w", fractions)] };
    const { unit, total } = preparePeople(table, { features: ["x"], weights: "w" }).weights!;
    expect((await scanOf(table.columns, "w")).everybody.weights).toEqual({ column: "w", unit, total });
  });

  it("are refused where they are not above 0, or make a request infeasible", async () => {
    const given = shapes[2].people(50);
    const table = weighed(
      given,
      Array.from({ length: 50 }, (_, i) => i - 2),
    );
    await expect(labelled(table, given, { k: 2 })).rejects.toThrow("column 'w' is 0 or less in 3 of 50 rows");
    const heavy = weighed(
      given,
      Array.from({ length: 50 }, (_, i) => (i === 0 ? 500 : 1)),
    );
    await expect(labelled(heavy, given, { k: 2, maxSize: 400, tolerance: 1 })).rejects.toThrow(
      /no k=2 clusters of what moves as a whole \(up to 500 at once\)/,
    );
  });
});
