import type { Assigner } from "./assigner.js";
import { tuning } from "./tuning.js";

export interface ShortDescent {
  readonly cost: number;
  /** The work of so many passes. */
  readonly passes: number;
}

/**
 * Passes from the present clusters to what they nearly lead to: its SSE, and how many passes. Everybody takes the cluster where they would cost
 * least if they alone moved: that ends lower than Lloyd where clusters have few people. Ends early where it will hardly lead below the best.
 */
export async function descendShortly(assigner: Assigner, best: number): Promise<ShortDescent> {
  let before = await assigner.sse();
  for (let passes = 1; ; passes++) {
    await assigner.prepare({ kind: "descent" });
    await assigner.assign(assigner.everyone);
    await assigner.recentre();
    const cost = await assigner.sse();
    if (isOver(assigner, before - cost, cost, best)) return { cost, passes };
    before = cost;
  }
}

/** Whether the last gain is small: in itself, for what is lacking to the best, or for what is better already. */
function isOver({ k }: Assigner, gained: number, cost: number, best: number): boolean {
  const { gain, hope, hopeless, enough } = tuning.relocation;
  if (gained <= gain * cost) return true;
  if (best === Number.POSITIVE_INFINITY) return false;
  const lacking = cost - best;
  return lacking > hope * gained || lacking > (hopeless / k) * best || -lacking * enough > gained;
}
