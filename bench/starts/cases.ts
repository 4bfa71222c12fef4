import { readFile } from "node:fs/promises";
import { cluster } from "../../src/algorithms/cluster.js";
import type { ClusterOptions } from "../../src/algorithms/types.js";
import type { SearchEffort } from "../../src/solver/tuning.js";
import type { People } from "../../src/table/types.js";
import { datasets } from "../datasets.js";
import { shapes } from "../shapes.js";
import type { Bench } from "../types.js";

/** The lowest known cost of a request, and of how many recorded starts it is: a few dozen more were made before the file was. */
export interface Lowest {
  readonly cost: number;
  readonly starts: number;
}

/** The goals are meant against the lowest of so many starts. */
export const startsWanted = 200;

/** The lowest known costs, by request. */
export const lowestFile = new URL("../../../bench/starts/lowest.json", import.meta.url);

export async function lowestKnown(): Promise<Record<string, Lowest>> {
  return JSON.parse(await readFile(lowestFile, "utf8")) as Record<string, Lowest>;
}

const methods: Readonly<Record<string, Omit<ClusterOptions, "k">>> = {
  lloyd: { algorithm: "lloyd" },
  fair: { algorithm: "f3km", minSize: 2 },
  even: { algorithm: "teb", balance: "hard" },
  "fair and even": { algorithm: "f3km", minSize: 2, balance: 0.8 },
};
export const methodNames = Object.keys(methods);
/** Of each public dataset, chosen evenly: so few that many starts are affordable. */
const rows = 2000;

/** A request whose answers are judged. */
export interface Case {
  readonly key: string;
  readonly method: string;
  readonly data: string;
  readonly k: number;
  readonly people: () => Promise<People>;
}

/** Every method on every shape of data and public dataset, k = 4 to 64; a quick run takes the first request. */
export function casesOf({ options }: Bench): Case[] {
  const { quick } = options;
  const people = [
    ...shapes.map(({ name, people: draw }) => ({ name, load: async (): Promise<People> => draw() })),
    ...datasets(options, rows).map(({ name, load }) => ({ name, load: () => load(quick ? undefined : rows) })),
  ];
  const cases = people.flatMap(({ name, load }) => {
    let loaded: Promise<People> | undefined;
    const once = () => (loaded ??= load());
    return methodNames.flatMap((method) =>
      [4, 8, 16, 32, 64].map((k) => ({ key: `${method}: ${name}, k=${k}`, method, data: name, k, people: once })),
    );
  });
  return quick ? cases.slice(0, 1) : cases;
}

/** What one run ends with; infinite where groups are promised their shares, and it is not fair. */
export async function costOf(
  { method, k, people }: Case,
  effort: SearchEffort,
  seed: number,
  signal: AbortSignal,
): Promise<number> {
  const { result } = await cluster(await people(), { ...methods[method], k, effort, seed, threads: 1, signal });
  return result.fair === false && method.startsWith("fair")
    ? Number.POSITIVE_INFINITY
    : (result.objective ?? result.sse);
}
