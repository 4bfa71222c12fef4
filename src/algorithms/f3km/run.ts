import { admmDescent } from "../../solver/admm.js";
import { blockSize } from "../../solver/blocks.js";
import { derive, stratifiedSample } from "../../solver/chance.js";
import type { Coordinator } from "../../solver/coordinator.js";
import { descend } from "../../solver/descent.js";
import { type FairRun, fairDescent } from "../../solver/fair.js";
import type { Outcome } from "../../solver/lloyd.js";
import { lloyd } from "../../solver/lloyd.js";
import { sampleSize } from "../../solver/seeding.js";
import { runLloyd } from "../lloyd/run.js";
import { resettleBy } from "../resettle.js";
import { type Algorithm, type Start, together } from "../start.js";

/** From the unconstrained centres: the fair clusters of least SSE. Without promises to keep it is plain BCDKM. */
export const runF3km: Algorithm = async (start) => {
  const { coordinator, settings, watch } = start;
  const block = blockSize(settings.block, coordinator.n);
  const maxPasses = settings.maxIterations;
  if (!start.promised) {
    return together(await runLloyd(start), await descend(coordinator, block, maxPasses, watch("descent")));
  }
  if (settings.solver === "admm") {
    return together(await freely(start), await admmDescent(coordinator, { block, maxPasses, onPass: watch("fair") }));
  }
  return coordinator.n > 2 * sampleSize
    ? fromSample(start)
    : together(await freely(start), await fair(start, coordinator, "all"));
};

/** The clusters without promises, from which the fair ones start; or those of the given centres. */
async function freely(start: Start): Promise<Outcome> {
  const { coordinator, settings } = start;
  // Given centres stay where they are: they come from clusters that kept promises, and Lloyd would lead away from those.
  if (settings.from) return lloyd(coordinator, 1);
  const outcome = await runLloyd(start);
  await start.unconstrained(coordinator);
  return outcome;
}

/** Where the people are many, most passes go over a sample of them, and only the last ones over everybody. */
async function fromSample(start: Start): Promise<Outcome> {
  const { coordinator, settings, seed } = start;
  const sample = await coordinator.sample(stratifiedSample(coordinator.n, sampleSize, derive(seed, 1)));
  if (settings.from) {
    await Promise.all(sample.parties.map((party, index) => party.inherit(coordinator.parties[index]!)));
  }
  const onSample = { ...start, coordinator: sample, watch: () => start.watch("sample") };
  await freely(onSample);
  await fair(onSample, sample, "sample");
  await coordinator.inherit(sample);
  const first = await lloyd(coordinator, 1);
  return together(first, await fair(start, coordinator, "rest"));
}

function fair(start: Start, coordinator: Coordinator, stage: FairRun["stage"]): Promise<Outcome> {
  const { people, settings } = start;
  const { k, sizes, bounds, tolerance } = settings;
  // The last resort needs everybody's groups in one place.
  const everybody = people?.n === coordinator.n ? people : undefined;
  return fairDescent(coordinator, {
    block: blockSize(settings.block, coordinator.n),
    maxPasses: settings.maxIterations,
    stage,
    onPass: start.watch("fair"),
    ...(everybody
      ? {
          resettle: resettleBy(
            everybody.attributes,
            { n: everybody.n, k, sizes, bounds, tolerance, attributes: everybody.attributes },
            coordinator.signal,
          ),
        }
      : {}),
  });
}
