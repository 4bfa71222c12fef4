import { CountsProgram, type MoveCost } from "./counts-program.js";
import { dealPeople } from "./feasibility-deal.js";
import { type FeasibilityRequest, meetsRequest, toFairnessRequest } from "./feasibility-problem.js";
import { fractionalConflict, sizeConflict } from "./feasibility-sizes.js";
import { solveProgram } from "./feasibility-solver.js";

export type { MoveCost } from "./counts-program.js";

const effort = { seconds: 20, nodes: 100_000 };
/** From this many columns on, a search near the fractional optimum comes first. */
const manyColumns = 3000;
/** With more pairs of clusters than this, people are moved as few as possible and the costs are left out. */
const mostPairs = 200_000;

/**
 * The counts nearest to `current` (patterns in rows, k clusters in columns) that meet the request: the fewest people
 * moved, or the cheapest moves when costs are given. Null when there are none. The optimum, except where the search
 * ran out of effort: then the best that was found, which meets the request all the same.
 */
export async function nearestFeasibleCounts(
  current: Int32Array,
  request: FeasibilityRequest,
  moveCost?: MoveCost,
): Promise<Int32Array | null> {
  const asked = toFairnessRequest(request);
  if (sizeConflict(asked) || fractionalConflict(asked)) return null;
  // Costs are not negative, so nobody moves without need.
  if (meetsRequest(current, asked)) return Int32Array.from(current);
  const pairs = asked.patterns.counts.length * asked.k * asked.k;
  const cost = pairs > mostPairs ? undefined : moveCost;
  const build = () => new CountsProgram(current, asked, cost, false);
  const meets = (counts: Int32Array) => (meetsRequest(counts, asked) ? counts : null);

  const whole = build();
  let best: { counts: Int32Array; objective: number } | null = null;
  // Moved people are whole: a solution less than one above a lower bound is the best there is.
  const gap = cost ? 1e-6 : 0.99;
  if (whole.program.columns > manyColumns) {
    const relaxed = await solveProgram(whole.program, { relaxed: true, effort });
    if (relaxed.status === "infeasible") return null;
    for (const margin of [0, 1, 4]) {
      if (relaxed.status !== "optimal") break;
      const near = build();
      near.narrowTo(relaxed.values, margin);
      const answer = await solveProgram(near.program, { effort: { seconds: 5, nodes: 2000 }, gap });
      const counts = answer.values.length > 0 ? meets(near.countsAfter(answer.values)) : null;
      if (!counts) continue;
      if (answer.objective < relaxed.objective + gap) return counts;
      if (best === null || answer.objective < best.objective) best = { counts, objective: answer.objective };
    }
  }
  const answer = await solveProgram(whole.program, { effort, gap });
  if (answer.status === "infeasible") return null;
  const counts = answer.values.length > 0 ? meets(whole.countsAfter(answer.values)) : null;
  if (counts && (best === null || answer.objective <= best.objective)) return counts;
  return best?.counts ?? meets(dealPeople(asked));
}
