import type { Move } from "../kernels/moves.js";
import type { Range } from "../kernels/rows.js";
import { chosenOf, movesOf } from "../parties/moves.js";
import type { Moves, Rule } from "../parties/types.js";
import type { Coordinator } from "./coordinator.js";

/** More turns than this, in all or for nothing, or more scores to look at: something other than single moves is needed. */
const most = { turns: 2000, fruitless: 200, scores: 1e10 } as const;

/** Among more people than this many moves cost next to nothing, and any of them will do; with care, among more still. */
const many = { hastily: 4096, carefully: 131_072 } as const;

/**
 * Moves people until no limit is broken: one by one, the cheapest at present prices first; or, where there are so many
 * that it hardly matters who moves, whoever loses little. False when it gets stuck.
 */
export function repair(coordinator: Coordinator, unit: number, manner: keyof typeof many): Promise<boolean> {
  const { n, k } = coordinator;
  const flocking = n > many[manner];
  return mend(coordinator, {
    pressures: { from: flocking ? unit / 64 : unit, to: 2 ** 46 },
    turns: Math.min(most.turns, Math.max(200, Math.floor(most.scores / (n * k)))),
    rule: (pressure) => ({ kind: "repair", unit, pressure }),
    flocking,
  });
}

/** Where many are beyond a limit, each of several stretches of the people names its cheapest moves: so many in all. */
const mostOffers = 20_000;
/** More people beyond the limits than this, for each cluster up to as many, are moved many at once. */
const crowd = 4;

/** A turn that leaves more than this part of what was beyond the limits has not helped. */
const stalled = 0.7;
/** Under more than so many times the first pressure whoever gains may no longer move at once. */
const patient = 64;

interface Mending {
  readonly pressures: { readonly from: number; readonly to: number };
  readonly turns: number;
  readonly rule: (pressure: number) => Rule;
  /** Whether whoever gains may move at once. */
  readonly flocking: boolean;
}

/** Moves people under a rule whose pressure on broken limits rises until none is left. False when it gets stuck. */
async function mend(coordinator: Coordinator, { pressures, turns, rule, flocking }: Mending): Promise<boolean> {
  let pressure = pressures.from;
  let excess = (await coordinator.standing()).excess;
  let together = flocking;
  let [least, since] = [excess, 0];
  for (let turn = 0; turn < turns && since < most.fruitless && excess > 0; turn++) {
    await coordinator.prepare(rule(pressure));
    let chosen = together ? await flock(coordinator, excess, turn) : undefined;
    if (!chosen?.rows.length) chosen = await cheapest(coordinator, excess);
    const higher = pressure * (together ? 4 : 2);
    if (chosen.rows.length === 0) {
      pressure = higher;
      if (pressure > pressures.to) return false;
      continue;
    }
    await coordinator.apply(chosen);
    const before = excess;
    excess = (await coordinator.standing()).excess;
    since = excess < least ? 0 : since + 1;
    least = Math.min(least, excess);
    if (!flocking || excess <= stalled * before) continue;
    // Under low pressure people may go round in circles, each move gaining a little and helping nobody. Under high pressure
    // many do when few are beyond the limits: from here on it matters who moves.
    pressure = Math.min(higher, pressures.to);
    together &&= pressure <= patient * pressures.from;
  }
  return excess === 0;
}

/** So many for each who is beyond a limit, and at least so many, are asked to move at once. */
const asked = { each: 4, least: 1024 } as const;
/**
 * Among very many people only a part of them is asked in a turn: no fewer than so many, by so many turns at most; from so
 * many places, since neighbours may be alike.
 */
const part = { least: 65_536, most: 16, places: 16 } as const;

/**
 * Whoever gains under the present rule, and brings people back within the limits. The parts of very many people are asked
 * by turns: a few movers from each part are better than many from all, since each turn sees what the last one did.
 */
async function flock(coordinator: Coordinator, excess: number, turn: number): Promise<Moves> {
  const { n } = coordinator;
  const parts = Math.max(1, Math.min(part.most, Math.floor(n / part.least)));
  let chosen: Moves | undefined;
  for (let tried = 0; tried < parts && !chosen?.rows.length; tried++) {
    const gaining = await coordinator.propose(...partOf(n, parts, (turn + tried) % parts));
    const every = Math.floor(gaining.rows.length / Math.max(asked.least, asked.each * excess));
    chosen = await coordinator.helpful(every > 1 ? chosenOf(gaining, (index) => index % every === 0) : gaining);
  }
  return chosen!;
}

function partOf(n: number, parts: number, which: number): Range[] {
  if (parts === 1) return [{ from: 0, to: n }];
  const end = (number: number) => Math.floor((n * number) / (parts * part.places));
  return Array.from({ length: part.places }, (_, place) => {
    const number = place * parts + which;
    return { from: end(number), to: end(number + 1) };
  });
}

/** Who gains most under the present rule: some who bring people back within the limits, or one for each pair of clusters. */
async function cheapest(coordinator: Coordinator, excess: number): Promise<Moves> {
  const crowded = excess > crowd * Math.min(coordinator.k, crowd);
  const offers = await coordinator.bestMoves(crowded ? stretchesFor(coordinator, excess) : 1);
  const together = crowded ? await coordinator.helpful(movesOf(offers)) : undefined;
  return together?.rows.length ? together : movesOf(apart(offers));
}

/** Of what a stretch offers about k moves help: more stretches than that takes would only be looked at for nothing. */
function stretchesFor({ n, k }: Coordinator, excess: number): number {
  const reach = Math.min(Math.max(64, n / 2048), Math.floor(mostOffers / k ** 2));
  return Math.max(1, Math.min(reach, Math.ceil(excess / k)));
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
    const kept =
      gained > 0 &&
      (await mend(coordinator, {
        pressures: { from: 2 * gained, to: 8 * gained },
        turns: trades.mends,
        rule: (pressure) => ({ kind: "trade", pressure }),
        flocking: false,
      }));
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
