import { admmDescent } from "../../solver/admm-descent.js";
import type { Assigner } from "../../solver/assigner.js";
import { blockDescent } from "../../solver/block-descent.js";
import { blockSize } from "../../solver/blocks.js";
import type { StageStart } from "../../solver/descent-stage.js";
import { descendFairly, type FairRun, fairDescent } from "../../solver/fair-descent.js";
import { leanDescent } from "../../solver/lean-descent.js";
import { lloyd, type OnPass, type Outcome } from "../../solver/lloyd.js";
import { relocateCentres } from "../../solver/relocate-centres.js";
import { derive, stratifiedSample } from "../../solver/seeded-chance.js";
import { drawAgain } from "../../solver/seeding.js";
import { partDone, partSample, tuning } from "../../solver/tuning.js";
import { chooseStart, drawsFor, isFirst } from "../choose-start.js";
import { fitCapacity } from "../fit-capacity.js";
import { runLloyd } from "../lloyd/lloyd.js";
import { repairByProgram } from "../repair-by-program.js";
import { requestOf } from "../settings.js";
import { isBetter, type StartCost } from "../solve-columns.js";
import { inStages, runUnconstrained } from "../stages.js";
import { type ColumnAlgorithm, inSequence, type Start } from "../start.js";
import { even } from "../teb/teb.js";

/** Fair clusters of low SSE, from unconstrained centres. Without promises to keep it is the paper's BCDKM. */
export const runF3km: ColumnAlgorithm = async (start) => {
  const { assigner, settings, watch } = start;
  const block = blockSize(settings.block, assigner.n);
  const maxPasses = settings.maxIterations;
  if (!start.promised && settings.seats) return runLloyd(start);
  if (!start.promised) {
    return inSequence(await runLloyd(start), await blockDescent(assigner, block, maxPasses, watch("descent")));
  }
  if (settings.solver === "admm") {
    return inSequence(
      await runUnconstrained(start),
      await admmDescent(assigner, { block, maxPasses, onPass: watch("fair") }),
    );
  }
  return inStages(start, settings.bounds.length > 0 ? fair : even);
};

async function fair(start: Start, assigner: Assigner, beginning: StageStart): Promise<Outcome> {
  const { people, settings } = start;
  // The last resort needs everybody's groups in one place, and people who move one by one.
  const everybody = people?.n === assigner.n && !settings.atoms && !people.apart ? people : undefined;
  const most = assigner.k > tuning.mostDrawn ? 1 : Number.POSITIVE_INFINITY;
  const draws = Math.min(most, drawsFor(start, beginning, "fair"));
  const run = (descent: number, onPass = start.watch("fair")) => ({
    block: blockSize(settings.block, assigner.n),
    maxPasses: settings.maxIterations,
    ...beginning,
    brief: settings.effort === "quick",
    seated: settings.seats !== undefined,
    onPass: ((pass, watched, part = partDone(pass, settings.maxIterations)) =>
      onPass(pass, watched, (descent + part) / (draws + 1))) satisfies OnPass,
  });
  if (isFirst(beginning)) await fitCapacity(start, assigner, 0);
  const drawn = draws > 0 ? await compareDraws(start, assigner, draws, run) : undefined;
  const { stage } = beginning;
  const descend = settings.effort === "lean" && stage !== "resample" && stage !== "rest" ? leanDescent : fairDescent;
  const last = () =>
    descend(assigner, {
      ...run(draws),
      ...(everybody
        ? { repairByProgram: repairByProgram(everybody.attributes, requestOf(everybody, settings), assigner.signal) }
        : {}),
    });
  if (isFirst(beginning) && draws === 0 && !settings.from && !settings.seats)
    return notTooDear(start, assigner, stage, last);
  const outcome = await last();
  if (stage !== "all" || draws === 0) return outcome;
  if (drawn && isBetter(drawn, await standing(assigner))) await assigner.recall("draw");
  const again = await relocate(start, assigner, last);
  return again ? inSequence(outcome, again) : outcome;
}

/** Where promises cost far more than they usually do, the fault may be the start's: draws are tried that do not look for who is far away. */
async function notTooDear(
  start: Start,
  assigner: Assigner,
  stage: StageStart["stage"],
  descend: () => Promise<Outcome>,
): Promise<Outcome> {
  const { seed } = start;
  const { times, draws } = tuning.dear;
  const usual = times * (await assigner.sse());
  let outcome = await descend();
  let best = await standing(assigner);
  for (let draw = 1; draw <= draws && best.cost > usual; draw++) {
    await assigner.remember("dear");
    await assigner.reopen();
    await drawAgain(assigner, { init: "random", seed: derive(seed, 3 + draw) });
    await fitCapacity(start, assigner, draw);
    const other = await descend();
    const found = await standing(assigner);
    // A sample's last people are not placed.
    if (stage === "all" ? isBetter(found, best) : found.cost < best.cost) [outcome, best] = [other, found];
    else await assigner.recall("dear");
  }
  return outcome;
}

/** Where people are few, relocates the centres of clusters that keep their promises. Returns what led to better ones, if anything did. */
async function relocate(
  start: Start,
  assigner: Assigner,
  descend: () => Promise<Outcome>,
): Promise<Outcome | undefined> {
  const { settings, seed, onTrial } = start;
  const passes = tuning.effort[settings.effort].fair.relocation;
  const before = await standing(assigner);
  if (passes === 0 || !areFew(assigner) || assigner.k > tuning.mostDrawn || before.beyond > 0) return undefined;
  await assigner.remember("descent");
  const better = await relocateCentres(assigner, {
    ...{ seed: derive(seed, 0), passes, onTrial },
    most: before.cost * (1 + tuning.relocation.unfair / assigner.k),
    descend: (best) => descendFairly(assigner, blockSize(settings.block, assigner.n), best),
  });
  const outcome = better ? await descend() : undefined;
  if (outcome && isBetter(await standing(assigner), before)) return outcome;
  await assigner.recall("descent");
  return undefined;
}

async function standing(assigner: Assigner): Promise<StartCost> {
  return { cost: await assigner.cost(), beyond: (await assigner.limitStatus()).excess };
}

/** Whether descents over everybody cost little. */
function areFew(assigner: Assigner): boolean {
  return assigner.n < Math.max(tuning.smallSample, tuning.drawnFrom * partSample(assigner));
}

/** Among many people a sample tells which of several first centres is best. Returns what it costs everybody, where they were all there. */
async function compareDraws(
  start: Start,
  assigner: Assigner,
  draws: number,
  run: (draw: number, onPass?: OnPass) => FairRun,
): Promise<StartCost | undefined> {
  const choose = (among: Assigner, runOf: typeof run) =>
    chooseStart(start, among, draws, async (draw) => {
      await fairDescent(among, { ...runOf(draw), rough: true });
      return standing(among);
    });
  const size = partSample(assigner);
  if (areFew(assigner) || run(0).stage !== "all") return choose(assigner, run);
  const some = await assigner.sample(stratifiedSample(assigner.n, size, derive(start.seed, 2)));
  await some.takeCentres(assigner);
  await lloyd(some, 1);
  await choose(some, (draw) => ({ ...run(draw, start.watch("sample")), stage: "sample" }));
  await assigner.inherit(some);
  return undefined;
}
