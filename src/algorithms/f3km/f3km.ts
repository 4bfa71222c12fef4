import { admmDescent } from "../../solver/admm-descent.js";
import type { Assigner } from "../../solver/assigner.js";
import { descend } from "../../solver/block-descent.js";
import { blockSize } from "../../solver/blocks.js";
import type { Beginning } from "../../solver/descent-stage.js";
import { fairDescent } from "../../solver/fair-descent.js";
import type { Outcome } from "../../solver/lloyd.js";
import { runLloyd } from "../lloyd/lloyd.js";
import { repairByProgram } from "../repair-by-program.js";
import { freely, inStages } from "../stages.js";
import { type ColumnAlgorithm, type Start, together } from "../start.js";
import { even } from "../teb/teb.js";

/** From the unconstrained centres: the fair clusters of least SSE. Without promises to keep it is plain BCDKM. */
export const runF3km: ColumnAlgorithm = async (start) => {
  const { assigner, settings, watch } = start;
  const block = blockSize(settings.block, assigner.n);
  const maxPasses = settings.maxIterations;
  if (!start.promised) {
    return together(await runLloyd(start), await descend(assigner, block, maxPasses, watch("descent")));
  }
  if (settings.solver === "admm") {
    return together(await freely(start), await admmDescent(assigner, { block, maxPasses, onPass: watch("fair") }));
  }
  return inStages(start, settings.bounds.length > 0 ? fair : even);
};

function fair(start: Start, assigner: Assigner, beginning: Beginning): Promise<Outcome> {
  const { people, settings } = start;
  const { k, sizes, bounds, tolerance } = settings;
  // The last resort needs everybody's groups in one place.
  const everybody = people?.n === assigner.n ? people : undefined;
  return fairDescent(assigner, {
    block: blockSize(settings.block, assigner.n),
    maxPasses: settings.maxIterations,
    ...beginning,
    onPass: start.watch("fair"),
    ...(everybody
      ? {
          repairByProgram: repairByProgram(
            everybody.attributes,
            { n: everybody.n, k, sizes, bounds, tolerance, attributes: everybody.attributes },
            assigner.signal,
          ),
        }
      : {}),
  });
}
