import { ring } from "../../dist/embedded/ring-kernels.js";
import { NamedBuffers } from "./blinding.js";
import { exportsOf } from "./instance.js";
import { compiledModule } from "./module.js";

/** What assembly/ring/index.ts exports; see there for what each does. */
interface RingKernels {
  slack(): number;
  maskAmong(
    numbers: number,
    count: number,
    keys: number,
    adds: number,
    places: number,
    near: number,
    nonce: number,
    own: number,
    held: number,
  ): void;
  combineShares(shares: number, count: number, weights: number, sums: number, products: number, out: number): void;
}

/** The kernels of sums over many sites, and their memory. */
export class RingMemory extends NamedBuffers {
  readonly kernels = exportsOf(compiledModule(ring, "plain"), this.arena.memory) as unknown as RingKernels;
}
