/** What assembly/index.ts exports. Addresses and sizes are numbers; see there for what each does. */
export interface Kernels {
  decide(shard: number, from: number, to: number, ownFirst: number, out: number): number;
  scores(shard: number, from: number, to: number, out: number): void;
  adopt(shard: number, from: number, to: number, labels: number): number;
  relabel(shard: number, count: number, rows: number, labels: number): number;
  bestMoves(shard: number, from: number, to: number, changed: number, out: number): number;
  markChanged(shard: number, labels: number, patterns: number, offsets: number, changed: number): void;
  measure(shard: number): void;
  measureRoughly(shard: number): void;
  distancesTo(shard: number, point: number, out: number): void;
  distancesToOwn(shard: number, out: number): void;
  fill(shard: number, from: number, count: number, source: number, survey: number): void;
  snap(shard: number, from: number, to: number, scale: number, squares: number): number;
  sumAround(shard: number, centres: number, out: number): void;
  countDigits(shard: number, from: number, count: number, shift: number, tables: number): void;
  mixtureSums(shard: number, mixture: number): void;
  mixtureLabels(shard: number, mixture: number): void;
  scanDecide(block: number): void;
  scanSums(block: number): void;
}

export type KernelName = keyof Kernels;

/** What a crew runs: each thread does its share of the work [from, to) of a job. */
type CrewKernel = (job: number, from: number, to: number, thread: number, threads: number) => void;

/** What assembly/learning/index.ts and assembly/neighbours/index.ts export. */
export type LearningKernels = Readonly<Record<"train" | "score", CrewKernel>>;
export type NeighbourKernels = Readonly<Record<"search" | "route" | "nearest", CrewKernel>>;
export type CrewKernels = LearningKernels & NeighbourKernels;

export function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernels {
  return exportsOf(module, memory) as unknown as Kernels;
}

/** Only those of the module are there. */
export function instantiateCrew(module: WebAssembly.Module, memory: WebAssembly.Memory): CrewKernels {
  return exportsOf(module, memory) as unknown as CrewKernels;
}

export function exportsOf(module: WebAssembly.Module, memory: WebAssembly.Memory): Record<string, unknown> {
  return new WebAssembly.Instance(module, { env: { memory, abort: () => undefined } }).exports;
}
