import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MoietyError } from "../../src/errors.js";
import type { People } from "../../src/table/types.js";
import { runProgram } from "../speed/process.js";
import { inTemporaryFolder } from "../temporary.js";

/** One start for each seed, all clusters of the same size but for one person. */
const script = `
import json, sys
import numpy as np
from k_means_constrained import KMeansConstrained
folder, n, k, seeds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
X = np.fromfile(folder + "/people", dtype=np.float32).reshape(-1, n).T.astype(np.float64)
fit = lambda seed: KMeansConstrained(n_clusters=k, size_min=n // k, size_max=-(-n // k), n_init=1, random_state=seed).fit(X)
def sse(labels):
    return sum(float(((X[labels == m] - X[labels == m].mean(axis=0)) ** 2).sum()) for m in range(k))
print(json.dumps([sse(fit(seed).labels_) for seed in seeds]))
`;

/** The SSE of k-means-constrained's even clusters, one start for each seed; or in a few words why there is none. */
export async function constrainedSse(
  { n, dimensions }: People,
  k: number,
  seeds: readonly number[],
  signal: AbortSignal,
): Promise<number[] | string> {
  const python = process.env.MOIETY_PYTHON ?? "python3";
  try {
    return await inTemporaryFolder(async (folder) => {
      const values = new Float32Array(n * dimensions.length);
      dimensions.forEach((column, j) => {
        values.set(column, j * n);
      });
      await writeFile(join(folder, "people"), new Uint8Array(values.buffer));
      const args = ["-c", script, folder, String(n), String(k), JSON.stringify(seeds)];
      return JSON.parse(await runProgram({ program: python, args, what: python, signal })) as number[];
    });
  } catch (error) {
    if (error instanceof MoietyError && error.code === "cancelled") throw error;
    return `${python} has no k-means-constrained; MOIETY_PYTHON names another`;
  }
}
