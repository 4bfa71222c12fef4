import type { Assigner } from "../solver/assigner.js";
import { lloyd } from "../solver/lloyd.js";
import { descendUnconstrained, polishUnconstrained } from "../solver/reference.js";

/** The clusters of least SSE among those that were offered. */
export class LeastSse {
  sse = Number.POSITIVE_INFINITY;
  private labels: Uint16Array | undefined;

  get known(): boolean {
    return this.sse < Number.POSITIVE_INFINITY;
  }

  async offer(sse: number, labels: () => Promise<Uint16Array | undefined>): Promise<void> {
    if (sse >= this.sse) return;
    this.sse = sse;
    this.labels = await labels();
  }

  /** Never above the answer's own SSE; without labels where the answer itself is the best. */
  found(answer: number, unit = 1): { readonly unconstrainedSse: number; readonly freeLabels?: Uint16Array } {
    const { sse, labels } = this;
    return sse < answer && labels
      ? { unconstrainedSse: sse * unit, freeLabels: labels }
      : { unconstrainedSse: Math.min(sse, answer) * unit };
  }
}

/**
 * The least SSE that a run finds without promises: the reference for the price of fairness. Candidates are each start's clusters before
 * any promise was kept, and those that keep them, both improved in the same way with all promises dropped, so that the price does
 * not measure how good a descent was. Where people are many, a sample decides between the two, and everybody goes to its nearest centres.
 */
export class Reference {
  private readonly least = new LeastSse();
  /** Everybody or a sample: who has this start's clusters before any promise was kept. */
  private before: Assigner | undefined;

  constructor(
    private readonly assigner: Assigner,
    private readonly options: { readonly block: number; readonly lean: boolean; readonly keepsLabels: boolean },
  ) {}

  /** Saves the best clusters before any promise is kept. */
  async begin(free: Assigner): Promise<void> {
    this.before = free;
    await free.remember("free");
  }

  /** At the end of a start. Overwrites its clusters. */
  async compare(): Promise<void> {
    const { before, assigner, options } = this;
    if (!before) return;
    if (before === assigner) {
      await polishUnconstrained(assigner, options.block, options.lean);
      await this.offer();
      await assigner.recall("free");
      await polishUnconstrained(assigner, options.block, options.lean);
      await this.offer();
      return;
    }
    await descendUnconstrained(before);
    const relaxed = await before.sse();
    await before.remember("relaxed");
    await before.recall("free");
    if (relaxed < (await before.sse())) await before.recall("relaxed");
    await before.recentre();
    await assigner.takeCentres(before);
    await this.settle();
  }

  /** At the end of all starts, after the answer was recalled from this slot. Undefined where nothing was promised. */
  async found(slot: string): Promise<ReturnType<LeastSse["found"]> | undefined> {
    const { least, assigner } = this;
    if (!least.known) return undefined;
    const answer = await assigner.sse();
    if (least.sse >= answer) {
      // The sample's centres were no better: the answer's own centres remain to be tried.
      await this.settle();
      await assigner.recall(slot);
    }
    return least.found(answer);
  }

  /** Everybody goes to the nearest centre. */
  private async settle(): Promise<void> {
    await lloyd(this.assigner, 1);
    await this.offer();
  }

  private async offer(): Promise<void> {
    const { assigner, options } = this;
    await this.least.offer(await assigner.sse(), async () => {
      return options.keepsLabels ? assigner.labelsNow() : undefined;
    });
  }
}
