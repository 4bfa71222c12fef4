import { inTemporaryFolder } from "../temporary.js";
import type { Bench, Sheet } from "../types.js";
import { againstMlKmeans } from "./against-ml-kmeans.js";
import { againstScikit } from "./against-scikit.js";
import { files } from "./files.js";
import { fromFile } from "./from-file.js";
import { growth } from "./growth.js";

/** From file to labels alone, at a million people unless somebody asks for others. */
export function reading(bench: Bench): Promise<Sheet[]> {
  const { quick, n = quick ? 500 : 1_000_000 } = bench.options;
  return inTemporaryFolder(async (folder) => [await fromFile({ bench, folder }, n)]);
}

/** The goals that concern one process, in one run: as ratios, where there is something to divide by. */
export function speed(bench: Bench): Promise<Sheet[]> {
  const { quick, n = quick ? 1000 : 5_000_000 } = bench.options;
  return inTemporaryFolder(async (folder) => {
    const shop = { bench, folder };
    // Of fewer people some column would be the same for all.
    const part = (by: number) => Math.max(500, Math.ceil(n / by));
    return [
      await growth(shop, n, part(10)),
      await againstScikit(shop, part(5)),
      await againstMlKmeans(shop, part(50)),
      await files(shop, part(5)),
      await fromFile(shop, n),
    ];
  });
}
