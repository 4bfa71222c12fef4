import { existsSync } from "node:fs";
import { join } from "node:path";
import { cluster } from "../../src/algorithms/cluster.js";
import { silhouette, simplifiedSilhouette } from "../../src/metrics/index.js";
import { readTable } from "../../src/table/disk/index.js";
import { type People, preparePeople } from "../../src/table/index.js";
import { dataFolder } from "../datasets.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";
import { asHeld, byDistance, methods } from "./experiment.js";

const k = 5;

interface Held {
  readonly name: string;
  readonly load: () => Promise<People>;
}

const sources = [
  {
    name: "Adult by occupation",
    file: "adult",
    features: ["age", "education-num", "capital-gain", "hours-per-week"],
    splitBy: "occupation",
  },
  { name: "Bank by job", file: "bank_full", features: ["age", "balance", "duration"], splitBy: "job" },
] as const;

/** People whose parties are a column of the data, as with `--split-by`: more heterogeneous than stretches of a file. */
export async function partiesByColumn(bench: Bench): Promise<Sheet[]> {
  const lines: Line[] = [];
  for (const { name, load } of heldBy(bench)) {
    const people = await load();
    for (const [method, options] of Object.entries(methods)) {
      const found: Record<string, number[]> = {};
      const add = (what: string, value: number | null) => {
        if (value !== null) found[what] = [...(found[what] ?? []), value];
      };
      for (const seed of seedsOf(bench.options.seeds)) {
        bench.say(`${name} by ${method}, seed ${seed} of ${bench.options.seeds}`);
        const { threads } = bench.options;
        const asked = { k, seed, threads, signal: bench.signal, ...options };
        const { labels, result } = await cluster(asHeld(people, method), asked);
        const own = silhouettesOfParties(people, labels);
        add("SSE", result.sse);
        add("simplified silhouette", simplifiedSilhouette(people.dimensions, labels, k));
        add("parties: least", Math.min(...own));
        add("mean", own.reduce((sum, value) => sum + value, 0) / own.length);
        add("most", Math.max(...own));
      }
      const figures = Object.entries(found).map(([what, values]): [string, Figure] => [what, figure(values, "")]);
      lines.push({
        at: { data: name, parties: people.holders!.groups.length, method },
        figures: Object.fromEntries(figures),
      });
    }
  }
  const notes = [
    "Parties: the silhouette of each party's own people among themselves, by the clusters of everybody; of at most 2,000 of them each.",
    ...keepsUp(lines),
  ];
  return [{ title: `Parties by a column of the data, k=${k}: SSE and silhouettes`, lines, notes }];
}

/** The silhouette of each party's people among themselves; parties whose people are all in one cluster have none. */
function silhouettesOfParties({ holders, dimensions }: People, labels: Uint16Array): number[] {
  return holders!.groups.flatMap((_, party) => {
    const rows = [...labels.keys()].filter((row) => holders!.codes[row] === party).slice(0, 2000);
    const own = dimensions.map((values) => Float64Array.from(rows, (row) => values[row]));
    const { value } = silhouette(
      own,
      Uint16Array.from(rows, (row) => labels[row]),
      k,
    );
    return value === null ? [] : [value];
  });
}

/** How much more squared distance fkm-plus and FKM have than central k-means. */
function keepsUp(lines: readonly Line[]): string[] {
  const of = (data: unknown, method: string) =>
    lines.find(({ at }) => at.data === data && at.method === method)!.figures.SSE.mean;
  return [...new Set(lines.map(({ at }) => at.data))].map((data) => {
    const ratio = (method: string) => (of(data, method) / of(data, "central")).toFixed(4);
    const others = ["fkm-plus", "fkm", "kfed"].map((method) => `${method} ${ratio(method)}`).join(", ");
    return `${data}: SSE over that of central k-means: ${others}.`;
  });
}

function heldBy({ options }: Bench): Held[] {
  const folder = dataFolder(options);
  const generated = { name: "the grid by distance, generated", load: async () => byDistance(1, 1.5, 1).people };
  if (folder === undefined) return [generated];
  return sources.flatMap(({ name, file, features, splitBy }): Held[] => {
    const path = join(folder, `${file}.csv.gz`);
    if (!existsSync(path)) return [];
    const quoted = path.replaceAll("'", "''");
    const source = options.quick ? `SELECT * FROM '${quoted}' LIMIT 500` : path;
    const load = async () =>
      preparePeople(await readTable(source, { columns: [...features, splitBy] }), { features: [...features], splitBy });
    return [{ name, load }];
  });
}
