import { existsSync } from "node:fs";
import { join } from "node:path";
import { cluster } from "../../src/algorithms/cluster.js";
import { silhouette, simplifiedSilhouette } from "../../src/metrics/index.js";
import { readTable } from "../../src/table/disk/index.js";
import { type People, preparePeople } from "../../src/table/index.js";
import { dataFolder } from "../datasets.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";
import { methods } from "./experiment.js";

/** As in the paper: ten writers of about 110 pictures each, k = 60. MNIST stands in for FEMNIST. */
const parties = 10;
const pictures = 1100;
const k = 60;

const fewer = "central, k/2";

function central(method: string): boolean {
  return method === "central" || method === fewer;
}

/** Figure 5: pictures of 784 dots. */
export async function figure5(bench: Bench): Promise<Sheet[]> {
  const { seeds, threads, quick } = bench.options;
  const title = `MNIST for FEMNIST: ${pictures} pictures of 784 dots, ${parties} parties, k=${k}`;
  const people = await load(bench, quick ? 300 : pictures);
  if (!people) {
    const remark = "mnist_t10k.csv.gz is not at hand: name its folder with --data";
    return [{ title, lines: [{ at: { method: "all" }, figures: {}, remark }], notes: [] }];
  }
  const clusters = quick ? 12 : k;
  const lines: Line[] = [];
  const half = clusters / 2;
  // Central k-means with half as many clusters shows what the silhouettes make of fewer.
  const compared = { ...methods, [fewer]: { ...methods.central, k: half } };
  for (const [method, options] of Object.entries(compared)) {
    const figures: Record<string, number[]> = {
      silhouette: [],
      "simplified silhouette": [],
      SSE: [],
      "effective k": [],
      seconds: [],
    };
    const k = options.k ?? clusters;
    for (const seed of seedsOf(seeds)) {
      bench.say(`${method}, seed ${seed} of ${seeds}`);
      const began = performance.now();
      // A round of fkm costs the coordinator ten k-means over all means; a start of lloyd is the best of eight anyhow.
      const short = method === "fkm" ? { maxIterations: 5 } : central(method) ? { starts: 2 } : {};
      const split = central(method) ? {} : ({ split: "rows", parties } as const);
      const { labels, result } = await cluster(people, {
        seed,
        threads,
        signal: bench.signal,
        ...options,
        ...split,
        ...short,
        k,
      });
      figures.seconds.push((performance.now() - began) / 1000);
      figures.SSE.push(result.sse);
      figures.silhouette.push(silhouette(people.dimensions, labels, k)?.value ?? 0);
      figures["simplified silhouette"].push(simplifiedSilhouette(people.dimensions, labels, k) ?? 0);
      figures["effective k"].push(people.n ** 2 / result.sizes.reduce((sum, size) => sum + size * size, 0));
    }
    const shown = Object.entries(figures).map(([name, values]): [string, Figure] => [
      name,
      figure(values, name === "seconds" ? "s" : ""),
    ]);
    lines.push({ at: { method }, figures: Object.fromEntries(shown) });
  }
  const notes = [
    "The paper prints curves only: FKM above k-FED, and below central k-means; compare the columns.",
    ...ahead(lines),
    "Parties hold stretches of the file, so that they are much alike; FEMNIST's writers are not.",
  ];
  return [{ title, lines, notes }];
}

/** Where k-FED comes out above FKM, why. */
function ahead(lines: readonly Line[]): string[] {
  const of = (method: string) => lines.find(({ at }) => at.method === method)!.figures;
  const [kfed, fkm, half] = [of("kfed"), of("fkm"), of(fewer)];
  if (kfed.silhouette.mean <= fkm.silhouette.mean || kfed.SSE.mean <= fkm.SSE.mean) return [];
  const counts = [kfed, fkm].map((figures) => figures["effective k"].mean.toFixed(0));
  return [
    `k-FED's full silhouette is above FKM's, and so is its SSE. That is the measure, not a better clustering: the silhouette falls as clusters get more (central k-means with half as many has ${half.silhouette.mean.toFixed(3)}), and k-FED's are so uneven that they count as ${counts[0]} where FKM's count as ${counts[1]} (effective k: n² over the sum of squared sizes).`,
  ];
}

async function load({ options }: Bench, n: number): Promise<People | undefined> {
  const folder = dataFolder(options);
  const file = folder === undefined ? "" : join(folder, "mnist_t10k.csv.gz");
  if (!existsSync(file)) return undefined;
  const quoted = file.replaceAll("'", "''");
  return preparePeople(await readTable(`SELECT * EXCLUDE (label) FROM '${quoted}' LIMIT ${n}`), { scale: "none" });
}
