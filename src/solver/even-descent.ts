import { movesOf } from "../parties/moves.js";
import type { Assigner } from "./assigner.js";
import type { StageStart } from "./descent-stage.js";
import type { OnPass, Outcome } from "./lloyd.js";
import { disjointMoves, repair, trade } from "./repair.js";
import { derive, uniform } from "./seeded-chance.js";
import { affordablePasses, type SearchEffort, tuning } from "./tuning.js";

export interface EvenRun extends StageStart {
  readonly maxPasses: number;
  readonly seed: number;
  readonly effort: SearchEffort;
  readonly onPass?: OnPass;
}

/**
 * Clusters of the least SSE plus cost of uneven sizes, within the limits of sizes, from centres that exist. Each round
 * solves the assignment at fixed centres by prices and takes the means; at first roughly, then to the last person. The
 * best exact round is kept. Everything that is decided about a person is an argmin.
 */
export async function evenDescent(assigner: Assigner, run: EvenRun): Promise<Outcome> {
  const { rounds: idleRounds, fine, rough } = tuning.convergence;
  const enough = {
    gain: run.stage === "rest" ? rough : fine,
    rounds: run.stage === "resample" || run.stage === "rest" ? 1 : idleRounds,
  };
  const told = (before: number) => (round: number) => run.onPass?.(before + round, assigner);
  const fromNothing = run.stage === "sample" || run.stage === "all";
  const rounds = run.stage === "rest" ? Math.min(run.maxPasses, idleRounds) : run.maxPasses;
  let passes = await roughly(assigner, rounds, enough, told(0), run.unit);
  if (fromNothing && (await relocate(assigner, run))) {
    passes += await roughly(assigner, run.maxPasses, enough, told(passes));
  }
  if (run.stage === "sample" || run.stage === "resample") return { passes, converged: true };

  let best = Number.POSITIVE_INFINITY;
  let beyond = Number.POSITIVE_INFINITY;
  for (let still = 0; still < enough.rounds; passes++) {
    if (passes >= run.maxPasses && best < Number.POSITIVE_INFINITY) return finish(false);
    const unit = await assignByPrices(assigner, 0);
    const kept = await repair(assigner, unit, true);
    await assigner.recentre();
    await polish(assigner);
    if (kept) await trade(assigner);
    await assigner.recentre();
    const [cost, { excess }] = [await assigner.cost(), await assigner.limitStatus()];
    still = excess < beyond || cost < best * (1 - fine) ? 0 : still + 1;
    if (excess < beyond || (excess === beyond && cost < best)) {
      [best, beyond] = [cost, excess];
      await assigner.remember("best");
    }
    await run.onPass?.(passes + 1, assigner);
    // Many people: their sample was brought to rest already.
    if (run.stage === "rest" && excess === 0) still = enough.rounds;
  }
  return finish(true);

  async function finish(converged: boolean): Promise<Outcome> {
    await assigner.recall("best");
    return { passes, converged };
  }
}

/** Even clusters but for a few people: enough to compare starts. Returns what they cost. */
export async function roughlyEven(assigner: Assigner, most: number): Promise<number> {
  const { rounds, fine } = tuning.convergence;
  await roughly(assigner, most, { gain: fine, rounds });
  return crudeCost(assigner);
}

/** Rounds in which a few people may be out of place, until the centres are nearly at rest. Returns how many. */
async function roughly(
  assigner: Assigner,
  most: number,
  enough: { readonly gain: number; readonly rounds: number },
  onRound?: (round: number) => Promise<void> | void,
  firstUnit?: number,
): Promise<number> {
  let rounds = 0;
  let best = Number.POSITIVE_INFINITY;
  for (let still = 0; still < enough.rounds && rounds < most; ) {
    await assignByPrices(assigner, tuning.convergence.rough * assigner.weight, rounds === 0 ? firstUnit : undefined);
    await assigner.recentre();
    const sse = await assigner.sse();
    still = sse < best * (1 - enough.gain) ? 0 : still + 1;
    best = Math.min(best, sse);
    rounds++;
    await onRound?.(rounds);
  }
  return rounds;
}

/**
 * Descent leads to the nearest optimum only. A high price says that a place is crowded, a low one that a centre is little
 * wanted: the centre of the cheapest cluster is set down among the people of the dearest, and what comes of it is kept if
 * it is better. By turns the second and third of each are tried too. Returns whether anything was tried.
 */
async function relocate(assigner: Assigner, { seed, maxPasses, effort }: EvenRun): Promise<boolean> {
  if (assigner.k < 2) return false;
  const { rough } = tuning.convergence;
  const most = Math.min(maxPasses, tuning.shortRun);
  let tried = false;
  let best = await crudeCost(assigner);
  await assigner.remember("relocation");
  for (let trial = 0, fails = 0; fails < tuning.effort[effort].even.failures; trial++) {
    const draw = uniform(derive(seed, 100), trial);
    const offer = await assigner.columns.proposeRelocation(fails, draw);
    if (!offer) break;
    tried = true;
    await assigner.columns.place(offer.cluster, offer.row);
    const cost = await roughlyEven(assigner, most);
    const better = cost < best * (1 - rough);
    fails = better ? 0 : fails + 1;
    if (better) {
      best = cost;
      await assigner.remember("relocation");
    } else {
      await assigner.recall("relocation");
    }
  }
  return tried;
}

/** The few people who are out of place would be moved at the present prices: what is left to pay is counted in. */
async function crudeCost(assigner: Assigner): Promise<number> {
  const unit = await assigner.unit();
  const { misplaced, maxPrice } = await assigner.limitStatus();
  return (await assigner.sse()) + (misplaced * Math.min(maxPrice, unit)) / assigner.scoreUnit;
}

/**
 * The best assignment to the present centres that a search for prices finds, but for `slack` people. Returns the mean squared
 * distance in score units, which may be known already.
 */
async function assignByPrices(assigner: Assigner, slack: number, known?: number): Promise<number> {
  const unit = known ?? (await assigner.unit());
  await assigner.columns.measure("rough");
  await assigner.columns.restartPrices(tuning.search.step.first * unit, 0);
  let least = Number.POSITIVE_INFINITY;
  for (let query = 0; query < tuning.even.queries && least > slack; query++) {
    await assigner.prepare({ kind: "priced", unit });
    await assigner.assign(assigner.everyone);
    const { misplaced } = await assigner.limitStatus();
    if (misplaced < least) {
      least = misplaced;
      await assigner.remember("query");
    }
    await assigner.columns.adjustPrices();
  }
  await assigner.recall("query");
  return unit;
}

/** Single moves that gain by the exact change of what is minimised, and break no limit. */
async function polish(assigner: Assigner): Promise<void> {
  const most = affordablePasses(assigner, tuning.repair.turns);
  for (let pass = 0; pass < most; pass++) {
    await assigner.prepare({ kind: "polish" });
    const moves = disjointMoves(await assigner.bestMoves());
    if (moves.length === 0) return;
    await assigner.apply(movesOf(moves));
    await assigner.recentre();
  }
}
