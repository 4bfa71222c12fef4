import { admmDescent } from "../../solver/admm-descent.js";
import type { Assigner } from "../../solver/assigner.js";
import { blockDescent } from "../../solver/block-descent.js";
import { blockSize } from "../../solver/blocks.js";
import type { StageStart } from "../../solver/descent-stage.js";
import { fairDescent } from "../../solver/fair-descent.js";
import { leanDescent } from "../../solver/lean-descent.js";
import type { OnPass, Outcome } from "../../solver/lloyd.js";
import { partDone } from "../../solver/tuning.js";
import { chooseStart, drawsFor } from "../choose-start.js";
import { runLloyd } from "../lloyd/lloyd.js";
import { repairByProgram } from "../repair-by-program.js";
import { requestOf } from "../settings.js";
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
  const draws = drawsFor(start, beginning);
  const onPass = start.watch("fair");
  const run = (descent: number) => ({
    block: blockSize(settings.block, assigner.n),
    maxPasses: settings.maxIterations,
    ...beginning,
    onPass: ((pass, watched, part = partDone(pass, settings.maxIterations)) =>
      onPass(pass, watched, (descent + part) / (draws + 1))) satisfies OnPass,
  });
  await chooseStart(start, assigner, draws, async (draw) => {
    await fairDescent(assigner, { ...run(draw), rough: true });
    return { cost: await assigner.cost(), beyond: (await assigner.limitStatus()).excess };
  });
  const { stage } = beginning;
  const descend = settings.effort === "lean" && stage !== "resample" && stage !== "rest" ? leanDescent : fairDescent;
  return descend(assigner, {
    ...run(draws),
    ...(everybody
      ? { repairByProgram: repairByProgram(everybody.attributes, requestOf(everybody, settings), assigner.signal) }
      : {}),
  });
}
