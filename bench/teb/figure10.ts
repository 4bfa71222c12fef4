import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeIndex } from "../../src/neighbours/disk.js";
import { NeighbourIndex } from "../../src/neighbours/neighbour-index.js";
import type { Vectors } from "../../src/neighbours/types.js";
import { vectorsOf } from "../../src/neighbours/vectors.js";
import { derive, uniform } from "../../src/solver/seeded-chance.js";
import { readTable } from "../../src/table/disk/index.js";
import { dataFolder } from "../datasets.js";
import { figure, seedsOf } from "../figure.js";
import { inTemporaryFolder } from "../temporary.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";
import {
  type CurvePoint,
  faissPeers,
  type Graph,
  hnswlibPeer,
  type Made,
  type Matrix,
  type Peers,
  recallOf,
  stopwatch,
} from "./neighbour-peers.js";

const k = 10;
const recalls = [0.8, 0.9, 0.95, 0.98, 0.99];

interface VectorData {
  readonly name: string;
  readonly skewed: boolean;
  make(seed: number): Promise<{ readonly vectors: Matrix; readonly queries: Matrix }>;
}

/** Around how many places generated vectors lie; skewed, the m-th has a weight of m^-1.2, and its own spread. */
const places = 1000;

/** Vectors around places, in twelve directions each that twenty groups of places share, with a little noise in all. */
function generated(n: number, d: number, skewed: boolean, seed: number): Matrix {
  const numbers = new Float32Array(n * d);
  const weights = Float64Array.from({ length: places }, (_, m) => (skewed ? (m + 1) ** -1.2 : 1));
  for (let m = 1; m < places; m++) weights[m] += weights[m - 1];
  const directions = 12;
  const centres = normals(places * d, derive(1, 1));
  const basis = normals(20 * directions * d, derive(1, 2));
  const spreads = normals(places, derive(1, 3)).map((z) => (skewed ? Math.exp(z / 2) : 1));
  const noise = normals(n * d, derive(seed, 4));
  const along = normals(n * directions, derive(seed, 5));
  for (let i = 0; i < n; i++) {
    const drawn = uniform(derive(seed, 6), i) * weights[places - 1];
    let place = 0;
    while (weights[place] < drawn) place++;
    for (let j = 0; j < d; j++) {
      let value = centres[place * d + j] + 0.15 * noise[i * d + j];
      for (let b = 0; b < directions; b++) {
        value += 0.25 * spreads[place] * along[i * directions + b] * basis[((place % 20) * directions + b) * d + j];
      }
      numbers[i * d + j] = value;
    }
  }
  return { n, d, numbers };
}

/** Normal numbers, by pairs of uniform ones. */
function normals(count: number, seed: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => {
    const radius = Math.sqrt(-2 * Math.log(uniform(seed, 2 * i)));
    return radius * Math.cos(2 * Math.PI * uniform(seed, 2 * i + 1));
  });
}

function dataFor({ options }: Bench): VectorData[] {
  const n = options.quick ? 1500 : (options.n ?? 200_000);
  const asked = options.quick ? 50 : 1000;
  const made = (options.quick ? [16] : [64, 128]).flatMap((d) =>
    [true, false].map((skewed) => ({
      name: `${skewed ? "skewed" : "uniform"}, generated x ${d}`,
      skewed,
      make: async (seed: number) => {
        const all = generated(n + asked, d, skewed, seed);
        return divide(all, n);
      },
    })),
  );
  const folder = dataFolder(options);
  const file = folder === undefined ? undefined : join(folder, "mnist_t10k.csv.gz");
  if (file === undefined || !existsSync(file) || options.quick) return made;
  const mnist = {
    name: "MNIST x 784",
    skewed: false,
    make: async () => {
      const table = await readTable(file);
      const { dimensions, n: rows } = vectorsOf({
        ...table,
        columns: table.columns.filter(({ name }) => name !== "label"),
      });
      const numbers = new Float32Array(rows * dimensions.length);
      dimensions.forEach((values, j) => {
        for (let i = 0; i < rows; i++) numbers[i * dimensions.length + j] = values[i];
      });
      return divide({ n: rows, d: dimensions.length, numbers }, rows - 500);
    },
  };
  return [...made, mnist];
}

/** The first n as vectors, the others as queries. */
function divide({ n: all, d, numbers }: Matrix, n: number): { vectors: Matrix; queries: Matrix } {
  return {
    vectors: { n, d, numbers: numbers.slice(0, n * d) },
    queries: { n: all - n, d, numbers: numbers.slice(n * d) },
  };
}

function columnsOf({ n, d, numbers }: Matrix): Vectors {
  const dimensions = Array.from({ length: d }, (_, j) =>
    Float32Array.from({ length: n }, (_, i) => numbers[i * d + j]),
  );
  return { n, dimensions };
}

interface Measured extends Made {
  readonly curve: readonly CurvePoint[];
  readonly largest: number;
  readonly truth: Uint32Array;
}

/** Ours: every setting that was measured when the index was built, with queries that are not in it. One thread. */
async function measure(vectors: Matrix, queries: Matrix, lists: number, seed: number): Promise<Measured> {
  const columns = columnsOf(vectors);
  const building = stopwatch();
  const index = await NeighbourIndex.build(columns, { lists, seed, k, threads: 1 });
  const seconds = building();
  const asked = columnsOf(queries);
  const { found: truth } = await index.search(asked, { k, recall: 1 });
  const curve: CurvePoint[] = [];
  for (const { recall: target } of index.facts.measured.settings) {
    const searching = stopwatch();
    const { found, scanned } = await index.search(asked, { k, recall: target });
    const milliseconds = (1000 * searching()) / queries.n;
    const each = Array.from({ length: queries.n }, (_, q) => found.subarray(q * k, (q + 1) * k));
    const sorted = scanned.toSorted();
    const mean = sorted.reduce((sum, rows) => sum + rows, 0) / sorted.length;
    curve.push({
      recall: recallOf(each, truth, k),
      mean,
      p99: sorted[Math.ceil(sorted.length * 0.99) - 1],
      milliseconds,
    });
  }
  const megabytes = await inTemporaryFolder(async (folder) => {
    await writeIndex(join(folder, "index"), index, {});
    const files = readdirSync(join(folder, "index"), { withFileTypes: true });
    return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6;
  });
  await index.close();
  return { curve, seconds, megabytes, largest: index.facts.largest, truth };
}

/** Between the two points of a curve whose recalls are around a given one; undefined beyond its ends. */
function at<Name extends string>(
  curve: readonly ({ readonly recall: number } & Readonly<Record<Name, number>>)[],
  recall: number,
  what: Name,
): number | undefined {
  const sorted = curve.toSorted((a, b) => a.recall - b.recall);
  const above = sorted.findIndex((point) => point.recall >= recall);
  if (above < 0) return undefined;
  if (above === 0) return sorted[0][what];
  const [a, b] = [sorted[above - 1], sorted[above]];
  return a[what] + ((recall - a.recall) / (b.recall - a.recall)) * (b[what] - a[what]);
}

/** Of skewed data: fewer rows at every recall; the 99th of 100 a third fewer up to 0.95, a tenth fewer beyond. */
function goalsAt(recall: number, skewed: boolean) {
  if (!skewed) return {};
  return { mean: { goal: { atMost: 1 } }, p99: { goal: { atMost: recall <= 0.95 ? 2 / 3 : 0.9 } } };
}

/** Figure 10: what even lists are good for. Rows looked at, copies counted, and time, at the same recall as faiss's lists. */
export async function figure10(bench: Bench): Promise<Sheet[]> {
  const lines: Line[] = [];
  const building: Line[] = [];
  const notes = new Set<string>();
  for (const { name, skewed, make } of dataFor(bench)) {
    const runs: { ours: Measured; peers: Peers | string; graph: Graph | string; n: number; lists: number }[] = [];
    for (const seed of seedsOf(bench.options.seeds)) {
      bench.say(`${name}, seed ${seed} of ${bench.options.seeds}`);
      const { vectors, queries } = await make(seed);
      const lists = Math.round(Math.sqrt(vectors.n));
      const ours = await measure(vectors, queries, lists, seed);
      const peers = await faissPeers(vectors, queries, ours.truth, { lists, k, signal: bench.signal });
      const graph = await hnswlibPeer(vectors, queries, ours.truth, k);
      for (const missing of [peers, graph]) if (typeof missing === "string") notes.add(missing);
      runs.push({ ours, peers, graph, n: vectors.n, lists });
    }
    const [{ n, lists }] = runs;
    const both = runs.flatMap(({ ours, peers }) => (typeof peers === "string" ? [] : [{ ours, peers }]));
    const graphs = runs.flatMap(({ graph }) => (typeof graph === "string" ? [] : [graph]));
    for (const recall of recalls) {
      const figures: Record<string, Figure> = {};
      const add = (title: string, values: readonly (number | undefined)[], unit: string, more = {}) => {
        const known = values.filter((value) => value !== undefined);
        if (known.length === values.length && known.length > 0) figures[title] = figure(known, unit, more);
      };
      const goals: Partial<Record<"mean" | "p99", object>> = goalsAt(recall, skewed);
      for (const [what, title] of [
        ["mean", "rows"],
        ["p99", "rows of 99 in 100"],
      ] as const) {
        add(
          title,
          runs.map(({ ours }) => at(ours.curve, recall, what)),
          "rows",
        );
        const ratio = both.map(({ ours, peers }) => {
          const [a, b] = [at(ours.curve, recall, what), at(peers.ivf.curve, recall, what)];
          return a === undefined || b === undefined ? undefined : a / b;
        });
        add(`${title} by faiss IVF's`, ratio, "x", goals[what]);
      }
      add(
        "ms",
        runs.map(({ ours }) => at(ours.curve, recall, "milliseconds")),
        "ms",
      );
      add(
        "ms, faiss IVF",
        both.map(({ peers }) => at(peers.ivf.curve, recall, "milliseconds")),
        "ms",
      );
      add(
        "ms, faiss HNSW",
        both.map(({ peers }) => at(peers.hnsw.curve, recall, "milliseconds")),
        "ms",
      );
      add(
        "ms, hnswlib",
        graphs.map(({ curve }) => at(curve, recall, "milliseconds")),
        "ms",
      );
      lines.push({ at: { data: name, n, lists, recall }, figures });
    }
    building.push({
      at: { data: name, n, lists },
      figures: {
        "seconds of the processor": figure(
          runs.map(({ ours }) => ours.seconds),
          "s",
        ),
        "largest list": figure(
          runs.map(({ ours }) => ours.largest),
          "rows",
        ),
        size: figure(
          runs.map(({ ours }) => ours.megabytes),
          "MB",
        ),
        ...(both.length === 0
          ? {}
          : {
              "by faiss IVF's seconds": figure(
                both.map(({ ours, peers }) => ours.seconds / peers.ivf.seconds),
                "x",
                {
                  goal: { atMost: 3 },
                },
              ),
              "faiss IVF's largest": figure(
                both.map(({ peers }) => peers.ivf.largest),
                "rows",
              ),
              "faiss IVF's size": figure(
                both.map(({ peers }) => peers.ivf.megabytes),
                "MB",
              ),
              "faiss HNSW": figure(
                both.map(({ peers }) => peers.hnsw.seconds),
                "s",
              ),
              "its size": figure(
                both.map(({ peers }) => peers.hnsw.megabytes),
                "MB",
              ),
            }),
        ...(graphs.length === 0
          ? {}
          : {
              hnswlib: figure(
                graphs.map(({ seconds }) => seconds),
                "s",
              ),
              "size of hnswlib's": figure(
                graphs.map(({ megabytes }) => megabytes),
                "MB",
              ),
            }),
      },
    });
  }
  const told = [
    "Recall is that of queries which are not in the index; copies of vectors count as rows. Times are of one thread. Building includes the measuring of recall.",
    "The paper has recall under a limit of 1 ms for eight datasets, on its machine: its figure cannot be put beside these.",
    ...notes,
  ];
  return [
    { title: `Rows looked at for ${k} nearest neighbours, at the same recall`, lines, notes: told },
    { title: "Building", lines: building, notes: [] },
  ];
}
