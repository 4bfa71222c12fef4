import { deserialize, serialize } from "node:v8";
import { MoietyError } from "../../errors.js";
import type { Lane } from "../../kernels/lanes.js";
import { type LocalRowState, LocalRows } from "../../parties/local-rows.js";
import type { RowQuestion, SummableQuestion, Summary, Whole } from "../../parties/row-types.js";
import { toIntegers } from "../../privacy/integers.js";
import type { People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import type { Answer } from "../transport/conversation.js";
import { uint32 } from "../wire/bodies.js";
import { toFlags } from "../wire/numbers.js";
import type { WireQuestion } from "../wire/questions.js";
import { joinFields, levelsReached, type RowWireQuestion, rowShape, unpackRow } from "../wire/row-questions.js";
import { scoreBound } from "../wire/tables.js";
import { Answering, type AnsweringOptions, outOfPlace } from "./answering.js";
import { combinationsOf } from "./combinations.js";
import { digestOf, type Told } from "./told.js";

export interface RowPartyRunOptions extends AnsweringOptions {
  readonly card: Card;
  readonly party: string;
  readonly people: People;
  readonly lanes: readonly Lane[];
  /** Outlives the run: a job may have several, with other parties. */
  readonly told: Told;
}

/** Sets of centres that are tried side by side, and cells of one that is finer than clusters. */
const mostCandidates = 100;
const mostCells = 10_000;

interface Enrolment {
  readonly first: number;
  /** The combinations of groups that occur anywhere, ascending. */
  readonly occurring: Uint32Array;
}

interface KeptRows {
  readonly enrolment: Enrolment;
  readonly rows: LocalRowState;
  readonly once: readonly string[];
  readonly told: readonly (readonly [string, string])[];
  readonly opened: number;
}

/** What each masked answer is, for the journal. */
const kinds: Record<SummableQuestion, readonly [string, string]> = {
  moments: ["moments", "columns x 2, people"],
  open: ["squared lengths", "1 number"],
  place: ["people at centres", "candidates x (clusters x 2, SSE)"],
  totals: ["sums at centres", "candidates x clusters x (columns, people)"],
  assign: ["people of each kind in clusters", "kinds x clusters, SSE"],
  below: ["people below thresholds", "moves x thresholds"],
  gather: ["sums of clusters", "clusters x (columns, people)"],
  silhouette: ["silhouette", "1 number"],
};

/**
 * A holder of rows in a run. Its people's numbers leave in sums under masks; its own clusters' means leave as they are,
 * which the card and this site's policy have allowed. It says nothing twice about the same centres: what two answers
 * would differ by could be one person.
 */
export class RowPartyRun extends Answering<RowPartyRunOptions> {
  private readonly combinations: { readonly codes: Uint32Array; readonly count: number };
  private enrolment: Enrolment | undefined;
  private rows: LocalRows | undefined;
  /** Digests of what was answered since the present start began. */
  private answered = new Set<string>();
  private measured: { readonly centres: Float64Array; readonly jitter: number } | undefined;
  private centres = new Map<number, Float64Array>();
  private opened = 0;

  constructor(options: RowPartyRunOptions) {
    super(options);
    this.combinations = combinationsOf(options.card, options.people);
  }

  async resume(state: Uint8Array): Promise<void> {
    const { enrolment, rows, once, told, opened } = deserialize(state) as KeptRows;
    this.enrol(enrolment);
    await this.here.resume(rows);
    for (const { number, centres } of rows.candidates) this.centres.set(number, centres);
    this.answered = new Set(once);
    this.measured = rows.measured;
    this.options.told.add(told);
    this.opened = opened;
  }

  async labels(): Promise<Uint16Array> {
    return this.here.labels;
  }

  protected async take(step: number, of: number, question: WireQuestion, body: Uint8Array): Promise<Answer> {
    if (of !== 0) throw outOfPlace();
    switch (question.ask) {
      case "census": {
        const { codes, count } = this.combinations;
        const counts = new Float64Array(count);
        for (const code of codes) counts[code]!++;
        return this.masked(step, "people of each kind", "combinations of groups", toIntegers(counts, scoreBound));
      }
      case "enrol":
        this.enrol({ first: question.first, occurring: uint32(body, body.length / 4) });
        return {};
      case "reaches":
        return this.reaches(step, question.shift, body);
      case "tally": {
        const { k } = this.options.card;
        const counts = new Float64Array(this.occurring.length * k);
        const { labels } = this.here;
        this.options.told.about("tally", labels);
        this.patterns().forEach((pattern, i) => {
          counts[pattern * k + labels[i]!]!++;
        });
        return this.masked(step, ...kinds.assign, toIntegers(counts, scoreBound));
      }
      case "rows":
        return this.ask(step, question.row, body);
      case "checkpoint":
        await this.options.keep(question.position, this.state());
        return {};
      default:
        throw outOfPlace();
    }
  }

  private async ask(step: number, row: RowWireQuestion, body: Uint8Array): Promise<Answer> {
    const lists = unpackRow(row, body);
    this.check(row, lists);
    const request = requestOf(row, lists);
    const ask = this.here[row.rows as "place"].bind(this.here) as unknown as (request: unknown) => Promise<unknown>;
    switch (row.rows) {
      case "summarise":
      case "refine": {
        const { means, counts, withheld, cost } = (await ask(request)) as Summary;
        const numbers = Float64Array.of(withheld, cost, counts.length, ...counts, ...means);
        this.options.journal.note(
          "means of own clusters",
          "clusters x (columns, people), SSE",
          "open",
          numbers.byteLength,
        );
        return { body: new Uint8Array(numbers.buffer) };
      }
      case "rescale":
      case "measure":
      case "settle":
      case "transfer":
      case "remember":
      case "recall":
        await ask(request);
        return {};
      default: {
        const answer = (await ask(request)) as Readonly<Record<string, Whole>>;
        const numbers = joinFields(rowShape(row, this.shape), answer);
        return this.masked(step, ...kinds[row.rows], toIntegers(numbers, scoreBound));
      }
    }
  }

  /** Refuses what the card does not say, what is not there, and what was told already. */
  private check(row: RowWireQuestion, lists: Readonly<Record<string, Float64Array>>): void {
    const { card } = this.options;
    const { k, columns } = this.shape;
    const sure = (right: boolean) => {
      if (!right) throw outOfPlace();
    };
    const length = (name: string, expected: number) => sure(lists[name]!.length === expected);
    const about = (...numbers: readonly ArrayBufferView[]) => this.options.told.about(row.rows, ...numbers);
    const measured = () => {
      if (!this.measured) throw outOfPlace();
      return [this.measured.centres, Float64Array.of(this.measured.jitter)];
    };
    if (row.rows !== "moments" && row.rows !== "rescale" && row.rows !== "open") sure(this.opened > 0);
    switch (row.rows) {
      case "moments":
        length("shift", columns);
        length("step", columns);
        break;
      case "rescale":
        sure(this.opened === 0);
        length("shift", columns);
        length("scale", columns);
        break;
      case "open":
        sure(row.k === k && this.opened < card.starts);
        this.opened++;
        this.answered.clear();
        this.centres.clear();
        break;
      case "summarise":
        this.allowMeans(row.least);
        // As the card has it, and once more where every cluster was too small: other wishes would tell more.
        sure(row.clusters <= 3 * k && (row.peopleEach === 1 || row.peopleEach === row.least));
        this.once(`summarise ${row.peopleEach}`);
        break;
      case "refine":
        this.allowMeans(row.least);
        sure(card.algorithm === "fkm");
        length("centres", k * columns);
        this.once("refine", lists.centres!);
        break;
      case "place": {
        const numbers = lists.numbers!;
        const cells = lists.centres!.length / (numbers.length * columns);
        sure(numbers.length <= mostCandidates && Number.isInteger(cells) && cells >= 1);
        sure(cells === k || (numbers.length === 1 && cells <= mostCells));
        sure(numbers.every((number) => (this.centres.get(number)?.length ?? cells * columns) === cells * columns));
        sure(numbers.every((number) => Number.isInteger(number) && number >= 0 && number < mostCandidates));
        numbers.forEach((number, at) => {
          const centres = lists.centres!.slice(at * cells * columns, (at + 1) * cells * columns);
          this.centres.set(number, centres);
          about(centres);
        });
        break;
      }
      case "totals":
        for (const number of lists.numbers!) {
          const centres = this.centres.get(number);
          if (!centres) throw outOfPlace();
          length("due", (lists.numbers!.length * centres.length) / columns);
          this.once(`totals ${number}`, centres);
          about(centres);
        }
        break;
      case "measure":
        length("centres", k * columns);
        this.measured = { centres: lists.centres!, jitter: row.jitter };
        break;
      case "assign":
      case "settle":
        length("offsets", this.occurring.length * k);
        if (row.rows === "assign") about(...measured(), lists.offsets!);
        break;
      case "gather":
        about(...measured(), this.here.labels);
        break;
      case "below":
      case "transfer": {
        const { moves, gaps } = lists as { moves: Float64Array; gaps: Float64Array };
        const most = this.occurring.length * k * k;
        sure(moves.every((move) => Number.isInteger(move) && move >= 0 && move < most));
        sure(moves.length === 0 ? gaps.length === 0 : gaps.length % moves.length === 0);
        if (row.rows === "transfer") length("gaps", moves.length);
        length("persons", gaps.length);
        if (row.rows === "below") about(...measured(), moves, gaps, lists.persons!);
        break;
      }
      case "recall":
        sure(this.here.remembers(row.slot));
        break;
      case "silhouette":
        length("sizes", k);
        about(...measured(), lists.sizes!);
        break;
      default:
    }
  }

  private allowMeans(least: number): void {
    const { card } = this.options;
    if (card.protection === "means" && least >= (card.minCount ?? 1)) return;
    throw new MoietyError("failed", "means of so few people, or any, are not on the card: refused");
  }

  private once(what: string, centres?: Float64Array): void {
    const digest = digestOf(what, ...(centres ? [centres] : []));
    if (this.answered.has(digest))
      throw new MoietyError("failed", "this was answered before for the same centres: refused");
    this.answered.add(digest);
  }

  private async reaches(step: number, shift: number, body: Uint8Array): Promise<Answer> {
    const answers = levelsReached(await this.here.reach(), shift, body);
    return this.masked(
      step,
      "reach of the columns",
      "columns x 2 x 15 yes or no",
      toFlags(answers, this.options.random),
    );
  }

  private enrol(enrolment: Enrolment): void {
    const { card, party, people, lanes } = this.options;
    if (this.enrolment) throw outOfPlace();
    this.enrolment = enrolment;
    this.rows = new LocalRows(lanes, {
      number: card.parties.findIndex(({ name }) => name === party),
      dimensions: people.dimensions,
      persons: Float64Array.from({ length: people.n }, (_, i) => enrolment.first + i),
      patterns: this.patterns(),
      patternCount: enrolment.occurring.length,
    });
  }

  /** The number of everybody's combination among those that occur. */
  private patterns(): Uint16Array {
    const place = new Map(Array.from(this.occurring, (code, index) => [code, index]));
    return Uint16Array.from(this.combinations.codes, (code) => {
      const pattern = place.get(code);
      if (pattern === undefined) throw outOfPlace();
      return pattern;
    });
  }

  private get occurring(): Uint32Array {
    if (!this.enrolment) throw outOfPlace();
    return this.enrolment.occurring;
  }

  private get here(): LocalRows {
    if (!this.rows) throw outOfPlace();
    return this.rows;
  }

  private get shape() {
    return { k: this.options.card.k, columns: this.options.people.dimensions.length };
  }

  private state(): Uint8Array {
    const kept: KeptRows = {
      enrolment: this.enrolment!,
      rows: this.here.state(),
      once: [...this.answered],
      told: this.options.told.list(),
      opened: this.opened,
    };
    return serialize(kept);
  }
}

function requestOf(row: RowWireQuestion, lists: Readonly<Record<string, Float64Array>>): unknown {
  const { rows, lengths: _, ...scalars } = row;
  const whole = (name: string) => Uint32Array.from(lists[name]!);
  const question: RowQuestion = rows;
  switch (question) {
    case "place": {
      const numbers = whole("numbers");
      const size = lists.centres!.length / Math.max(1, numbers.length);
      return {
        numbers,
        centres: Array.from(numbers, (_, at) => lists.centres!.slice(at * size, (at + 1) * size)),
      };
    }
    case "totals":
      return { numbers: whole("numbers"), due: Uint8Array.from(lists.due!) };
    case "below":
    case "transfer":
      return { ...lists, moves: whole("moves") };
    default:
      return { ...scalars, ...lists };
  }
}
