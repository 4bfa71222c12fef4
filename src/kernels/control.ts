import type { CrewKernels, KernelName } from "./instance.js";

/** The order is the wire format between the main thread and the lanes' threads. */
export const kernelNames: readonly KernelName[] = [
  "decide",
  "scores",
  "adopt",
  "relabel",
  "bestMoves",
  "markChanged",
  "measure",
  "measureRoughly",
  "distancesTo",
  "distancesToOwn",
  "fill",
  "snap",
  "sumAround",
  "countDigits",
  "mixtureSums",
  "mixtureLabels",
  "scanDecide",
  "scanSums",
];

/** The control block: words (i32) and values (f64) over the same bytes. `asked` and `answered` count the calls. */
export const control = { asked: 0, answered: 1, kernel: 2, result: 2, arguments: 3, bytes: 64 } as const;

export interface LaneData {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly block: SharedArrayBuffer;
}

export const crewKernels: readonly (keyof CrewKernels)[] = ["train", "score", "search", "route", "nearest"];

/** Words of the control block: calls asked for, threads that are done in all, then the kernel and its arguments. */
export const crewControl = { asked: 0, answered: 1, kernel: 2, arguments: 3, words: 8 } as const;

export interface CrewData extends LaneData {
  readonly thread: number;
  readonly threads: number;
}
