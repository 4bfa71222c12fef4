import { admmDescent } from "../../solver/admm.js";
import { blockSize } from "../../solver/blocks.js";
import type { Coordinator } from "../../solver/coordinator.js";
import { descend } from "../../solver/descent.js";
import { fairDescent } from "../../solver/fair.js";
import type { Outcome } from "../../solver/lloyd.js";
import type { Beginning } from "../../solver/stage.js";
import { runLloyd } from "../lloyd/run.js";
import { resettleBy } from "../resettle.js";
import { freely, inStages } from "../stages.js";
import { type Algorithm, type Start, together } from "../start.js";
import { even } from "../teb/run.js";

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
  return inStages(start, settings.bounds.length > 0 ? fair : even);
};

function fair(start: Start, coordinator: Coordinator, beginning: Beginning): Promise<Outcome> {
  const { people, settings } = start;
  const { k, sizes, bounds, tolerance } = settings;
  // The last resort needs everybody's groups in one place.
  const everybody = people?.n === coordinator.n ? people : undefined;
  return fairDescent(coordinator, {
    block: blockSize(settings.block, coordinator.n),
    maxPasses: settings.maxIterations,
    ...beginning,
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
