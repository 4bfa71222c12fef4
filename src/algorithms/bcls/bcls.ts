import { MoietyError } from "../../errors.js";
import { runUnconstrained } from "../stages.js";
import { type ColumnAlgorithm, inSequence } from "../start.js";
import { BalancedRegression } from "./regression.js";

/** Liu et al. 2017: clusters are the targets of a ridge regression, and their sizes are penalised. In one process only. */
export const runBcls: ColumnAlgorithm = async (start) => {
  const { assigner, people, settings, watch } = start;
  if (!people) throw new MoietyError("usage", "bcls needs all columns in one place");
  const free = await runUnconstrained(start);
  const weight = settings.evenness?.rho ?? 0;
  const regression = new BalancedRegression(people.dimensions, settings.k, await assigner.labelsNow(), weight);
  let passes = 0;
  let moved = 1;
  while (passes < settings.maxIterations && moved > 0) {
    moved = regression.step();
    await assigner.adopt(assigner.everyone, regression.labels);
    await assigner.recentre();
    await watch("even")(++passes, assigner);
  }
  return inSequence(free, { passes, converged: moved === 0 });
};
