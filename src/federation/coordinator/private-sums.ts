import { toNumbers } from "../../privacy/integers.js";
import type { WireQuestion } from "../wire/questions.js";
import type { PartyBatch } from "./party-batch.js";
import type { CardRun } from "./solve-card.js";

/** A sum that a private run was told. */
interface HeardSum {
  readonly numbers: readonly number[];
  /** Who was there after it. */
  readonly present: readonly string[];
  /** People of all sites at the beginning: what is asked later depends on it, whoever has left since. */
  readonly rows: number;
}

/**
 * The sums of a private run, noise and all: each is a checkpoint. It is kept before anything follows from it, so a new life
 * of the run begins behind the last one and asks nobody again. The question after that may have been asked in the life before:
 * it is asked again of the very same sites, who repeat their numbers, and of no others, who would show them by subtraction.
 */
export class PrivateSums {
  readonly rows: number;
  /** Who is there after the last sum. */
  present: readonly string[];
  private readonly past: readonly HeardSum[];
  private next = 0;

  constructor(
    private readonly panel: PartyBatch,
    private readonly run: Pick<CardRun, "results" | "epoch" | "rows" | "keep" | "narrow">,
  ) {
    this.past = run.results as readonly HeardSum[];
    this.rows = this.past[0]?.rows ?? run.rows;
    this.present = panel.present;
    // Noise is shared so that what the quorum adds is enough: whoever leaves is missed, and no more.
    if (run.epoch === 0) panel.goOn();
    panel.onSurvivors = async (survivors) => {
      // Masks are opened for these alone: the next life has to know, whenever this one ends.
      if (survivors.length < panel.present.length) await run.narrow?.(survivors);
      panel.goOn();
    };
  }

  async sum(question: WireQuestion, length: number, body: Uint8Array): Promise<Float64Array> {
    const before = this.past[this.next++];
    if (before) {
      this.present = before.present;
      return Float64Array.from(before.numbers);
    }
    const numbers = toNumbers(await this.panel.sum(0, question, length, body));
    this.present = this.panel.present;
    const heard: HeardSum = { numbers: Array.from(numbers), present: this.present, rows: this.rows };
    await this.run.keep(this.next, [heard], this.present);
    return numbers;
  }

  /** What everybody is told, and does not answer. */
  async tell(question: WireQuestion, body: Uint8Array): Promise<void> {
    this.panel.goOn();
    await this.panel.ask(0, question, { body });
    this.present = this.panel.present;
  }
}
