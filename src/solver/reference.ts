import type { Assigner } from "./assigner.js";
import { descend } from "./block-descent.js";
import { lloyd } from "./lloyd.js";
import { tuning } from "./tuning.js";

/** From the present clusters, whatever was promised about them, down as far as clusters with promises are polished. */
export async function polishFreely(assigner: Assigner, block: number): Promise<void> {
  const { n, k } = assigner;
  const { polishPasses, polishScores } = tuning.reference;
  await descend(assigner, block, Math.max(1, Math.min(polishPasses, Math.floor(polishScores / (n * k)))));
}

/** From a sample's clusters with promises towards those without, which lead the way for everybody. */
export async function relax(sample: Assigner): Promise<void> {
  const { samplePasses, sampleGain } = tuning.reference;
  for (let pass = 0; pass < samplePasses; pass++) {
    await lloyd(sample, 1);
    await sample.recentre();
    if ((await sample.columns.gained()) < sampleGain * (await sample.sse())) return;
  }
}
