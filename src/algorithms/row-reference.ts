import { SumRefused } from "../parties/questions.js";
import { assignToNearest, type RowRun, sseUnit } from "../solver/row-run.js";
import { LeastSse } from "./reference.js";
import type { RowOutcome } from "./row-start.js";

/**
 * As `Reference`, where rows are split. Candidates are each start's converged centres before any promise was kept, and the means of the
 * answer; everybody goes to the nearest. There is no further improvement: it would take sums of clusters that differ by few people, and
 * the differences would disclose these people.
 */
export class RowReference {
  private readonly least = new LeastSse();

  constructor(
    private readonly run: RowRun,
    private readonly labelsNow: (() => Uint16Array) | undefined,
  ) {}

  /** Everybody goes to the nearest of these centres. */
  async offer(centres: Float64Array): Promise<void> {
    const { cost } = await assignToNearest(this.run, centres);
    await this.least.offer(cost, async () => this.labelsNow?.());
  }

  /** At the end of all starts. Undefined where nothing was promised, and where parties have left since. */
  async found({ centres, cost }: RowOutcome): Promise<ReturnType<LeastSse["found"]> | undefined> {
    const { group } = this.run;
    if (!this.least.known || group.changed) return undefined;
    await this.offer(centres).catch((error: unknown) => {
      if (!(error instanceof SumRefused)) throw error;
    });
    return group.changed ? undefined : this.least.found(cost, sseUnit(this.run));
  }
}
