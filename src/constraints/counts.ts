import { CountsProgram, type MoveCost } from "./counts-program.js";
import { roundCounts } from "./counts-rounding.js";
import { dealPeople } from "./feasibility-deal.js";
import { type FeasibilityRequest, meetsRequest, toFairnessRequest } from "./feasibility-problem.js";
import { fractionalConflict, sizeConflict } from "./feasibility-sizes.js";
import { solveProgram } from "./feasibility-solver.js";

export type { MoveCost } from "./counts-program.js";

const effort = { seconds: 20, nodes: 100_000 };
const windowEffort = { seconds: 10, nodes: 5000 };
/** From this many columns on, a search near the fractional optimum comes first, and a near optimum is enough. */
const manyColumns = 500;
const nearOptimum = 0.005;
/** How far from the fractional optimum that search goes, in people for each cell: less is often too tight. */
const margin = 4;
/** With more pairs of clusters than this, people are moved as few as possible and the costs are left out. */
const mostPairs = 200_000;

/**
 * The counts nearest to `current` (patterns in rows, k clusters in columns) that meet the request: the fewest people
 * moved, or the cheapest moves when costs are given. Null when there are none. The optimum in small programs; in large
 * ones within half a per cent of it as a rule, or the best that was found before the effort ran out. Whatever is
 * returned meets the request.
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
  // Moved people are whole: a solution less than one above a lower bound is the best there is.
  const gap = cost ? 1e-6 : 0.99;
  if (whole.program.columns > manyColumns) {
    const relaxed = await solveProgram(whole.program, { relaxed: true, effort });
    if (relaxed.status === "infeasible") return null;
    const rounded = relaxed.status === "optimal" ? await roundInside(relaxed.objective) : null;
    if (rounded) return rounded;
    if (relaxed.status === "optimal") {
      const near = build();
      near.narrowTo(relaxed.values, margin);
      const answer = await solveProgram(near.program, { effort: windowEffort, gap, relativeGap: nearOptimum });
      const counts = answer.values.length > 0 ? meets(near.countsAfter(answer.values)) : null;
      if (counts) return counts;
    }
  }
  const answer = await solveProgram(whole.program, { effort, gap });
  if (answer.status === "infeasible") return null;
  const counts = answer.values.length > 0 ? meets(whole.countsAfter(answer.values)) : null;
  return counts ?? meets(dealPeople(asked));

  /** A fractional solution that keeps a few people away from every bound can be rounded at once. */
  async function roundInside(bound: number): Promise<Int32Array | null> {
    for (const away of [1, 2, 4]) {
      const inside = new CountsProgram(current, { ...asked, tolerance: asked.tolerance - away }, cost, false);
      const answer = await solveProgram(inside.program, { relaxed: true, effort });
      if (answer.status !== "optimal" || answer.objective > bound * (1 + nearOptimum) + gap) return null;
      const counts = meets(roundCounts(inside.fractionsAfter(answer.values), asked));
      // With costs the few people that rounding adds are not priced.
      if (counts && (cost || countMoved(current, counts) <= bound * (1 + nearOptimum) + gap)) return counts;
    }
    return null;
  }
}

function countMoved(from: Int32Array, to: Int32Array): number {
  let moved = 0;
  for (let cell = 0; cell < from.length; cell++) moved += Math.max(0, to[cell] - from[cell]);
  return moved;
}
