import type { EvennessCost } from "../constraints/evenness-cost.js";
import type { Range } from "../kernels/rows.js";
import type { Assigner } from "./assigner.js";
import { blocks } from "./blocks.js";
import type { OnPass, Outcome } from "./lloyd.js";

/** Looks at all blocks in one round. A bound is needed: rounding can make two blocks gain from each other without end. */
const mostLooks = 30;

export interface GreedyRun {
  readonly block: number;
  readonly maxPasses: number;
  readonly evenness: EvennessCost;
  readonly onPass?: OnPass;
}

/**
 * Greedy block coordinate optimisation (Teb-means, algorithm 2): of all blocks the one whose update lowers the objective
 * most is updated (equation 24), again and again, until none does. First in rounds: the sizes follow every update, the
 * centres when no block gains any more. Then block by block, each gain being the exact one, so that it ends where no
 * update of any block gains.
 */
export async function greedyDescent(assigner: Assigner, run: GreedyRun): Promise<Outcome> {
  const ranges = [...blocks(run.block, assigner.n)];
  await assigner.recentre();
  const passes = await byRounds(assigner, ranges, run);
  return oneByOne(assigner, ranges, run, passes);
}

/** Returns how many rounds there were. */
async function byRounds(assigner: Assigner, ranges: readonly Range[], run: GreedyRun): Promise<number> {
  const { everyone } = assigner;
  let cost = await assigner.cost();
  for (let passes = 1; passes <= run.maxPasses; passes++) {
    const before = await assigner.labelsNow();
    await assigner.prepare({ kind: "descent" });
    const weight = run.evenness.rho * assigner.scoreUnit;
    const sizes = await assigner.columns.sizes();
    const crowd = new BlockUpdates(await assigner.scores(everyone), before.slice(), sizes, weight);
    for (let look = 0; look < mostLooks && crowd.update(ranges) > 0; look++);
    const moved = await assigner.adopt(everyone, crowd.labels);
    const after = await assigner.cost();
    if (after >= cost) await assigner.adopt(everyone, before);
    else await assigner.recentre();
    await run.onPass?.(passes, assigner);
    if (moved === 0 || after >= cost) return passes;
    cost = after;
  }
  return run.maxPasses;
}

/** Everybody in blocks, by scores that stay and sizes that follow. */
class BlockUpdates {
  private readonly joining: Float64Array;

  constructor(
    private readonly scores: Float64Array,
    readonly labels: Uint16Array,
    private readonly sizes: Float64Array,
    private readonly weight: number,
  ) {
    this.joining = new Float64Array(sizes.length);
  }

  /** Looks at all blocks, and updates them as long as the best seems to be best. Returns how many were updated. */
  update(ranges: readonly Range[]): number {
    const gains = ranges.map((range) => this.look(range, false));
    const order = Array.from(ranges.keys()).filter((at) => gains[at] > 0);
    order.sort((a, b) => gains[b] - gains[a] || a - b);
    let updated = 0;
    order.forEach((at, place) => {
      const next = order[place + 1];
      const gain = this.look(ranges[at], false);
      if (gain <= 0 || (next !== undefined && gain < gains[next] / 2)) return;
      this.look(ranges[at], true);
      updated++;
    });
    return updated;
  }

  /** What updating a block gains: everybody in it sees the same sizes (equations 20 and 21). */
  private look({ from, to }: Range, really: boolean): number {
    const { scores, labels, sizes, weight, joining } = this;
    const k = sizes.length;
    joining.fill(0);
    let gain = 0;
    for (let i = from; i < to; i++) {
      const own = labels[i];
      let best = own;
      let least = scores[i * k + own] + weight * (2 * sizes[own] - 1);
      for (let m = 0; m < k; m++) {
        const score = scores[i * k + m] + weight * (2 * sizes[m] + 1);
        if (m !== own && score < least) {
          least = score;
          best = m;
        }
      }
      if (best === own) continue;
      gain += scores[i * k + own] - scores[i * k + best];
      joining[own]--;
      joining[best]++;
      if (really) labels[i] = best;
    }
    for (let m = 0; m < k; m++) {
      // Nobody leaves a cluster empty.
      if (joining[m] < 0 && sizes[m] + joining[m] === 0) return 0;
      gain -= weight * joining[m] * (2 * sizes[m] + joining[m]);
    }
    if (really) for (let m = 0; m < k; m++) sizes[m] += joining[m];
    return gain;
  }
}

/**
 * Gains hardly change from one update to the next: the block that was best is looked at again before it is updated, and
 * all of them only when none seems to gain. A pass is as many looks as there are blocks.
 */
async function oneByOne(
  assigner: Assigner,
  ranges: readonly Range[],
  run: GreedyRun,
  passes: number,
): Promise<Outcome> {
  const gains = new Float64Array(ranges.length);
  const empty = await vacant();
  let looks = 0;
  let cost = await assigner.cost();
  let stale = true;
  const most = (run.maxPasses - passes) * ranges.length;
  while (looks < most) {
    const at = best(gains);
    if (gains[at] <= 0) {
      if (!stale) break;
      for (const [index, range] of ranges.entries()) gains[index] = (await look(range)).gain;
      stale = false;
      if (gains.every((gain) => gain <= 0)) break;
      continue;
    }
    const { gain, labels } = await look(ranges[at]);
    gains[at] = gain;
    if (gain <= 0 || gain < gains[best(gains)]) continue;
    await assigner.adopt(ranges[at], labels);
    await assigner.recentre();
    cost = await assigner.cost();
    gains[at] = 0;
    stale = true;
  }
  return { passes: passes + Math.ceil(looks / ranges.length), converged: looks < most };

  async function vacant(): Promise<number> {
    return (await assigner.columns.sizes()).filter((size) => size === 0).length;
  }

  /** What updating a block would gain; everybody is back in their place afterwards. */
  async function look(range: Range): Promise<{ gain: number; labels: Uint16Array }> {
    if (++looks % ranges.length === 0) await run.onPass?.(passes + looks / ranges.length, assigner);
    await assigner.prepare({ kind: "even" });
    const moves = await assigner.propose(range);
    const before = await assigner.labelsNow(range);
    if (moves.rows.length === 0) return { gain: 0, labels: before };
    const labels = before.slice();
    moves.rows.forEach((row, index) => {
      labels[row - range.from] = moves.to[index];
    });
    await assigner.adopt(range, labels);
    const gain = (await vacant()) > empty ? 0 : cost - (await assigner.cost());
    await assigner.adopt(range, before);
    return { gain, labels };
  }
}

function best(gains: Float64Array): number {
  let at = 0;
  for (let i = 1; i < gains.length; i++) if (gains[i] > gains[at]) at = i;
  return at;
}
