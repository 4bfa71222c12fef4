import { kernels, learning } from "../../dist/embedded/kernels.js";

/** What assembly/index.ts exports. Addresses and sizes are numbers; see there for what each does. */
export interface Kernels {
  decide(shard: number, from: number, to: number, ownFirst: number, out: number): number;
  scores(shard: number, from: number, to: number, out: number): void;
  adopt(shard: number, from: number, to: number, labels: number): number;
  relabel(shard: number, count: number, rows: number, labels: number): number;
  bestMoves(shard: number, ranges: number, count: number, out: number): void;
  measure(shard: number): void;
  measureRoughly(shard: number): void;
  distancesTo(shard: number, point: number, out: number): void;
  fill(shard: number, from: number, count: number, source: number, survey: number): void;
  snap(shard: number, from: number, to: number, scale: number, squares: number): number;
  mixtureSums(shard: number, mixture: number): void;
  mixtureLabels(shard: number, mixture: number): void;
}

export type KernelName = keyof Kernels;

const embedded = { kernels, learning };
const compiled = new Map<string, WebAssembly.Module>();

/** Compiled kernels: one module for the process, shared with the workers. The path of the import holds for src/ and for dist/. */
export function kernelModule(name: "kernels" | "learning" = "kernels"): WebAssembly.Module {
  let module = compiled.get(name);
  if (module === undefined) {
    module = new WebAssembly.Module(Buffer.from(embedded[name], "base64"));
    compiled.set(name, module);
  }
  return module;
}

export function newMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: 2, maximum: 65536, shared: true });
}

export function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernels {
  const imports = { env: { memory, abort: () => undefined } };
  return new WebAssembly.Instance(module, imports).exports as unknown as Kernels;
}
