import type { Assigner } from "./assigner.js";
import { blocks } from "./blocks.js";
import { lloyd, type OnPass, type Outcome } from "./lloyd.js";

/**
 * Block coordinate descent without constraints (CDKM with blocks of one person, BCDKM and DisBCDKM with more), from
 * clusters that exist. Large blocks may overshoot, so the best pass is kept. It ends with a nearest-centre pass, so that
 * prediction agrees with the labels.
 */
export async function blockDescent(
  assigner: Assigner,
  block: number,
  maxPasses: number,
  onPass?: OnPass,
): Promise<Outcome> {
  let best = await assigner.sse();
  await assigner.recentre();
  await assigner.remember("descent");
  let passes = 0;
  let converged = false;
  while (passes < maxPasses && !converged) {
    passes++;
    const moved = await pass(assigner, block);
    const sse = await assigner.sse();
    await onPass?.(passes, assigner);
    converged = moved === 0 || sse >= best;
    if (sse < best) {
      best = sse;
      await assigner.remember("descent");
    }
  }
  await assigner.recall("descent");
  const finish = await lloyd(assigner, maxPasses);
  return { passes: passes + finish.passes, converged: converged && finish.converged };
}

async function pass(assigner: Assigner, block: number): Promise<number> {
  let moved = 0;
  for (const range of blocks(block, assigner.n)) {
    await assigner.prepare({ kind: "descent" });
    const now = await assigner.assign(range);
    if (now > 0) await assigner.recentre();
    moved += now;
  }
  return moved;
}
