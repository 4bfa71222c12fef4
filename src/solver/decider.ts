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
  /** Asks about this clustering and others of as many people at once, where that saves rounds. */
  together?(others: readonly Decider[]): Together;
  /** Everybody's scores, row after row, where one process may see them. */
  readonly scores?: (range: Range) => Promise<Float64Array>;
}

/** Several clusterings of as many people each, all of one run: what is asked about each of them is asked in one round. */
export interface Together {
  /** Everybody takes the best clusters, see `Decider`. Returns how many moved in each. */
  assign(ownFirst: boolean): Promise<readonly number[]>;
  approach(rows: readonly number[], first: boolean): Promise<void>;
  drawByDistance(seeds: readonly number[]): Promise<readonly (number | undefined)[]>;
  /** From here on, until somebody moves, their statistics are known. */
  measure(): Promise<void>;
}

/** Where nothing is sent, or nothing is saved by sending more at once. */
export class OneByOne implements Together {
  constructor(private readonly deciders: readonly Decider[]) {}

  assign(ownFirst: boolean): Promise<readonly number[]> {
    return this.each((decider) => decider.assign({ from: 0, to: decider.columns.rows }, ownFirst));
  }

  async approach(rows: readonly number[], first: boolean): Promise<void> {
    await this.each((decider, at) => decider.approach(rows[at], first));
  }

  drawByDistance(seeds: readonly number[]): Promise<readonly (number | undefined)[]> {
    return this.each((decider, at) => decider.drawByDistance(seeds[at]));
  }

  async measure(): Promise<void> {}

  private async each<T>(ask: (decider: Decider, at: number) => Promise<T>): Promise<T[]> {
    const answers: T[] = [];
    for (const [at, decider] of this.deciders.entries()) answers.push(await ask(decider, at));
    return answers;
  }
}
