import type { Assigner } from "./assigner.js";
import { type FairRun, fairDescent } from "./fair-descent.js";
import type { Outcome } from "./lloyd.js";
import { repair } from "./repair.js";
import { tuning } from "./tuning.js";

/**
 * As `fairDescent`, in a tenth of the questions: for parties that are far from each other. Rounds of a few assignments each lead prices and centres to
 * where they are nearly at rest, and only then is everybody brought within the limits and are single people moved; the best of a few such ends is kept.
 * Where none of them keeps all limits, `fairDescent` goes on from there.
 */
export async function leanDescent(assigner: Assigner, run: FairRun): Promise<Outcome> {
  const { lean, search, convergence } = tuning;
  const fromNothing = run.stage !== "again";
  let unit = run.unit ?? (await assigner.unit());
  let passes = 0;
  const most = Math.min(fromNothing ? lean.rounds.first : lean.rounds.again, Math.max(1, run.maxPasses - 1));
  const few = fromNothing ? convergence.rough : lean.restless / assigner.k;
  for (let moved = assigner.n; passes < most && moved > few * assigner.n; passes++) {
    const which = passes === 0 && fromNothing ? "first" : "later";
    const movedFirst = await assignByPrices(assigner, { unit, step: search.step[which], queries: lean.queries[which] });
    if (passes > 0) moved = movedFirst;
    await assigner.recentre();
  }
  if (run.stage === "sample") {
    await run.onPass?.(passes, assigner);
    return { passes, converged: passes < most };
  }
  let best = Number.POSITIVE_INFINITY;
  const ends = Math.max(1, Math.min(lean.ends, run.maxPasses - passes));
  for (let end = 0; end < ends; end++) {
    if (end > 0 || passes > 0) unit = await assigner.unit();
    await assignByPrices(assigner, { unit, step: search.step.later, queries: lean.queries.last });
    const kept = await repair(assigner, unit, "lean");
    await assigner.recentre();
    if (kept) await polishAll(assigner);
    passes++;
    const cost = kept ? await assigner.cost() : Number.POSITIVE_INFINITY;
    if (cost < best) {
      best = cost;
      await assigner.remember("best");
    }
    await run.onPass?.(passes, assigner);
  }
  if (best === Number.POSITIVE_INFINITY) return fairDescent(assigner, run);
  await assigner.recall("best");
  return { passes, converged: true };
}

interface ShortSearch {
  readonly unit: number;
  readonly step: number;
  readonly queries: number;
}

/** A few assignments, between which prices change. Returns how many people moved in the first one: few where the centres are at rest. */
async function assignByPrices(assigner: Assigner, { unit, step, queries }: ShortSearch): Promise<number> {
  await assigner.columns.measure("rough");
  await assigner.columns.restartPrices(step * unit, tuning.search.toleranceReserve[0]);
  let first = 0;
  const { patience, restless } = tuning.lean;
  const many = (restless / assigner.k) * assigner.n;
  for (let query = 0, moved = 0; query < (moved > many ? patience : 1) * queries; query++) {
    if (query > 0) await assigner.columns.adjustPrices();
    await assigner.prepare({ kind: "priced", unit });
    moved = await assigner.assign(assigner.everyone);
    if (query === 0) first = moved;
  }
  return first;
}

/** Passes of coordinate descent in which nobody may break a limit, everybody at once; taken back where they do not gain. */
async function polishAll(assigner: Assigner): Promise<void> {
  const before = await assigner.cost();
  await assigner.remember("polish");
  for (let pass = 0; pass < tuning.lean.polishes; pass++) {
    await assigner.prepare({ kind: "polish" });
    const moves = await assigner.permitted(await assigner.propose(assigner.everyone));
    if (moves.rows.length === 0) break;
    await assigner.apply(moves);
    await assigner.recentre();
  }
  if ((await assigner.cost()) > before) await assigner.recall("polish");
}
