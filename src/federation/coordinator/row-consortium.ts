import { MoietyError } from "../../errors.js";
import type { RowGroup } from "../../parties/row-group.js";
import type { Reach, RowAnswer, RowQuestion, RowRequest, SummableQuestion, Summary } from "../../parties/row-types.js";
import type { Traffic } from "../../parties/traffic.js";
import { type Integers, toNumbers } from "../../privacy/integers.js";
import type { RunLog } from "../replay/run-log.js";
import { fromFlags } from "../wire/numbers.js";
import { fromOrderedBits, levelsAtOnce, packRow, rowShape, splitFields } from "../wire/row-questions.js";
import type { RowPanel } from "./row-panel.js";
import { Regrouping } from "./stage.js";

export interface RowConsortiumOptions {
  readonly panel: RowPanel;
  readonly log: RunLog;
  readonly k: number;
  /** As they are at the sites. */
  readonly columns: number;
  /** The people of each party. */
  readonly counts: readonly number[];
  /** Whether somebody who is away could join. */
  readonly returned?: () => boolean;
  /** Told once when somebody has left. */
  readonly onDeparture?: (present: readonly string[]) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Questions that go through everybody, as a pass does; of the others so many are as one. */
const heavy: readonly RowQuestion[] = ["place", "summarise", "refine", "gather"];
const lightOnes = 20;

/**
 * The holders of rows in a federation as one group: the solver asks it as it would ask a group in its own process. It
 * sees sums of masked numbers, and where card and policies allow it each party's own means.
 */
export class RowConsortium implements RowGroup {
  readonly traffic: Traffic = { rounds: 0, bytesUp: 0, bytesDown: 0 };
  private readonly people: number;
  private columns: number;
  private readonly refined = new Map<string, readonly Summary[]>();
  private known: number;

  constructor(private readonly options: RowConsortiumOptions) {
    this.columns = options.columns;
    this.people = options.counts.reduce((sum, count) => sum + count, 0);
    this.known = options.panel.seats.length;
  }

  get size(): number {
    return this.options.panel.present.length;
  }

  get changed(): boolean {
    return this.options.panel.changed;
  }

  rest(centres: Float64Array): void {
    // What was told in the past was told by those who are there.
    if (this.options.log.live && (this.changed || this.options.returned?.())) throw new Regrouping(centres);
  }

  get signal(): AbortSignal | undefined {
    return this.options.signal;
  }

  /** How many people there are of each combination of groups. */
  census(combinations: number): Promise<number[]> {
    const { panel, log } = this.options;
    return log.result(() => this.numbers(panel.sum(0, { ask: "census" }, combinations)));
  }

  /** Everybody gets a number, party after party; combinations that occur nowhere are left out. */
  enrol(occurring: Uint32Array): void {
    const { panel, log, counts } = this.options;
    if (!log.live) return;
    let first = 0;
    const questions = counts.map((count) => {
      const question = { ask: "enrol", first } as const;
      first += count;
      return question;
    });
    panel.note(0, questions, new Uint8Array(occurring.slice().buffer));
  }

  /** How many people of each combination are in each cluster. */
  tally(combinations: number): Promise<number[]> {
    const { panel, log, k } = this.options;
    return log.result(() => this.numbers(panel.sum(0, { ask: "tally" }, combinations * k)));
  }

  async each<Q extends RowQuestion>(question: Q, request: RowRequest<Q>): Promise<RowAnswer<Q>[]> {
    this.goOn();
    if (question === "reach") return [await this.reach()] as unknown as RowAnswer<Q>[];
    if (question === "summarise") return (await this.means(question, request)) as RowAnswer<Q>[];
    if (question === "refine") return (await this.refine(request as RowRequest<"refine">)) as RowAnswer<Q>[];
    const { row, body } = packRow(question, request);
    if (row.rows === "rescale")
      this.columns = (request as RowRequest<"rescale">).kept.filter((kept) => kept > 0).length;
    if (this.options.log.live) this.options.panel.note(0, { ask: "rows", row }, body);
    return [];
  }

  async sum<Q extends SummableQuestion>(question: Q, request: RowRequest<Q>): Promise<RowAnswer<Q>> {
    this.goOn();
    if (question === "open") this.refined.clear();
    const { panel, log } = this.options;
    const { row, body } = packRow(question, request);
    const shape = rowShape(row, { k: this.options.k, columns: this.columns });
    const length = shape.reduce((total, [, each]) => total + each, 0);
    const numbers = await log.pass(this.cost(question), () =>
      this.numbers(panel.sum(0, { ask: "rows", row }, length, body)),
    );
    return splitFields(shape, numbers) as unknown as RowAnswer<Q>;
  }

  /**
   * The smallest and largest values anywhere. The parties only say whether they reach a level, and the coordinator only
   * sees whether anybody does: it finds the largest value bit by bit, and not whose it is.
   */
  private async reach(): Promise<Reach> {
    const { panel, log } = this.options;
    const { columns } = this;
    const found = await log.result(async () => {
      const known = new BigUint64Array(2 * columns);
      for (let shift = 60; shift >= 0; shift -= 4) {
        const body = new Uint8Array(known.slice().buffer);
        const sums = await panel.sum(0, { ask: "reaches", shift }, known.length * levelsAtOnce, body);
        this.notice();
        const reached = fromFlags(sums);
        known.forEach((value, at) => {
          const highest = reached.slice(at * levelsAtOnce, (at + 1) * levelsAtOnce).lastIndexOf(true) + 1;
          known[at] = value + (BigInt(highest) << BigInt(shift));
        });
      }
      return Array.from(known, fromOrderedBits);
    });
    return {
      most: Float64Array.from(found.slice(0, columns)),
      least: Float64Array.from(found.slice(columns), (value) => -value),
    };
  }

  /** Nobody is asked twice about the same centres: what was said is known. */
  private async refine(request: RowRequest<"refine">): Promise<readonly Summary[]> {
    const name = `${request.least} ${request.centres}`;
    const known = this.refined.get(name) ?? (await this.means("refine", request));
    this.refined.set(name, known);
    return known;
  }

  /** What each party says of its own clusters, in the open. */
  private async means<Q extends "summarise" | "refine">(
    question: Q,
    request: RowRequest<RowQuestion>,
  ): Promise<Summary[]> {
    const { panel, log, k } = this.options;
    const { columns } = this;
    const { row, body } = packRow(question, request as RowRequest<Q>);
    const clusters = "clusters" in row ? row.clusters : k;
    const most = 8 * (3 + clusters * (columns + 1));
    const said = await log.pass(this.people, async () => {
      const answers = await panel.ask(0, { ask: "rows", row }, { body, most });
      this.notice();
      return answers.map((answer, index) => {
        const numbers = Array.from(new Float64Array(new Uint8Array(answer.body).buffer));
        if (numbers.length === 3 + numbers[2] * (columns + 1) && numbers.every(Number.isFinite)) return numbers;
        throw new MoietyError("failed", `${panel.seats[index].name} sent means of another shape than it was asked for`);
      });
    });
    return said.map((numbers) => {
      const [withheld, cost, count] = numbers as [number, number, number];
      const counts = Float64Array.from(numbers.slice(3, 3 + count));
      return { withheld, cost, counts, means: Float64Array.from(numbers.slice(3 + count)) };
    });
  }

  private async numbers(sums: Promise<Integers>): Promise<number[]> {
    try {
      return Array.from(toNumbers(await sums));
    } finally {
      this.notice();
    }
  }

  private notice(): void {
    const { panel, onDeparture } = this.options;
    if (panel.present.length === this.known) return;
    this.known = panel.present.length;
    onDeparture?.(panel.present);
  }

  private cost(question: RowQuestion): number {
    return heavy.includes(question) ? this.people : this.people / lightOnes;
  }

  private goOn(): void {
    if (this.signal?.aborted) throw new MoietyError("cancelled", "stopped before the end; nothing was written");
  }
}
