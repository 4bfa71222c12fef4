import type { PartyBatch } from "./party-batch.js";
import type { AnswerLog } from "./remote-group.js";
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
 * The sums of a private run, noise and all: each is a checkpoint. It is kept before anything follows from it, so a new
 * attempt of the run begins behind the last one and asks nobody again. The question after that may have been asked in the
 * attempt before: it is asked again of the very same sites, who repeat their numbers, and of no others, who would show them
 * by subtraction.
 */
export class PrivateSums implements AnswerLog {
  readonly rows: number;
  private readonly past: readonly HeardSum[];
  private next = 0;

  constructor(
    private readonly batch: PartyBatch,
    private readonly run: Pick<CardRun, "results" | "epoch" | "rows" | "keep" | "narrow">,
  ) {
    this.past = run.results as readonly HeardSum[];
    this.rows = this.past[0]?.rows ?? run.rows;
    // Noise is shared so that what the quorum adds is enough: whoever leaves is missed, and no more.
    if (run.epoch === 0) batch.goOn();
    batch.onSurvivors = async (survivors) => {
      // Masks are opened for these alone: the next attempt has to know, whenever this one ends.
      if (survivors.length < batch.present.length) await run.narrow?.(survivors);
      batch.goOn();
    };
  }

  get live(): boolean {
    return this.next >= this.past.length;
  }

  /** Who is there after the last sum. */
  get present(): readonly string[] {
    return this.next > 0 && this.next <= this.past.length ? this.past[this.next - 1].present : this.batch.present;
  }

  async pass<T>(_: number, ask: () => Promise<T>): Promise<T> {
    const before = this.past[this.next++];
    if (before) return before.numbers as T;
    const numbers = await ask();
    const { present } = this.batch;
    const heard: HeardSum = { numbers: Array.from(numbers as Float64Array), present, rows: this.rows };
    await this.run.keep(this.next, [heard], present);
    return numbers;
  }
}
