import type { Assigner } from "./assigner.js";
import { lloyd } from "./lloyd.js";
import { derive } from "./seeded-chance.js";
import { tuning } from "./tuning.js";

/**
 * Descent leads to the nearest optimum only. Here the centre that is missed least, since its people have another one nearby, is set down
 * at somebody who is far from theirs, and what comes of it is kept if it is better. Ends after so many trials in a row without gain, or
 * when as much work is done as an improvement may take, with the present clusters at their means.
 */
export async function relocateCentres(assigner: Assigner, seed: number, failures: number): Promise<void> {
  const { k, n } = assigner;
  if (k < 2) return;
  const { patience, passes, hope, gain } = tuning.relocation;
  await lloyd(assigner, tuning.shortRun);
  await assigner.recentre();
  let best = await assigner.sse();
  await assigner.remember("relocation");
  const most = Math.max(1, Math.floor((patience * failures * tuning.scores) / (n * k)));
  let untried = new Set<number>();
  for (let trial = 0, fails = 0; fails < failures && trial < most; trial++) {
    if (fails === 0) {
      await assigner.approachCentres();
      untried.clear();
    }
    // The half of the centres that are missed least are tried by turns.
    if (untried.size <= k / 2) untried = new Set(Array.from({ length: k }, (_, cluster) => cluster));
    const cluster = await assigner.leastMissed(untried);
    const row = await assigner.drawByDistance(derive(seed, trial));
    // Everybody is at their centre.
    if (row === undefined || cluster === undefined) return;
    untried.delete(cluster);
    await assigner.columns.place(cluster, row);
    let sse = await descend(assigner, passes);
    if (sse < best * (1 + hope)) sse = await descend(assigner, tuning.shortRun);
    if (sse < best * (1 - gain)) {
      best = sse;
      fails = 0;
      await assigner.remember("relocation");
    } else {
      fails++;
      await assigner.recall("relocation");
    }
  }
}

async function descend(assigner: Assigner, passes: number): Promise<number> {
  await lloyd(assigner, passes);
  await assigner.recentre();
  return assigner.sse();
}
