import { movesOf } from "../parties/moves.js";
import { derive, uniform } from "./chance.js";
import type { Coordinator } from "./coordinator.js";
import type { OnPass, Outcome } from "./lloyd.js";
import { apart, repair, trade } from "./mending.js";
import type { Beginning } from "./stage.js";
import { tuning } from "./tuning.js";

export interface EvenRun extends Beginning {
  readonly maxPasses: number;
  readonly seed: number;
  readonly onPass?: OnPass;
}

interface Queries {
  readonly queries: number;
  /** The mean squared distance in score units, where it is known already. */
  readonly unit?: number | undefined;
}

/**
 * Clusters of the least SSE plus cost of uneven sizes, within the limits of sizes, from centres that exist. Each round
 * solves the assignment at fixed centres by prices and takes the means; at first roughly, then to the last person. The
 * best exact round is kept. Everything that is decided about a person is an argmin.
 */
export async function evenDescent(coordinator: Coordinator, run: EvenRun): Promise<Outcome> {
  const { queries, convergence, exactly, restRounds } = tuning.even;
  const enough = convergence[run.stage];
  const later = { queries: queries.later };
  const told = (before: number) => (round: number) => run.onPass?.(before + round, coordinator);
  const fromNothing = run.stage === "sample" || run.stage === "all";
  const rounds = run.stage === "rest" ? Math.min(run.maxPasses, restRounds) : run.maxPasses;
  const first = { queries: fromNothing ? queries.first : queries.later, unit: run.unit };
  let passes = await roughly(coordinator, rounds, first, enough, told(0));
  if (fromNothing && (await relocate(coordinator, run))) {
    passes += await roughly(coordinator, run.maxPasses, later, enough, told(passes));
  }
  if (run.stage === "sample" || run.stage === "resample") return { passes, converged: true };

  let best = Number.POSITIVE_INFINITY;
  let beyond = Number.POSITIVE_INFINITY;
  for (let still = 0; still < enough.rounds; passes++) {
    if (passes >= run.maxPasses && best < Number.POSITIVE_INFINITY) return finish(false);
    const unit = await assignByPrices(coordinator, later, 0);
    const kept = await repair(coordinator, unit, "carefully");
    await coordinator.recentre();
    await polish(coordinator);
    if (kept) await trade(coordinator);
    await coordinator.recentre();
    const [cost, { excess }] = [await coordinator.cost(), await coordinator.standing()];
    still = excess < beyond || cost < best * (1 - enough.gain * exactly) ? 0 : still + 1;
    if (excess < beyond || (excess === beyond && cost < best)) {
      [best, beyond] = [cost, excess];
      await coordinator.remember("best");
    }
    await run.onPass?.(passes + 1, coordinator);
    // Many people: their sample was brought to rest already.
    if (run.stage === "rest" && excess === 0) still = enough.rounds;
  }
  return finish(true);

  async function finish(converged: boolean): Promise<Outcome> {
    await coordinator.recall("best");
    return { passes, converged };
  }
}

/** Rounds in which a few people may be out of place, until the centres are nearly at rest. Returns how many. */
async function roughly(
  coordinator: Coordinator,
  most: number,
  first: Queries,
  enough: { readonly gain: number; readonly rounds: number },
  onRound?: (round: number) => Promise<void> | void,
): Promise<number> {
  const { queries, misplaced } = tuning.even;
  let rounds = 0;
  let best = Number.POSITIVE_INFINITY;
  for (let still = 0; still < enough.rounds && rounds < most; ) {
    await assignByPrices(coordinator, rounds === 0 ? first : { queries: queries.later }, misplaced * coordinator.n);
    await coordinator.recentre();
    const sse = await coordinator.sse();
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
async function relocate(coordinator: Coordinator, { seed, maxPasses }: EvenRun): Promise<boolean> {
  if (coordinator.k < 2) return false;
  const { relocation, queries, convergence } = tuning.even;
  let tried = false;
  let best = await crudeCost(coordinator);
  await coordinator.remember("relocation");
  for (let trial = 0, fails = 0; trial < relocation.trials && fails < relocation.failures; trial++) {
    const draw = uniform(derive(seed, 100), trial);
    const offers = await Promise.all(coordinator.parties.map((party) => party.vacate(fails, draw)));
    const offer = offers.find((one) => one !== undefined);
    if (!offer) break;
    tried = true;
    await coordinator.all((party) => party.place(offer.cluster, offer.row));
    await roughly(coordinator, Math.min(maxPasses, relocation.rounds), { queries: queries.later }, convergence.sample);
    const cost = await crudeCost(coordinator);
    const better = cost < best * (1 - relocation.gain);
    fails = better ? 0 : fails + 1;
    if (better) {
      best = cost;
      await coordinator.remember("relocation");
    } else {
      await coordinator.recall("relocation");
    }
  }
  return tried;
}

/** The few people who are out of place would be moved at the present prices: what is left to pay is counted in. */
async function crudeCost(coordinator: Coordinator): Promise<number> {
  const unit = await coordinator.unit();
  const { astray, paid } = await coordinator.standing();
  return (await coordinator.sse()) + (astray * Math.min(paid, unit)) / coordinator.scoreUnit;
}

/** The best assignment to the present centres that a search for prices finds, but for `slack` people. */
async function assignByPrices(coordinator: Coordinator, asked: Queries, slack: number): Promise<number> {
  const unit = asked.unit ?? (await coordinator.unit());
  await coordinator.measure("rough");
  await coordinator.all((party) => party.restartPrices(tuning.even.step * unit, 0));
  let least = Number.POSITIVE_INFINITY;
  for (let query = 0; query < asked.queries && least > slack; query++) {
    await coordinator.prepare({ kind: "priced", unit });
    await coordinator.assign(coordinator.everyone);
    const { astray } = await coordinator.standing();
    if (astray < least) {
      least = astray;
      await coordinator.remember("query");
    }
    await coordinator.all((party) => party.adjustPrices());
  }
  await coordinator.recall("query");
  return unit;
}

/** Single moves that gain by the exact change of what is minimised, and break no limit. */
async function polish(coordinator: Coordinator): Promise<void> {
  const { polishPasses, polishScores } = tuning.even;
  const most = Math.min(polishPasses, Math.floor(polishScores / (coordinator.n * coordinator.k)));
  for (let pass = 0; pass < most; pass++) {
    await coordinator.prepare({ kind: "polish" });
    const moves = apart(await coordinator.bestMoves());
    if (moves.length === 0) return;
    await coordinator.apply(movesOf(moves));
    await coordinator.recentre();
  }
}
