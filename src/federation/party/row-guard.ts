import { MoietyError } from "../../errors.js";
import type { LocalRows } from "../../parties/local-rows.js";
import type { Card } from "../consent/card.js";
import type { RowWireQuestion } from "../wire/row-questions.js";
import { outOfPlace } from "./answering.js";
import { digestOf, type Told } from "./told.js";

/** Sets of centres that are tried side by side, and cells of one that is finer than clusters. */
const mostCandidates = 100;
const mostCells = 10_000;

type Lists = Readonly<Record<string, Float64Array>>;

/** What questions may be about. */
interface Subject {
  readonly rows: Pick<LocalRows, "labels" | "remembers">;
  readonly columns: number;
  /** Combinations of groups that occur anywhere. */
  readonly kinds: number;
}

/** Enough to go on from, beside what the rows themselves keep. */
export interface KeptGuard {
  readonly once: readonly string[];
  readonly opened: number;
}

/** The centres that the rows themselves keep. */
interface KeptCentres {
  readonly candidates: readonly { readonly number: number; readonly centres: Float64Array }[];
  readonly measured?: { readonly centres: Float64Array; readonly jitter: number } | undefined;
}

/** Refuses questions to a holder of rows: what the card does not say, what is not there, and what was told already. */
export class RowGuard {
  /** Digests of what was answered since the present start began. */
  private answered = new Set<string>();
  private measured: KeptCentres["measured"];
  private readonly centres = new Map<number, Float64Array>();
  private opened = 0;

  constructor(
    private readonly card: Card,
    private readonly told: Told,
  ) {}

  state(): KeptGuard {
    return { once: [...this.answered], opened: this.opened };
  }

  resume({ once, opened }: KeptGuard, { candidates, measured }: KeptCentres): void {
    for (const { number, centres } of candidates) this.centres.set(number, centres);
    this.answered = new Set(once);
    this.measured = measured;
    this.opened = opened;
  }

  /** Throws unless the question may be answered; from then on it was. */
  check(row: RowWireQuestion, lists: Lists, { rows, columns, kinds }: Subject): void {
    const { k, starts, algorithm } = this.card;
    const length = (name: string, expected: number) => sure(lists[name].length === expected);
    const about = (...numbers: readonly ArrayBufferView[]) => this.told.about(row.rows, ...numbers);
    if (row.rows !== "moments" && row.rows !== "rescale" && row.rows !== "open") sure(this.opened > 0);
    switch (row.rows) {
      case "moments":
        length("shift", columns);
        length("step", columns);
        break;
      case "rescale":
        sure(this.opened === 0);
        for (const name of ["shift", "scale", "mean", "kept"]) length(name, columns);
        sure(lists.scale!.every((width) => width > 0) && lists.kept!.some((kept) => kept > 0));
        break;
      case "open":
        sure(row.k === k && this.opened < starts);
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
        sure(algorithm === "fkm");
        length("centres", k * columns);
        this.once("refine", lists.centres!);
        break;
      case "place":
        for (const centres of this.placed(lists, columns)) about(centres);
        break;
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
        length("offsets", kinds * k);
        if (row.rows === "assign") about(...this.measurement(), lists.offsets!);
        break;
      case "gather":
        about(...this.measurement(), rows.labels);
        break;
      case "below":
      case "transfer": {
        const { moves, gaps } = lists as { moves: Float64Array; gaps: Float64Array };
        sure(moves.every((move) => Number.isInteger(move) && move >= 0 && move < kinds * k * k));
        sure(moves.length === 0 ? gaps.length === 0 : gaps.length % moves.length === 0);
        if (row.rows === "transfer") length("gaps", moves.length);
        length("persons", gaps.length);
        if (row.rows === "below") about(...this.measurement(), moves, gaps, lists.persons!);
        break;
      }
      case "recall":
        sure(rows.remembers(row.slot));
        break;
      case "silhouette":
        length("sizes", k);
        about(...this.measurement(), lists.sizes!);
        break;
      default:
    }
  }

  /** The centres of each candidate, which are of as many cells as before. */
  private placed(lists: Lists, columns: number): Float64Array[] {
    const { numbers, centres } = lists as { numbers: Float64Array; centres: Float64Array };
    const cells = centres.length / (numbers.length * columns);
    sure(numbers.length <= mostCandidates && Number.isInteger(cells) && cells >= 1);
    sure(cells === this.card.k || (numbers.length === 1 && cells <= mostCells));
    sure(numbers.every((number) => (this.centres.get(number)?.length ?? cells * columns) === cells * columns));
    sure(numbers.every((number) => Number.isInteger(number) && number >= 0 && number < mostCandidates));
    return Array.from(numbers, (number, at) => {
      const placed = centres.slice(at * cells * columns, (at + 1) * cells * columns);
      this.centres.set(number, placed);
      return placed;
    });
  }

  private measurement(): readonly Float64Array[] {
    if (!this.measured) throw outOfPlace();
    return [this.measured.centres, Float64Array.of(this.measured.jitter)];
  }

  private allowMeans(least: number): void {
    const { protection, minCount } = this.card;
    if (protection === "means" && least >= (minCount ?? 1)) return;
    throw new MoietyError("failed", "means of so few people, or any, are not on the card: refused");
  }

  private once(what: string, centres?: Float64Array): void {
    const digest = digestOf(what, ...(centres ? [centres] : []));
    if (this.answered.has(digest))
      throw new MoietyError("failed", "this was answered before for the same centres: refused");
    this.answered.add(digest);
  }
}

function sure(right: boolean): void {
  if (!right) throw outOfPlace();
}
