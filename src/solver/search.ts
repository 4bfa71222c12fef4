import type { Coordinator } from "./coordinator.js";
import { repair } from "./mending.js";
import { tuning } from "./tuning.js";

export interface Search {
  /** The mean squared distance in score units: the natural scale of prices. */
  readonly unit: number;
  readonly queries: number;
  /** A search goes on, up to so many times as long, while more than a few people are beyond the limits. */
  readonly patience: number;
  readonly few: number;
  /** The first step of a price, in units. */
  readonly step: number;
  /** The part of the tolerance that is left to the moves after the search. */
  readonly reserve: number;
  /** Scores that repairs may look at: more is worth it where people are few, and none on a sample. */
  readonly repairScores: number;
}

/**
 * Searches for prices and leaves the clusters and prices of the best query. Once the search has settled, the people whom
 * a query leaves beyond a limit are moved at its prices, and the query that ends with the least SSE is kept; without
 * repairs it is the one with the best merit, SSE plus what is beyond the limits at its price. Returns whether the
 * clusters that it leaves were mended.
 */
export async function searchPrices(coordinator: Coordinator, search: Search): Promise<boolean> {
  const { unit, queries } = search;
  const every = search.repairScores > 0 ? 1 : tuning.search.measureEvery;
  await coordinator.all((party) => party.restartPrices(search.step * unit, search.reserve));
  let best = Number.POSITIVE_INFINITY;
  let nearest = Number.POSITIVE_INFINITY;
  let promising = Number.POSITIVE_INFINITY;
  const lastRound = coordinator.traffic.rounds + queries + search.repairScores / (coordinator.n * coordinator.k);
  for (let query = 0, excess = 0; query < (excess > search.few ? search.patience : 1) * queries; query++) {
    await coordinator.prepare({ kind: "priced", unit });
    await coordinator.assign(coordinator.everyone);
    // The first half of the queries only leads the prices there, and later ones are much alike: few need be known to stand.
    const isLookedAt = query === 0 || (query >= queries / 2 && (queries - 1 - query) % every === 0);
    if (!isLookedAt) {
      await coordinator.all((party) => party.adjustPrices());
      continue;
    }
    const standing = await coordinator.standing();
    excess = standing.excess;
    const present = await coordinator.cost();
    const merit = present * coordinator.scoreUnit + standing.owed + unit * excess;
    const free = query === 0 && excess === 0 && standing.paid === 0;
    await coordinator.all((party) => party.adjustPrices());
    if (query === 0 && queries > 1 && !free) continue;
    promising = Math.min(promising, merit);
    if (merit > promising * (1 + tuning.search.worthRepairing)) continue;
    const mayRepair = search.repairScores > 0 && coordinator.traffic.rounds < lastRound;
    const kept = mayRepair && (await repair(coordinator, unit, "carefully"));
    const cost = mayRepair ? await coordinator.cost() : present;
    if (kept ? cost < best : best === Number.POSITIVE_INFINITY && merit < nearest) {
      if (kept) best = cost;
      else nearest = merit;
      await coordinator.remember("query");
    }
    if (free) break;
  }
  await coordinator.recall("query");
  return best < Number.POSITIVE_INFINITY;
}
