import type { Assigner } from "./assigner.js";
import { lloyd } from "./lloyd.js";
import { searchPrices } from "./price-search.js";
import { tuning } from "./tuning.js";

/** From the present clusters to what they nearly lead to: its cost, and the passes that it took. Ends early where it will hardly lead below the best. */
export type ShortDescent = (
  assigner: Assigner,
  best: number,
) => Promise<{ readonly cost: number; readonly passes: number }>;

/** Lloyd passes. */
export const byLloyd: ShortDescent = async (assigner, best) => {
  let before = await assigner.sse();
  for (let passes = 1; ; passes++) {
    await lloyd(assigner, 1);
    await assigner.recentre();
    const cost = await assigner.sse();
    if (isOver(assigner, before - cost, cost, best, tuning.relocation.gain)) return { cost, passes };
    before = cost;
  }
};

/** Rounds of a search for prices and of means, with promises. People beyond a limit count as much as moving them might cost. */
export const byPrices: ShortDescent = async (assigner, best) => {
  const { queries, step, toleranceReserve } = tuning.search;
  const { rounds } = assigner.traffic;
  let before = Number.POSITIVE_INFINITY;
  let which: "first" | "later" = best === Number.POSITIVE_INFINITY ? "first" : "later";
  for (;;) {
    await assigner.columns.measure("rough");
    const unit = await assigner.unit();
    const search = { queries: queries[which], step: step[which], reserve: toleranceReserve[0] };
    await searchPrices(assigner, { ...search, unit, repairs: false });
    await assigner.recentre();
    const { penalty, excess } = await assigner.limitStatus();
    const cost = (await assigner.cost()) + (penalty + unit * excess) / assigner.scoreUnit;
    if (isOver(assigner, before - cost, cost, best, tuning.convergence.rough)) {
      return { cost, passes: assigner.traffic.rounds - rounds };
    }
    before = cost;
    which = "later";
  }
};

/** Whether the last gain is small: in itself, for what is lacking to the best, or for what is better already. */
function isOver({ k }: Assigner, gained: number, cost: number, best: number, gain: number): boolean {
  if (gained <= gain * cost) return true;
  if (best === Number.POSITIVE_INFINITY) return false;
  const { hope, hopeless, enough } = tuning.relocation;
  const lacking = cost - best;
  return lacking > hope * gained || lacking > (hopeless / k) * best || -lacking * enough > gained;
}
