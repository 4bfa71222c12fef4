import { Unopened } from "../parties/questions.js";
import { type RowRun, settleRows } from "../solver/row-run.js";
import { Least } from "./reference.js";
import type { RowOutcome } from "./row-start.js";

/**
 * As `Reference`, where rows are split: of each start's centres before any promise was kept, which were brought to rest,
 * and of the means of the answer, from which everybody goes to the nearest. It goes no further: that would take sums of
 * coordinates of clusters that differ by few people, and such sums tell about these.
 */
export class RowReference {
  private readonly least = new Least();

  constructor(
    private readonly run: RowRun,
    private readonly labelsNow: (() => Uint16Array) | undefined,
  ) {}

  /** Everybody to the nearest of these centres. */
  async offer(centres: Float64Array): Promise<void> {
    const { cost } = await settleRows(this.run, centres);
    await this.least.offer(cost, async () => this.labelsNow?.());
  }

  /** When all starts have ended. Undefined where nothing was promised, and where sums are of other people than the answer. */
  async found({ centres, cost }: RowOutcome): Promise<ReturnType<Least["found"]> | undefined> {
    const { group, grid } = this.run;
    if (!this.least.known || group.changed) return undefined;
    await this.offer(centres).catch((error: unknown) => {
      if (!(error instanceof Unopened)) throw error;
    });
    return group.changed ? undefined : this.least.found(cost, 2 ** (-2 * grid.bits));
  }
}
