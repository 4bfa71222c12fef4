import { meetsRequest, nearestFeasibleCounts, type Requirements } from "../constraints/feasibility/index.js";
import { fairLimits } from "../constraints/limits.js";
import { joined } from "../kernels/wide-sums.js";
import type { AssignmentCounts } from "../parties/cheapest-clusters.js";
import { LimitBook } from "../parties/limit-book.js";
import type { Constraint } from "../parties/priced-constraint.js";
import type { Thresholds } from "../parties/row-clusters.js";
import { type Promises, sizeConstraints } from "../parties/split.js";
import { type KnownMoves, priceMoves, repairCounts, transfersTo } from "./row-counts.js";
import { makeTransfers, type Transfer } from "./row-transfers.js";

/** People at fixed centres who go where offsets send them, wherever they are; and single ones of them further. */
export interface PricedPeople {
  readonly k: number;
  /** No two costs of a person differ by more. */
  readonly farthest: number;
  /** Whether some do. Then moves are priced up to there: far outliers are dear, and not alike. */
  readonly isFarthest?: boolean;
  /** Nobody's number is above this, where it is known. */
  readonly persons?: number;
  /** Everybody to the cluster of least cost and offset. */
  assign(offsets: Float64Array): Promise<AssignmentCounts>;
  /** As `assign`, where the counts are known already. */
  settle(offsets: Float64Array): Promise<void>;
  /** How many people are below each threshold, see `below` in src/parties/row-questions.ts. */
  below(thresholds: Thresholds): Promise<Float64Array>;
  /** The people below a move's threshold make it. */
  transfer(thresholds: Thresholds): Promise<void>;
  /** [patterns][k]: how many people can be moved one by one. Default: all of them. */
  movable?(): Float64Array;
}

/** Where people have weights: what one of them weighs on average, and the heaviest. */
export interface PricedAtoms {
  readonly typical: number;
  readonly largest: number;
}

/** Whole multiples of a unit, so that sums are exact. */
export function pricedAtoms(
  { total, count, largest }: { readonly total: number; readonly count: number; readonly largest: number },
  unit = 1,
): PricedAtoms {
  return { typical: unit * Math.max(1, Math.round(total / count / unit)), largest };
}

/** Rounds of moves of people with weights: each ends near to what was aimed at, by less than one person in every move. */
const weightedRounds = 24;
/** How far within the limits each round aims, in people of the usual weight; then from the first again. */
const inwards = [1, 0, 2, 4];

/** An assignment that was tried, and what came of it: nobody is asked the same twice. */
export interface TriedOffsets {
  readonly offsets: Float64Array;
  /** That the offsets are made of. */
  readonly prices: readonly Float64Array[];
  readonly counts: Float64Array;
  /** Everybody's squared distances, jitter included. */
  readonly cost: number;
  /** These plus what is beyond the limits, at its price, and what uneven sizes cost. */
  readonly merit: number;
}

export interface OffsetSearch {
  /** The mean squared distance. */
  readonly unit: number;
  /** The first change of a price. */
  readonly step: number;
  /** The part of the tolerance that is left to single moves afterwards. */
  readonly reserve: number;
  readonly queries: number;
  /** It goes on, up to so many times as long, while more people than this are beyond the limits. */
  readonly patience: number;
  readonly unplaced: number;
  /** Queries that are returned, those that promise most first. */
  readonly returned: number;
  /** Whether counts at these offsets are right; the search ends before others. Default: always. */
  readonly covers?: (offsets: Float64Array) => boolean;
}

/** Limits and prices of everybody, from counts of patterns in clusters alone: distances here need no bound. */
export function bookOf(
  { k, patterns, atoms, ...promises }: Omit<Requirements, "n"> & Promises & { readonly atoms?: PricedAtoms },
  scoreUnit = 1,
): LimitBook {
  const { bounds, tolerance } = promises;
  const everybody = new Uint16Array(patterns.counts.length);
  const sizes = sizeConstraints(promises, Number.POSITIVE_INFINITY, false);
  const groups = bounds.map((each) => ({ limits: fairLimits(each, tolerance), bounds: each }));
  const weighed = ({ limits, sizeGoal, ...constraint }: Constraint): Constraint => ({
    ...constraint,
    limits: { ...limits, atoms: { typical: new Float64Array(limits.groups).fill(atoms!.typical) } },
    ...(sizeGoal ? { sizeGoal: { ...sizeGoal, atom: atoms!.largest } } : {}),
  });
  const constraints = [...groups, ...sizes];
  return new LimitBook({
    k,
    constraints: atoms ? constraints.map(weighed) : constraints,
    ...(atoms ? { heaviest: atoms.largest } : {}),
    groups: [...bounds.map((_, attribute) => patterns.codes[attribute]), ...sizes.map(() => everybody)],
    patterns: patterns.counts.length,
    scoreUnit,
    most: Number.POSITIVE_INFINITY,
  });
}

/** The queries of a search for prices at fixed centres that promise most; the book is left with the last prices. */
export async function searchOffsets(
  people: Pick<PricedPeople, "assign">,
  book: LimitBook,
  { unit, step, reserve, queries, patience, unplaced, returned, covers }: OffsetSearch,
): Promise<TriedOffsets[]> {
  book.restartPrices(step, reserve);
  const found: TriedOffsets[] = [];
  for (let query = 0; query < (book.excess > unplaced ? patience : 1) * queries; query++) {
    const offsets = book.offsets({ kind: "priced", unit }).joining;
    if (covers && !covers(offsets)) break;
    const { counts, cost: parts } = await people.assign(offsets);
    const cost = joined(parts);
    book.enter(counts);
    const { maxPrice, balanceLoss } = book.status();
    // Whole: of queries that come to the same the first one counts, in whatever order groups were added up.
    const merit = Math.round(cost + book.penalty(unit) + balanceLoss * book.scoreUnit);
    const tried = { offsets, prices: book.prices, merit, counts, cost };
    if (query === 0 && book.excess === 0 && maxPrice === 0 && balanceLoss === 0) return [tried];
    if (query >= queries / 2 || covers) found.push(tried);
    book.adjustPrices();
  }
  return found.sort((a, b) => a.merit - b.merit).slice(0, returned);
}

/**
 * Assigns by these offsets and moves the fewest and cheapest people until all limits hold. Returns the counts; undefined
 * where more people would have to move than can.
 */
export async function applyOffsets(
  people: PricedPeople,
  tried: TriedOffsets,
  request: Requirements & { readonly atoms?: PricedAtoms },
  book: LimitBook,
  unit: number,
  signal: AbortSignal | undefined,
): Promise<Float64Array | undefined> {
  await people.settle(tried.offsets);
  return keepLimits(people, tried, request, book, { unit, signal });
}

/** The same where people are assigned already, and the prices of moves may be known. */
export async function keepLimits(
  people: PricedPeople,
  tried: Pick<TriedOffsets, "offsets" | "counts">,
  request: Requirements & { readonly atoms?: PricedAtoms },
  book: LimitBook,
  {
    unit,
    signal,
    known,
  }: { readonly unit: number; readonly signal: AbortSignal | undefined; readonly known?: KnownMoves },
): Promise<Float64Array | undefined> {
  const { offsets, counts } = tried;
  if (request.atoms) return moveWeights(people, tried, { ...request, atoms: request.atoms }, book, unit);
  const current = Int32Array.from(counts);
  if (meetsRequest(current, request)) return counts;
  const { cost: nextCost, within } = known ?? (await priceMoves(people, current, offsets, unit));
  const target =
    repairCounts(current, request.k, book, nextCost) ??
    (await nearestFeasibleCounts(current, request, (...move) => nextCost(...move, 0), signal));
  if (!target) return counts;
  const transfers = transfersTo(current, target, request.k, nextCost);
  if (people.movable && !areMovable(transfers, people.k, people.movable())) return undefined;
  await makeTransfers(people, transfers, within);
  return Float64Array.from(target);
}

/**
 * Moves people with weights until all limits hold, or it gets stuck. What moves is whole people, so that every round aims anew, at what
 * is within the limits by a few people, and by other ones than the round before.
 */
async function moveWeights(
  people: PricedPeople,
  { offsets, counts: first }: Pick<TriedOffsets, "offsets" | "counts">,
  request: Requirements & { readonly atoms: PricedAtoms },
  book: LimitBook,
  unit: number,
): Promise<Float64Array> {
  const { k } = people;
  const { typical } = request.atoms;
  const aims = inwards.map((margin) => (margin === 0 ? book : bookOf(within(request, margin * typical))));
  const counts = first.slice();
  book.enter(counts);
  for (let round = 0; round < weightedRounds && book.excess > 0; round++) {
    const { cost: nextCost } = await priceMoves(people, counts, offsets, unit);
    const weights = { typical, movable: people.movable?.() ?? counts };
    const target =
      repairCounts(counts, k, aims[round % aims.length], nextCost, weights) ??
      repairCounts(counts, k, book, nextCost, weights);
    if (!target) break;
    const moved = await makeTransfers(people, transfersTo(counts, target, k, nextCost), undefined, "nearest");
    for (const { move, people: weight } of moved) {
      const cell = Math.floor(move / k);
      counts[cell] -= weight;
      counts[Math.floor(cell / k) * k + (move % k)] += weight;
    }
    book.enter(counts);
  }
  return counts;
}

/** The same request with limits that are stricter by so much; sizes only where there is room. */
function within<R extends Requirements>(request: R, margin: number): R {
  const { sizes, tolerance } = request;
  const range = ({ min, max }: { min: number; max: number }) =>
    max - min > 2 * margin && min > 0 ? { min: min + margin, max: max - margin } : { min, max };
  return {
    ...request,
    tolerance: Math.max(0, tolerance - margin),
    sizes: { ...range(sizes), ...(sizes.each ? { each: sizes.each.map(range) } : {}) },
  };
}

function areMovable(transfers: readonly Transfer[], k: number, movable: Float64Array): boolean {
  const left = movable.slice();
  for (const { move, people } of transfers) left[Math.floor(move / k)] -= people;
  return left.every((people) => people >= 0);
}
