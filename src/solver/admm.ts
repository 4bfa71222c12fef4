import { blocks } from "./blocks.js";
import type { Coordinator } from "./coordinator.js";
import type { OnPass, Outcome } from "./lloyd.js";
import { tuning } from "./tuning.js";

/**
 * F3KM as published (algorithms 4 and 5): F by block coordinate descent, then theta and u at the attributes' owners.
 * It stops when the clusters are fair and nobody moves, and returns the best fair pass. It may never become fair: then
 * the pass with the smallest violation is returned, and the caller must say so.
 */
export async function admmDescent(
  coordinator: Coordinator,
  run: { readonly block: number; readonly maxPasses: number; readonly onPass?: OnPass },
): Promise<Outcome> {
  const { n, k, scoreUnit } = coordinator;
  const { penalty, growth } = tuning.admm;
  await coordinator.recentre();
  const distance = ((await coordinator.sse()) / n) * scoreUnit;
  await coordinator.all((party) => party.startAdmm(Math.max(1, penalty * distance * (n / k))));
  let best = { excess: Number.POSITIVE_INFINITY, sse: Number.POSITIVE_INFINITY };
  for (let pass = 1; pass <= run.maxPasses; pass++) {
    let moved = 0;
    for (const range of blocks(run.block, n)) {
      await coordinator.prepare({ kind: "admm" });
      const now = await coordinator.assign(range);
      if (now > 0) await coordinator.recentre();
      moved += now;
    }
    const { excess } = await coordinator.standing();
    await coordinator.all((party) => party.stepAdmm(excess > 0 ? growth : 1));
    const sse = await coordinator.sse();
    if (excess < best.excess || (excess === best.excess && sse < best.sse)) {
      best = { excess, sse };
      await coordinator.remember("best");
    }
    await run.onPass?.(pass, coordinator);
    if (excess === 0 && moved === 0) {
      await coordinator.recall("best");
      return { passes: pass, converged: true };
    }
  }
  await coordinator.recall("best");
  return { passes: run.maxPasses, converged: false };
}
