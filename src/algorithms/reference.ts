import type { Assigner } from "../solver/assigner.js";
import { lloyd } from "../solver/lloyd.js";
import { polishFreely, relax } from "../solver/reference.js";

/** The clusters of least SSE of those that were looked at. */
export class Least {
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

  /** Never above the answer's own SSE; without labels where they are the answer's. */
  found(answer: number, unit = 1): { readonly unconstrainedSse: number; readonly freeLabels?: Uint16Array } {
    const { sse, labels } = this;
    return sse < answer && labels
      ? { unconstrainedSse: sse * unit, freeLabels: labels }
      : { unconstrainedSse: Math.min(sse, answer) * unit };
  }
}

/**
 * The least SSE that a run finds without promises, so that nobody takes for fairness what is a better or worse descent:
 * of each start's clusters before any promise was kept, and of those that keep them, both improved alike with all
 * promises dropped. Among very many people a sample finds out which of the two it is, and everybody takes its centres.
 */
export class Reference {
  private readonly least = new Least();
  /** Who holds this start's clusters before any promise was kept: everybody, or a sample. */
  private before: Assigner | undefined;

  constructor(
    private readonly assigner: Assigner,
    private readonly options: { readonly block: number; readonly keepsLabels: boolean },
  ) {}

  /** Keeps clusters that are as good as they get before any promise is kept. */
  async begin(free: Assigner): Promise<void> {
    this.before = free;
    await free.remember("free");
  }

  /** When a start has ended, from its clusters; which are lost, unless they were remembered. */
  async compare(): Promise<void> {
    const { before, assigner, options } = this;
    if (!before) return;
    if (before === assigner) {
      await polishFreely(assigner, options.block);
      await this.offer();
      await assigner.recall("free");
      await polishFreely(assigner, options.block);
      await this.offer();
      return;
    }
    await relax(before);
    const relaxed = await before.sse();
    await before.remember("relaxed");
    await before.recall("free");
    if (relaxed < (await before.sse())) await before.recall("relaxed");
    await before.recentre();
    await assigner.follow(before);
    await this.settle();
  }

  /** When all starts have ended, and the answer is back under this name. Undefined where nothing was promised. */
  async found(slot: string): Promise<ReturnType<Least["found"]> | undefined> {
    const { least, assigner } = this;
    if (!least.known) return undefined;
    const answer = await assigner.sse();
    if (least.sse >= answer) {
      // A sample's centres were no better: there is nothing to gain but from the answer itself.
      await this.settle();
      await assigner.recall(slot);
    }
    return least.found(answer);
  }

  /** Everybody to the nearest centre. */
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
