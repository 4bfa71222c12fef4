import type { LimitBook } from "../parties/limit-book.js";
import type { Thresholds } from "../parties/row-clusters.js";
import type { PricedPeople } from "./priced-assignment.js";
import type { Transfer } from "./row-transfers.js";
import { rowTuning } from "./row-tuning.js";

/** With more different moves than this they are all priced alike: the fewest are made. */
const pricedMoves = 200_000;
/** More single moves than this call for the integer program. */
const mostSteps = 5000;

/** [patterns][k] */
export type CountsInClusters = Int32Array | Float64Array;

/** What it costs to move the next person of a pattern from one cluster to another, after so many have gone. */
export type NextMoveCost = (pattern: number, from: number, to: number, gone: number) => number;

/** What is known of moves at the present prices. */
export interface KnownMoves {
  readonly cost: NextMoveCost;
  /** Fewer people than these are below the least of these gaps, and as many below a gap that is less than the most. */
  within(move: number, people: number): { readonly least: number; readonly most: number };
}

/** Some moves, (pattern * k + from) * k + to, and how many people are below some gaps of each, [moves][edges]. */
export interface CountedMoves {
  readonly moves: Uint32Array;
  /** In units, ascending. */
  readonly edges: readonly number[];
  readonly gaps: Float64Array;
  readonly counts: Float64Array;
}

/** The gaps of squared distances below which people would make a move if it cost so many units less than staying, at these offsets. */
export function gapsOf(
  moves: Uint32Array,
  edges: readonly number[],
  { k, offsets, unit }: { readonly k: number; readonly offsets: Float64Array; readonly unit: number },
): Thresholds {
  const gaps = new Float64Array(moves.length * edges.length);
  moves.forEach((move, at) => {
    const from = Math.floor(move / k);
    const paid = offsets[Math.floor(from / k) * k + (move % k)] - offsets[from];
    edges.forEach((edge, step) => {
      gaps[at * edges.length + step] = Math.round(edge * unit - paid);
    });
  });
  return { moves, gaps, persons: new Float64Array(gaps.length).fill(Number.MAX_SAFE_INTEGER) };
}

/** All moves out of clusters in which there are people of a pattern. */
export function movesFrom(current: CountsInClusters, k: number): Uint32Array {
  const moves: number[] = [];
  current.forEach((count, cell) => {
    for (let to = 0; count > 0 && to < k; to++) if (to !== cell % k) moves.push(cell * k + to);
  });
  return Uint32Array.from(moves);
}

/** Asks for the prices of moves. */
export async function priceMoves(
  people: Pick<PricedPeople, "k" | "below" | "farthest" | "isFarthest">,
  current: CountsInClusters,
  offsets: Float64Array,
  unit: number,
): Promise<KnownMoves> {
  const { k, farthest } = people;
  const { doublings } = rowTuning;
  const needed = people.isFarthest ? Math.ceil(Math.log2(Math.max(1, people.farthest / unit))) : 0;
  const steps = doublings + 1 + Math.max(doublings, needed);
  const edges = Array.from({ length: steps }, (_, step) => 2 ** (step - doublings));
  const moves = movesFrom(current, k);
  if (moves.length > pricedMoves) return { cost: () => 1, within: () => ({ least: -farthest, most: farthest }) };
  const thresholds = gapsOf(moves, edges, { k, offsets, unit });
  return pricesOf({ ...thresholds, edges, counts: await people.below(thresholds) }, people);
}

/**
 * What moves cost at the present prices, in mean squared distances: for the next person the smallest gap below which
 * there are more people than have gone. Only counts of people below some gaps are known.
 */
export function pricesOf(
  { moves, edges, gaps, counts }: CountedMoves,
  { k, farthest }: Pick<PricedPeople, "k" | "farthest">,
): KnownMoves {
  const place = new Map(Array.from(moves, (move, at) => [move, at * edges.length]));
  const first = (at: number, enough: (count: number) => boolean) =>
    edges.findIndex((_, step) => enough(counts[at + step]));
  return {
    cost: (pattern, from, to, gone) => {
      const at = place.get((pattern * k + from) * k + to);
      const step = at === undefined ? -1 : first(at, (count) => count > gone);
      return step < 0 ? 2 * edges[edges.length - 1] : edges[step];
    },
    within: (move, wanted) => {
      const at = place.get(move);
      if (at === undefined) return { least: -farthest, most: farthest };
      const step = first(at, (count) => count >= wanted);
      const last = step < 0 ? edges.length : step;
      return {
        least: last === 0 ? -farthest : Math.max(-farthest, gaps[at + last - 1]),
        most: step < 0 ? farthest : Math.min(farthest, gaps[at + step] + 1),
      };
    },
  };
}

/**
 * Moves people on paper, one by one, the cheapest first, until no limit is broken: priced cost plus a pressure on what is
 * beyond the limits, which rises while nothing helps. Null when it gets stuck. Where people have weights, so much moves at once as
 * one of them weighs, and no more than is `movable` of each cell.
 */
export function repairCounts(
  current: CountsInClusters,
  k: number,
  book: LimitBook,
  cost: NextMoveCost,
  weights?: { readonly typical: number; readonly movable: Float64Array },
): Float64Array | null {
  const counts = Float64Array.from(current);
  const free = weights ? weights.movable.slice() : counts;
  const gone = new Map<number, number>();
  let pressure = 1;
  book.enter(counts);
  for (let step = 0; book.excess > 0; step++) {
    const { joining, leaving } = book.changes();
    let best: CountMove | undefined;
    free.forEach((people, cell) => {
      if (people === 0) return;
      const [pattern, from] = [Math.floor(cell / k), cell % k];
      for (let to = 0; to < k; to++) {
        const change = leaving[cell] + joining[pattern * k + to];
        if (to === from || change >= 0) continue;
        const move = cell * k + to;
        const score = cost(pattern, from, to, gone.get(move) ?? 0) + pressure * change;
        const found = { move, score, from, to, people };
        if (score < 0 && (!best || comesBefore(found, best))) best = found;
      }
    });
    if (step > mostSteps || pressure > 2 ** 40) return null;
    if (!best) {
      pressure *= 2;
      continue;
    }
    const { move } = best;
    const cell = Math.floor(move / k);
    const moved = weights ? Math.min(weights.typical, free[cell]) : 1;
    gone.set(move, (gone.get(move) ?? 0) + moved);
    for (const each of weights ? [counts, free] : [counts]) {
      each[cell] -= moved;
      each[Math.floor(cell / k) * k + (move % k)] += moved;
    }
    book.enter(counts);
  }
  return counts;
}

/** A move of one person on paper. */
interface CountMove {
  readonly move: number;
  readonly score: number;
  readonly from: number;
  readonly to: number;
  /** How many there are whom it could be. */
  readonly people: number;
}

/** What rounding does to a score does not count. */
const equalCosts = 1e-9;

/** Costs are known roughly, so many are equal: then nothing decides that depends on the order in which groups are named. */
function comesBefore(one: CountMove, other: CountMove): boolean {
  const order = one.score - other.score;
  if (Math.abs(order) > equalCosts) return order < 0;
  return (one.from - other.from || one.to - other.to || other.people - one.people) < 0;
}

/** In every pattern, from the clusters that have too many to those that have too few, the cheapest moves first. */
export function transfersTo(
  current: CountsInClusters,
  target: CountsInClusters,
  k: number,
  cost: NextMoveCost,
): Transfer[] {
  const transfers: Transfer[] = [];
  for (let pattern = 0; pattern < current.length / k; pattern++) {
    const surplus = Array.from({ length: k }, (_, m) => current[pattern * k + m] - target[pattern * k + m]);
    const clusters = Array.from(surplus.keys());
    const pairs = clusters
      .filter((m) => surplus[m] > 0)
      .flatMap((from) => clusters.filter((m) => surplus[m] < 0).map((to) => ({ from, to })))
      .sort((a, b) => cost(pattern, a.from, a.to, 0) - cost(pattern, b.from, b.to, 0));
    for (const { from, to } of pairs) {
      const people = Math.min(surplus[from], -surplus[to]);
      if (people <= 0) continue;
      surplus[from] -= people;
      surplus[to] += people;
      transfers.push({ move: (pattern * k + from) * k + to, people });
    }
  }
  return transfers;
}
