import { existsSync } from "node:fs";
import { join } from "node:path";
import { cluster } from "../../src/algorithms/cluster.js";
import type { ClusterOptions, ClusterResult, PeopleClustering } from "../../src/algorithms/types.js";
import { readTable } from "../../src/table/disk/index.js";
import { generateTable, type NumericColumn, type People, preparePeople } from "../../src/table/index.js";
import { dataFolder, pick } from "../datasets.js";
import { seedsOf } from "../figure.js";
import type { Bench, BenchOptions } from "../types.js";

/** Section 6.1: k = 10 and eta = 0.8 unless it says otherwise, at most 100 iterations. */
const usual = { k: 10, maxIterations: 100 } as const;

export interface TebData {
  /** As the paper names it, where it has it. */
  readonly name: string;
  readonly people: People;
}

/** Numeric columns of the unnormalised crime data have gaps; those of the scaled one are whole but for the police's. */
const sources = {
  Crime: { file: "communities_crime", scale: "none" },
  Census: {
    file: "census1990_sample",
    features: ["dAncstry1", "iClass", "dDepart", "iFertil", "dHispanic", "dHour89"],
    scale: "standard",
  },
  Adult: {
    file: "adult",
    features: ["age", "education-num", "capital-gain", "hours-per-week"],
    scale: "standard",
  },
} as const;

/**
 * The paper's data at hand: Crime (1,994 of its 10,000 rows), the first 15,317 rows of Census with the columns that its code
 * uses, Adult, for which reference figures exist, and uneven blobs of 100 dimensions. The rest is not to be had.
 */
export async function tebData({ options }: Bench): Promise<TebData[]> {
  const folder = dataFolder(options);
  const rows = options.n ?? (options.quick ? 400 : 10_000);
  const blobs = preparePeople(generateTable("blobs", { n: rows, d: options.quick ? 5 : 100, k: 10 }), {});
  const found: TebData[] = [];
  for (const [name, { file, scale, ...rest }] of Object.entries(sources)) {
    const path = folder === undefined ? undefined : join(folder, `${file}.csv.gz`);
    if (path === undefined || !existsSync(path) || (options.quick && name !== "Crime")) continue;
    const table = await readTable(options.quick ? `SELECT * FROM '${path.replaceAll("'", "''")}' LIMIT 300` : path);
    const identifiers = ["state", "county", "community", "communityname", "fold"];
    const whole = table.columns.filter((column) => column.kind === "numeric" && column.missing === 0);
    const usable = whole.map((column) => column.name).filter((column) => !identifiers.includes(column));
    found.push({
      name,
      people: preparePeople(table, { scale, features: "features" in rest ? rest.features : usable }),
    });
  }
  return [...found, { name: "blobs 100-d, generated", people: blobs }];
}

/**
 * Where dimensions are many, as in the paper's title: pictures of 784 dots, as many of each digit, and blobs of 5,000 dimensions.
 * The paper's Amazon (2,400) and MovieLens (5,000) are not to be had.
 */
export async function manyDimensions({ options }: Bench): Promise<TebData[]> {
  const { quick } = options;
  const d = quick ? 60 : 5000;
  const blobs = preparePeople(generateTable("blobs", { n: quick ? 200 : 1000, d, k: 10 }), { features: counted(d) });
  const pictures = await digits(options, quick ? 20 : 200);
  return [
    ...(pictures ? [{ name: "MNIST 784-d", people: pictures.people }] : []),
    { name: `blobs ${d.toLocaleString("en-US")}-d, generated`, people: blobs },
  ];
}

function counted(d: number): string[] {
  return Array.from({ length: d }, (_, j) => `x${j}`);
}

/** Pictures of digits, so many of each, dots from 0 to 1, and which digit each is; nothing where the file is not at hand. */
export async function digits(
  options: BenchOptions,
  each: number,
): Promise<{ readonly people: People; readonly truth: Float64Array } | undefined> {
  const folder = dataFolder(options);
  const path = folder === undefined ? "" : join(folder, "mnist_t10k.csv.gz");
  if (!existsSync(path)) return undefined;
  // Digits come in no order: the first 15 for each that is wanted hold enough of each.
  const table = await readTable(`SELECT * FROM '${path.replaceAll("'", "''")}' LIMIT ${15 * each}`);
  const label = table.columns.find(({ name }) => name === "label") as NumericColumn;
  const seen = new Map<number, number>();
  const chosen = [...label.values.keys()].filter((row) => {
    const before = seen.get(label.values[row]) ?? 0;
    seen.set(label.values[row], before + 1);
    return before < each;
  });
  const dots = pick({ ...table, columns: table.columns.filter((column) => column !== label) }, chosen);
  const people = preparePeople(dots, { scale: "none" });
  return {
    people: { ...people, dimensions: people.dimensions.map((values) => values.map((value) => value / 255)) },
    truth: Float64Array.from(chosen, (row) => label.values[row]),
  };
}

/**
 * The balanced methods of section 6, by the size of an even cluster. F3KM knows shares only, and the paper does not say how it
 * made sizes of them: here its delta of 0.2 holds for the share of everybody that a cluster has.
 */
export const methods: Readonly<Record<string, (even: number) => Partial<ClusterOptions>>> = {
  FCFC: () => ({ balance: 0.8, algorithm: "fcfc" }),
  BCLS: () => ({ balance: 0.8, algorithm: "bcls" }),
  F3KM: (even) => ({ algorithm: "f3km", minSize: Math.ceil(0.8 * even), maxSize: Math.floor(even / 0.8) }),
  "Teb-means": () => ({ balance: 0.8, algorithm: "teb" }),
  "Teb-means, sequential": () => ({ balance: 0.8, algorithm: "teb", rule: "sequential" }),
  "Teb-means, gbco": () => ({ balance: 0.8, algorithm: "teb", rule: "gbco" }),
};

/** Those that promise nothing about sizes. */
export const plain: typeof methods = { Lloyd: () => ({ algorithm: "lloyd" }), CDKM: () => ({ algorithm: "cdkm" }) };

/** The paper's rule takes one update for every eight people, each after a look at everybody: too long where dimensions are many. */
export function takesTooLong(method: string, { people }: TebData): boolean {
  return method === "Teb-means, gbco" && people.dimensions.length > 500;
}

/** One clustering for each seed. */
export async function clusterings(
  bench: Bench,
  { name, people }: TebData,
  title: string,
  asked: (even: number) => Partial<ClusterOptions>,
  k: number = usual.k,
): Promise<PeopleClustering[]> {
  const { seeds, threads } = bench.options;
  const found: PeopleClustering[] = [];
  for (const seed of seedsOf(seeds)) {
    bench.say(`${name} by ${title}, seed ${seed} of ${seeds}`);
    const clock = () => performance.now();
    const options = { ...usual, k, ...asked(people.n / k), seed, threads, signal: bench.signal, clock };
    found.push(await cluster(people, options));
  }
  return found;
}

/** What each of them is like. */
export async function runs(...asked: Parameters<typeof clusterings>): Promise<ClusterResult[]> {
  return (await clusterings(...asked)).map(({ result }) => result);
}

/** Why the paper's figures are beside ours at all. */
export const otherData =
  "The paper's rows, columns and scaling are not the ones at hand: its figures stand beside ours for their proportions.";

export function beside(paper: number | string | undefined): { beside?: Record<string, number | string> } {
  return paper === undefined ? {} : { beside: { paper } };
}
