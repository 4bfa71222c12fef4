import type { Assigner } from "./assigner.js";
import type { Joining } from "./decider.js";
import { lloyd } from "./lloyd.js";
import { derive } from "./seeded-chance.js";
import { tuning } from "./tuning.js";

/**
 * Descent leads to the nearest optimum only. Here the cluster that is missed least, since another one is nearby, is joined to that one, and
 * its centre is set down at somebody who is far from theirs: at the one of several candidates who lowers the SSE most. What comes of it
 * is kept if it is better. Ends after the work of so many passes, with the present clusters at their means.
 */
export async function relocateCentres(assigner: Assigner, seed: number, passes: number): Promise<void> {
  const { k } = assigner;
  if (k < 2) return;
  await lloyd(assigner, tuning.shortRun);
  await assigner.recentre();
  let best = await assigner.sse();
  await assigner.remember("relocation");
  let candidates: number[] = [];
  let untried = new Set<number>();
  for (let trial = 0, work = 0; work < passes && best > 0; trial++) {
    // The half of the clusters that are missed least are tried by turns.
    if (untried.size <= k / 2) untried = new Set(Array.from({ length: k }, (_, cluster) => cluster));
    const joining = await assigner.leastMissed(untried);
    if (!joining) return;
    untried.delete(joining.cluster);
    // In every trial, though it may be the same: whoever resumes a run begins after a pass.
    await assigner.approachCentres();
    if (candidates.length > 0) await join(assigner, joining);
    else {
      const found = await drawCandidates(assigner, joining, derive(seed, trial));
      candidates = found.rows;
      work += found.work;
    }
    await assigner.gather(candidates.shift()!, joining.cluster);
    await assigner.recentre();
    const descent = await descend(assigner, best);
    work += descent.passes;
    if (descent.sse < best * (1 - tuning.relocation.gain)) {
      best = descent.sse;
      candidates = [];
      untried.clear();
      await assigner.remember("relocation");
    } else {
      await assigner.recall("relocation");
    }
  }
}

/** Joins two clusters, and draws people who are far from their centre: the better half of them, best first, and the passes that it took. */
async function drawCandidates(
  assigner: Assigner,
  joining: Joining,
  seed: number,
): Promise<{ rows: number[]; work: number }> {
  const { k } = assigner;
  const { candidates, centresOfCandidate } = tuning.relocation;
  const drawn = await assigner.drawSeveral(seed, Math.min(candidates, 2 + Math.floor(k / 4)));
  await join(assigner, joining);
  await assigner.remember("joined");
  const sses = new Map<number, number>();
  for (const row of drawn) {
    await assigner.gather(row, joining.cluster);
    sses.set(row, await assigner.sse());
    await assigner.recall("joined");
  }
  const rows = [...sses.keys()].sort((a, b) => sses.get(a)! - sses.get(b)! || a - b);
  return { rows: rows.slice(0, Math.ceil(rows.length / 2)), work: (centresOfCandidate * drawn.length) / k };
}

async function join(assigner: Assigner, { cluster, into }: Joining): Promise<void> {
  const labels = await assigner.labelsNow();
  await assigner.adopt(
    assigner.everyone,
    labels.map((label) => (label === cluster ? into : label)),
  );
}

/** Lloyd passes for as long as they are likely to lead below the best, and gain much once they are there. */
async function descend(assigner: Assigner, best: number): Promise<{ sse: number; passes: number }> {
  const { hope, gain, enough } = tuning.relocation;
  let before = await assigner.sse();
  for (let passes = 1; ; passes++) {
    await lloyd(assigner, 1);
    await assigner.recentre();
    const sse = await assigner.sse();
    const gained = before - sse;
    if (sse - best > hope * gained || gained <= gain * sse || gained < enough * (best - sse)) return { sse, passes };
    before = sse;
  }
}
