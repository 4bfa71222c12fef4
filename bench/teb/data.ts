import { existsSync } from "node:fs";
import { join } from "node:path";
import { cluster } from "../../src/algorithms/cluster.js";
import type { ClusterOptions, ClusterResult } from "../../src/algorithms/types.js";
import { readTable } from "../../src/table/disk/index.js";
import { generateTable, type People, preparePeople } from "../../src/table/index.js";
import { dataFolder } from "../datasets.js";
import { seedsOf } from "../figure.js";
import type { Bench } from "../types.js";

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

export const methods: Readonly<Record<string, Partial<ClusterOptions>>> = {
  FCFC: { balance: 0.8, algorithm: "fcfc" },
  BCLS: { balance: 0.8, algorithm: "bcls" },
  "Teb-means": { balance: 0.8, algorithm: "teb" },
  "Teb-means, sequential": { balance: 0.8, algorithm: "teb", rule: "sequential" },
  "Teb-means, gbco": { balance: 0.8, algorithm: "teb", rule: "gbco" },
};

/** One run for each seed. */
export async function runs(
  bench: Bench,
  { name, people }: TebData,
  title: string,
  asked: Partial<ClusterOptions>,
): Promise<ClusterResult[]> {
  const { seeds, threads } = bench.options;
  const results: ClusterResult[] = [];
  for (const seed of seedsOf(seeds)) {
    bench.say(`${name} by ${title}, seed ${seed} of ${seeds}`);
    const clock = () => performance.now();
    const options = { ...usual, ...asked, seed, threads, signal: bench.signal, clock };
    results.push((await cluster(people, options)).result);
  }
  return results;
}
