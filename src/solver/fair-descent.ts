import type { Assigner } from "./assigner.js";
import { blocks } from "./blocks.js";
import type { StageStart } from "./descent-stage.js";
import type { OnPass, Outcome } from "./lloyd.js";
import { searchPrices } from "./price-search.js";
import { breakOut, repair, trade } from "./repair.js";
import type { ShortDescent } from "./short-descent.js";
import { affordablePasses, partDone, tuning } from "./tuning.js";

export interface FairRun extends StageStart {
  readonly block: number;
  readonly maxPasses: number;
  readonly onPass?: OnPass;
  /** Whether a sample, and everybody after it, come only nearly to rest. */
  readonly brief?: boolean;
  /** Whether centres stay where they are: then rounds differ in nothing but what they leave of the tolerance, and each choice is worth one. */
  readonly seated?: boolean;
  /** Whether it ends where the last people would be placed with care: enough to compare starts. */
  readonly rough?: boolean;
  /** The last resort where moving single people gets stuck: labels that keep all limits, or null. */
  readonly repairByProgram?: (assigner: Assigner) => Promise<Uint16Array | null>;
}

/** Whether it matters which people of a cluster move: where people are few, or clusters small. */
function singlesMatter({ n, k }: Pick<Assigner, "n" | "k">): boolean {
  return n < tuning.sampleSize || n < tuning.relocation.peopleOfCluster * k;
}

/** A round that gains less than this part of the SSE counts as idle, and how many idle rounds end a descent. */
function convergenceOf({ n, k }: Pick<Assigner, "n" | "k">, { stage, brief, seated, rough: isRough }: FairRun) {
  const { fine, rough } = tuning.convergence;
  const rounds = seated ? tuning.search.toleranceReserve.length : tuning.convergence.rounds;
  const { later } = tuning.search.queries;
  const nearly = brief && (stage === "sample" || stage === "again");
  if (nearly || affordablePasses({ n, k }, later) < later) return { gain: rough, rounds: 1, sparing: false };
  // Where the centres come from a sample, or go on to a larger one, another look is not worth its time.
  const many = stage === "again" && n > tuning.sampleSize;
  const once = many || stage === "resample" || stage === "rest" || (stage === "sample" && k <= tuning.manyClusters);
  // Where nobody will be placed with care, rounds cost little, and gains come after some without any.
  const more = stage === "all" && !isRough && !singlesMatter({ n, k }) ? Math.floor(tuning.sampleSize / n) : 0;
  // Care costs as much as many rounds without it: among many people it is tried later, and once where it gains nothing.
  const sparing = stage === "all" && !isRough && n >= tuning.smallSample;
  return { gain: fine, rounds: once ? 1 : rounds + Math.max(more, sparing ? 1 : 0), sparing };
}

/**
 * Clusters that keep all limits at the least SSE, from centres that exist. Each round solves the fair assignment at fixed
 * centres by prices, moves the few people who are still beyond a limit, improves what can be improved without breaking
 * one, and takes the means. Everything that is decided about a person is an argmin.
 * Ends with the best clusters that keep all limits; when there are none, with the ones that come nearest.
 */
export async function fairDescent(assigner: Assigner, run: FairRun): Promise<Outcome> {
  let best = Number.POSITIVE_INFINITY;
  let nearest = Number.POSITIVE_INFINITY;
  let idle = 0;
  let passes = 0;
  // The last people are placed with care only when the centres are nearly at rest.
  let careful = false;
  // Parties without everybody's groups in one place have no program: it comes in only where all else has ended without fair clusters.
  let lastResort = false;
  const refined = run.stage === "resample" || run.stage === "rest";
  const fromNothing = run.stage === "sample" || run.stage === "all";
  const enough = convergenceOf(assigner, run);
  const { search, usualPasses: usual } = tuning;
  const mayTryProgram = () => run.repairByProgram && !lastResort && best === Number.POSITIVE_INFINITY;
  while (passes < run.maxPasses && (idle < enough.rounds || mayTryProgram())) {
    // Once: a program that found nothing would find nothing for the next round's clusters either.
    const resorts = !lastResort && (idle >= enough.rounds || passes + 1 === run.maxPasses);
    if (resorts) {
      lastResort = true;
      idle = 0;
    }
    const unit = (passes === 0 && run.unit) || (await assigner.unit());
    await assigner.columns.measure("rough");
    const which = passes === 0 && fromNothing ? "first" : "later";
    // Very many people only take their places; the repair that follows does the rest.
    const queries = run.stage === "rest" ? 1 : search.queries[which];
    const reserve = search.toleranceReserve[passes % search.toleranceReserve.length];
    let kept = await searchPrices(assigner, { queries, step: search.step[which], unit, reserve, repairs: careful });
    kept ||= await repair(assigner, unit, careful);
    // Clusters that were broken out of cost more than those that prices lead to: only where the centres are nearly at rest and none were fair.
    if (careful && best === Number.POSITIVE_INFINITY) kept ||= await breakOut(assigner, unit);
    passes++;
    if (!kept && resorts && run.repairByProgram && best === Number.POSITIVE_INFINITY) {
      const labels = await run.repairByProgram(assigner);
      kept = labels !== null;
      if (labels) await assigner.adopt(assigner.everyone, labels);
    }
    await assigner.recentre();
    const gained = refined ? await assigner.columns.gained() : 0;
    // A sample's clusters are not the result, and among many people single moves change next to nothing.
    if (kept && (run.stage === "all" || run.stage === "again")) {
      await polish(assigner, run.block);
      if (careful) await trade(assigner);
      await assigner.recentre();
    }
    const cost = await assigner.cost();
    const { excess } = await assigner.limitStatus();
    const better = kept ? cost < best * (1 - enough.gain) : best === Number.POSITIVE_INFINITY && excess < nearest;
    const sparing = careful && enough.sparing && best < Number.POSITIVE_INFINITY;
    idle = better ? 0 : sparing ? enough.rounds : idle + 1;
    const matters = singlesMatter(assigner) || best === Number.POSITIVE_INFINITY;
    if (run.stage === "all" && !run.rough && !careful && matters && idle >= enough.rounds) {
      careful = true;
      idle = 0;
    } else if (sparing && better) careful = false;
    // They start from a sample's centres: where those hardly move, there is no more to gain.
    if (refined && kept && gained < tuning.convergence.rough * cost) idle = enough.rounds;
    if (kept ? cost < best : better) {
      if (kept) best = cost;
      else nearest = excess;
      await assigner.remember("best");
    }
    await run.onPass?.(passes, assigner, partDone(passes, run.maxPasses, fromNothing ? usual.first : usual.again));
  }
  await assigner.recall("best");
  if (!run.rough && (run.stage === "sample" || run.stage === "resample")) {
    await assigner.columns.measure("rough");
    const unit = await assigner.unit();
    const [queries, step] = [search.queries.later, search.step.later];
    await searchPrices(assigner, { queries, step, unit, reserve: 0, repairs: false });
  }
  return { passes, converged: idle >= enough.rounds };
}

/** A few rounds from relocated centres: enough to tell whether they lead lower. The cost is infinite where they keep no limits. */
export async function descendFairly(assigner: Assigner, block: number, best: number): Promise<ShortDescent> {
  const { rounds, unfair } = tuning.relocation;
  for (let round = 1; ; round++) {
    await fairDescent(assigner, { block, stage: "again", rough: true, maxPasses: 1 });
    const { excess } = await assigner.limitStatus();
    const cost = excess > 0 ? Number.POSITIVE_INFINITY : await assigner.cost();
    const hopeless = cost > best * (1 + unfair / assigner.k);
    if (hopeless || round === rounds) return { cost, passes: round * tuning.search.queries.later };
  }
}

/** Coordinate descent in which nobody may break a limit. */
async function polish(assigner: Assigner, block: number): Promise<void> {
  let best = await assigner.cost();
  const passes = affordablePasses(assigner, tuning.polishPasses);
  for (let pass = 0; pass < passes; pass++) {
    await assigner.remember("polish");
    let moved = 0;
    for (const range of blocks(block, assigner.n)) {
      await assigner.prepare({ kind: "polish" });
      const moves = await assigner.permitted(await assigner.propose(range));
      if (moves.rows.length === 0) continue;
      moved += moves.rows.length;
      await assigner.apply(moves);
      await assigner.recentre();
    }
    if (moved === 0) return;
    const cost = await assigner.cost();
    if (cost >= best) return assigner.recall("polish");
    best = cost;
  }
}
