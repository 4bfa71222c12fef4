import { blocks } from "./blocks.js";
import type { Coordinator } from "./coordinator.js";
import type { OnPass, Outcome } from "./lloyd.js";

export interface FairRun {
  readonly block: number;
  readonly maxPasses: number;
  /** Centres and prices come from a sample of the same people. */
  readonly warm: boolean;
  readonly onPass?: OnPass;
  /** The last resort where moving single people gets stuck: labels that keep all limits, or null. */
  readonly resettle?: (coordinator: Coordinator) => Promise<Uint16Array | null>;
}

/** Queries for prices: the first search goes far, the later ones start from good prices. */
const searches = { first: { queries: Number(process.env.Q1 ?? 100), step: 0.1 }, later: { queries: Number(process.env.Q2 ?? 30), step: Number(process.env.S2 ?? 0.02) } } as const;
/** Queries whose merit is within this of the best one are repaired and compared by what they really cost. */
const worthRepairing = Number(process.env.WORTH ?? 1e-3);
const polishPasses = 5;
/** Rounds without a better result after which the descent ends. */
const patience = 3;

/**
 * Clusters that keep all limits at the least SSE, from centres that exist. Each round solves the fair assignment at fixed
 * centres by prices, moves the few people who are still beyond a limit, improves what can be improved without breaking
 * one, and takes the means. Everything that is decided about a person is an argmin.
 * Ends with the best clusters that keep all limits; when there are none, with the ones that come nearest.
 */
export async function fairDescent(coordinator: Coordinator, run: FairRun): Promise<Outcome> {
  let best = Number.POSITIVE_INFINITY;
  let nearest = Number.POSITIVE_INFINITY;
  let idle = 0;
  let passes = 0;
  while (passes < run.maxPasses && idle < patience) {
    const unit = await meanDistance(coordinator);
    await coordinator.all((party) => party.measure());
    let kept = await searchPrices(coordinator, unit, passes === 0 && !run.warm ? searches.first : searches.later);
    passes++;
    if (!kept && run.resettle && best === Number.POSITIVE_INFINITY) {
      const labels = await run.resettle(coordinator);
      kept = labels !== null;
      if (labels) await coordinator.adopt(coordinator.everyone, labels);
    }
    await coordinator.all((party) => party.recentre());
    if (kept) await polish(coordinator, run.block);
    const sse = await coordinator.sse();
    const { excess } = await coordinator.standing(unit);
    const better = kept ? sse < best * (1 - 1e-6) : best === Number.POSITIVE_INFINITY && excess < nearest;
    idle = better ? 0 : idle + 1;
    if (kept ? sse < best : better) {
      if (kept) best = sse;
      else nearest = excess;
      await coordinator.remember("best");
    }
    await run.onPass?.(passes);
  }
  await coordinator.recall("best");
  return { passes, converged: idle >= patience };
}

/** The mean squared distance, in score units: the natural scale of prices. */
async function meanDistance(coordinator: Coordinator): Promise<number> {
  return Math.max(1, ((await coordinator.sse()) / coordinator.n) * coordinator.scoreUnit);
}

/**
 * Searches for prices and leaves the best clusters found on the way. Once the search has settled, the people whom a query
 * leaves beyond a limit are moved at its prices, and the query that ends with the least SSE is kept. False when none
 * could be mended: then the one that comes nearest is left.
 */
async function searchPrices(
  coordinator: Coordinator,
  unit: number,
  { queries, step }: { queries: number; step: number },
): Promise<boolean> {
  await coordinator.all((party) => party.restartPrices(step * unit));
  let best = Number.POSITIVE_INFINITY;
  let nearest = Number.POSITIVE_INFINITY;
  let promising = Number.POSITIVE_INFINITY;
  for (let query = 0; query < queries; query++) {
    await coordinator.prepare({ kind: "priced", unit });
    await coordinator.assign(coordinator.everyone);
    const standing = await coordinator.standing(unit);
    const merit = (await coordinator.sse()) * coordinator.scoreUnit + standing.penalty;
    const free = query === 0 && standing.excess === 0 && standing.paid === 0;
    await coordinator.all((party) => party.adjustPrices());
    if (query < queries / 2 && !free) continue;
    promising = Math.min(promising, merit);
    if (merit > promising * (1 + worthRepairing)) continue;
    const kept = await repair(coordinator, unit);
    const sse = await coordinator.sse();
    if (kept ? sse < best : best === Number.POSITIVE_INFINITY && merit < nearest) {
      if (kept) best = sse;
      else nearest = merit;
      await coordinator.remember("query");
    }
    if (free) break;
  }
  await coordinator.recall("query");
  return best < Number.POSITIVE_INFINITY;
}

/** More single moves than this mean that something other than moving people one by one is needed. */
const mostMoves = 2000;

/** Moves people one by one, the cheapest at present prices first, until no limit is broken. False when it gets stuck. */
async function repair(coordinator: Coordinator, unit: number): Promise<boolean> {
  let pressure = unit;
  for (let moves = 0; moves < mostMoves; ) {
    if ((await coordinator.standing(unit)).excess === 0) return true;
    await coordinator.prepare({ kind: "repair", unit, pressure });
    const { gap, row, cluster } = await coordinator.bestMove();
    if (gap < 0) {
      await coordinator.apply({ rows: Uint32Array.of(row), to: Uint16Array.of(cluster) });
      moves++;
    } else {
      pressure *= 2;
      if (pressure > 2 ** 46) return false;
    }
  }
  return false;
}

/** Coordinate descent in which nobody may break a limit. */
async function polish(coordinator: Coordinator, block: number): Promise<void> {
  let best = await coordinator.sse();
  for (let pass = 0; pass < polishPasses; pass++) {
    await coordinator.remember("polish");
    let moved = 0;
    for (const range of blocks(block, coordinator.n)) {
      await coordinator.prepare({ kind: "polish" });
      const moves = await coordinator.permitted(await coordinator.propose(range));
      if (moves.rows.length === 0) continue;
      moved += moves.rows.length;
      await coordinator.apply(moves);
      await coordinator.all((party) => party.recentre());
    }
    if (moved === 0) return;
    const sse = await coordinator.sse();
    if (sse >= best) return coordinator.recall("polish");
    best = sse;
  }
}
