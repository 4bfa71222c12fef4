import type { Assigner } from "./assigner.js";
import { repair } from "./repair.js";
import { affordablePasses, tuning } from "./tuning.js";

export interface PriceSearch {
  /** The mean squared distance in score units: the natural scale of prices. */
  readonly unit: number;
  readonly queries: number;
  /** The first step of a price, in units. */
  readonly step: number;
  /** The part of the tolerance that is left to the moves after the search. */
  readonly reserve: number;
  /** Whether assignments are repaired before they are compared: worth its time on the last rounds over everybody. */
  readonly repairs: boolean;
}

/**
 * Searches for prices and leaves the clusters and prices of the best query. Once the search has settled, the people whom
 * a query leaves beyond a limit are moved at its prices, and the query that ends with the least SSE is kept; without
 * repairs it is the one with the best merit, SSE plus what is beyond the limits at its price. Returns whether the
 * clusters that it leaves were repaired.
 */
export async function searchPrices(assigner: Assigner, search: PriceSearch): Promise<boolean> {
  const { unit, queries } = search;
  const { patience, misplaced } = tuning.search;
  const every = search.repairs ? 1 : tuning.search.measureEvery;
  await assigner.columns.restartPrices(search.step * unit, search.reserve);
  let best = Number.POSITIVE_INFINITY;
  let nearest = Number.POSITIVE_INFINITY;
  let promising = Number.POSITIVE_INFINITY;
  const lastRound = assigner.traffic.rounds + queries + affordablePasses(assigner, Number.POSITIVE_INFINITY);
  for (let query = 0, excess = 0; query < (excess > misplaced * assigner.weight ? patience : 1) * queries; query++) {
    await assigner.prepare({ kind: "priced", unit });
    await assigner.assign(assigner.everyone);
    // The first half of the queries only leads the prices there, and later ones are much alike: few need be known to stand.
    const isLookedAt = query === 0 || (query >= queries / 2 && (queries - 1 - query) % every === 0);
    if (!isLookedAt) {
      await assigner.columns.adjustPrices();
      continue;
    }
    const status = await assigner.limitStatus();
    excess = status.excess;
    const present = await assigner.cost();
    const merit = present * assigner.scoreUnit + status.penalty + unit * excess;
    const free = query === 0 && excess === 0 && status.maxPrice === 0;
    await assigner.columns.adjustPrices();
    if (query === 0 && queries > 1 && !free) continue;
    promising = Math.min(promising, merit);
    if (merit > promising * (1 + tuning.convergence.rough)) continue;
    const mayRepair = search.repairs && assigner.traffic.rounds < lastRound;
    const kept = mayRepair && (await repair(assigner, unit, true));
    const cost = mayRepair ? await assigner.cost() : present;
    if (kept ? cost < best : best === Number.POSITIVE_INFINITY && merit < nearest) {
      if (kept) best = cost;
      else nearest = merit;
      await assigner.remember("query");
    }
    if (free) break;
  }
  await assigner.recall("query");
  return best < Number.POSITIVE_INFINITY;
}
