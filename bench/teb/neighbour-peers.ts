import { statSync, writeFileSync } from "node:fs";
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
  readonly ivf: Made & { readonly largest: number; readonly curve: readonly CurvePoint[] };
  readonly hnsw: Graph;
}

/** What making an index takes: seconds of the processor, and its size when written. */
export interface Made {
  readonly seconds: number;
  readonly megabytes: number;
}

/** A graph looks at vectors one by one, so only its time can be compared. */
export type Graph = Made & { readonly curve: readonly Omit<CurvePoint, "mean" | "p99">[] };

/** Of both graphs: neighbours of a vector, how widely they are looked for when it is built, and when it is searched. */
const graph = { neighbours: 32, building: 40, searching: [16, 32, 64, 128, 256, 512] };

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
    index = faiss.IndexHNSWFlat(d, task["graph"]["neighbours"])
    index.hnsw.efConstruction = task["graph"]["building"]
    index.add(X)
    return index
graph_index, graph_seconds = timed(graph)
graph_curve = []
for effort in task["graph"]["searching"]:
    graph_index.hnsw.efSearch = effort
    (_, found), spent = timed(lambda: graph_index.search(Q, k))
    graph_curve.append(dict(recall=recall(found), milliseconds=1000 * spent / len(Q)))
megabytes = lambda index: faiss.serialize_index(index).nbytes / 1e6
print(json.dumps(dict(
    ivf=dict(seconds=seconds, megabytes=megabytes(lists_index), largest=int(sizes.max()), curve=curve),
    hnsw=dict(seconds=graph_seconds, megabytes=megabytes(graph_index), curve=graph_curve),
)))
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
    writeFileSync(join(folder, "task.json"), JSON.stringify({ d: vectors.d, lists, k, graph }));
    const args = ["-c", script, folder];
    return JSON.parse(await runProgram({ program: python, args, what: `${python} with faiss`, signal })) as Peers;
  });
}

/** hnswlib's graph of the same vectors, one thread; or in a few words why there is none. */
export async function hnswlibPeer(
  vectors: Matrix,
  queries: Matrix,
  truth: Uint32Array,
  k: number,
): Promise<Graph | string> {
  const name = "hnswlib-node";
  const hnswlib: { default: Hnswlib } | undefined = await import(name).catch(() => undefined);
  if (!hnswlib) return `${name} is not installed: npm install --no-save ${name}`;
  const rowsOf = ({ n, d, numbers }: Matrix) =>
    Array.from({ length: n }, (_, i) => Array.from(numbers.subarray(i * d, (i + 1) * d)));
  const index = new hnswlib.default.HierarchicalNSW("l2", vectors.d);
  index.initIndex(vectors.n, graph.neighbours, graph.building, 1);
  const points = rowsOf(vectors);
  const building = stopwatch();
  points.forEach((point, i) => void index.addPoint(point, i));
  const seconds = building();
  const asked = rowsOf(queries);
  const curve = graph.searching.map((effort) => {
    index.setEf(effort);
    const searching = stopwatch();
    const found = asked.map((point) => index.searchKnn(point, k).neighbors);
    const milliseconds = (1000 * searching()) / queries.n;
    return { recall: recallOf(found, truth, k), milliseconds };
  });
  return inTemporaryFolder(async (folder) => {
    const file = join(folder, "graph");
    index.writeIndexSync(file);
    return { seconds, megabytes: statSync(file).size / 1e6, curve };
  });
}

/** What is called of hnswlib-node, which is native code and only here where somebody installed it. */
interface Hnswlib {
  readonly HierarchicalNSW: new (
    space: "l2",
    dimensions: number,
  ) => {
    initIndex(most: number, neighbours: number, building: number, seed: number): void;
    addPoint(point: number[], label: number): void;
    setEf(searching: number): void;
    searchKnn(point: number[], k: number): { readonly neighbors: readonly number[] };
    writeIndexSync(path: string): void;
  };
}

/** The part of the true neighbours that was found. */
export function recallOf(found: readonly ArrayLike<number>[], truth: Uint32Array, k: number): number {
  const hits = found.map((vectors, q) => {
    const wanted = new Set(truth.subarray(q * k, (q + 1) * k));
    return Array.from(vectors).filter((vector) => wanted.has(vector)).length;
  });
  return hits.reduce((sum, count) => sum + count, 0) / (found.length * k);
}

/** Seconds of the processor since it was started. */
export function stopwatch(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
}
