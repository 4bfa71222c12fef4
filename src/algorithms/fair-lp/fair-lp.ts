import { MoietyError } from "../../errors.js";
import { runLloyd } from "../lloyd/lloyd.js";
import type { ColumnAlgorithm } from "../start.js";
import { fairAssignment } from "./assignment.js";

/** Bera et al. 2019: the centres of k-means, then the fair assignment to them, then their means. */
export const runFairLp: ColumnAlgorithm = async (start) => {
  const { assigner, people, settings } = start;
  if (!people) throw new MoietyError("usage", "fair-lp needs everybody's groups in one place");
  const outcome = await runLloyd(start);
  await start.unconstrained(assigner, outcome);
  await assigner.prepare({ kind: "nearest" });
  const costs = await assigner.scores(assigner.everyone);
  for (let i = 0; i < costs.length; i++) costs[i] /= assigner.scoreUnit;
  const { labels } = await fairAssignment(costs, settings.k, people.attributes, settings.bounds, assigner.signal);
  await assigner.adopt(assigner.everyone, labels);
  await assigner.recentre();
  return outcome;
};
