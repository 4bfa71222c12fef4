import type { Assigner } from "./assigner.js";
import { blocks } from "./blocks.js";
import type { OnPass, Outcome } from "./lloyd.js";
import { tuning } from "./tuning.js";

/**
 * F3KM as published (algorithms 4 and 5): F by block coordinate descent, then theta and u at the attributes' owners.
 * It stops when the clusters are fair and nobody moves, and returns the best fair pass. It may never become fair: then
 * the pass with the smallest violation is returned, and the caller must say so.
 */
export async function admmDescent(
  assigner: Assigner,
  run: { readonly block: number; readonly maxPasses: number; readonly onPass?: OnPass },
): Promise<Outcome> {
  const { n, k, scoreUnit } = assigner;
  const { penalty, growth } = tuning.admm;
  await assigner.recentre();
  const distance = ((await assigner.sse()) / n) * scoreUnit;
  await assigner.columns.startAdmm(Math.max(1, penalty * distance * (n / k)));
  let best = { excess: Number.POSITIVE_INFINITY, sse: Number.POSITIVE_INFINITY };
  for (let pass = 1; pass <= run.maxPasses; pass++) {
    let moved = 0;
    for (const range of blocks(run.block, n)) {
      await assigner.prepare({ kind: "admm" });
      const now = await assigner.assign(range);
      if (now > 0) await assigner.recentre();
      moved += now;
    }
    const { excess } = await assigner.limitStatus();
    await assigner.columns.stepAdmm(excess > 0 ? growth : 1);
    const sse = await assigner.sse();
    if (excess < best.excess || (excess === best.excess && sse < best.sse)) {
      best = { excess, sse };
      await assigner.remember("best");
    }
    await run.onPass?.(pass, assigner);
    if (excess === 0 && moved === 0) {
      await assigner.recall("best");
      return { passes: pass, converged: true };
    }
  }
  await assigner.recall("best");
  return { passes: run.maxPasses, converged: false };
}
