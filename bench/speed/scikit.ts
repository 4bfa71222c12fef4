import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MoietyError } from "../../src/errors.js";
import type { PeopleFile } from "./people-file.js";
import { runProgram } from "./process.js";

/** Older ones are up to 3.5 times slower: nothing is claimed against them. */
const oldest = [1, 5] as const;

export interface Scikit {
  readonly python: string;
  readonly version: string;
}

/** The scikit-learn of python3, or of the interpreter that MOIETY_PYTHON names; or in a few words why there is none. */
export async function findScikit(signal: AbortSignal): Promise<Scikit | string> {
  const python = process.env.MOIETY_PYTHON ?? "python3";
  const args = ["-c", "import sklearn; print(sklearn.__version__)"];
  try {
    const version = (await runProgram({ program: python, args, what: python, signal })).trim();
    const [major = 0, minor = 0] = version.split(".").map(Number);
    const recent = major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
    return recent ? { python, version } : `scikit-learn ${version} is older than ${oldest.join(".")}`;
  } catch (error) {
    if (error instanceof MoietyError && error.code === "cancelled") throw error;
    return `${python} has no scikit-learn; MOIETY_PYTHON names another`;
  }
}

/**
 * A pass is one call of the function that scikit-learn's Lloyd makes in each iteration, with one thread for BLAS as there,
 * the quickest of some; a version that has no such function has no pass. A whole run is one fit as users make it. The start
 * is its own k-means++, and not counted.
 */
const script = `
import json, sys, time
import numpy as np
from sklearn.cluster import KMeans, kmeans_plusplus
from threadpoolctl import threadpool_limits

task = json.loads(sys.argv[1])
n, d, k, threads = task["n"], task["d"], task["k"], task["threads"]
people = np.fromfile(task["path"], dtype=np.float32, count=n * d).reshape(d, n).T.copy()
start, _ = kmeans_plusplus(people, k, random_state=task["seed"])

def one_pass(iterate):
    weights = np.ones(n, dtype=np.float32)
    centres, sizes, shift = np.zeros_like(start), np.zeros(k, dtype=np.float32), np.zeros(k, dtype=np.float32)
    labels = np.full(n, -1, dtype=np.int32)
    begun = time.perf_counter()
    iterate(people, weights, start, centres, sizes, labels, shift, threads)
    return time.perf_counter() - begun

def whole():
    model = KMeans(k, init=start, n_init=1, algorithm="lloyd")
    begun = time.perf_counter()
    model.fit(people)
    return time.perf_counter() - begun, model

with threadpool_limits(limits=1, user_api="blas"):
    try:
        from sklearn.cluster._k_means_lloyd import lloyd_iter_chunked_dense
        quickest = min(one_pass(lloyd_iter_chunked_dense) for _ in range(task["repeats"]))
    except (ImportError, TypeError):
        quickest = None
with threadpool_limits(limits=threads):
    seconds, model = whole()
print(json.dumps({
    "pass": quickest, "whole": seconds, "sse": float(model.inertia_),
    "start": [[float(value) for value in row] for row in start],
}))
`;

export interface ScikitTimes {
  /** Null where this version does not show its pass. */
  readonly pass: number | null;
  readonly whole: number;
  readonly sse: number;
  /** The centres that it began from. */
  readonly start: readonly (readonly number[])[];
}

export interface ScikitTask extends PeopleFile {
  readonly k: number;
  readonly seed: number;
  readonly threads: number;
  readonly repeats: number;
}

export async function runScikit(
  { python }: Scikit,
  folder: string,
  task: ScikitTask,
  signal: AbortSignal,
): Promise<ScikitTimes> {
  const file = join(folder, "scikit.py");
  await writeFile(file, script);
  const threads = String(task.threads);
  const environment = { OMP_NUM_THREADS: threads, OPENBLAS_NUM_THREADS: threads, MKL_NUM_THREADS: threads };
  const args = [file, JSON.stringify(task)];
  return JSON.parse(await runProgram({ program: python, args, environment, what: "scikit-learn", signal }));
}
