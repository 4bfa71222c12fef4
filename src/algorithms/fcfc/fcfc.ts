import { evennessOf } from "../../constraints/evenness-cost.js";
import { sequentialDescent } from "../../solver/sequential-descent.js";
import { runUnconstrained } from "../stages.js";
import { type ColumnAlgorithm, inSequence } from "../start.js";

/** Liu et al. 2018: Lloyd's passes with a penalty on the size of the cluster that a person joins. */
export const runFcfc: ColumnAlgorithm = async (start) => {
  const { assigner, settings, watch } = start;
  const free = await runUnconstrained(start);
  const evenness = settings.evenness ?? evennessOf(1, assigner.n, settings.k);
  const penalised = await sequentialDescent(assigner, {
    block: assigner.n,
    maxPasses: settings.maxIterations,
    evenness,
    kind: "nearest",
    sweeps: 1,
    onPass: watch("even"),
  });
  return inSequence(free, penalised);
};
