import type { Move } from "../kernels/rows.js";
import type { Moves, Rule } from "../parties/types.js";
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
const searches = { first: { queries: 100, step: 0.1 }, later: { queries: 30, step: 0.02 } } as const;
/** Queries whose merit is within this of the best one are repaired and compared by what they really cost. */
const worthRepairing = 1e-3;
/**
 * The part of the tolerance that a search leaves to the moves after it, by turns. Where single people are costly (far
 * outliers) the best whole numbers lie on either side of a price, and no one choice finds them on all data.
 */
const rooms = [0.25, 0.5, 0] as const;
/** Scores that the repairs of a search, and the trades of a round, may look at: more is worth it where people are few. */
const effort = { repairs: 2e8, trades: 5e7 } as const;
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
    const search = passes === 0 && !run.warm ? searches.first : searches.later;
    let kept = await searchPrices(coordinator, unit, search, rooms[passes % rooms.length]!);
    passes++;
    if (!kept && run.resettle && best === Number.POSITIVE_INFINITY) {
      const labels = await run.resettle(coordinator);
      kept = labels !== null;
      if (labels) await coordinator.adopt(coordinator.everyone, labels);
    }
    await coordinator.all((party) => party.recentre());
    if (kept) {
      await polish(coordinator, run.block);
      await trade(coordinator);
      await coordinator.all((party) => party.recentre());
    }
    const sse = await coordinator.sse();
    const { excess } = await coordinator.standing(unit);
    const better = kept ? sse < best * (1 - 1e-6) : best === Number.POSITIVE_INFINITY && excess < nearest;
    idle = better ? 0 : idle + 1;
    if (kept ? sse < best : better) {
      if (kept) best = sse;
      else nearest = excess;
      await coordinator.remember("best");
    }
    await run.onPass?.(passes, coordinator);
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
  room: number,
): Promise<boolean> {
  await coordinator.all((party) => party.restartPrices(step * unit, room));
  let best = Number.POSITIVE_INFINITY;
  let nearest = Number.POSITIVE_INFINITY;
  let promising = Number.POSITIVE_INFINITY;
  const lastRound = coordinator.traffic.rounds + queries + effort.repairs / (coordinator.n * coordinator.k);
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
    const kept = coordinator.traffic.rounds < lastRound && (await repair(coordinator, unit));
    const sse = await coordinator.sse();
    if (kept ? sse < best : best === Number.POSITIVE_INFINITY && merit < nearest) {
      if (kept) best = sse;
      else nearest = merit;
      await coordinator.remember("query");
    }
    if (free) break;
  }
  await coordinator.recall("query");
  return best < Number.POSITIVE_INFINITY || repair(coordinator, unit);
}

/** More single moves than this mean that something other than moving people one by one is needed. */
const mostMoves = 2000;

/** Moves people one by one, the cheapest at present prices first, until no limit is broken. False when it gets stuck. */
function repair(coordinator: Coordinator, unit: number): Promise<boolean> {
  return mend(coordinator, { from: unit, to: 2 ** 46 }, mostMoves, (pressure) => ({ kind: "repair", unit, pressure }));
}

/** Moves people one by one under a rule whose pressure on broken limits rises until none is left. */
async function mend(
  coordinator: Coordinator,
  pressures: { readonly from: number; readonly to: number },
  most: number,
  rule: (pressure: number) => Rule,
): Promise<boolean> {
  let pressure = pressures.from;
  for (let moves = 0; moves < most; ) {
    if ((await coordinator.standing(1)).excess === 0) return true;
    await coordinator.prepare(rule(pressure));
    const chosen = apart(await coordinator.bestMoves());
    if (chosen.length > 0) {
      await coordinator.apply(movesOf(chosen));
      moves += chosen.length;
    } else {
      pressure *= 2;
      if (pressure > pressures.to) return false;
    }
  }
  return (await coordinator.standing(1)).excess === 0;
}

/** How many people may lead a trade in a round, and how many moves may mend what a trade breaks. */
const trades = { leaders: 60, mends: 4 } as const;

/**
 * Improves clusters that keep all limits by trades: somebody takes a move that gains although it breaks a limit, and the
 * cheapest other moves mend it. A trade that does not pay is undone, and its leader stays put from then on.
 */
async function trade(coordinator: Coordinator): Promise<void> {
  const lastRound = coordinator.traffic.rounds + effort.trades / (coordinator.n * coordinator.k);
  let best = await coordinator.sse();
  await coordinator.all((party) => party.measure());
  await coordinator.remember("trade");
  for (let leader = 0; leader < trades.leaders && coordinator.traffic.rounds < lastRound; leader++) {
    await coordinator.prepare({ kind: "trade", pressure: 0 });
    const [offer] = await coordinator.bestMoves();
    if (!offer || offer.gap >= 0) break;
    await coordinator.apply(movesOf([offer]));
    // Mending that costs more than the move gained does not pay: no need to press harder.
    const pressures = { from: -2 * offer.gap, to: -8 * offer.gap };
    const kept = await mend(coordinator, pressures, trades.mends, (pressure) => ({ kind: "trade", pressure }));
    const sse = kept ? await coordinator.sse() : Number.POSITIVE_INFINITY;
    if (sse < best) {
      best = sse;
      await coordinator.remember("trade");
    } else {
      await coordinator.recall("trade");
      await coordinator.all((party) => party.pin(offer.row));
    }
  }
  await coordinator.all((party) => party.unpin());
}

/** The gaining moves that share no cluster, cheapest first: what each does to the limits does not depend on the others. */
function apart(moves: readonly Move[]): Move[] {
  const busy = new Set<number>();
  return moves.filter(({ gap, from, cluster }) => {
    if (gap >= 0 || busy.has(from) || busy.has(cluster)) return false;
    busy.add(from).add(cluster);
    return true;
  });
}

function movesOf(moves: readonly Move[]): Moves {
  return { rows: Uint32Array.from(moves, ({ row }) => row), to: Uint16Array.from(moves, ({ cluster }) => cluster) };
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
