import type { Move } from "../kernels/rows.js";
import type { Moves, Rule } from "../parties/types.js";
import type { Coordinator } from "./coordinator.js";

/** More single moves than this mean that something other than moving people one by one is needed. */
const mostMoves = 2000;

/** Moves people one by one, the cheapest at present prices first, until no limit is broken. False when it gets stuck. */
export function repair(coordinator: Coordinator, unit: number): Promise<boolean> {
  return mend(coordinator, { from: unit, to: 2 ** 46 }, mostMoves, (pressure) => ({ kind: "repair", unit, pressure }));
}

/** Where many are beyond a limit, each of several stretches of the people names its cheapest moves: so many moves in all. */
const mostOffers = 20_000;

/**
 * Moves people under a rule whose pressure on broken limits rises until none is left: the cheapest first, and several at
 * once while many are beyond a limit, as long as that helps. False when it gets stuck.
 */
async function mend(
  coordinator: Coordinator,
  pressures: { readonly from: number; readonly to: number },
  most: number,
  rule: (pressure: number) => Rule,
): Promise<boolean> {
  let pressure = pressures.from;
  const crowd = Math.min(coordinator.k, 16);
  const stretches = Math.max(1, Math.min(64, Math.floor(mostOffers / coordinator.k ** 2)));
  let share = 1 / 4;
  let excess = (await coordinator.standing(1)).excess;
  for (let moves = 0; moves < most && excess > 0; ) {
    await coordinator.prepare(rule(pressure));
    const together = Math.floor(excess * share);
    const offers = await coordinator.bestMoves(together > crowd ? stretches : 1);
    const chosen = together > crowd ? offers.filter(({ gap }) => gap < 0).slice(0, together) : apart(offers);
    if (chosen.length === 0) {
      pressure *= 2;
      if (pressure > pressures.to) return false;
      continue;
    }
    await coordinator.apply(movesOf(chosen));
    const left = (await coordinator.standing(1)).excess;
    if (together > crowd && left > excess - chosen.length / 8) {
      // Too many for the same place: back, and fewer next time.
      await coordinator.apply(movesOf(chosen.map((move) => ({ ...move, cluster: move.from }))));
      share /= 4;
    } else {
      excess = left;
      moves++;
    }
  }
  return excess === 0;
}

/** Scores that the trades of a round may look at: more is worth it where people are few. */
const tradeEffort = 5e7;
/** How many people may lead a trade in a round, and how many moves may mend what a trade breaks. */
const trades = { leaders: 60, mends: 4 } as const;

/**
 * Improves clusters that keep all limits by trades: somebody takes a move that gains although it breaks a limit, and the
 * cheapest other moves mend it. A trade that does not pay is undone, and its leader stays put from then on.
 */
export async function trade(coordinator: Coordinator): Promise<void> {
  const lastRound = coordinator.traffic.rounds + tradeEffort / (coordinator.n * coordinator.k);
  if (lastRound < coordinator.traffic.rounds + trades.mends) return;
  let best = await coordinator.cost();
  await coordinator.measure("exact");
  await coordinator.remember("trade");
  for (let leader = 0; leader < trades.leaders && coordinator.traffic.rounds < lastRound; leader++) {
    await coordinator.prepare({ kind: "trade", pressure: 0 });
    const [offer] = await coordinator.bestMoves();
    if (!offer || offer.gap >= 0) break;
    await coordinator.apply(movesOf([offer]));
    // Mending that costs more than the move gained does not pay: no need to press harder.
    const pressures = { from: -2 * offer.gap, to: -8 * offer.gap };
    const kept = await mend(coordinator, pressures, trades.mends, (pressure) => ({ kind: "trade", pressure }));
    const cost = kept ? await coordinator.cost() : Number.POSITIVE_INFINITY;
    if (cost < best) {
      best = cost;
      await coordinator.remember("trade");
    } else {
      await coordinator.recall("trade");
      await coordinator.all((party) => party.pin(offer.row));
    }
  }
  await coordinator.all((party) => party.unpin());
}

/** The gaining moves that share no cluster, cheapest first: what each does to the limits does not depend on the others. */
export function apart(moves: readonly Move[]): Move[] {
  const busy = new Set<number>();
  return moves.filter(({ gap, from, cluster }) => {
    if (gap >= 0 || busy.has(from) || busy.has(cluster)) return false;
    busy.add(from).add(cluster);
    return true;
  });
}

export function movesOf(moves: readonly Move[]): Moves {
  return { rows: Uint32Array.from(moves, ({ row }) => row), to: Uint16Array.from(moves, ({ cluster }) => cluster) };
}
