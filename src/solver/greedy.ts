import type { Range } from "../kernels/rows.js";
import { blocks } from "./blocks.js";
import type { Coordinator } from "./coordinator.js";
import type { OnPass, Outcome } from "./lloyd.js";

export interface GreedyRun {
  readonly block: number;
  readonly maxPasses: number;
  readonly onPass?: OnPass;
}

/**
 * Greedy block coordinate optimisation (Teb-means, algorithm 2): of all blocks the one whose update lowers the objective
 * most is updated (equation 24), again and again, until none does. A block's gain is its exact gain, so nothing ever
 * rises. Gains hardly change from one update to the next: the block that was best is looked at again before it is
 * updated, and all of them only when none seems to gain. A pass is as many looks as there are blocks.
 */
export async function greedyDescent(coordinator: Coordinator, run: GreedyRun): Promise<Outcome> {
  await coordinator.recentre();
  const ranges = [...blocks(run.block, coordinator.n)];
  const gains = new Float64Array(ranges.length);
  let looks = 0;
  let cost = await coordinator.cost();
  let stale = true;
  const mostLooks = run.maxPasses * ranges.length;
  while (looks < mostLooks) {
    const at = best(gains);
    if (gains[at]! <= 0) {
      if (!stale) break;
      for (const [index, range] of ranges.entries()) gains[index] = (await look(range)).gain;
      stale = false;
      if (gains.every((gain) => gain <= 0)) break;
      continue;
    }
    const { gain, labels } = await look(ranges[at]!);
    gains[at] = gain;
    if (gain <= 0 || gain < gains[best(gains)]!) continue;
    await coordinator.adopt(ranges[at]!, labels);
    await coordinator.recentre();
    cost = await coordinator.cost();
    gains[at] = 0;
    stale = true;
  }
  return { passes: Math.ceil(looks / ranges.length), converged: looks < mostLooks };

  /** What updating a block would gain; everybody is back in their place afterwards. */
  async function look(range: Range): Promise<{ gain: number; labels: Uint16Array }> {
    if (++looks % ranges.length === 0) await run.onPass?.(looks / ranges.length, coordinator);
    await coordinator.prepare({ kind: "even" });
    const moves = await coordinator.propose(range);
    const before = await coordinator.labelsNow(range);
    if (moves.rows.length === 0) return { gain: 0, labels: before };
    const labels = before.slice();
    moves.rows.forEach((row, index) => {
      labels[row - range.from] = moves.to[index]!;
    });
    await coordinator.adopt(range, labels);
    const gain = cost - (await coordinator.cost());
    await coordinator.adopt(range, before);
    return { gain, labels };
  }
}

function best(gains: Float64Array): number {
  let at = 0;
  for (let i = 1; i < gains.length; i++) if (gains[i]! > gains[at]!) at = i;
  return at;
}
