import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MoietyError } from "../../src/errors.js";
import { runProgram } from "../speed/process.js";
import { inTemporaryFolder } from "../temporary.js";

/** Vectors row by row. */
export interface Matrix {
  readonly n: number;
  readonly d: number;
  readonly numbers: Float32Array;
}

/** What a way of searching finds, and how many rows it looks at: the mean, and what 99 of 100 queries stay below. */
export interface CurvePoint {
  readonly recall: number;
  readonly mean: number;
  readonly p99: number;
  /** Of the processor, for each query, one thread. */
  readonly milliseconds: number;
}

export interface Peers {
  /** Lists as k-means makes them: seconds of the processor, and one point for each number of lists looked into. */
  readonly ivf: { readonly seconds: number; readonly largest: number; readonly curve: readonly CurvePoint[] };
  /** A graph: it looks at vectors one by one, so only its time can be compared. */
  readonly hnsw: { readonly seconds: number; readonly curve: readonly Omit<CurvePoint, "mean" | "p99">[] };
}

const script = `
import json, sys, time
import numpy as np, faiss
folder = sys.argv[1]
task = json.load(open(folder + "/task.json"))
d, lists, k = task["d"], task["lists"], task["k"]
X = np.fromfile(folder + "/vectors", dtype=np.float32).reshape(-1, d)
Q = np.fromfile(folder + "/queries", dtype=np.float32).reshape(-1, d)
truth = np.fromfile(folder + "/truth", dtype=np.uint32).reshape(-1, k)
faiss.omp_set_num_threads(1)
recall = lambda found: float(np.mean([len(set(a) & set(b)) / k for a, b in zip(found.tolist(), truth.tolist())]))
def timed(work):
    begun = time.process_time()
    made = work()
    return made, time.process_time() - begun
def ivf():
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, lists)
    index.train(X)
    index.add(X)
    return index
lists_index, seconds = timed(ivf)
sizes = np.array([lists_index.invlists.list_size(m) for m in range(lists)])
order = faiss.downcast_index(lists_index.quantizer).search(Q, lists)[1]
curve, probes = [], 1
while probes <= lists:
    lists_index.nprobe = probes
    (_, found), spent = timed(lambda: lists_index.search(Q, k))
    rows = sizes[order[:, :probes]].sum(1)
    curve.append(dict(recall=recall(found), mean=float(rows.mean()), p99=float(np.percentile(rows, 99, method="inverted_cdf")), milliseconds=1000 * spent / len(Q)))
    if curve[-1]["recall"] > 0.997: break
    probes = int(np.ceil(probes * 1.15))
def graph():
    index = faiss.IndexHNSWFlat(d, 32)
    index.add(X)
    return index
graph_index, graph_seconds = timed(graph)
graph_curve = []
for effort in (16, 32, 64, 128, 256, 512):
    graph_index.hnsw.efSearch = effort
    (_, found), spent = timed(lambda: graph_index.search(Q, k))
    graph_curve.append(dict(recall=recall(found), milliseconds=1000 * spent / len(Q)))
print(json.dumps(dict(ivf=dict(seconds=seconds, largest=int(sizes.max()), curve=curve), hnsw=dict(seconds=graph_seconds, curve=graph_curve))))
`;

/** faiss's lists and graph of the same vectors, one thread; or in a few words why there are none. */
export async function faissPeers(
  vectors: Matrix,
  queries: Matrix,
  truth: Uint32Array,
  { lists, k, signal }: { readonly lists: number; readonly k: number; readonly signal: AbortSignal },
): Promise<Peers | string> {
  const python = process.env.MOIETY_PYTHON ?? "python3";
  try {
    await runProgram({ program: python, args: ["-c", "import faiss"], what: python, signal });
  } catch (error) {
    if (error instanceof MoietyError && error.code === "cancelled") throw error;
    return `${python} has no faiss; MOIETY_PYTHON names another`;
  }
  return inTemporaryFolder(async (folder) => {
    for (const [name, array] of Object.entries({ vectors: vectors.numbers, queries: queries.numbers, truth })) {
      writeFileSync(join(folder, name), new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    }
    writeFileSync(join(folder, "task.json"), JSON.stringify({ d: vectors.d, lists, k }));
    const args = ["-c", script, folder];
    return JSON.parse(await runProgram({ program: python, args, what: `${python} with faiss`, signal })) as Peers;
  });
}
