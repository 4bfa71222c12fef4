import { MoietyError } from "../../errors.js";
import type { Range } from "../../kernels/rows.js";
import type { Spread } from "../../parties/grid.js";
import type { ColumnParty, LoneParty, Moves, Opening, Rule, Standing } from "../../parties/types.js";
import { bytesOf, toNumbers } from "../../privacy/integers.js";
import type { RunLog } from "../replay/run-log.js";
import { movesBody } from "../wire/bodies.js";
import { fromFlags, fromPieces, largestLevel, pieces, summedStanding, violationLevels } from "../wire/numbers.js";
import type { WireQuestion } from "../wire/questions.js";
import { countOf, labelsOf, sizesOf, vacatedOf } from "./common-knowledge.js";
import { Decisions } from "./decisions.js";
import type { Panel } from "./panel.js";
import { ScoreBoard } from "./score-board.js";

/**
 * The parties of a federation as one holder of all columns: the solver asks it as it would ask a party in its own
 * process. It sees sums of masked numbers and nothing else, takes argmins, and sends everybody the places.
 */
export class Consortium implements ColumnParty {
  readonly alone: LoneParty;
  private opening: Opening | undefined;
  private samples = { count: 0 };
  /** What is known here of who is where; only in memory. */
  private known: ScoreBoard | undefined;

  constructor(
    private readonly panel: Panel,
    private readonly log: RunLog,
    readonly rows: number,
    /** 0 for everybody, else the number of a sample. */
    private readonly of = 0,
  ) {
    this.alone = new Decisions(this, log);
  }

  get k(): number {
    return this.opening?.k ?? 0;
  }

  get board(): ScoreBoard {
    return this.known!;
  }

  spread(): Promise<Spread> {
    return this.log.result(async () => {
      const [largest, variance, columns] = fromPieces(await this.sum({ ask: "spread" }, 3 * pieces));
      return { largest: largest!, variance: variance!, columns: columns! };
    });
  }

  async open(opening: Opening): Promise<void> {
    if (this.known) this.known.reopen();
    else this.begin(opening);
    this.note({ ask: "open", ...opening });
  }

  private begin(opening: Opening): void {
    this.opening = opening;
    const { k, grid } = opening;
    this.known = new ScoreBoard(this.rows, k, grid, {
      squares: (cluster) => this.asked(1, { ask: "squares", cluster }),
      kinds: () => this.asked(1, { ask: "kinds" }),
      offsets: (rows) => this.sum({ ask: "offsets", rows: [...rows] }, rows.length * 2 * k),
      labels: () => this.fetchLabels(),
    });
  }

  async place(cluster: number, row: number): Promise<void> {
    this.board.place(cluster);
    this.note({ ask: "place", cluster, row });
  }

  distances(row: number): Promise<Float64Array> {
    return this.log.fleeting(
      async () => toNumbers(await this.sum({ ask: "distances", row }, this.rows)),
      () => new Float64Array(this.rows),
    );
  }

  async prepare(rule: Rule): Promise<void> {
    this.board.prepare(rule);
    this.note({ ask: "prepare", rule });
  }

  async measure(): Promise<void> {
    this.board.measure();
  }

  /** Whole scores, for the few uses that need more than an argmin. */
  scores(range: Range): Promise<Float64Array> {
    const length = (range.to - range.from) * this.k;
    return this.log.fleeting(
      async () => toNumbers(await this.sum({ ask: "scores", range }, length)),
      () => new Float64Array(length),
    );
  }

  adopt(range: Range, labels: Uint16Array): Promise<number> {
    return this.log.result(async () => {
      for (let i = 0; i < labels.length; i++) this.board.move(range.from + i, labels[i]);
      return countOf(await this.panel.ask(this.of, { ask: "adopt", range }, { body: bytesOf(labels) }));
    });
  }

  async apply(moves: Moves): Promise<void> {
    for (let i = 0; i < moves.rows.length; i++) this.board.move(moves.rows[i], moves.to[i]);
    this.note({ ask: "apply", count: moves.rows.length }, movesBody(moves));
  }

  async judge(moves: Moves): Promise<Float64Array> {
    const count = moves.rows.length;
    const changes = await this.log.result(async () => {
      return fromPieces(await this.sum({ ask: "judge", count }, count * pieces, movesBody(moves)));
    });
    return Float64Array.from(changes);
  }

  /** A move that any party refuses is refused; who refused it, and how many did, nobody learns. */
  async permit(moves: Moves): Promise<boolean[]> {
    const count = moves.rows.length;
    if (count === 0) return [];
    let verdicts: boolean[] | undefined;
    const permitted = await this.log.result(async () => {
      const sums = await this.sum({ ask: "permit", count }, count, movesBody(moves));
      verdicts = fromFlags(sums).map((refused) => !refused);
      return verdicts.filter(Boolean).length;
    });
    return verdicts ?? Array.from({ length: count }, (_, index) => index < permitted);
  }

  async pin(row: number): Promise<void> {
    this.board.pin(row);
    this.note({ ask: "pin", row });
  }

  async unpin(): Promise<void> {
    this.board.unpin();
    this.note({ ask: "unpin" });
  }

  async recentre(): Promise<void> {
    this.board.recentre();
    this.note({ ask: "recentre" });
  }

  gained(): Promise<number> {
    return this.log.result(async () => fromPieces(await this.sum({ ask: "gained" }, pieces))[0]);
  }

  sse(): Promise<number> {
    return this.log.result(async () => fromPieces(await this.sum({ ask: "sse" }, pieces))[0]);
  }

  /** The sums are exact; the largest violation is told to a tenth. */
  standing(): Promise<Standing> {
    return this.log.result(async () => {
      const numbers = summedStanding.length * pieces;
      const sums = await this.sum({ ask: "standing" }, numbers + violationLevels.length);
      const [excess, owed, paid, astray, uneven] = fromPieces(sums.subarray(0, numbers)) as Five;
      const violation = largestLevel(fromFlags(sums.subarray(numbers)), violationLevels);
      return { violation, excess, owed, paid, astray, uneven };
    });
  }

  vacate(turn: number, draw: number): Promise<{ readonly cluster: number; readonly row: number } | undefined> {
    return this.log.result(async () => {
      const { meta } = await this.panel.askFirst(this.of, { ask: "vacate", turn, draw }, 0);
      return vacatedOf(meta);
    });
  }

  labels({ from, to }: Range = { from: 0, to: this.rows }): Promise<Uint16Array> {
    return this.log.fleeting(
      async () => (await this.board.labels()).slice(from, to),
      () => new Uint16Array(to - from),
    );
  }

  async sizes(): Promise<Float64Array> {
    const sizes = await this.log.result(async () => {
      const { meta } = await this.panel.askFirst(this.of, { ask: "sizes" }, 0);
      return sizesOf(meta, this.k);
    });
    return Float64Array.from(sizes);
  }

  async restartPrices(step: number, room: number): Promise<void> {
    this.note({ ask: "restartPrices", step, room });
  }

  async adjustPrices(): Promise<void> {
    this.note({ ask: "adjustPrices" });
  }

  async startAdmm(rho: number): Promise<void> {
    this.note({ ask: "startAdmm", rho });
  }

  async stepAdmm(raise: number): Promise<void> {
    this.note({ ask: "stepAdmm", raise });
  }

  async remember(slot: string): Promise<void> {
    this.board.remember(slot);
    this.note({ ask: "remember", slot });
  }

  async recall(slot: string): Promise<void> {
    this.board.recall(slot);
    this.note({ ask: "recall", slot });
  }

  async sample(rows: Uint32Array): Promise<Consortium> {
    const as = ++this.samples.count;
    this.note({ ask: "sample", as, count: rows.length }, bytesOf(rows));
    const sample = new Consortium(this.panel, this.log, rows.length, as);
    sample.begin(this.opening!);
    sample.samples = this.samples;
    return sample;
  }

  async inherit(sample: ColumnParty): Promise<void> {
    if (!(sample instanceof Consortium)) throw new MoietyError("failed", "a federation inherits from its own samples");
    this.board.inherit();
    this.note({ ask: "inherit", from: sample.of });
  }

  async close(): Promise<void> {
    if (this.of > 0) this.note({ ask: "close" });
  }

  /** Sums of so many numbers about everybody, or about so many people. */
  asked(width: number, question: WireQuestion, people = this.rows) {
    this.panel.wire.asked += (people * width) / Math.max(1, this.k - 1);
    return this.sum(question, people * width);
  }

  private async fetchLabels(): Promise<Uint16Array> {
    const { body } = await this.panel.askFirst(this.of, { ask: "labels" }, this.rows * 2);
    return labelsOf(body, this.rows);
  }

  sum(question: WireQuestion, length: number, body?: Uint8Array) {
    return this.panel.sum(this.of, question, length, body);
  }

  note(question: WireQuestion, body?: Uint8Array): void {
    if (this.log.live) this.panel.note(this.of, question, body);
    // While the past is told again nobody is asked, so nothing is known.
    else this.known?.forget();
  }
}

type Five = [number, number, number, number, number];
