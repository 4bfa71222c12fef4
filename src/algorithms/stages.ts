import { derive, stratifiedSample } from "../solver/chance.js";
import type { Coordinator } from "../solver/coordinator.js";
import { lloyd, type Outcome } from "../solver/lloyd.js";
import { sampleSize } from "../solver/seeding.js";
import type { Stage } from "../solver/stage.js";
import { runLloyd } from "./lloyd/run.js";
import { type Start, together } from "./start.js";

/** A first sample of the sample, as long as it shows every cluster well. */
const smallSample = 8192;
const enoughPerCluster = 400;

/** From the clusters without promises to those with them. Where the people are many, most passes go over a sample. */
export async function inStages(
  start: Start,
  solve: (start: Start, coordinator: Coordinator, stage: Stage) => Promise<Outcome>,
): Promise<Outcome> {
  const { coordinator, settings, seed } = start;
  if (coordinator.n <= 2 * sampleSize) return together(await freely(start), await solve(start, coordinator, "all"));
  const rows = stratifiedSample(coordinator.n, sampleSize, derive(seed, 1));
  const sample = await coordinator.sample(rows);
  const onSample = { ...start, coordinator: sample, watch: () => start.watch("sample") };
  if (settings.from) await sample.follow(coordinator);
  const small = enoughPerCluster * coordinator.k <= smallSample;
  if (small) {
    // Most of the way is gone with few people, where a pass costs little.
    const few = await coordinator.sample(
      stratifiedSample(sampleSize, smallSample, derive(seed, 2)).map((at) => rows[at]!),
    );
    const onFew = { ...onSample, coordinator: few };
    if (settings.from) await lloyd(sample, 1);
    else {
      await runLloyd(onFew);
      await sample.follow(few);
      await lloyd(sample, settings.maxIterations, start.watch("sample"));
      await start.unconstrained(sample);
    }
    await few.follow(sample);
    await lloyd(few, 1);
    await solve(onFew, few, "sample");
    await sample.inherit(few);
    await lloyd(sample, 1);
  } else await freely(onSample);
  await solve(onSample, sample, small ? "resample" : "sample");
  const unit = await sample.unit();
  await coordinator.inherit(sample);
  await enter(coordinator, unit);
  return together({ passes: 1, converged: false }, await solve(start, coordinator, "rest"));
}

/** Everybody, who was nowhere, takes the place that the sample's centres and prices give. */
async function enter(coordinator: Coordinator, unit: number): Promise<void> {
  await coordinator.measure("rough");
  await coordinator.prepare({ kind: "priced", unit });
  await coordinator.assign(coordinator.everyone);
}

/** The clusters without promises, from which those with promises start; or those of the given centres. */
export async function freely(start: Start): Promise<Outcome> {
  const { coordinator, settings } = start;
  // Given centres stay where they are: they come from clusters that kept promises, and Lloyd would lead away from those.
  if (settings.from) return lloyd(coordinator, 1);
  const outcome = await runLloyd(start);
  await start.unconstrained(coordinator);
  return outcome;
}
