import type { Coordinator } from "./coordinator.js";

export interface Outcome {
  readonly passes: number;
  readonly converged: boolean;
}

/** Told after each pass; the coordinator may be that of a sample. */
export type OnPass = (pass: number, coordinator: Coordinator) => Promise<void> | void;

/**
 * Lloyd's k-means from the present centres: everybody to the nearest, every centre to the mean. When it ends, the labels
 * are those of the nearest centre, which is what prediction does.
 */
export async function lloyd(coordinator: Coordinator, maxPasses: number, onPass?: OnPass): Promise<Outcome> {
  for (let pass = 1; pass <= maxPasses; pass++) {
    await coordinator.prepare({ kind: "nearest" });
    const moved = await coordinator.assign(coordinator.everyone);
    await onPass?.(pass, coordinator);
    if (moved === 0) return { passes: pass, converged: true };
    if (pass === maxPasses) return { passes: pass, converged: false };
    await fillEmptyClusters(coordinator);
    await coordinator.recentre();
  }
  return { passes: 0, converged: false };
}

/** Gives every empty cluster the person who is farthest from their centre, as long as somebody is away from it. */
async function fillEmptyClusters(coordinator: Coordinator): Promise<void> {
  for (;;) {
    const sizes = await coordinator.parties[0].sizes();
    const empty = sizes.indexOf(0);
    if (empty < 0) return;
    const crowded = new Set(Array.from(sizes.keys()).filter((cluster) => sizes[cluster] > 1));
    const farthest = await coordinator.farthest(crowded);
    if (farthest === undefined) return;
    await coordinator.apply({ rows: Uint32Array.of(farthest), to: Uint16Array.of(empty) });
  }
}
