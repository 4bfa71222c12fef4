import { Assigner } from "./assigner.js";

export interface Outcome {
  readonly passes: number;
  readonly converged: boolean;
}

/** Told after each pass; the assigner may be that of a sample, and `part` the part of the work that seems to be done. */
export type OnPass = (pass: number, assigner: Assigner, part?: number) => Promise<void> | void;

/**
 * Lloyd's k-means from the present centres: everybody to the nearest, every centre to the mean. When it ends, the labels
 * are those of the nearest centre, which is what prediction does.
 */
export async function lloyd(assigner: Assigner, maxPasses: number, onPass?: OnPass): Promise<Outcome> {
  for (let pass = 1; pass <= maxPasses; pass++) {
    await assigner.prepare({ kind: "nearest" });
    const moved = await assigner.assign(assigner.everyone);
    await onPass?.(pass, assigner);
    if (moved === 0) return { passes: pass, converged: true };
    if (pass === maxPasses) return { passes: pass, converged: false };
    await fillEmptyClusters(assigner);
    await assigner.recentre();
  }
  return { passes: 0, converged: false };
}

/** So many passes of Lloyd at most for several assigners of as many people each, all asked at once. */
export async function lloydTogether(assigners: readonly Assigner[], maxPasses: number): Promise<void> {
  let moving = assigners;
  for (let pass = 1; moving.length > 0 && pass <= maxPasses; pass++) {
    for (const assigner of moving) await assigner.prepare({ kind: "nearest" });
    const moved = await Assigner.assignTogether(moving);
    moving = moving.filter((_, at) => moved[at] > 0);
    for (const assigner of pass < maxPasses ? moving : []) {
      await fillEmptyClusters(assigner);
      await assigner.recentre();
    }
  }
}

/** Gives every empty cluster the person who is farthest from their centre, as long as somebody is away from it. */
async function fillEmptyClusters(assigner: Assigner): Promise<void> {
  for (;;) {
    const sizes = await assigner.columns.sizes();
    const empty = sizes.indexOf(0);
    if (empty < 0) return;
    const crowded = new Set(Array.from(sizes.keys()).filter((cluster) => sizes[cluster] > 1));
    const farthest = await assigner.farthest(crowded);
    if (farthest === undefined) return;
    await assigner.apply({ rows: Uint32Array.of(farthest), to: Uint16Array.of(empty) });
  }
}
