import { afterEach, describe, expect, it } from "vitest";
import { shapes } from "../../bench/shapes.js";
import { cluster } from "../algorithms/cluster.js";
import { toModel } from "../algorithms/model.js";
import { measureLabels } from "../algorithms/represent.js";
import { groupCounts } from "../metrics/index.js";
import { preparePeople } from "../table/people.js";
import type { Table } from "../table/types.js";
import { clusterScanned, type ScanOptions } from "./cluster.js";
import { prepareScan } from "./prepare.js";
import { MemoryScanner } from "./testing/memory-scanner.js";
import { awkwardTable, tableOfShape } from "./testing/tables.js";
import { scanTuning } from "./tuning.js";

const usual = { ...scanTuning };
afterEach(() => {
  Object.assign(scanTuning, usual);
});

/** Everybody's labels, by row. */
async function labelled(table: Table, protect: readonly string[], options: ScanOptions) {
  const found = await clusterScanned(new MemoryScanner(table), { protect, scale: "none" }, options);
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

describe("people who are only scanned", () => {
  for (const shape of shapes) {
    it(`are clustered fairly: ${shape.name}`, async () => {
      Object.assign(scanTuning, { sample: 1500, few: 0 });
      const people = shape.people(4000);
      const protect = people.attributes.map(({ name }) => name);
      const { clustering, labels } = await labelled(tableOfShape(people), protect, { k: shape.k });
      const { result } = clustering;
      expect(result.fair).toBe(true);
      expect(result.maxViolation).toBeLessThanOrEqual(1);
      people.attributes.forEach((attribute) => {
        const counts = groupCounts(attribute, labels, shape.k);
        attribute.groups.forEach((group, at) => {
          const shares = counts[at].map((count, m) => count / result.sizes[m]);
          expect(result.groups[attribute.name][group]).toEqual(shares);
        });
      });
      // Means of the labels are the centres.
      const means = people.dimensions.map((values) => {
        const sums = new Float64Array(shape.k);
        values.forEach((value, i) => {
          sums[labels[i]] += value;
        });
        return sums.map((sum, m) => sum / result.sizes[m]);
      });
      clustering.centres.forEach((centre, m) => {
        centre.forEach((value, j) => {
          expect(Math.abs(value - means[j][m])).toBeLessThan(2 ** -clustering.gridBits);
        });
      });
    });
  }

  it("cost no more than people in memory, from the same centres", async () => {
    Object.assign(scanTuning, { sample: 2000, few: 0 });
    const shape = shapes[2];
    const people = shape.people(6000);
    const protect = people.attributes.map(({ name }) => name);
    const { clustering } = await labelled(tableOfShape(people), protect, { k: shape.k });
    const own = await cluster(people, { k: shape.k, from: clustering.centres });
    expect(clustering.result.sse).toBeLessThan(own.result.sse * 1.01);
  });
});

describe("groups that are to be represented", () => {
  for (const few of [0, 10_000]) {
    it(`have their share in as many clusters as were asked for, ${few ? "all" : "some"} of the people sampled`, async () => {
      Object.assign(scanTuning, { sample: 1500, few });
      const people = shapes[2].people(4000);
      const protect = people.attributes.map(({ name }) => name);
      const asked = { notion: "representation", represent: 0.5, inClusters: 1 } as const;
      const { clustering, labels } = await labelled(tableOfShape(people), protect, { k: 5, ...asked });
      const { result, centres } = clustering;
      const wanted = { name: "representation", share: 0.5, clusters: 1, tolerance: 0 } as const;
      const judged = measureLabels(people, { labels, centres }, wanted);
      expect(result).toMatchObject({ fair: true, verdict: judged.verdict });
      expect(result.notion).toMatchObject({ ...judged.notion, lacking: [] });
      const own = await cluster(people, { k: 5, ...asked });
      expect(result.sse).toBeLessThan(own.result.sse * 1.05);
    });
  }
});

describe("given centres", () => {
  const shape = shapes[2];
  const people = shape.people(4000);
  const protect = people.attributes.map(({ name }) => name);
  const from = [100, 900, 2500].map((i) => Float64Array.from(people.dimensions, (column) => column[i]));

  it("are where a run begins: as in memory where all are sampled, and nearly so where some are", async () => {
    const own = await cluster(people, { k: 3, from });
    const whole = await labelled(tableOfShape(people), protect, { from });
    expect(whole.clustering.result.sse).toBeLessThan(own.result.sse * 1.001);
    Object.assign(scanTuning, { sample: 1500, few: 0 });
    const { clustering } = await labelled(tableOfShape(people), protect, { from });
    expect(clustering.result.fair).toBe(true);
    expect(clustering.result.sse).toBeLessThan(own.result.sse * 1.03);
  });

  it("that stand for a few people far away are kept, though the sample has none of these people", async () => {
    const near = shapes[1].people(20_000);
    const far = new Set(Array.from({ length: 40 }, (_, i) => 499 * i));
    const tails = {
      ...near,
      dimensions: near.dimensions.map((column) => column.map((value, i) => (far.has(i) ? value + 1000 : value))),
    };
    const { centres } = await cluster(tails, { k: 3, algorithm: "lloyd", effort: "quick" });
    const own = await cluster(tails, { k: 3, from: centres });
    Object.assign(scanTuning, { sample: 500, few: 0 });
    const { clustering } = await labelled(
      tableOfShape(tails),
      near.attributes.map(({ name }) => name),
      { from: centres },
    );
    expect(clustering.result.fair).toBe(true);
    expect(clustering.result.sse).toBeLessThan(own.result.sse * 1.001);
  });

  it("may be those of a model, and give the number of clusters", async () => {
    const fromModel = toModel(people, await cluster(people, { k: 3, from }));
    const { clustering } = await labelled(tableOfShape(people), protect, { fromModel });
    expect(clustering.result.k).toBe(3);
    expect(clustering.result.sse).toBeLessThan((await cluster(people, { k: 3, from })).result.sse * 1.001);
  });
});

describe("given places", () => {
  const shape = shapes[2];
  const people = shape.people(4000);
  const table = tableOfShape(people);
  const protect = people.attributes.map(({ name }) => name);
  const seats = [100, 900, 2500].map((i) => Float64Array.from(people.dimensions, (column) => column[i]));
  const capacity = [{ max: 900 }, { min: 1500, max: 1800 }, {}];

  for (const few of [0, 10_000]) {
    it(`stay where they are, and take as many people as they have room for, ${few ? "all" : "some"} of them sampled`, async () => {
      Object.assign(scanTuning, { sample: 1500, few });
      const { clustering, labels } = await labelled(table, protect, { seats, capacity });
      const { sizes, sse, fair } = clustering.result;
      const own = await cluster(people, { k: 3, seats, capacity });
      expect(fair).toBe(true);
      expect(sizes[0]).toBeLessThanOrEqual(900);
      expect(sizes[1]).toBeGreaterThanOrEqual(1500);
      expect(sizes[1]).toBeLessThanOrEqual(1800);
      expect(sse).toBeLessThan(own.result.sse * 1.03);
      const cost = labels.reduce(
        (sum, m, i) => people.dimensions.reduce((all, column, j) => all + (column[i] - seats[m][j]) ** 2, sum),
        0,
      );
      expect(Math.abs(sse / cost - 1)).toBeLessThan(1e-4);
      for (const [m, centre] of clustering.centres.entries()) {
        for (const [j, value] of centre.entries()) expect(value).toBeCloseTo(seats[m][j], 3);
      }
    });
  }

  it("that are far from everybody are refused where distances would not be exact", async () => {
    const far = seats.map((seat) => seat.map((value) => value * 1e9));
    await expect(labelled(table, protect, { seats: far })).rejects.toThrow(/too far apart for exact sums/);
  });
});

describe("people who are few", () => {
  for (const shape of shapes) {
    it(`are clustered as in memory: ${shape.name}`, async () => {
      const people = shape.people(1200);
      const protect = people.attributes.map(({ name }) => name);
      const { clustering, sample, labels } = await labelled(tableOfShape(people), protect, { k: shape.k });
      const own = await cluster(sample, { k: shape.k });
      expect(clustering.result.scanned).toMatchObject({ rounds: 0, sample: 1200, border: 0 });
      expect(clustering.result.sse).toBeLessThan(own.result.sse * 1.02);
      expect(clustering.result.fair).toBe(own.result.fair);
      const sizes = new Array<number>(shape.k).fill(0);
      for (const label of labels) sizes[label]++;
      expect(clustering.result.sizes).toEqual(sizes);
    });
  }
});

describe("what scans find out", () => {
  for (const missing of ["drop", "mean"] as const) {
    it(`is what whole columns tell, with missing: ${missing}`, async () => {
      const table = awkwardTable(400);
      const protect = missing === "drop" ? ["sex*region", "age:30,50"] : ["group"];
      const options = { categorical: ["job"], protect, id: "person", missing, exclude: ["constant"] };
      const people = preparePeople(table, options);
      const { everybody, counts } = await prepareScan(new MemoryScanner(table), options);
      expect(everybody.n).toBe(people.n);
      expect(everybody.dimensionNames).toEqual(people.dimensionNames);
      expect(everybody.leftOut).toEqual(people.leftOut);
      expect(everybody.dropped).toEqual(people.dropped);
      expect(everybody.warnings).toEqual(people.warnings);
      everybody.encodings.forEach((encoding, at) => {
        const other = people.encodings[at];
        if (encoding.kind === "categorical" || other.kind === "categorical") expect(encoding).toEqual(other);
        else {
          expect(encoding.column).toBe(other.column);
          expect(Math.abs(encoding.shift - other.shift)).toBeLessThan(1e-6 * other.scale);
          expect(Math.abs(encoding.scale / other.scale - 1)).toBeLessThan(1e-5);
        }
      });
      everybody.attributes.forEach((attribute, a) => {
        const { name, groups, codes } = people.attributes[a];
        expect(attribute).toMatchObject({ name, groups });
        groups.forEach((_, group) => {
          const members = codes.filter((code) => code === group).length;
          const counted = counts.reduce((sum, count, at) => sum + (attribute.codes[at] === group ? count : 0), 0);
          expect(counted).toBe(members);
        });
      });
    });
  }
});
