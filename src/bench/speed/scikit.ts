import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MoietyError } from "../../errors.js";
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
 * A pass is the difference between fits of many passes and of one, the least of some; a whole run is one fit as users
 * make it. The start is its own k-means++, and not counted.
 */
const script = `
import json, sys, time
import numpy as np
from sklearn.cluster import KMeans, kmeans_plusplus
from threadpoolctl import threadpool_limits

task = json.loads(sys.argv[1])
n, d, k = task["n"], task["d"], task["k"]
people = np.fromfile(task["path"], dtype=np.float32, count=n * d).reshape(d, n).T.copy()
start, _ = kmeans_plusplus(people, k, random_state=task["seed"])

def fit(**options):
    model = KMeans(k, init=start, n_init=1, algorithm="lloyd", **options)
    begun = time.perf_counter()
    model.fit(people)
    return time.perf_counter() - begun, model

def one_pass():
    first, few = fit(max_iter=1, tol=0)
    second, many = fit(max_iter=1 + task["passes"], tol=0)
    return max(1e-6, (second - first) / max(1, many.n_iter_ - few.n_iter_))

with threadpool_limits(limits=task["threads"]):
    fit(max_iter=2)
    passes = [one_pass() for _ in range(task["repeats"])]
    whole, model = fit()
print(json.dumps({
    "pass": min(passes), "whole": whole, "passes": int(model.n_iter_), "sse": float(model.inertia_),
    "start": [[float(value) for value in row] for row in start],
}))
`;

export interface ScikitTimes {
  readonly pass: number;
  readonly whole: number;
  readonly passes: number;
  readonly sse: number;
  /** The centres that it began from. */
  readonly start: readonly (readonly number[])[];
}

export interface ScikitTask extends PeopleFile {
  readonly k: number;
  readonly seed: number;
  readonly threads: number;
  readonly passes: number;
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
