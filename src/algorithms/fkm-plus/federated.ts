import { closeLanes, openLanes } from "../../kernels/lanes.js";
import { clusters, mixture } from "../dp-fair/questions.js";
import type { PrivatePlanner } from "../method.js";
import { meansPlanOf, roundsOf, solveMeansPrivately, termsOfMeans } from "./private-means.js";

/** Private k-means of people at several sites. */
export const planMeans: PrivatePlanner = (people, k, options, sharing) => {
  const plan = meansPlanOf(people, k, options, sharing);
  return {
    costs: plan,
    terms: termsOfMeans(plan, k),
    questions: [mixture, clusters],
    async solve({ group, seed, signal, onProgress }) {
      const passes = roundsOf(plan);
      const onRound = async (pass: number) =>
        onProgress?.({ phase: "mixture", start: 0, starts: 1, pass, passes, sse: Number.NaN, violation: 0 });
      const [n, dims, lanes] = [people.n, people.dimensions.length, openLanes(1)];
      try {
        const { centres, sizes } = await solveMeansPrivately({ group, plan, k, n, dims, lanes, seed, onRound, signal });
        const owned = Array.from({ length: k }, (_, m) => m);
        return {
          centres,
          clusters: owned,
          released: { sizes, groups: {} },
          rounds: passes,
          converged: true,
          warnings: [],
        };
      } finally {
        await closeLanes(lanes);
      }
    },
  };
};
