// Slow: compares with the optimum of all assignments.
import { describe, expect, it } from "vitest";
import { boundsFromDelta, excess } from "../constraints/bounds.js";
import { generateTable } from "../table/generate.js";
import { preparePeople } from "../table/people.js";
import type { People } from "../table/types.js";
import { Draws } from "../testing/draws.js";
import { drawCodes, drawColumns, peopleOf } from "../testing/people.js";
import { cluster } from "./cluster.js";
import { distancesTo } from "./distances.js";
import { clusterAtCost } from "./given-costs.js";

type Sizes = readonly { min: number; max: number }[];

interface Asked {
  readonly k: number;
  readonly delta: number;
  readonly tolerance: number;
  readonly sizes: Sizes;
  /** [groups][k] */
  readonly present?: readonly (readonly number[])[];
}

/** The least cost of all assignments that keep bounds and sizes; undefined where none does. */
function leastCost(people: People, cost: (i: number, m: number) => number, asked: Asked): number | undefined {
  const { k, delta, tolerance, sizes, present } = asked;
  const [attribute] = people.attributes;
  const { lower, upper } = boundsFromDelta(attribute, delta);
  let best: number | undefined;
  for (let number = 0; number < k ** people.n; number++) {
    const counts = attribute.groups.map((_, group) => Array.from({ length: k }, (_, m) => present?.[group][m] ?? 0));
    const own = new Array<number>(k).fill(0);
    let total = 0;
    for (let i = 0, rest = number; i < people.n; i++, rest = Math.floor(rest / k)) {
      counts[attribute.codes[i]][rest % k]++;
      own[rest % k]++;
      total += cost(i, rest % k);
    }
    if (best !== undefined && total >= best) continue;
    if (own.some((size, m) => size < sizes[m].min || size > sizes[m].max)) continue;
    const all = own.map((_, m) => counts.reduce((sum, row) => sum + row[m], 0));
    if (counts.some((row, l) => row.some((count, m) => excess(count, all[m], lower[l], upper[l]) > tolerance)))
      continue;
    best = total;
  }
  return best;
}

function drawn(seed: number) {
  const draws = new Draws(seed);
  const k = draws.between(2, 3);
  const n = k === 2 ? draws.between(6, 11) : draws.between(6, 8);
  const codes = drawCodes(n, 2, draws);
  const people = peopleOf(drawColumns("spread", n, 2, codes, draws), [codes]);
  const seats = Array.from({ length: k }, () => Float64Array.from({ length: 2 }, () => 4 * draws.next() - 2));
  const sizes = Array.from({ length: k }, () => ({ min: draws.below(3), max: n - draws.below(3) }));
  const delta = [0.2, 0.5][draws.below(2)];
  return { draws, people, seats, asked: { k, delta, tolerance: 1, sizes } };
}

const distance = (people: People, seats: readonly Float64Array[]) => (i: number, m: number) =>
  people.dimensions.reduce((sum, column, j) => sum + (column[i] - seats[m][j]) ** 2, 0);

describe("people at given centres, with sizes of their own", () => {
  it("cost as little as the best of all assignments nearly always; the certified bound is never above it", async () => {
    let [reached, feasible] = [0, 0];
    for (let seed = 1; seed <= 60; seed++) {
      const { people, seats, asked } = drawn(seed);
      const best = leastCost(people, distance(people, seats), asked);
      const run = () => cluster(people, { ...asked, seats, capacity: asked.sizes, threads: 1 });
      if (best === undefined) {
        await expect(run()).rejects.toThrow();
        continue;
      }
      feasible++;
      const { result, centres } = await run();
      expect(result).toMatchObject({ fair: true, sizesKept: true });
      expect(result.sse).toBeGreaterThan(best * (1 - 1e-3) - 1e-3);
      expect(result.sse / (1 + result.gap!)).toBeLessThan(best * (1 + 1e-3) + 1e-3);
      for (const [m, centre] of centres.entries()) {
        for (const [j, value] of centre.entries()) expect(value).toBeCloseTo(seats[m][j], 3);
      }
      if (result.sse <= best * (1 + 1e-3) + 1e-3) reached++;
    }
    expect(feasible).toBeGreaterThan(30);
    expect(reached / feasible).toBeGreaterThan(0.9);
  });

  it("count those who are there already", async () => {
    let [feasible, infeasible] = [0, 0];
    for (let seed = 1; seed <= 60; seed++) {
      const { draws, people, seats, asked } = drawn(seed);
      const present = [0, 1].map(() => Array.from({ length: asked.k }, () => draws.below(12)));
      const [{ name, groups }] = people.attributes;
      const best = leastCost(people, distance(people, seats), { ...asked, present });
      const before = { [name]: Object.fromEntries(groups.map((group, at) => [group, present[at]])) };
      const run = () => cluster(people, { ...asked, seats, capacity: asked.sizes, present: before, threads: 1 });
      if (best === undefined) {
        infeasible++;
        await expect(run()).rejects.toThrow();
        continue;
      }
      feasible++;
      const { result } = await run();
      expect(result.fair).toBe(true);
      expect(result.sse).toBeGreaterThan(best * (1 - 1e-3) - 1e-3);
    }
    expect(Math.min(feasible, infeasible)).toBeGreaterThan(5);
  });

  it("go by given costs where there are any", async () => {
    let [reached, feasible] = [0, 0];
    for (let seed = 1; seed <= 60; seed++) {
      const { draws, people, asked } = drawn(seed);
      const costs = Array.from({ length: asked.k }, () =>
        Float64Array.from({ length: people.n }, () => 100 * draws.next()),
      );
      const best = leastCost(people, (i, m) => costs[m][i], asked);
      if (best === undefined) continue;
      feasible++;
      const { k: _, ...others } = asked;
      const priced = { ...people, dimensions: costs, dimensionNames: costs.map((_, m) => `place ${m}`) };
      const { result } = await clusterAtCost(priced, { ...others, capacity: asked.sizes, threads: 1 });
      expect(result.sse).toBeGreaterThan(best * (1 - 1e-3) - 1e-3);
      if (result.sse <= best * (1 + 1e-3) + 1e-3) reached++;
    }
    expect(reached / feasible).toBeGreaterThan(0.9);
  });

  it("are the same on any number of threads and parties", async () => {
    const draws = new Draws(5);
    const codes = drawCodes(3000, 3, draws);
    const people = peopleOf(drawColumns("apart", 3000, 4, codes, draws), [codes]);
    const seats = Array.from({ length: 5 }, () => Float64Array.from({ length: 4 }, () => 4 * draws.next() - 2));
    const capacity = [{ max: 700 }, { min: 500 }, {}, { min: 10, max: 900 }, {}];
    const asked = { k: 5, seats, capacity, seed: 3 };
    const one = await cluster(people, { ...asked, threads: 1 });
    for (const other of [{ threads: 4 }, { threads: 1, parties: 3 }]) {
      const found = await cluster(people, { ...asked, ...other });
      expect(found.labels).toEqual(one.labels);
      expect(found.result.gap).toBe(one.result.gap);
    }
    expect(one.result).toMatchObject({
      fair: true,
      sizesKept: true,
      capacity: [{ max: 700 }, { min: 500 }, {}, { min: 10, max: 900 }, {}],
    });
  });
});

it("seats with rows split keep promises and cost little more than in one place, whoever holds which rows", async () => {
  const people = preparePeople(generateTable("people", { n: 900, seed: 4 }), {
    features: ["age", "income"],
    protect: ["sex"],
  });
  // One of them is beyond everybody.
  const seats = [Float64Array.of(-1, 0), Float64Array.of(0.5, 0.5), Float64Array.of(6, 6)];
  const asked = { k: 3, seats, capacity: [{ max: 400 }, { max: 400 }, { min: 100, max: 900 }] };
  const alone = await cluster(people, asked);
  const split = (parties: number) => cluster(people, { ...asked, split: "rows", parties });
  const { labels, centres, result } = await split(3);
  expect(result).toMatchObject({ fair: true, sizesKept: true, capacity: alone.result.capacity });
  expect(result.sse).toBeCloseTo(distancesTo(seats, people, labels), 6);
  expect(result.sse / alone.result.sse).toBeLessThan(1.01);
  expect(centres.map((centre) => [...centre].map((value) => Math.round(100 * value)))).toEqual([
    [-100, 0],
    [50, 50],
    [600, 600],
  ]);
  expect((await split(5)).labels).toEqual(labels);
  const nearest = await cluster(people, {
    k: 3,
    seats,
    split: "rows",
    parties: 3,
    algorithm: "f3km",
    delta: 0.99,
    tolerance: 900,
  });
  expect(nearest.result.sse).toBeLessThanOrEqual(result.sse);
});

describe("a size of one cluster alone", () => {
  const people = { ...drawn(3).people, attributes: [] };
  const capacity = [{ max: 2 }, {}];
  it.each(["f3km", "teb"] as const)("is kept where nothing else is promised, by %s", async (algorithm) => {
    const { result } = await cluster(people, { k: 2, algorithm, capacity });
    expect(result.sizes[0]).toBeLessThanOrEqual(2);
    expect(result.sizesKept).toBe(true);
  });

  it("is kept where rows are split", async () => {
    const { result } = await cluster(people, { k: 2, algorithm: "f3km", split: "rows", parties: 2, capacity });
    expect(result.sizes[0]).toBeLessThanOrEqual(2);
  });

  it("keeps a place from staying empty", async () => {
    const seats = [people.dimensions.map((column) => column[0]), [4, 4]].map((each) => Float64Array.from(each));
    const { result } = await cluster(people, { k: 2, algorithm: "f3km", seats, capacity: [{}, { min: 1 }] });
    expect(result.sizes[1]).toBe(1);
  });
});

it("what the clusters at given centres would cost without promises is around these centres", async () => {
  const { people, seats, asked } = drawn(5);
  const cost = distance(people, seats);
  const capacity = asked.sizes.map((_, m) => (m === 0 ? { max: 1 } : {}));
  const { result } = await cluster(people, { ...asked, seats, capacity, tolerance: people.n, threads: 1 });
  const nearest = Array.from({ length: people.n }, (_, i) => Math.min(...seats.map((_, m) => cost(i, m))));
  expect(result.unconstrainedSse! / nearest.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 6);
  expect(result.sse).toBeGreaterThan(result.unconstrainedSse!);
});
