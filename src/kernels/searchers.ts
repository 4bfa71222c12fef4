import { neighbours } from "../../dist/embedded/neighbours-kernels.js";
import { type Crew, crewOf } from "./crew.js";
import type { NeighbourKernels } from "./instance.js";
import { compiledModule } from "./module.js";

/** Threads that look for nearest neighbours in one memory. */
export type Searchers = Crew<keyof NeighbourKernels>;

export function openSearchers(threads: number | "inline"): Searchers {
  return crewOf(compiledModule(neighbours, "plain"), threads);
}
