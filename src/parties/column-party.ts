import type { PriceSteps } from "../constraints/prices.js";
import type { Range } from "../kernels/rows.js";
import type { Grid, Spread } from "./grid.js";

/**
 * What people's scores are made of in the next assignment. `unit` is the mean squared distance in score units: the scale
 * of the jitter that keeps exact duplicates from moving together.
 */
export type ScoringRule =
  /** the nearest centre, lowest number first: Lloyd */
  | { readonly kind: "nearest" }
  /** exact change of SSE when one person moves, own cluster first: coordinate descent */
  | { readonly kind: "descent" }
  /** distances plus the prices of the limits */
  | { readonly kind: "priced"; readonly unit: number }
  /** as priced, with `pressure` on every person beyond a limit */
  | { readonly kind: "repair"; readonly unit: number; readonly pressure: number }
  /** as descent, with `pressure` on every person beyond a limit */
  | { readonly kind: "trade"; readonly pressure: number }
  /** as descent, but nobody may break a limit */
  | { readonly kind: "polish" }
  /** as descent, plus the exact change of what uneven sizes cost: Teb-means, equation 20 */
  | { readonly kind: "even" }
  /** as descent, plus the paper's ADMM term (equations 27 and 28) */
  | { readonly kind: "admm" };

/** How far some limits are kept. The solver needs only sums and maxima over all parties. */
export interface LimitStatus {
  /** People beyond the bounds in the worst group and cluster, before tolerance. */
  readonly violation: number;
  /** People beyond the limits, tolerance forgiven, all together. */
  readonly excess: number;
  /** The excess at the present prices, in score units. */
  readonly penalty: number;
  /** The largest price; 0 while no limit has needed one. */
  readonly maxPrice: number;
  /** People who would change cluster at the present prices of sizes: 0 once the search for prices has ended. */
  readonly misplaced: number;
  /** What uneven sizes cost, in units of SSE; 0 where even sizes were not asked for. */
  readonly balanceLoss: number;
}

/** The status of several constraints, or of several parties, together. */
export function combine(parts: readonly LimitStatus[]): LimitStatus {
  return {
    violation: parts.reduce((worst, part) => Math.max(worst, part.violation), 0),
    excess: parts.reduce((total, part) => total + part.excess, 0),
    penalty: parts.reduce((total, part) => total + part.penalty, 0),
    maxPrice: parts.reduce((most, part) => Math.max(most, part.maxPrice), 0),
    misplaced: parts.reduce((total, part) => total + part.misplaced, 0),
    balanceLoss: parts.reduce((total, part) => total + part.balanceLoss, 0),
  };
}

/** Changes of the excess are added up as whole multiples of 1 / 2^20 of a person, so that sums are exact. */
const personBits = 20;
/** Sums over parties leave room for moves of so much weight at once; where people weigh more, steps are coarser. */
const roomBits = 10;

/** How many steps are one person, where the heaviest counts for so many; where all weigh less than one, steps are finer. */
export function peopleSteps(heaviest: number): number {
  const bits = Math.ceil(Math.log2(heaviest));
  return 2 ** (personBits - (bits < 0 ? bits : Math.max(0, bits - roomBits)));
}

export interface Opening {
  readonly k: number;
  readonly grid: Grid;
}

/** Moves of single people, as columns. */
export interface Moves {
  readonly rows: Uint32Array;
  readonly to: Uint16Array;
}

/** A proposal: the centre of `cluster` moves to the person `row`. */
export interface Relocation {
  readonly cluster: number;
  readonly row: number;
}

/** People as points: their columns, the clusters that they are in, and the centres. Every holder knows everybody's cluster. */
interface Geometry {
  readonly rows: number;
  /** What everybody counts for: as much as there are people, where no weights are given. */
  readonly weight: number;
  /** How many people each row counts for; absent where each is one. */
  readonly weights: Float64Array | undefined;
  spread(): Promise<Spread>;
  /** Begins a clustering: nobody is in any cluster, all prices are 0. */
  open(opening: Opening): Promise<void>;
  /** This row's values become the centre of a cluster. */
  place(cluster: number, row: number): Promise<void>;
  /** Sets weights and offsets for the assignments that follow, from the present clusters. */
  prepare(rule: ScoringRule): Promise<void>;
  /** Precomputes what depends only on the present centres, for many exact scores or many decisions ("rough") to come. */
  measure(kind: "exact" | "rough"): Promise<void>;
  /** The range takes these clusters. Returns how many moved. */
  adopt(range: Range, labels: Uint16Array): Promise<number>;
  /** Moves single people. */
  apply(moves: Moves): Promise<void>;
  /** Every centre becomes its people's mean, or median; an empty cluster keeps its centre. */
  recentre(): Promise<void>;
  /** By how much the last recentring lowered the SSE around the centres. */
  gained(): Promise<number>;
  /** SSE of the present clusters in these columns; with another distance, what all distances add up to. */
  sse(): Promise<number>;
  labels(range?: Range): Promise<Uint16Array>;
  sizes(): Promise<Float64Array>;
}

/** The limits of protected attributes and sizes, and their prices. */
interface LimitHolder {
  limitStatus(): Promise<LimitStatus>;
  /** Which of these moves keep all limits, see `permitMoves`. */
  permit(moves: Moves): Promise<boolean[]>;
  /** Until all are unpinned, no rule moves this person out of their cluster. */
  pin(row: number): Promise<void>;
  unpin(): Promise<void>;
  /** Begins a search for prices from the present ones, see `Prices`; then one step of it. */
  restartPrices(step: number, room: number, how?: PriceSteps): Promise<void>;
  adjustPrices(): Promise<void>;
  /** From here on repairs press harder on the limits that are broken now ("more"), or on all limits alike again. */
  insist(how: "more" | "alike"): Promise<void>;
  /**
   * Moves the centre of a cluster with a low price of its size to a person of one with a high price. Which two clusters depends on `turn`,
   * which person on `draw`, from 0 to 1. Undefined where sizes have no prices.
   */
  proposeRelocation(turn: number, draw: number): Promise<Relocation | undefined>;
  /** The paper's penalty rho, in score units; then its dual step (equations 31 and 32), after which rho is raised. */
  startAdmm(rho: number): Promise<void>;
  stepAdmm(raise: number): Promise<void>;
}

/** Clusters, centres and prices: saved under a name, or taken over from a sample. */
interface SavedStates {
  remember(slot: string): Promise<void>;
  recall(slot: string): Promise<void>;
  /** The same columns of some of the people, with the same grid. */
  sample(rows: Uint32Array): Promise<SavedStates>;
  /** Takes the centres and prices that a sample ended with. */
  inherit(sample: SavedStates): Promise<void>;
  close(): Promise<void>;
}

/** A holder of some columns of everybody, and of some protected attributes. Several together are one such holder again. */
export interface ColumnParty extends Geometry, LimitHolder, SavedStates {
  sample(rows: Uint32Array): Promise<ColumnParty>;
  inherit(sample: ColumnParty): Promise<void>;
}
