import { SumRefused } from "../parties/questions.js";
import { measure, settle } from "../parties/row-questions.js";
import { placeAt, type RowRun, sseUnit } from "../solver/row-run.js";
import type { LeastSse } from "./reference.js";
import type { RowOutcome } from "./row-start.js";

type FreeClusters = ReturnType<LeastSse["found"]>;

/** Centres, and everybody's squared distances to the nearest. */
type Priced = Pick<RowOutcome, "centres" | "cost">;

/**
 * As `Reference`, where rows are split. Candidates are the centres at which each start's Lloyd arrived, and the means of the
 * answer; everybody goes to the nearest. There is no further improvement: it would take sums of clusters that differ by few people, and
 * the differences would disclose these people.
 */
export class RowReference {
  private least: Priced | undefined;

  constructor(
    private readonly run: RowRun,
    private readonly labelsNow: (() => Uint16Array) | undefined,
  ) {}

  offer(free: Priced): void {
    if (free.cost < (this.least?.cost ?? Number.POSITIVE_INFINITY)) this.least = free;
  }

  /** At the end of all starts, with the means of the answer. Undefined where nothing was promised, and where parties have left since. */
  async compare(run: Pick<RowRun, "group" | "k">, { centres }: Priced): Promise<void> {
    if (!this.least || run.group.changed) return;
    const cost = await placeAt(run, centres).catch((error: unknown) => {
      if (error instanceof SumRefused) return Number.POSITIVE_INFINITY;
      throw error;
    });
    this.offer({ centres, cost });
  }

  /** Undefined where nothing was promised, and where parties have left since. With labels, where one process sees them, everybody's clusters are overwritten. */
  async found({ cost }: Priced): Promise<FreeClusters | undefined> {
    const { least, run, labelsNow } = this;
    const { group, patterns, k } = run;
    if (!least || group.changed) return undefined;
    const unconstrainedSse = Math.min(least.cost, cost) * sseUnit(run);
    if (least.cost >= cost || !labelsNow) return { unconstrainedSse };
    await group.ask(measure, { centres: least.centres, jitter: 0 });
    await group.ask(settle, { offsets: new Float64Array(patterns.counts.length * k) });
    return { unconstrainedSse, freeLabels: labelsNow() };
  }
}
