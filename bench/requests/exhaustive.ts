import { cluster } from "../../src/algorithms/cluster.js";
import { clusterAtCost } from "../../src/algorithms/given-costs.js";
import type { ClusterOptions } from "../../src/algorithms/types.js";
import { betweenTeams } from "../../src/grouping/alike.js";
import { group } from "../../src/grouping/group.js";
import { mixedOf } from "../../src/grouping/mixed.js";
import { neighbourRadii, sumOfDistances } from "../../src/metrics/index.js";
import { Random } from "../../src/table/generators/random.js";
import { type People, type PeopleOptions, preparePeople, type Table } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Line, Sheet } from "../types.js";

/** So few people that all answers can be tried. */
const n = 8;
const k = 3;
/** An answer within this part of the best one is the best one: coordinates are on a grid. */
const same = 1e-3;
const starts = 10;
/** Nobody's place is empty, as in the answers that are tried. */
const places = Array.from({ length: k }, () => ({ min: 1, max: 4 }));

interface Request {
  readonly name: string;
  readonly columns?: PeopleOptions;
  readonly options?: Partial<ClusterOptions>;
  /** Whether the request allows these labels; the cost that it asks to be least. */
  readonly allows?: (people: People, labels: Uint16Array) => boolean;
  readonly cost?: (people: People, labels: Uint16Array) => number;
  readonly solve?: (people: People, seed: number) => Promise<Uint16Array>;
}

const requests: readonly Request[] = [
  { name: "weights", columns: { weights: "weight" } },
  {
    name: "together",
    columns: { together: "house" },
    allows: ({ together }, labels) => links(together!.codes, labels, true),
  },
  { name: "apart", columns: { apart: "house" }, allows: ({ apart }, labels) => links(apart!.codes, labels, false) },
  {
    name: "capacity",
    options: { capacity: [{ min: 1, max: 2 }, { min: 3, max: 3 }, { min: 3 }] },
    allows: (_, labels) => {
      const [a, b, c] = sizesOf(labels);
      return a <= 2 && b === 3 && c >= 3;
    },
  },
  {
    name: "seats",
    options: {
      seats: [Float64Array.of(-1, 0), Float64Array.of(1, 0), Float64Array.of(0, 1)],
      starts: 1,
      capacity: places,
    },
    allows: (_, labels) => Math.max(...sizesOf(labels)) <= 4,
    cost: ({ dimensions: [x, y] }, labels) =>
      labels.reduce((sum, m, i) => sum + (x[i] - [-1, 1, 0][m]) ** 2 + (y[i] - [0, 0, 1][m]) ** 2, 0),
  },
  {
    name: "cost",
    allows: (_, labels) => Math.max(...sizesOf(labels)) <= 4,
    cost: ({ dimensions }, labels) => labels.reduce((sum, m, i) => sum + costOf(dimensions, i, m), 0),
    solve: async (people, seed) => {
      const dimensions = Array.from({ length: k }, (_, m) =>
        Float64Array.from({ length: n }, (_, i) => costOf(people.dimensions, i, m)),
      );
      const { readers: _, ...others } = people;
      const priced = { ...others, dimensions, dimensionNames: ["a", "b", "c"] };
      return (await clusterAtCost(priced, { capacity: places, seed, threads: 1 })).labels;
    },
  },
  {
    name: "even sizes",
    options: { balance: "hard" },
    allows: (_, labels) => sizesOf(labels).every((size) => size === 2 || size === 3),
  },
  {
    name: "fair shares",
    columns: { protect: ["sex"] },
    options: { minSize: 1, delta: 0.2 },
    allows: (people, labels) => isFair(people, labels, 0.2),
  },
  {
    name: "manhattan",
    options: { distance: "manhattan" },
    cost: ({ dimensions }, labels) => sumOfDistances(dimensions, labels, k),
  },
  {
    name: "representation",
    columns: { protect: ["sex"] },
    options: { minSize: 1, notion: "representation", represent: 0.6 },
    allows: ({ attributes: [{ codes }] }, labels) => {
      const sizes = sizesOf(labels);
      return [0, 1].every((sex) =>
        sizes.some((size, m) => labels.filter((own, i) => own === m && codes[i] === sex).length >= 0.6 * size),
      );
    },
  },
  { name: "social", columns: { protect: ["sex"] }, options: { notion: "social" }, cost: worstOff },
];

/** Small cases of everything that can be asked for, beside the best of all answers. */
export async function exhaustive(bench: Bench): Promise<Sheet> {
  const cases = seedsOf(bench.options.quick ? 2 : 10 * bench.options.seeds);
  const lines: Line[] = [];
  for (const request of requests) {
    if (bench.signal.aborted) break;
    bench.say(`${request.name}, ${cases.length} small cases`);
    const ratios: number[] = [];
    for (const seed of cases) {
      const people = preparePeople(smallTable(seed), { features: ["x", "y"], ...request.columns });
      const { allows = () => true, cost = weightedSse } = request;
      let best = Number.POSITIVE_INFINITY;
      forEachLabels((labels) => {
        if (allows(people, labels)) best = Math.min(best, cost(people, labels));
      });
      if (!Number.isFinite(best)) continue;
      const found = await (request.solve ?? solving(request))(people, seed);
      ratios.push(cost(people, found) / best);
    }
    lines.push(lineOf(request.name, "the best of all answers", ratios));
  }
  lines.push(await teamsLine(cases), await individualLine(cases));
  return {
    title: `${n} people, k=${k}: the cost of one answer of ${starts} starts, over the least of all that keep the promises`,
    lines,
    notes: [
      "Of individual: the largest ratio of distances, where factor 1 is asked for, over the least with three of the people as centres.",
    ],
  };
}

function lineOf(request: string, peer: string, ratios: readonly number[]): Line {
  const reached = ratios.filter((ratio) => ratio <= 1 + same).length / ratios.length;
  return {
    at: { request, peer },
    figures: {
      cases: figure([ratios.length], ""),
      ratio: figure(ratios, "x"),
      largest: figure([Math.max(...ratios)], "x"),
      "are the best": figure([reached], ""),
    },
  };
}

function solving({ options }: Request) {
  return async (people: People, seed: number): Promise<Uint16Array> =>
    (await cluster(people, { k, seed, threads: 1, starts, ...options })).labels;
}

/** Points in three clouds, sexes, weights and households of two. */
function smallTable(seed: number): Table {
  const random = new Random(seed, 31);
  const numbers = (name: string, of: (i: number) => number) => ({
    ...{ kind: "numeric" as const, name, missing: 0, notFinite: 0 },
    values: Float64Array.from({ length: n }, (_, i) => of(i)),
  });
  const text = (name: string, levels: string[], of: (i: number) => number) => ({
    ...{ kind: "text" as const, name, levels, missing: 0 },
    codes: Int32Array.from({ length: n }, (_, i) => of(i)),
  });
  return {
    rows: n,
    columns: [
      numbers("x", () => 2 * random.below(3) + random.normal()),
      numbers("y", () => random.normal()),
      numbers("weight", () => 1 + random.below(3)),
      text("sex", ["F", "M"], (i) => (i < 2 ? i : random.below(2))),
      text("house", ["a", "b", "c", "d", "e"], (i) => Math.floor(i / 2)),
    ],
  };
}

/** All labels in which no cluster is empty. */
function forEachLabels(visit: (labels: Uint16Array) => void, clusters = k): void {
  const labels = new Uint16Array(n);
  for (let code = 0; code < clusters ** n; code++) {
    for (let i = 0, rest = code; i < n; i++, rest = Math.floor(rest / clusters)) labels[i] = rest % clusters;
    if (Math.min(...sizesOf(labels, clusters)) > 0) visit(labels);
  }
}

function sizesOf(labels: Uint16Array, clusters = k): number[] {
  const sizes = new Array<number>(clusters).fill(0);
  for (const m of labels) sizes[m]++;
  return sizes;
}

function weightedSse(people: People, labels: Uint16Array): number {
  return sseWith(people, labels, (i) => people.weights?.values[i] ?? 1);
}

function sseWith({ dimensions }: People, labels: Uint16Array, weightOf: (i: number) => number): number {
  let total = 0;
  for (const column of dimensions) {
    const [weights, sums, squares] = [0, 1, 2].map(() => new Array<number>(k).fill(0));
    labels.forEach((m, i) => {
      weights[m] += weightOf(i);
      sums[m] += weightOf(i) * column[i];
      squares[m] += weightOf(i) * column[i] ** 2;
    });
    for (let m = 0; m < k; m++) if (weights[m] > 0) total += squares[m] - sums[m] ** 2 / weights[m];
  }
  return total;
}

/** The worst-off sex's mean cost at the best centres of these clusters: the highest of all weighted sums of both, by golden sections. */
function worstOff(people: People, labels: Uint16Array): number {
  const [{ codes }] = people.attributes;
  const members = [0, 1].map((sex) => codes.filter((code) => code === sex).length);
  const weighted = (part: number) =>
    sseWith(people, labels, (i) => (codes[i] === 0 ? part / members[0] : (1 - part) / members[1]));
  let [low, high] = [0, 1];
  for (let step = 0; step < 16; step++) {
    const [a, b] = [low + (high - low) * 0.382, low + (high - low) * 0.618];
    if (weighted(a) > weighted(b)) high = b;
    else low = a;
  }
  return weighted((low + high) / 2);
}

function links(codes: Int32Array, labels: Uint16Array, together: boolean): boolean {
  return labels.every((m, i) =>
    labels.every((other, j) => i === j || codes[i] !== codes[j] || (m === other) === together),
  );
}

function isFair({ attributes: [{ codes, groups }] }: People, labels: Uint16Array, delta: number): boolean {
  return sizesOf(labels).every((size, m) =>
    groups.every((_, sex) => {
      const share = codes.filter((code) => code === sex).length / n;
      const count = labels.filter((own, i) => own === m && codes[i] === sex).length;
      return count >= share * (1 - delta) * size - 1 && count <= Math.min(1, share / (1 - delta)) * size + 1;
    }),
  );
}

/** A cost that is no distance. */
function costOf([x, y]: People["dimensions"], i: number, m: number): number {
  return 1 + [Math.abs(x[i]), 2 * Math.abs(x[i] - y[i]), 1 + Math.sin(5 * y[i])][m];
}

/** Two teams of four. */
async function teamsLine(cases: readonly number[]): Promise<Line> {
  const ratios: number[] = [];
  for (const seed of cases) {
    const people = preparePeople(smallTable(seed), { features: ["x", "y"] });
    const mixed = mixedOf(people, true);
    const costOfTeams = (labels: Uint16Array) =>
      betweenTeams(mixed, labels, sizesOf(labels, 2)).reduce((sum, each) => sum + each, 0);
    let best = Number.POSITIVE_INFINITY;
    forEachLabels((labels) => {
      if (sizesOf(labels, 2)[0] === n / 2) best = Math.min(best, costOfTeams(labels));
    }, 2);
    ratios.push(costOfTeams((await group(people, { size: 4, seed })).labels) / best);
  }
  return lineOf("group", "the best of all teams", ratios);
}

async function individualLine(cases: readonly number[]): Promise<Line> {
  const ratios: number[] = [];
  for (const seed of cases) {
    const people = preparePeople(smallTable(seed), { features: ["x", "y"], protect: ["sex"] });
    const [x, y] = people.dimensions;
    const radii = await neighbourRadii(people.dimensions, n, k);
    let best = Number.POSITIVE_INFINITY;
    for (let a = 0; a < n; a++) {
      for (let b = a + 1; b < n; b++) {
        for (let c = b + 1; c < n; c++) {
          const worst = Math.max(
            ...Array.from(
              radii,
              (radius, i) => Math.min(...[a, b, c].map((j) => Math.hypot(x[i] - x[j], y[i] - y[j]))) / radius,
            ),
          );
          best = Math.min(best, worst);
        }
      }
    }
    const { result } = await cluster(people, { k, notion: "individual", factor: 1, seed, threads: 1 });
    const found = result.notion?.name === "individual" ? Number(result.notion.largestRatio) : Number.NaN;
    ratios.push(found / best);
  }
  return lineOf("individual, factor 1", "the best three people as centres", ratios);
}
