import { derive, stratifiedSample } from "../solver/chance.js";
import type { Coordinator } from "../solver/coordinator.js";
import { lloyd, type Outcome } from "../solver/lloyd.js";
import { sampleSize } from "../solver/seeding.js";
import type { Stage } from "../solver/stage.js";
import { runLloyd } from "./lloyd/run.js";
import { type Start, together } from "./start.js";

/** Few people, as long as they show every cluster well; worth it from so many multiplications in a pass on. */
const few = { people: 8192, perCluster: 400, work: 5e6 } as const;

type Solve = (start: Start, coordinator: Coordinator, stage: Stage) => Promise<Outcome>;

/** From the clusters without promises to those with them. Where the people are many, most passes go over a sample. */
export async function inStages(start: Start, solve: Solve): Promise<Outcome> {
  const { coordinator, settings, seed } = start;
  const begun = { passes: 1, converged: false };
  const fewShow = few.perCluster * coordinator.k <= few.people;
  if (coordinator.n <= 2 * sampleSize) {
    if (!fewShow || coordinator.work < few.work || coordinator.n < 4 * few.people) {
      return together(await freely(start), await solve(start, coordinator, "all"));
    }
    await fewFirst(start, stratifiedSample(coordinator.n, few.people, derive(seed, 2)), coordinator, solve);
    return together(begun, await solve(start, coordinator, "again"));
  }
  const rows = stratifiedSample(coordinator.n, sampleSize, derive(seed, 1));
  const sample = await coordinator.sample(rows);
  const onSample = { ...start, coordinator: sample, watch: () => start.watch("sample") };
  if (settings.from) await sample.follow(coordinator);
  if (fewShow) {
    const some = stratifiedSample(sampleSize, few.people, derive(seed, 2)).map((at) => rows[at]!);
    await fewFirst(onSample, some, coordinator, solve);
  } else await freely(onSample);
  await solve(onSample, sample, fewShow ? "resample" : "sample");
  const unit = await sample.unit();
  await coordinator.inherit(sample);
  await enter(coordinator, unit);
  return together(begun, await solve(start, coordinator, "rest"));
}

/** Most of the way is gone with a few of all the people, where a pass costs little; then everybody of the start follows. */
async function fewFirst(start: Start, rows: Uint32Array, all: Coordinator, solve: Solve): Promise<void> {
  const { coordinator, settings } = start;
  const some = await all.sample(rows);
  const onSome = { ...start, coordinator: some, watch: () => start.watch("sample") };
  if (settings.from) await lloyd(coordinator, 1);
  else {
    await runLloyd(onSome);
    await coordinator.follow(some);
    await lloyd(coordinator, settings.maxIterations, start.watch("descent"));
    await start.unconstrained(coordinator);
  }
  await some.follow(coordinator);
  await lloyd(some, 1);
  await solve(onSome, some, "sample");
  const unit = await some.unit();
  await coordinator.inherit(some);
  await enter(coordinator, unit);
}

/** Everybody takes the place that a sample's centres and prices give. */
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
