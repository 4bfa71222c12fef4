import type { Move } from "../kernels/moves.js";
import { movesOf } from "../parties/moves.js";
import type { Rule } from "../parties/types.js";
import type { Coordinator } from "./coordinator.js";

/** More turns than this, or more scores to look at, mean that something other than moving single people is needed. */
const mostTurns = 2000;
const mostScores = 1e10;

/** Among so many people moves that cost next to nothing are found, and low pressure leaves most people settled. */
const many = 131_072;
/** A turn among them that leaves more than this part of what was beyond the limits has not helped. */
const stalled = 0.7;

/** Moves people one by one, the cheapest at present prices first, until no limit is broken. False when it gets stuck. */
export function repair(coordinator: Coordinator, unit: number): Promise<boolean> {
  const from = coordinator.n > many ? unit / 64 : unit;
  const turns = Math.min(mostTurns, Math.max(200, Math.floor(mostScores / (coordinator.n * coordinator.k))));
  return mend(coordinator, { from, to: 2 ** 46 }, turns, (pressure) => ({ kind: "repair", unit, pressure }));
}

/** Where many are beyond a limit, each of several stretches of the people names its cheapest moves: so many in all. */
const mostOffers = 20_000;
/** More people beyond the limits than this, for each cluster up to as many, are moved many at once. */
const crowd = 4;

/**
 * Moves people under a rule whose pressure on broken limits rises until none is left: the cheapest first, and several at
 * once while many are beyond a limit. False when it gets stuck.
 */
async function mend(
  coordinator: Coordinator,
  pressures: { readonly from: number; readonly to: number },
  turns: number,
  rule: (pressure: number) => Rule,
): Promise<boolean> {
  let pressure = pressures.from;
  const most = { stretches: Math.max(64, coordinator.n / 2048), offers: Math.floor(mostOffers / coordinator.k ** 2) };
  // Of what a stretch offers about k moves help: more stretches than that takes would only be looked at for nothing.
  const stretchesFor = (people: number) =>
    Math.max(1, Math.min(most.stretches, most.offers, Math.ceil(people / coordinator.k)));
  let excess = (await coordinator.standing()).excess;
  for (let turn = 0; turn < turns && excess > 0; turn++) {
    await coordinator.prepare(rule(pressure));
    const crowded = coordinator.n > many || excess > crowd * Math.min(coordinator.k, crowd);
    const offers = await coordinator.bestMoves(crowded ? stretchesFor(excess) : 1);
    const together = crowded ? await coordinator.helpful(offers) : [];
    const chosen = together.length > 0 ? together : apart(offers);
    if (chosen.length === 0) {
      pressure *= 2;
      if (pressure > pressures.to) return false;
      continue;
    }
    await coordinator.apply(movesOf(chosen));
    const before = excess;
    excess = (await coordinator.standing()).excess;
    // Under low pressure people may go round in circles, each move gaining a little and helping nobody.
    if (coordinator.n > many && excess > stalled * before) pressure = Math.min(pressure * 2, pressures.to);
  }
  return excess === 0;
}

/** Scores that the trades of a round may look at: more is worth it where people are few. */
const tradeEffort = 5e7;
/** How many people may lead a trade in a round, how many in a row for nothing, and how many moves may mend what one breaks. */
const trades = { leaders: 60, mends: 4, fails: 12 } as const;

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
  let fails = 0;
  for (
    let leader = 0;
    leader < trades.leaders && fails < trades.fails && coordinator.traffic.rounds < lastRound;
    leader++
  ) {
    await coordinator.prepare({ kind: "trade", pressure: 0 });
    const [offer] = await coordinator.bestMoves();
    if (!offer) break;
    await coordinator.apply(movesOf([offer]));
    // Mending that costs more than the move gained does not pay: no need to press harder.
    const gained = (best - (await coordinator.cost())) * coordinator.scoreUnit;
    const pressures = { from: 2 * gained, to: 8 * gained };
    const kept =
      gained > 0 && (await mend(coordinator, pressures, trades.mends, (pressure) => ({ kind: "trade", pressure })));
    const cost = kept ? await coordinator.cost() : Number.POSITIVE_INFINITY;
    if (cost < best) {
      best = cost;
      fails = 0;
      await coordinator.remember("trade");
    } else {
      fails++;
      await coordinator.recall("trade");
      await coordinator.all((party) => party.pin(offer.row));
    }
  }
  await coordinator.all((party) => party.unpin());
}

/** The moves that share no cluster, cheapest first: what each does to the limits does not depend on the others. */
export function apart(moves: readonly Move[]): Move[] {
  const busy = new Set<number>();
  return moves.filter(({ from, cluster }) => {
    if (busy.has(from) || busy.has(cluster)) return false;
    busy.add(from).add(cluster);
    return true;
  });
}
