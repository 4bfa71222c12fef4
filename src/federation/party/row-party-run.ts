import { deserialize, serialize } from "node:v8";
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
import { type KeptGuard, RowGuard } from "./row-guard.js";
import type { Told } from "./told.js";

export interface RowPartyRunOptions extends AnsweringOptions {
  readonly card: Card;
  readonly party: string;
  readonly people: People;
  readonly lanes: readonly Lane[];
  /** Outlives the run: a job may have several, with other parties. */
  readonly told: Told;
}

interface Enrolment {
  readonly first: number;
  /** The combinations of groups that occur anywhere, ascending. */
  readonly occurring: Uint32Array;
}

interface KeptRows {
  readonly enrolment: Enrolment;
  readonly rows: LocalRowState;
  readonly guard: KeptGuard;
}

/** What each masked answer is, for the journal. */
const kinds: Record<SummableQuestion, readonly [string, string]> = {
  moments: ["moments", "columns x 3"],
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
  private readonly guard: RowGuard;

  constructor(options: RowPartyRunOptions) {
    super(options);
    this.combinations = combinationsOf(options.card, options.people);
    this.guard = new RowGuard(options.card, options.told);
  }

  async resume(state: Uint8Array): Promise<void> {
    const { enrolment, rows, guard } = deserialize(state) as KeptRows;
    this.enrol(enrolment);
    await this.here.resume(rows);
    this.guard.resume(guard, rows);
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
        for (const code of codes) counts[code]++;
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
          counts[pattern * k + labels[i]]++;
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
    const { columns } = this.shape;
    this.guard.check(row, lists, { rows: this.here, columns, kinds: this.occurring.length });
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
    return { k: this.options.card.k, columns: this.here.columns };
  }

  private state(): Uint8Array {
    const kept: KeptRows = { enrolment: this.enrolment!, rows: this.here.state(), guard: this.guard.state() };
    return serialize(kept);
  }
}

function requestOf(row: RowWireQuestion, lists: Readonly<Record<string, Float64Array>>): unknown {
  const { rows, lengths: _, ...scalars } = row;
  const whole = (name: string) => Uint32Array.from(lists[name]);
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
