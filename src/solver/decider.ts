import type { Move } from "../kernels/best-moves.js";
import type { Range } from "../kernels/rows.js";
import type { ColumnParty, Moves } from "../parties/column-party.js";
import type { Traffic } from "../parties/traffic.js";

/** The centre of a cluster may be taken away: its people go into another one. */
export interface JoinedPair {
  readonly cluster: number;
  readonly into: number;
}

/**
 * All columns of some people, and who decides about them: a kernel that sees them, sums of scores of several parties, or
 * comparisons of rows that nobody reads. The solver is given one and does not know which.
 */
export interface Decider {
  readonly columns: ColumnParty;
  /** Of these people and of all their samples. */
  readonly traffic: Traffic;
  /** The same for some of the people. */
  sample(rows: Uint32Array): Promise<Decider>;

  /** The range takes its best clusters; in a tie people stay where they are, or the lowest wins. Returns how many moved. */
  assign(range: Range, ownFirst: boolean): Promise<number>;
  /** Who of the ranges would move, and where to. */
  propose(ranges: readonly Range[]): Promise<Moves>;
  /** Of each of the ranges the cheapest gaining move from each cluster to each other one; all of them, cheapest first. */
  bestMoves(ranges: readonly Range[]): Promise<Move[]>;
  /** The person farthest from their centre, among those of some clusters; undefined when all of them are at it. */
  farthest(clusters: ReadonlySet<number>): Promise<number | undefined>;
  /** Which of these moves bring people back within the limits when all happen. */
  helping(moves: Moves): Promise<boolean[]>;
  /** Everybody's nearest chosen person may be this one, from here on; the first one is everybody's. */
  approach(row: number, first: boolean): Promise<void>;
  /** As if everybody's centre were the chosen person nearest to them. */
  approachCentres(): Promise<void>;
  /** Of some clusters the one that is joined to a larger one at the least cost; undefined when none has a larger one. */
  leastMissed(among: ReadonlySet<number>): Promise<JoinedPair | undefined>;
  /** A person drawn in proportion to the distance to the nearest chosen one, see `drawByDistance`. */
  drawByDistance(seed: number): Promise<number | undefined>;
  /** Several such people, at most so many. */
  drawSeveral(seed: number, most: number): Promise<Uint32Array>;
  /** Who is nearer to this person than to the nearest chosen one. */
  nearerTo(row: number): Promise<Uint32Array>;
  /** Everybody's scores, row after row, where one process may see them. */
  readonly scores?: (range: Range) => Promise<Float64Array>;
}
