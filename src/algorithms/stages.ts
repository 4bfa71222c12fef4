import type { Assigner } from "../solver/assigner.js";
import type { StageStart } from "../solver/descent-stage.js";
import { exchangePeople } from "../solver/exchanges.js";
import { lloyd, type Outcome } from "../solver/lloyd.js";
import { derive, stratifiedSample } from "../solver/seeded-chance.js";
import { partSample, tuning } from "../solver/tuning.js";
import { runLloyd } from "./lloyd/lloyd.js";
import { inSequence, type Start } from "./start.js";

type Solve = (start: Start, assigner: Assigner, beginning: StageStart) => Promise<Outcome>;

/** From clusters without promises to clusters that keep them. Where people are many, most passes go over a sample. */
export async function inStages(start: Start, solve: Solve): Promise<Outcome> {
  const { assigner, settings, seed } = start;
  const { sampleSize, manyClusters } = tuning;
  const [smallSample, sampledFrom] =
    settings.effort === "lean" || settings.effort === "quick"
      ? [partSample(assigner), tuning.lean.sampledFrom]
      : [tuning.smallSample, tuning.sampledFrom];
  const smallSampleSuffices = assigner.k <= manyClusters;
  if (assigner.n <= 2 * sampleSize) {
    if (!smallSampleSuffices || assigner.n < sampledFrom * smallSample) {
      const stages = [await runUnconstrained(start), await solve(start, assigner, { stage: "all" })];
      // What keeps people apart, and seats that stay, are not among the limits that an exchange looks at.
      const exchanges = tuning.effort[settings.effort].fair.draws > 0 && !start.people?.apart && !settings.seats;
      if (exchanges) await exchangePeople(assigner);
      return inSequence(...stages);
    }
    const some = stratifiedSample(assigner.n, smallSample, derive(seed, 2));
    const unit = await solveSmallSample(start, some, assigner, solve);
    return solve(start, assigner, { stage: "again", unit });
  }
  const rows = stratifiedSample(assigner.n, sampleSize, derive(seed, 1));
  const sample = await assigner.sample(rows);
  const onSample = { ...start, assigner: sample, watch: () => start.watch("sample") };
  if (settings.from) await sample.takeCentres(assigner);
  if (smallSampleSuffices) {
    const some = stratifiedSample(sampleSize, smallSample, derive(seed, 2)).map((at) => rows[at]);
    const unit = await solveSmallSample(onSample, some, assigner, solve);
    await solve(onSample, sample, { stage: "resample", unit });
  } else {
    await runUnconstrained(onSample);
    await solve(onSample, sample, { stage: "sample" });
  }
  const unit = await sample.unit();
  // The sample stays open until the start ends: its clusters before any promise was kept are compared with these.
  await assigner.takeCentres(sample);
  return solve(start, assigner, { stage: "rest", unit });
}

/**
 * Solves for a small sample (`rows` of `all`), where a pass costs little; the start's people then take over its centres and prices.
 * Returns the sample's mean squared distance.
 */
async function solveSmallSample(start: Start, rows: Uint32Array, all: Assigner, solve: Solve): Promise<number> {
  const { assigner, settings } = start;
  const some = await all.sample(rows);
  const onSome = { ...start, assigner: some, watch: () => start.watch("sample") };
  if (isPlaced(start)) await takeNearest(start);
  else {
    const lean = settings.effort === "lean";
    await runLloyd(lean ? { ...onSome, settings: { ...settings, maxIterations: 1 } } : onSome);
    await assigner.takeCentres(some);
    const passes = lean ? Math.min(settings.maxIterations, tuning.lean.passes.sampled) : settings.maxIterations;
    await start.unconstrained(assigner, await lloyd(assigner, passes, start.watch("descent")));
  }
  await some.takeCentres(assigner);
  await lloyd(some, 1);
  await solve(onSome, some, { stage: "sample" });
  const unit = await some.unit();
  await assigner.inherit(some);
  return unit;
}

/** The clusters without promises, from which those with promises start; or those of the given centres. */
export async function runUnconstrained(start: Start): Promise<Outcome> {
  if (isPlaced(start)) return takeNearest(start);
  const outcome = await runLloyd(start);
  await start.unconstrained(start.assigner, outcome);
  return outcome;
}

function isPlaced({ settings, begun }: Start): boolean {
  return settings.from !== undefined || begun !== undefined;
}

/** Given centres come from clusters that kept promises, which Lloyd would leave: everybody only goes to the nearest. */
async function takeNearest({ assigner, seeded, begun, unconstrained }: Start): Promise<Outcome> {
  seeded();
  const outcome = await lloyd(assigner, 1);
  await unconstrained(assigner, begun ?? outcome);
  return begun ?? outcome;
}
