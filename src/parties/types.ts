import type { Move } from "../kernels/moves.js";
import type { Range } from "../kernels/rows.js";
import type { Grid, Spread } from "./grid.js";

/**
 * What people's scores are made of in the next assignment. `unit` is the mean squared distance in score units: the scale
 * of the jitter that keeps exact duplicates from moving together.
 */
export type Rule =
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

/** How a holder's limits stand. Sums and maxima over the holders are all that a coordinator needs. */
export interface Standing {
  /** People beyond the bounds in the worst group and cluster, before tolerance. */
  readonly violation: number;
  /** People beyond the limits, tolerance forgiven, all together. */
  readonly excess: number;
  /** The excess at the present prices, in score units. */
  readonly owed: number;
  /** The dearest price: 0 while nothing has needed one. */
  readonly paid: number;
  /** People whom the present prices of sizes would have elsewhere: 0 when the search for them is over. */
  readonly astray: number;
  /** What uneven sizes cost, in units of SSE; 0 where nobody asked for even ones. */
  readonly uneven: number;
}

/** The standing of several holdings or holders together. */
export function combine(parts: readonly Standing[]): Standing {
  return {
    violation: parts.reduce((worst, part) => Math.max(worst, part.violation), 0),
    excess: parts.reduce((total, part) => total + part.excess, 0),
    owed: parts.reduce((total, part) => total + part.owed, 0),
    paid: parts.reduce((dearest, part) => Math.max(dearest, part.paid), 0),
    astray: parts.reduce((total, part) => total + part.astray, 0),
    uneven: parts.reduce((total, part) => total + part.uneven, 0),
  };
}

/** One person is so many steps where changes of what is beyond the limits are added up: whole numbers, exact sums. */
export const peopleSteps = 2 ** 20;

export interface Opening {
  readonly k: number;
  readonly grid: Grid;
}

/** Moves of single people, as columns. */
export interface Moves {
  readonly rows: Uint32Array;
  readonly to: Uint16Array;
}

/**
 * A holder of some columns of everybody's data, and of some protected attributes. This is all that it can be asked, in
 * one process or over a network; whoever asks never sees a row. Every holder knows everybody's cluster.
 */
export interface ColumnParty {
  readonly rows: number;
  spread(): Promise<Spread>;
  /** Begins a clustering: nobody is in any cluster, all prices are 0. */
  open(opening: Opening): Promise<void>;

  /** This row's values become the centre of a cluster. */
  place(cluster: number, row: number): Promise<void>;
  /** Everybody's squared distance to a row in this party's columns, in squared grid units. */
  distances(row: number): Promise<Float64Array>;

  /** Sets weights and offsets for the assignments that follow, from the present clusters. */
  prepare(rule: Rule): Promise<void>;
  /** Keeps what depends on the present centres alone, for many scores ("exact") or decisions in a row ("rough"). */
  measure(kind: "exact" | "rough"): Promise<void>;
  /** This party's part of the scores of the rows: exact, so that the sum over parties is. */
  scores(range: Range): Promise<Float64Array>;
  /** Takes over what was decided. Returns how many moved. */
  adopt(range: Range, labels: Uint16Array): Promise<number>;
  /** Takes over single moves. */
  apply(moves: Moves): Promise<void>;
  /**
   * How each of these moves changes the people beyond this party's limits when they happen one after another, in whole
   * `peopleSteps`.
   */
  judge(moves: Moves): Promise<Float64Array>;
  /** Which of these moves keep all limits of this party, see `permitMoves`. */
  permit(moves: Moves): Promise<boolean[]>;
  /** From here on this person leaves their cluster under no rule, until all are unpinned. */
  pin(row: number): Promise<void>;
  unpin(): Promise<void>;
  /** Every centre becomes its people's mean; an empty cluster keeps its centre. */
  recentre(): Promise<void>;
  /** By how much the last recentring lowered the SSE around the centres. */
  gained(): Promise<number>;
  /** SSE of the present clusters in this party's columns. */
  sse(): Promise<number>;
  standing(): Promise<Standing>;
  /** Every holder knows everybody's cluster, and so the sizes. */
  labels(range?: Range): Promise<Uint16Array>;
  sizes(): Promise<Float64Array>;

  /** A new search for prices from the present ones, see `Prices`; then one step of it. */
  restartPrices(step: number, room: number): Promise<void>;
  adjustPrices(): Promise<void>;
  /**
   * A person of a crowded cluster, where the centre of a little wanted one could go, judged by the prices of sizes; which
   * two depends on the turn, and who on a number from 0 to 1. Only from the holder of the sizes.
   */
  vacate(turn: number, draw: number): Promise<{ readonly cluster: number; readonly row: number } | undefined>;
  /** The paper's penalty rho, in score units; then its dual step (equations 31 and 32), after which rho is raised. */
  startAdmm(rho: number): Promise<void>;
  stepAdmm(raise: number): Promise<void>;

  /** Clusters, centres and prices are kept under a name, and come back. */
  remember(slot: string): Promise<void>;
  recall(slot: string): Promise<void>;

  /** A party over some of the rows, with the same grid. */
  sample(rows: Uint32Array): Promise<ColumnParty>;
  /** Takes the centres and prices that a sample ended with. */
  inherit(sample: ColumnParty): Promise<void>;
  close(): Promise<void>;

  /** Only where one party stands for all: the argmin without showing scores. */
  readonly alone?: LoneParty;
}

/** What a party that holds all columns, or speaks for all who do, can do by itself. */
export interface LoneParty extends Partial<Comparisons> {
  decide(range: Range, ownFirst: boolean): Promise<number>;
  /** Who of the ranges would move, and where to. */
  propose(ranges: readonly Range[]): Promise<Moves>;
  /** Of each of the ranges the cheapest gaining move from each cluster to each other one; all of them, cheapest first. */
  bestMoves(ranges: readonly Range[]): Promise<Move[]>;
}

/** What is otherwise found from sums of the parties' numbers. Where nobody sees those, it is decided by comparing. */
interface Comparisons {
  /** The person farthest from their centre, among those of some clusters; undefined when all of them are at it. */
  farthest(clusters: ReadonlySet<number>): Promise<number | undefined>;
  /** Which of these moves bring people back within the limits when all happen. */
  helping(moves: Moves): Promise<boolean[]>;
  /** Everybody's nearest chosen person may be this one, from here on; the first one is everybody's. */
  approach(row: number, first: boolean): Promise<void>;
  /** The winner of a race on the distances to the nearest chosen people, see `race`. */
  race(seed: number): Promise<number | undefined>;
}
