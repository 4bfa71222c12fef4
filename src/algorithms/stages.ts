import { derive, stratifiedSample } from "../solver/chance.js";
import type { Coordinator } from "../solver/coordinator.js";
import { lloyd, type Outcome } from "../solver/lloyd.js";
import type { Beginning } from "../solver/stage.js";
import { tuning } from "../solver/tuning.js";
import { runLloyd } from "./lloyd/run.js";
import { type Start, together } from "./start.js";

type Solve = (start: Start, coordinator: Coordinator, beginning: Beginning) => Promise<Outcome>;

/** From the clusters without promises to those with them. Where the people are many, most passes go over a sample. */
export async function inStages(start: Start, solve: Solve): Promise<Outcome> {
  const { coordinator, settings, seed } = start;
  const { sampleSize, smallSample } = tuning;
  const fewShow = smallSample.perCluster * coordinator.k <= smallSample.people;
  if (coordinator.n <= 2 * sampleSize) {
    if (!fewShow || coordinator.work < smallSample.work || coordinator.n < smallSample.factor * smallSample.people) {
      return together(await freely(start), await solve(start, coordinator, { stage: "all" }));
    }
    const some = stratifiedSample(coordinator.n, smallSample.people, derive(seed, 2));
    const unit = await fewFirst(start, some, coordinator, solve);
    return solve(start, coordinator, { stage: "again", unit });
  }
  const rows = stratifiedSample(coordinator.n, sampleSize, derive(seed, 1));
  const sample = await coordinator.sample(rows);
  const onSample = { ...start, coordinator: sample, watch: () => start.watch("sample") };
  if (settings.from) await sample.follow(coordinator);
  if (fewShow) {
    const some = stratifiedSample(sampleSize, smallSample.people, derive(seed, 2)).map((at) => rows[at]);
    const unit = await fewFirst(onSample, some, coordinator, solve);
    await solve(onSample, sample, { stage: "resample", unit });
  } else {
    await freely(onSample);
    await solve(onSample, sample, { stage: "sample" });
  }
  const unit = await sample.unit();
  // It stays open until the start ends: its clusters before any promise was kept are compared with these.
  await coordinator.follow(sample);
  return solve(start, coordinator, { stage: "rest", unit });
}

/**
 * Most of the way is gone with a few of all the people, where a pass costs little; everybody of the start takes over their
 * centres and prices. Returns the mean squared distance among them.
 */
async function fewFirst(start: Start, rows: Uint32Array, all: Coordinator, solve: Solve): Promise<number> {
  const { coordinator, settings } = start;
  const some = await all.sample(rows);
  const onSome = { ...start, coordinator: some, watch: () => start.watch("sample") };
  if (settings.from) await lloyd(coordinator, 1);
  else {
    await runLloyd(onSome);
    await coordinator.follow(some);
    await lloyd(coordinator, settings.maxIterations, start.watch("descent"));
  }
  await start.unconstrained(coordinator);
  await some.follow(coordinator);
  await lloyd(some, 1);
  await solve(onSome, some, { stage: "sample" });
  const unit = await some.unit();
  await coordinator.inherit(some);
  return unit;
}

/** The clusters without promises, from which those with promises start; or those of the given centres. */
export async function freely(start: Start): Promise<Outcome> {
  const { coordinator, settings } = start;
  // Given centres stay where they are: they come from clusters that kept promises, and Lloyd would lead away from those.
  const outcome = settings.from ? await lloyd(coordinator, 1) : await runLloyd(start);
  await start.unconstrained(coordinator);
  return outcome;
}
