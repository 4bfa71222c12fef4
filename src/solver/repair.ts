import type { Move } from "../kernels/best-moves.js";
import type { Range } from "../kernels/rows.js";
import type { Moves, ScoringRule } from "../parties/column-party.js";
import { chosenOf, movesOf } from "../parties/moves.js";
import type { Assigner } from "./assigner.js";
import { affordablePasses, tuning } from "./tuning.js";

/**
 * Moves people until no limit is broken: one by one, the cheapest at present prices first; or, where there are so many, or so many of them
 * beyond a limit, that it hardly matters who moves, whoever loses little. False when it gets stuck.
 */
export async function repair(assigner: Assigner, unit: number, care: boolean | "lean"): Promise<boolean> {
  const { firstPressure, turns, crowd } = tuning.repair;
  const { sampleSize, smallSample, search } = tuning;
  const { n, weight } = assigner;
  const { excess } = await assigner.limitStatus();
  const many = n > (care ? 2 * sampleSize : smallSample - 1);
  const crowded = excess > Math.max(search.misplaced, crowd / n) * weight;
  const flocking = care === "lean" || many || crowded;
  return moveWithinLimits(assigner, {
    excess,
    pressures: { from: flocking ? firstPressure * unit : unit, to: 2 ** 46 },
    turns: 10 * turns,
    rule: (pressure) => ({ kind: "repair", unit, pressure }),
    flocking,
    ...(care === "lean" ? { judgements: tuning.lean.judgements } : {}),
  });
}

interface Repair {
  /** People beyond the limits before it. */
  readonly excess: number;
  readonly pressures: { readonly from: number; readonly to: number };
  readonly turns: number;
  readonly rule: (pressure: number) => ScoringRule;
  /** Whether whoever gains may move at once. */
  readonly flocking: boolean;
  /** Times that those who would move at once are judged again, at most. */
  readonly judgements?: number;
}

/**
 * For clusters in which every single move that helps one limit breaks another: moves people one by one, and whenever nobody would move,
 * the limits that are still broken count for more (the breakout method). Takes as many turns as an improvement may have passes. False when that is not enough.
 */
export async function breakOut(assigner: Assigner, unit: number): Promise<boolean> {
  const most = affordablePasses(assigner, 10 * tuning.repair.turns);
  let excess = (await assigner.limitStatus()).excess;
  for (let turn = 0; turn < most && excess > 0; turn++) {
    await assigner.prepare({ kind: "repair", unit, pressure: unit });
    const moves = disjointMoves(await assigner.bestMoves());
    if (moves.length === 0) await assigner.columns.insist("more");
    else await assigner.apply(movesOf(moves));
    excess = (await assigner.limitStatus()).excess;
  }
  await assigner.columns.insist("alike");
  return excess === 0;
}

/** Moves people under a rule whose pressure on broken limits rises until none is left. False when it gets stuck. */
async function moveWithinLimits(
  assigner: Assigner,
  { excess: first, pressures, turns, rule, flocking, judgements }: Repair,
): Promise<boolean> {
  const { turns: turnsWithoutGain, firstPressure, stalled } = tuning.repair;
  let pressure = pressures.from;
  let excess = first;
  let together = flocking;
  let [least, since] = [excess, 0];
  for (let turn = 0; turn < turns && since < turnsWithoutGain && excess > 0; turn++) {
    await assigner.prepare(rule(pressure));
    let chosen = together ? await flock(assigner, excess, turn, judgements) : undefined;
    if (!chosen?.rows.length) chosen = await cheapest(assigner, excess);
    const higher = pressure * (together ? 4 : 2);
    if (chosen.rows.length === 0) {
      pressure = higher;
      if (pressure > pressures.to) return false;
      continue;
    }
    await assigner.apply(chosen);
    const before = excess;
    excess = (await assigner.limitStatus()).excess;
    since = excess < least ? 0 : since + 1;
    least = Math.min(least, excess);
    if (!flocking || excess <= stalled * before) continue;
    // Under low pressure people may go round in circles, each move gaining a little and helping nobody. Under high pressure
    // many do when few are beyond the limits: from here on it matters who moves.
    pressure = Math.min(higher, pressures.to);
    together &&= firstPressure * pressure <= pressures.from;
  }
  return excess === 0;
}

/**
 * Whoever gains under the present rule, and brings people back within the limits. The parts of very many people are asked
 * by turns: a few movers from each part are better than many from all, since each turn sees what the last one did.
 */
async function flock(assigner: Assigner, excess: number, turn: number, judgements?: number): Promise<Moves> {
  const { n } = assigner;
  const { asked, stretches } = tuning.repair;
  const parts = Math.max(1, Math.min(stretches, Math.floor(n / tuning.sampleSize)));
  let chosen: Moves | undefined;
  for (let tried = 0; tried < parts && !chosen?.rows.length; tried++) {
    const gaining = await assigner.propose(...partOf(n, parts, (turn + tried) % parts));
    const every = Math.floor(gaining.rows.length / Math.max(asked, excess));
    chosen = await assigner.helpful(
      every > 1 ? chosenOf(gaining, (index) => index % every === 0) : gaining,
      judgements,
    );
  }
  return chosen!;
}

function partOf(n: number, parts: number, which: number): Range[] {
  if (parts === 1) return [{ from: 0, to: n }];
  const partPlaces = tuning.repair.stretches;
  const end = (number: number) => Math.floor((n * number) / (parts * partPlaces));
  return Array.from({ length: partPlaces }, (_, place) => {
    const number = place * parts + which;
    return { from: end(number), to: end(number + 1) };
  });
}

/** Who gains most under the present rule: some who bring people back within the limits, or one for each pair of clusters. */
async function cheapest(assigner: Assigner, excess: number): Promise<Moves> {
  const crowded = excess > 4 * Math.min(assigner.k, 4);
  const offers = await assigner.bestMoves(crowded ? stretchesFor(assigner, excess) : 1);
  // What an atom does to the limits depends on what it weighs, which the offsets of its kind do not know.
  const judged = crowded || assigner.columns.weights !== undefined;
  const together = judged ? await assigner.helpful(movesOf(offers)) : undefined;
  return together?.rows.length ? together : movesOf(disjointMoves(offers));
}

/** Of what a stretch offers about k moves help: more stretches than that takes would only be looked at for nothing. */
function stretchesFor({ k }: Assigner, excess: number): number {
  return Math.max(1, Math.min(tuning.repair.stretches, Math.ceil(excess / k)));
}

/**
 * Improves clusters that keep all limits by trades: somebody takes a move that gains although it breaks a limit, and the
 * cheapest other moves repair it. A trade that does not pay is undone, and its leader stays put from then on.
 */
export async function trade(assigner: Assigner): Promise<void> {
  const { repairs, failures } = tuning.trade;
  const rounds = affordablePasses(assigner, Number.POSITIVE_INFINITY);
  if (rounds < repairs) return;
  const lastRound = assigner.traffic.rounds + rounds;
  let best = await assigner.cost();
  await assigner.columns.measure("rough");
  await assigner.remember("trade");
  let fails = 0;
  while (fails < failures && assigner.traffic.rounds < lastRound) {
    await assigner.prepare({ kind: "trade", pressure: 0 });
    const [offer] = await assigner.bestMoves();
    if (!offer) break;
    await assigner.apply(movesOf([offer]));
    // A repair that costs more than the move gained does not pay: no need to press harder.
    const gained = (best - (await assigner.cost())) * assigner.scoreUnit;
    const kept =
      gained > 0 &&
      (await moveWithinLimits(assigner, {
        excess: (await assigner.limitStatus()).excess,
        pressures: { from: 2 * gained, to: 8 * gained },
        turns: repairs,
        rule: (pressure) => ({ kind: "trade", pressure }),
        flocking: false,
      }));
    const cost = kept ? await assigner.cost() : Number.POSITIVE_INFINITY;
    if (cost < best) {
      best = cost;
      fails = 0;
      await assigner.remember("trade");
    } else {
      fails++;
      await assigner.recall("trade");
      await assigner.columns.pin(offer.row);
    }
  }
  await assigner.columns.unpin();
}

/** The moves that share no cluster, cheapest first: what each does to the limits does not depend on the others. */
export function disjointMoves(moves: readonly Move[]): Move[] {
  const busy = new Set<number>();
  return moves.filter(({ from, cluster }) => {
    if (busy.has(from) || busy.has(cluster)) return false;
    busy.add(from).add(cluster);
    return true;
  });
}
