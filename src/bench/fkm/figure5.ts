import { existsSync } from "node:fs";
import { join } from "node:path";
import { cluster } from "../../algorithms/cluster.js";
import { silhouette, simplifiedSilhouette } from "../../metrics/index.js";
import { type People, preparePeople, readTable } from "../../table/index.js";
import { dataFolder } from "../datasets.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";
import { asHeld, methods } from "./experiment.js";

/** As in the paper: ten writers of about 110 pictures each, k = 60. MNIST stands in for FEMNIST. */
const parties = 10;
const pictures = 1100;
const k = 60;

/** Figure 5: pictures of 784 dots. */
export async function figure5(bench: Bench): Promise<Sheet[]> {
  const { seeds, threads, quick } = bench.options;
  const title = `MNIST for FEMNIST: ${pictures} pictures of 784 dots, ${parties} parties, k=${k}`;
  const people = await load(bench, quick ? 300 : pictures);
  if (!people) return [{ title, lines: [], notes: ["mnist_t10k.csv.gz is not at hand: name its folder with --data."] }];
  const clusters = quick ? 12 : k;
  const lines: Line[] = [];
  for (const [method, options] of Object.entries(methods)) {
    const figures: Record<string, number[]> = { silhouette: [], "simplified silhouette": [], SSE: [], seconds: [] };
    for (const seed of seedsOf(seeds)) {
      bench.say(`${method}, seed ${seed} of ${seeds}`);
      const began = performance.now();
      const held = asHeld(people, method);
      // A round of fkm costs the coordinator ten k-means over all means; a start of lloyd is the best of eight anyhow.
      const short = method === "fkm" ? { maxIterations: 5 } : method === "central" ? { starts: 2 } : {};
      const split = method === "central" ? {} : ({ split: "rows", parties } as const);
      const { labels, result } = await cluster(held, {
        k: clusters,
        seed,
        threads,
        signal: bench.signal,
        ...options,
        ...split,
        ...short,
      });
      figures.seconds.push((performance.now() - began) / 1000);
      figures.SSE.push(result.sse);
      figures.silhouette.push(silhouette(people.dimensions, labels, clusters)?.value ?? 0);
      figures["simplified silhouette"].push(simplifiedSilhouette(people.dimensions, labels, clusters) ?? 0);
    }
    const shown = Object.entries(figures).map(([name, values]): [string, Figure] => [
      name,
      figure(values, name === "seconds" ? "s" : ""),
    ]);
    lines.push({ at: { method }, figures: Object.fromEntries(shown) });
  }
  const notes = [
    "The paper prints curves only: FKM above k-FED, and below central k-means; compare the columns.",
    "Parties hold stretches of the file, so that they are much alike; FEMNIST's writers are not.",
  ];
  return [{ title, lines, notes }];
}

async function load({ options }: Bench, n: number): Promise<People | undefined> {
  const folder = dataFolder(options);
  const file = folder === undefined ? "" : join(folder, "mnist_t10k.csv.gz");
  if (!existsSync(file)) return undefined;
  const quoted = file.replaceAll("'", "''");
  return preparePeople(await readTable(`SELECT * EXCLUDE (label) FROM '${quoted}' LIMIT ${n}`), { scale: "none" });
}
