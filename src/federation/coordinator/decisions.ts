import { byGap, type WeighedMove } from "../../kernels/moves.js";
import type { Range } from "../../kernels/rows.js";
import { allOf, changesBetween, farthestOf } from "../../parties/moves.js";
import type { LoneParty, Moves } from "../../parties/types.js";
import { bytesOf, type Integers, toNumbers } from "../../privacy/integers.js";
import type { RunLog } from "../replay/run-log.js";
import type { WireQuestion } from "../wire/questions.js";
import { bestPlaces, cheapestMoves, clusterAt, firstOf, type Positions, positions } from "../wire/tables.js";
import type { ScoreBoard } from "./score-board.js";

/** What decisions need of the parties together. */
export interface DecidingGroup {
  readonly rows: number;
  readonly k: number;
  readonly board: ScoreBoard;
  note(question: WireQuestion, body?: Uint8Array): void;
  sum(question: WireQuestion, length: number): Promise<Integers>;
  /** As `sum`, of so many numbers about each of so many people. */
  asked(width: number, question: WireQuestion, people?: number): Promise<Integers>;
  apply(moves: Moves): Promise<void>;
}

/**
 * Who goes where, where the coordinator sees sums of scores: it takes the argmins, from tables that it asks for or from
 * its score board, and tells everybody the places or the moves.
 */
export class Decisions implements LoneParty {
  constructor(
    private readonly group: DecidingGroup,
    private readonly log: RunLog,
  ) {}

  private get board(): ScoreBoard {
    return this.group.board;
  }

  decide(range: Range, ownFirst: boolean): Promise<number> {
    return this.log.pass(this.cost(range), async () => {
      if (await this.boarded()) return this.announce(range, this.board.choose(range, ownFirst));
      const order = ownFirst ? "own" : "index";
      const places = await this.places(range, order);
      const own = (await this.board.labels()).subarray(range.from, range.to);
      this.group.note({ ask: "settle", range, order }, bytesOf(places));
      return this.follow(range, (i) => clusterAt(places[i], ownFirst ? firstOf(own, i) : 0));
    });
  }

  async propose(ranges: readonly Range[]): Promise<Moves> {
    const found: Moves[] = [];
    for (const range of ranges) {
      let moves: Moves | undefined;
      const count = await this.log.pass(this.cost(range), async () => {
        moves = await this.changes(range);
        return moves.rows.length;
      });
      found.push(moves ?? { rows: new Uint32Array(count), to: new Uint16Array(count) });
    }
    return allOf(found);
  }

  private async changes(range: Range): Promise<Moves> {
    const own = (await this.board.labels()).subarray(range.from, range.to);
    if (await this.boarded()) return changesBetween(range, own, this.board.choose(range, true));
    const places = await this.places(range, "own");
    const chosen = Uint16Array.from(places, (place, i) => clusterAt(place, firstOf(own, i)));
    return changesBetween(range, own, chosen);
  }

  async farthest(clusters: ReadonlySet<number>): Promise<number | undefined> {
    const everyone = { from: 0, to: this.group.rows };
    const row = await this.log.result(async () => {
      const scores = toNumbers(
        await this.group.sum({ ask: "scores", range: everyone }, this.group.rows * this.group.k),
      );
      return farthestOf(await this.board.labels(), scores, clusters) ?? -1;
    });
    return row < 0 ? undefined : row;
  }

  async bestMoves(ranges: readonly Range[]): Promise<WeighedMove[]> {
    const found: WeighedMove[] = [];
    for (const range of ranges) {
      found.push(...(await this.log.pass(this.cost(range), () => this.cheapest(range))));
    }
    return found.sort(byGap);
  }

  /** How many people's numbers the next question about a range takes. */
  private cost(range: Range): number {
    return this.board.lacking ?? range.to - range.from;
  }

  /** Tells everybody who moved, in the shorter of two ways. Returns how many did. */
  private async announce(range: Range, chosen: Uint16Array): Promise<number> {
    const moves = changesBetween(range, (await this.board.labels()).subarray(range.from, range.to), chosen);
    if (moves.rows.length * 3 < chosen.length) {
      if (moves.rows.length > 0) await this.group.apply(moves);
      return moves.rows.length;
    }
    this.group.note({ ask: "adopt", range }, bytesOf(chosen));
    return this.follow(range, (i) => chosen[i]);
  }

  private async cheapest(range: Range) {
    if (await this.boarded()) return this.board.bestMoves(range);
    const own = (await this.board.labels()).subarray(range.from, range.to);
    return cheapestMoves(await this.table(range, "own"), this.group.k, range.from, own);
  }

  /** Whether the next decision can be made here, at centres that stay for a while. */
  private async boarded(): Promise<boolean> {
    return this.board.lacking !== undefined && (await this.board.fill());
  }

  private async places(range: Range, order: "own" | "index"): Promise<Positions> {
    if (this.group.k === 1) return positions(range.to - range.from, 1);
    return bestPlaces(await this.table(range, order), this.group.k);
  }

  private table(range: Range, order: "own" | "index") {
    return this.group.asked(this.group.k - 1, { ask: "table", range, order }, range.to - range.from);
  }

  /** Keeps what is known of everybody's cluster up to date. Returns how many moved. */
  private async follow(range: Range, cluster: (index: number) => number): Promise<number> {
    const known = await this.board.labels();
    let moved = 0;
    for (let row = range.from; row < range.to; row++) {
      const to = cluster(row - range.from);
      if (known[row] === to) continue;
      moved++;
      this.board.move(row, to);
    }
    return moved;
  }
}
