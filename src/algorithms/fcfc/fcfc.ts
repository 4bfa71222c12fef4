import { evennessOf } from "../../constraints/evenness-cost.js";
import { sequentialDescent } from "../../solver/sequential-descent.js";
import { freely } from "../stages.js";
import { type ColumnAlgorithm, together } from "../start.js";

/** Liu et al. 2018: Lloyd's passes in which everybody pays for the size of the cluster as well. */
export const runFcfc: ColumnAlgorithm = async (start) => {
  const { assigner, settings, watch } = start;
  const free = await freely(start);
  const evenness = settings.evenness ?? evennessOf(1, assigner.n, settings.k);
  const penalised = await sequentialDescent(assigner, {
    block: assigner.n,
    maxPasses: settings.maxIterations,
    evenness,
    kind: "nearest",
    sweeps: 1,
    onPass: watch("even"),
  });
  return together(free, penalised);
};
