import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MoietyError } from "../../src/errors.js";
import { runProgram } from "./process.js";
import { findScikit, type Scikit } from "./scikit.js";

export interface Pandas extends Scikit {
  readonly pandas: string;
}

/** pandas and pyarrow beside scikit-learn; or in a few words why there are none. */
export async function findPandas(signal: AbortSignal): Promise<Pandas | string> {
  const scikit = await findScikit(signal);
  if (typeof scikit === "string") return scikit;
  const args = ["-c", "import pandas, pyarrow; print(pandas.__version__)"];
  try {
    const pandas = await runProgram({ program: scikit.python, args, what: scikit.python, signal });
    return { ...scikit, pandas: pandas.trim() };
  } catch (error) {
    if (error instanceof MoietyError && error.code === "cancelled") throw error;
    return `${scikit.python} has no pandas with pyarrow; MOIETY_PYTHON names another`;
  }
}

/** As users do it: read by pyarrow, scale, one start of k-means++, labels by id. Imports are not counted. */
const script = `
import json, resource, sys, time
import numpy as np, pandas as pd
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

task = json.loads(sys.argv[1])
begun = time.perf_counter()
with threadpool_limits(limits=task["threads"]):
    path = task["path"]
    people = pd.read_parquet(path) if path.endswith(".parquet") else pd.read_csv(path, engine="pyarrow")
    ids = people["person"].to_numpy()
    x = people.drop(columns=["person", "sex", "ageBand"]).to_numpy(dtype=np.float32)
    del people
    x = StandardScaler(copy=False).fit_transform(x)
    labels = KMeans(task["k"], n_init=1, random_state=task["seed"]).fit(x).labels_
    pd.DataFrame({"person": ids, "cluster": labels}).to_csv(task["labels"], index=False)
seconds = time.perf_counter() - begun
print(json.dumps({"seconds": seconds, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))
`;

interface PandasTask {
  readonly path: string;
  readonly labels: string;
  readonly k: number;
  readonly seed: number;
  readonly threads: number;
}

export async function runPandas(
  { python }: Pandas,
  folder: string,
  task: PandasTask,
  signal: AbortSignal,
): Promise<{ readonly seconds: number; readonly peak: number }> {
  const file = join(folder, "from-file.py");
  await writeFile(file, script);
  const environment = { OMP_NUM_THREADS: String(task.threads) };
  return JSON.parse(
    await runProgram({ program: python, args: [file, JSON.stringify(task)], environment, what: "pandas", signal }),
  );
}
