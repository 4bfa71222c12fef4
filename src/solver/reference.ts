import type { Assigner } from "./assigner.js";
import { blockDescent } from "./block-descent.js";
import { lloyd } from "./lloyd.js";
import { affordablePasses, tuning } from "./tuning.js";

/** From the present clusters, whatever was promised about them, down as far as clusters with promises are polished. */
export async function polishUnconstrained(assigner: Assigner, block: number, lean = false): Promise<void> {
  const passes = lean ? tuning.lean.passes.unpromised : affordablePasses(assigner, tuning.polishPasses);
  await blockDescent(assigner, lean ? assigner.n : block, passes);
}

/** From a sample's clusters with promises towards those without, which lead the way for everybody. */
export async function descendUnconstrained(sample: Assigner): Promise<void> {
  for (let pass = 0; pass < tuning.polishPasses; pass++) {
    await lloyd(sample, 1);
    await sample.recentre();
    if ((await sample.columns.gained()) < tuning.convergence.rough * (await sample.sse())) return;
  }
}
