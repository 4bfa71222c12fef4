import type { Evenness } from "../constraints/evenness.js";
import type { Range } from "../kernels/rows.js";
import { blocks } from "./blocks.js";
import type { Coordinator } from "./coordinator.js";
import type { OnPass, Outcome } from "./lloyd.js";

export interface SequentialRun {
  readonly block: number;
  readonly maxPasses: number;
  readonly evenness: Evenness;
  /** What a distance counts: the exact change of SSE, or the distance itself. */
  readonly kind: "descent" | "nearest";
  readonly onPass?: OnPass;
}

/** After so many sweeps without a better one it is enough. */
const patience = 3;

/**
 * Teb-means with one change: whoever takes the argmin updates the sizes person by person inside a block, so that a block
 * does not rush to the smallest cluster as a herd. It needs cluster identities and comparable scores where the argmin is
 * taken. The best sweep is kept.
 */
export async function sequentialDescent(coordinator: Coordinator, run: SequentialRun): Promise<Outcome> {
  await coordinator.recentre();
  let best = Number.POSITIVE_INFINITY;
  let idle = 0;
  let passes = 0;
  let moved = 1;
  while (passes < run.maxPasses && idle < patience && moved > 0) {
    moved = 0;
    for (const range of blocks(run.block, coordinator.n)) {
      const labels = await choose(coordinator, range, run);
      const now = await coordinator.adopt(range, labels);
      if (now > 0) await coordinator.recentre();
      moved += now;
    }
    const cost = await coordinator.cost();
    idle = cost < best * (1 - 1e-6) ? 0 : idle + 1;
    if (cost < best) {
      best = cost;
      await coordinator.remember("sequential");
    }
    passes++;
    await run.onPass?.(passes, coordinator);
  }
  await coordinator.recall("sequential");
  return { passes, converged: idle >= patience || moved === 0 };
}

/** Equation 20 with sizes that follow every decision. */
async function choose(coordinator: Coordinator, range: Range, run: SequentialRun): Promise<Uint16Array> {
  const { k, scoreUnit } = coordinator;
  const { rho, even } = run.evenness;
  await coordinator.prepare({ kind: run.kind });
  const scores = await coordinator.totalScores(range);
  const labels = await coordinator.labelsNow(range);
  const sizes = await coordinator.parties[0]!.sizes();
  const weight = rho * scoreUnit;
  for (let i = 0; i < labels.length; i++) {
    const own = labels[i]!;
    let best = own;
    let least = scores[i * k + own]! + weight * (2 * (sizes[own]! - even) - 1);
    // Nobody leaves a cluster empty.
    for (let m = 0; m < k && sizes[own]! > 1; m++) {
      if (m === own) continue;
      const score = scores[i * k + m]! + weight * (2 * (sizes[m]! - even) + 1);
      if (score < least) {
        least = score;
        best = m;
      }
    }
    sizes[own]!--;
    sizes[best]!++;
    labels[i] = best;
  }
  return labels;
}
