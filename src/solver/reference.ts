import type { Coordinator } from "./coordinator.js";
import { descend } from "./descent.js";
import { lloyd } from "./lloyd.js";

/** Passes of blocks at most, and the scores that they may look at: as many as the polish of a round of `fairDescent`. */
const polish = { passes: 5, scores: 3e7 } as const;
/** A sample is not polished with promises either: so many passes come within 0.1% of where Lloyd would end. */
const mostPasses = 4;
const enough = 1e-3;

/** From the present clusters, whatever was promised about them, down as far as clusters with promises are polished. */
export async function polishFreely(coordinator: Coordinator, block: number): Promise<void> {
  const { n, k } = coordinator;
  await descend(coordinator, block, Math.max(1, Math.min(polish.passes, Math.floor(polish.scores / (n * k)))));
}

/** From a sample's clusters with promises towards those without, which lead the way for everybody. */
export async function relax(sample: Coordinator): Promise<void> {
  for (let pass = 0; pass < mostPasses; pass++) {
    await lloyd(sample, 1);
    await sample.recentre();
    if ((await sample.gained()) < enough * (await sample.sse())) return;
  }
}
