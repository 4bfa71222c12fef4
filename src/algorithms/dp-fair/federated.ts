import type { PrivatePlanner } from "../method.js";
import { doubts, planOf, termsOf } from "./privacy-plan.js";
import { cells, clusters, groups, mixture } from "./questions.js";
import { solvePrivately } from "./solve-privately.js";
import { releasedOf } from "./statement.js";

/** Private and fair clusters of people at several sites. */
export const planFair: PrivatePlanner = (people, k, options, sharing) => {
  const plan = planOf(people, [k], options, sharing);
  return {
    costs: plan,
    terms: termsOf(plan, k),
    questions: [mixture, groups, cells, clusters],
    async solve(problem) {
      const { centres, census, rounds, converged, owners } = await solvePrivately({
        ...problem,
        people,
        ks: [k],
        plan,
      });
      const owned = owners.get(k)!;
      const released = releasedOf(census, people.attributes, owned, k);
      // How many people there are is private with "all": what noise does to them cannot be said.
      const warnings = plan.mode === "attribute" ? doubts(plan, people) : [];
      return { centres, clusters: owned, released, rounds, converged, warnings };
    },
  };
};
