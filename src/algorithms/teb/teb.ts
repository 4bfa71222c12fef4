import type { Assigner } from "../../solver/assigner.js";
import { blockSize } from "../../solver/blocks.js";
import type { StageStart } from "../../solver/descent-stage.js";
import { evenDescent, roughlyEven } from "../../solver/even-descent.js";
import { greedyDescent } from "../../solver/greedy-descent.js";
import type { Outcome } from "../../solver/lloyd.js";
import { sequentialDescent } from "../../solver/sequential-descent.js";
import { chooseStart, drawsFor, isFirst } from "../choose-start.js";
import { fitCapacity } from "../fit-capacity.js";
import { inStages, runUnconstrained } from "../stages.js";
import { type ColumnAlgorithm, inSequence, type Start } from "../start.js";

/** Balanced k-means: by prices, which keep limits of sizes too; or by the paper's rule and its sequential variant. */
export const runTeb: ColumnAlgorithm = async (start) => {
  const { assigner, settings, watch } = start;
  const { rule, evenness } = settings;
  if (rule === "prices" || !evenness) return inStages(start, even);
  const run = {
    block: blockSize(settings.block, assigner.n),
    maxPasses: settings.maxIterations,
    evenness,
    kind: "descent",
    sweeps: 30,
    onPass: watch("even"),
  } as const;
  const descend = rule === "gbco" ? greedyDescent : sequentialDescent;
  return inSequence(await runUnconstrained(start), await descend(assigner, run));
};

/** From clusters without promises to even ones, by prices. */
export async function even(start: Start, assigner: Assigner, beginning: StageStart): Promise<Outcome> {
  const { settings, seed, watch } = start;
  if (isFirst(beginning)) await fitCapacity(start, assigner, 0);
  await chooseStart(start, assigner, drawsFor(start, beginning, "even"), async () => {
    return { cost: await roughlyEven(assigner, settings.maxIterations), beyond: 0 };
  });
  return evenDescent(assigner, {
    maxPasses: settings.maxIterations,
    seed,
    effort: settings.effort,
    ...beginning,
    onPass: watch("even"),
  });
}
