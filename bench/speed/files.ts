import { stat } from "node:fs/promises";
import { join } from "node:path";
import { figure, seedsOf } from "../figure.js";
import type { Sheet } from "../types.js";
import { moiety, perform, ratioOf, type Workshop } from "./workshop.js";

/** What the goal of 8 seconds is about. */
const fullSize = 1_000_000;

/** The whole command, from a file on disk to labels and report, as a user waits for it. */
export async function files(shop: Workshop, n: number): Promise<Sheet> {
  const { seeds, threads } = shop.bench.options;
  const times = { csv: [] as number[], parquet: [] as number[] };
  const sizes = { csv: 0, parquet: 0 };
  let columns = 0;
  for (const format of ["csv", "parquet"] as const) {
    const path = join(shop.folder, `table.${format}`);
    shop.bench.say(`writing ${n.toLocaleString("en-US")} rows as ${format}`);
    columns = (await perform(shop, { kind: "store-table", path, n, seed: 1 })).columns;
    sizes[format] = (await stat(path)).size;
    for (const seed of seedsOf(seeds)) {
      shop.bench.say(`${format}: read, cluster, write labels and report, seed ${seed} of ${seeds}`);
      const outputs = ["--labels", join(shop.folder, "labels.csv"), "--report", join(shop.folder, "report.html")];
      const search = ["--k", "5", "--protect", "group,age", "--seed", String(seed), "--threads", String(threads)];
      const begun = performance.now();
      await moiety(shop, ["cluster", path, ...search, ...outputs]);
      times[format].push((performance.now() - begun) / 1000);
    }
  }
  const csv = figure(times.csv, "s", n === fullSize ? { goal: { atMost: 8 } } : {});
  const parquet = figure(times.parquet, "s");
  return {
    title: `Files of ${n.toLocaleString("en-US")} x ${columns}: read, cluster (k 5, delta 0.2), write labels and report`,
    lines: [
      { at: { work: "CSV" }, figures: { file: figure([sizes.csv], "B"), ours: csv } },
      {
        at: { work: "Parquet, against CSV" },
        figures: { file: figure([sizes.parquet], "B"), ours: parquet, against: csv, ratio: ratioOf(parquet, csv, 1) },
      },
    ],
    notes: [],
  };
}
