// Slow: exhaustive search of small cases.
import { describe, expect, it } from "vitest";
import { clusterMedians, sumOfDistances } from "../metrics/index.js";
import { Draws } from "../testing/draws.js";
import { drawColumns, landscapes, peopleOf, tableOfPeople } from "../testing/people.js";
import { assign } from "./assign.js";
import { cluster } from "./cluster.js";
import { clusterAtCost } from "./given-costs.js";
import { predict, toModel } from "./model.js";
import { sweep } from "./sweep.js";
import type { ClusterOptions } from "./types.js";
import { update } from "./update.js";

const manhattan = { distance: "manhattan", threads: 1 } as const;

/** The sum of distances to lower medians, in plain loops. */
function plainCost(columns: readonly ArrayLike<number>[], labels: ArrayLike<number>, k: number): number {
  let total = 0;
  for (let m = 0; m < k; m++) {
    for (const column of columns) {
      const values = Array.from(column).filter((_, i) => labels[i] === m);
      const median = values.sort((a, b) => a - b)[Math.ceil(values.length / 2) - 1];
      total += values.reduce((sum, value) => sum + Math.abs(value - median), 0);
    }
  }
  return total;
}

/** All ways to put n people into k clusters. */
function* labellings(n: number, k: number): Generator<number[]> {
  for (let code = 0; code < k ** n; code++) yield Array.from({ length: n }, (_, i) => Math.floor(code / k ** i) % k);
}

const distanceBetween = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, value, j) => sum + Math.abs(value - b[j]), 0);

describe("clusters by Manhattan distance", () => {
  it.each(landscapes)(
    "have everybody at the nearest centre, and every centre at the lower median: %s",
    async (landscape) => {
      for (let seed = 1; seed <= 4; seed++) {
        const draws = new Draws(seed);
        const n = draws.between(10, 200);
        const columns = drawColumns(landscape, n, draws.between(1, 4), [], draws).map((column) =>
          column.map(Math.fround),
        );
        const people = peopleOf(columns);
        const k = draws.between(1, 5);
        const { labels, centres, result } = await cluster(people, { ...manhattan, algorithm: "lloyd", k, seed });
        expect(result.converged).toBe(true);
        expect(result.cost).toBeCloseTo(plainCost(columns, labels, k), 6);
        expect(sumOfDistances(people.dimensions, labels, k)).toBeCloseTo(plainCost(columns, labels, k), 6);
        clusterMedians(people.dimensions, labels, k).forEach((medians, m) => {
          if (result.sizes[m] > 0) expect(distanceBetween(centres[m], medians)).toBeLessThan(1e-4);
        });
        for (let i = 0; i < n; i++) {
          const point = columns.map((column) => column[i]);
          const distances = centres.map((centre) => distanceBetween(point, centre));
          expect(distances[labels[i]]).toBeLessThanOrEqual(Math.min(...distances) + 1e-5);
        }
      }
    },
  );

  it("are the best there are in most tiny cases, with a few starts", async () => {
    let best = 0;
    for (let seed = 1; seed <= 10; seed++) {
      const draws = new Draws(seed);
      const columns = [draws.list(8, () => draws.between(-9, 9)), draws.list(8, () => draws.between(-9, 9))];
      const { result } = await cluster(peopleOf(columns), { ...manhattan, algorithm: "lloyd", k: 2, starts: 12, seed });
      const least = Math.min(...Array.from(labellings(8, 2), (labels) => plainCost(columns, labels, 2)));
      expect(result.cost).toBeGreaterThanOrEqual(least - 1e-9);
      if (result.cost! < least + 1e-9) best++;
    }
    expect(best).toBeGreaterThanOrEqual(9);
  });

  it("hardly notice one person far away, whom means run after", async () => {
    for (const far of [1e3, 1e6, 1e9]) {
      const draws = new Draws(5);
      const blob = draws.list(400, () => draws.below(2));
      const columns = [0, 1].map(() => draws.list(400, (i) => 6 * blob[i] + draws.normal()));
      const before = await cluster(peopleOf(columns), { ...manhattan, k: 2 });
      const after = await cluster(peopleOf(columns.map((column) => column.map((x, i) => (i === 0 ? far : x)))), {
        ...manhattan,
        k: 2,
        from: before.centres,
      });
      expect(Array.from(after.labels.subarray(1))).toEqual(Array.from(before.labels.subarray(1)));
      after.centres.forEach((centre, m) => {
        expect(distanceBetween(centre, before.centres[m])).toBeLessThan(0.1);
      });
    }
  });

  it("keep the promises about groups and sizes, and are certified near the best at their centres", async () => {
    for (let seed = 1; seed <= 3; seed++) {
      const draws = new Draws(seed);
      const blob = draws.list(300, () => draws.below(3));
      const codes = blob.map((b) => (draws.next() < 0.6 ? b % 2 : draws.below(2)));
      const columns = [0, 1, 2].map((j) => draws.list(300, (i) => 4 * ((blob[i] + j) % 3) + draws.normal()));
      const people = peopleOf(columns, [codes]);
      const asked: Partial<ClusterOptions>[] = [{ algorithm: "f3km" }, { balance: "hard" }, { balance: 0.9 }];
      for (const options of asked) {
        const { labels, result } = await cluster(people, { ...manhattan, k: 3, seed, ...options });
        expect(result).toMatchObject({
          distance: "manhattan",
          fair: true,
          unconstrainedSse: null,
          sseAtMinSize2: null,
        });
        if (options.balance === "hard") expect(result.sizes).toEqual([100, 100, 100]);
        expect(result.cost).toBeCloseTo(plainCost(people.dimensions, labels, 3), 6);
        expect(result.unconstrainedCost).toBeLessThanOrEqual(result.cost!);
        expect(result.gap).toBeLessThan(0.05);
        if (options.balance === 0.9) {
          expect(result.objective).toBeCloseTo(0.9 * result.cost! + 0.1 * result.evenness.balanceLoss, 6);
        }
      }
    }
  });

  it("never cost less than the certified bound: no assignment to the same centres does", async () => {
    for (let seed = 1; seed <= 3; seed++) {
      const draws = new Draws(seed);
      const columns = [draws.list(9, () => draws.between(-9, 9)), draws.list(9, () => draws.between(-9, 9))];
      const seats = [0, 1, 2].map(() => Float64Array.from([draws.between(-9, 9), draws.between(-9, 9)]));
      const sizes = { min: 2, max: 4 };
      const { result } = await cluster(peopleOf(columns), {
        ...{ ...manhattan, k: 3, seed, seats, algorithm: "teb", capacity: [sizes, sizes, sizes] },
      });
      const costs = Array.from(labellings(9, 3), (labels) => {
        const within = [0, 1, 2].every((m) => {
          const size = labels.filter((label) => label === m).length;
          return size >= 2 && size <= 4;
        });
        if (!within) return Number.POSITIVE_INFINITY;
        return labels.reduce((sum, m, i) => sum + distanceBetween([columns[0][i], columns[1][i]], seats[m]), 0);
      });
      const least = Math.min(...costs);
      expect(result.cost).toBeGreaterThanOrEqual(least - 1e-6);
      expect(result.cost! / (1 + result.gap!)).toBeLessThanOrEqual(least + 1e-6);
    }
  });
});

describe("a model of Manhattan distances", () => {
  const draws = new Draws(3);
  const blob = draws.list(200, () => draws.below(2));
  const columns = [0, 1].map(() => draws.list(200, (i) => 5 * blob[i] + draws.between(-3, 3)));
  const codes = [draws.list(200, () => draws.below(2))];
  const people = peopleOf(columns, codes);
  const group = { kind: "text", name: "attribute 0", levels: ["group 0", "group 1"], codes: codes[0], missing: 0 };

  it("says so, and newcomers join by that distance", async () => {
    const clustering = await cluster(people, { ...manhattan, k: 2, delta: 0.5 });
    const model = toModel(people, clustering);
    expect(model).toMatchObject({
      distance: "manhattan",
      formatVersion: 2,
      provenance: { cost: clustering.result.cost },
    });
    const plain = tableOfPeople(people);
    const table = { ...plain, columns: [...plain.columns, { ...group, codes: Int32Array.from(codes[0]) }] } as never;
    const { labels } = await predict(model, plain);
    const point = (i: number) => columns.map((column) => column[i]);
    labels.forEach((label, i) => {
      const distances = model.centres.map((centre) => distanceBetween(point(i), centre));
      expect(distances[label]).toBe(Math.min(...distances));
    });
    const cost = (given: Uint16Array, centres: readonly ArrayLike<number>[]) =>
      given.reduce((sum, label, i) => sum + distanceBetween(point(i), centres[label]), 0);
    for (const online of [false, true]) {
      const joined = await assign(model, table, { online });
      expect(joined.result.distance).toBe("manhattan");
      expect(joined.result.cost).toBeCloseTo(cost(joined.labels, model.centres), 6);
      expect(joined.result.nearestCost).toBeCloseTo(cost(labels, model.centres), 6);
      expect(joined.result.nearestCost).toBeLessThanOrEqual(joined.result.cost! + 1e-9);
    }
    const updated = await update(model, table, { forget: 1 });
    expect(updated.result.cost).toBeCloseTo(cost(updated.labels, updated.model.centres), 6);
    const medians = clusterMedians(people.dimensions, updated.labels, 2);
    expect(updated.model.centres).toEqual(medians.map((median) => Array.from(median)));
  });
});

describe("a sweep by Manhattan distance", () => {
  it("compares sums of distances, and never calls them SSE", async () => {
    const draws = new Draws(4);
    const columns = [0, 1].map(() => draws.list(120, () => draws.normal()));
    const people = peopleOf(columns, [draws.list(120, () => draws.below(2))]);
    const { result, clusterings } = await sweep(people, { ...manhattan, k: [2, 3], delta: [0.1, 0.5] });
    result.points.forEach((point, at) => {
      if (!point.feasible) return;
      const { labels } = clusterings[at]!;
      expect(point).toMatchObject({ distance: "manhattan", unconstrainedSse: null });
      expect(point.cost).toBeCloseTo(plainCost(columns, labels, point.k), 4);
      expect(point.price).toBeCloseTo(point.cost! / point.unconstrainedCost! - 1, 9);
    });
  });
});

describe("what means are needed for", () => {
  const people = peopleOf([[1, 2, 3, 4, 5, 6]], [[0, 1, 0, 1, 0, 1]]);

  it.each<[string, Partial<ClusterOptions>, RegExp]>([
    ["one person at a time", { algorithm: "cdkm" }, /`distance` does nothing with cdkm: use f3km, teb or lloyd/],
    ["parties that hold rows", { split: "rows", parties: 2 }, /medians are no sums over parties/],
    ["the paper's ADMM", { solver: "admm" }, /admm is made of means/],
    ["the paper's blocks", { algorithm: "teb", rule: "gbco" }, /the rule gbco is made of means/],
  ])("is refused: %s", async (_, options, why) => {
    await expect(cluster(people, { ...manhattan, k: 2, ...options })).rejects.toThrow(why);
  });

  it("given costs have no distance", async () => {
    const options = { threads: 1, distance: "manhattan" } as never;
    await expect(
      clusterAtCost(
        peopleOf([
          [1, 2],
          [2, 1],
        ]),
        options,
      ),
    ).rejects.toThrow(/`distance` does nothing/);
  });
});
