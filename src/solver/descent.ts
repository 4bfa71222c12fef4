import { blocks } from "./blocks.js";
import type { Coordinator } from "./coordinator.js";
import { lloyd, type OnPass, type Outcome } from "./lloyd.js";

/**
 * Block coordinate descent without constraints (CDKM with blocks of one person, BCDKM and DisBCDKM with more), from
 * clusters that exist. Large blocks may overshoot, so the best pass is kept. It ends with a nearest-centre pass, so that
 * prediction agrees with the labels.
 */
export async function descend(
  coordinator: Coordinator,
  block: number,
  maxPasses: number,
  onPass?: OnPass,
): Promise<Outcome> {
  let best = await coordinator.sse();
  await coordinator.recentre();
  await coordinator.remember("descent");
  let passes = 0;
  let converged = false;
  while (passes < maxPasses && !converged) {
    passes++;
    const moved = await pass(coordinator, block);
    const sse = await coordinator.sse();
    await onPass?.(passes, coordinator);
    converged = moved === 0 || sse >= best;
    if (sse < best) {
      best = sse;
      await coordinator.remember("descent");
    }
  }
  await coordinator.recall("descent");
  const finish = await lloyd(coordinator, maxPasses);
  return { passes: passes + finish.passes, converged: converged && finish.converged };
}

async function pass(coordinator: Coordinator, block: number): Promise<number> {
  let moved = 0;
  for (const range of blocks(block, coordinator.n)) {
    await coordinator.prepare({ kind: "descent" });
    const now = await coordinator.assign(range);
    if (now > 0) await coordinator.recentre();
    moved += now;
  }
  return moved;
}
