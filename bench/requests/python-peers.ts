import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MoietyError } from "../../src/errors.js";
import { runProgram } from "../speed/process.js";

/** What a peer is asked; matrices are [rows][columns] of doubles. */
export type PeerTask = { readonly seed: number; readonly k: number } & (
  | { readonly ask: "kmeans"; readonly starts: number; readonly weighted: boolean }
  | { readonly ask: "even"; readonly starts: number; readonly min: number; readonly max: number }
  | { readonly ask: "medians"; readonly starts: number }
  /** The least cost of a matrix of costs at places with so much room. */
  | { readonly ask: "places"; readonly room: readonly number[] }
);

export interface PeerAnswer {
  /** What the peer minimises, as it reports it. */
  readonly cost: number;
  /** Of the processor. */
  readonly seconds: number;
}

/** The Python that has the peers, or in a few words why there is none. */
export async function findPeers(signal: AbortSignal): Promise<{ python: string } | string> {
  const python = process.env.MOIETY_PYTHON ?? "python3";
  const args = ["-c", "import scipy.optimize, sklearn.cluster, k_means_constrained"];
  try {
    await runProgram({ program: python, args, what: python, signal });
    return { python };
  } catch (error) {
    if (error instanceof MoietyError && error.code === "cancelled") throw error;
    return `${python} lacks scikit-learn, scipy or k-means-constrained; MOIETY_PYTHON names another`;
  }
}

/** k-medians is the textbook's: k-means++ with distances, nearest medians and medians in turn. */
const script = `
import json, sys, time, warnings
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from k_means_constrained import KMeansConstrained
warnings.filterwarnings("ignore")
folder = sys.argv[1]
task = json.load(open(folder + "/task.json"))
X = np.fromfile(folder + "/rows", dtype=np.float64).reshape(task["n"], -1)
k, seed = task["k"], task["seed"]

def medians(random):
    centres = X[[random.integers(len(X))]]
    for _ in range(k - 1):
        near = np.abs(X[:, None] - centres[None]).sum(2).min(1)
        centres = np.vstack([centres, X[random.choice(len(X), p=near / near.sum())]])
    for _ in range(300):
        labels = np.abs(X[:, None] - centres[None]).sum(2).argmin(1)
        moved = np.array([np.median(X[labels == m], axis=0) if (labels == m).any() else centres[m] for m in range(k)])
        if (moved == centres).all(): break
        centres = moved
    return float(np.abs(X[:, None] - centres[None]).sum(2).min(1).sum())

begun = time.process_time()
if task["ask"] == "kmeans":
    weights = np.fromfile(folder + "/weights", dtype=np.float64) if task["weighted"] else None
    cost = float(KMeans(k, n_init=task["starts"], random_state=seed).fit(X, sample_weight=weights).inertia_)
elif task["ask"] == "even":
    model = KMeansConstrained(k, size_min=task["min"], size_max=task["max"], n_init=task["starts"], random_state=seed)
    cost = float(model.fit(X).inertia_)
elif task["ask"] == "medians":
    random = np.random.default_rng(seed)
    cost = min(medians(random) for _ in range(task["starts"]))
else:
    places = np.repeat(np.arange(k), task["room"])
    rows, columns = linear_sum_assignment(X[:, places])
    cost = float(X[rows, places[columns]].sum())
print(json.dumps({"cost": cost, "seconds": time.process_time() - begun}))
`;

export async function askPeer(
  python: string,
  folder: string,
  task: PeerTask,
  { n, columns, weights }: { n: number; columns: readonly ArrayLike<number>[]; weights?: Float64Array | undefined },
  signal: AbortSignal,
): Promise<PeerAnswer> {
  const rows = new Float64Array(n * columns.length);
  columns.forEach((column, j) => {
    for (let i = 0; i < n; i++) rows[i * columns.length + j] = column[i];
  });
  writeFileSync(join(folder, "rows"), rows);
  if (weights) writeFileSync(join(folder, "weights"), weights);
  writeFileSync(join(folder, "task.json"), JSON.stringify({ ...task, n }));
  return JSON.parse(await runProgram({ program: python, args: ["-c", script, folder], what: "the peer", signal }));
}
