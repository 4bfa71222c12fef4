import type { Assigner } from "./assigner.js";
import { type FairRun, fairDescent } from "./fair-descent.js";
import type { Outcome } from "./lloyd.js";
import { repair } from "./repair.js";
import { tuning } from "./tuning.js";

/**
 * As `fairDescent`, in a twentieth of the questions: for parties that are far from each other. Rounds of a few assignments each lead prices and centres to
 * where they are nearly at rest, and only then is everybody brought within the limits and are single people moved. Where that does not
 * keep all limits, `fairDescent` goes on from there.
 */
export async function leanDescent(assigner: Assigner, run: FairRun): Promise<Outcome> {
  const { lean, search } = tuning;
  const fromNothing = run.stage !== "again";
  const which = fromNothing ? "first" : "later";
  const unit = run.unit ?? (await assigner.unit());
  const most = Math.min(fromNothing ? lean.rounds.first : lean.rounds.again, Math.max(1, run.maxPasses - 1));
  await startSearch(assigner, search.step[which] * unit);
  // A sample's prices, where people are still in clusters without promises.
  if (!fromNothing) await takePlaces(assigner, unit);
  let passes = 0;
  for (let moved = assigner.n; passes < most && moved > lean.restless * assigner.n; passes++) {
    const first = await assignByPrices(assigner, unit, passes === 0 ? lean.queries[which] : lean.queries.later);
    if (passes > 0) moved = first;
    await assigner.recentre();
  }
  if (run.stage !== "sample") {
    const now = await assigner.unit();
    await startSearch(assigner, search.step.later * now);
    await assignByPrices(assigner, now, lean.queries.later);
    const kept = await repair(assigner, now, "lean");
    await assigner.recentre();
    if (!kept) return fairDescent(assigner, run);
    await polishAll(assigner);
    passes++;
  }
  await run.onPass?.(passes, assigner);
  return { passes, converged: passes < most };
}

async function startSearch(assigner: Assigner, step: number): Promise<void> {
  await assigner.columns.measure("rough");
  await assigner.columns.restartPrices(step, tuning.search.toleranceReserve[0], "together");
}

/** Everybody goes where the present prices send them. Returns how many moved. */
async function takePlaces(assigner: Assigner, unit: number): Promise<number> {
  await assigner.prepare({ kind: "priced", unit });
  return assigner.assign(assigner.everyone);
}

/** A few assignments, each after a change of prices. Returns how many people moved in the first one: few where the centres are at rest. */
async function assignByPrices(assigner: Assigner, unit: number, queries: number): Promise<number> {
  let first = 0;
  for (let query = 0; query < queries; query++) {
    await assigner.columns.adjustPrices();
    const moved = await takePlaces(assigner, unit);
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
