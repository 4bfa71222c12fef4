import type { Assigner } from "./assigner.js";
import type { JoinedPair } from "./decider.js";
import { derive } from "./seeded-chance.js";
import { descendShortly, type ShortDescent } from "./short-descent.js";
import { tuning } from "./tuning.js";

export interface Relocations {
  readonly seed: number;
  /** The work of so many passes ends the trials. */
  readonly passes: number;
  /** Where what the present clusters lead to costs more, nothing is tried. */
  readonly most?: number;
  /** From the present clusters to what they nearly lead to; default `descendShortly`. */
  readonly descend?: (best: number) => Promise<ShortDescent>;
  readonly onTrial?: OnTrial;
}

/** Told before each trial, with the least SSE so far and the part of the work that is done. */
export type OnTrial = (trial: number, sse: number, part: number) => void;

/**
 * Descent leads to the nearest optimum only. Here the cluster that is missed least, since another one is nearby, is joined to that one, and
 * its centre is set down at somebody who is far from theirs: at the one of several candidates who lowers the SSE most. What comes of it
 * is kept if it is better. Starts from clusters at their means, and ends with such. Returns whether anything was better.
 */
export async function relocateCentres(
  assigner: Assigner,
  {
    seed,
    passes,
    most = Number.POSITIVE_INFINITY,
    descend = (best) => descendShortly(assigner, best),
    onTrial,
  }: Relocations,
): Promise<boolean> {
  const { k } = assigner;
  if (k < 2) return false;
  const first = (await descend(most)).cost;
  if (first > most) return false;
  let best = first;
  await assigner.remember("relocation");
  let candidates: number[] = [];
  let untried = new Set<number>();
  for (let trial = 0, work = 0; work < passes && best > 0; trial++) {
    onTrial?.(trial + 1, best, work / passes);
    // The half of the clusters that are missed least are tried by turns.
    if (untried.size <= k / 2) untried = new Set(Array.from({ length: k }, (_, cluster) => cluster));
    const joining = await assigner.leastMissed(untried);
    if (!joining) break;
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
    const descent = await descend(best);
    work += descent.passes;
    if (descent.cost < best * (1 - tuning.relocation.gain)) {
      best = descent.cost;
      candidates = [];
      untried.clear();
      await assigner.remember("relocation");
    } else {
      await assigner.recall("relocation");
    }
  }
  return best < first;
}

/** Joins two clusters, and draws people who are far from their centre: the better half of them, best first, and the passes that it took. */
async function drawCandidates(
  assigner: Assigner,
  joining: JoinedPair,
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

async function join(assigner: Assigner, { cluster, into }: JoinedPair): Promise<void> {
  const labels = await assigner.labelsNow();
  await assigner.adopt(
    assigner.everyone,
    labels.map((label) => (label === cluster ? into : label)),
  );
}
