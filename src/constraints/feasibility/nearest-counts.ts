import { solveProgram } from "../../kernels/programs.js";
import { CountsProgram, type MoveCost } from "./counts-program.js";
import { roundCounts } from "./counts-rounding.js";
import { findCounts } from "./decide.js";
import { clustersDiffer, type FeasibilityRequest, meetsRequest, requirementsOf } from "./request.js";
import { fractionalConflict, sizeConflict } from "./size-conflicts.js";

/** The search among all counts, and among those near the fractional optimum. */
const work = { all: 2e8, near: 1e8 };
/** More columns than this are beyond an integer program in reasonable time. */
const mostColumns = 10_000;
/** How hard to try for any counts at all when the nearest ones were not found. */
const findEffort = { work: 2e8, columns: 20_000 };
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
  signal?: AbortSignal,
): Promise<Int32Array | null> {
  const asked = requirementsOf(request);
  if (sizeConflict(asked) || (!clustersDiffer(asked) && fractionalConflict(asked))) return null;
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
    const relaxed = await solveProgram(whole.program, { relaxed: true }, signal);
    if (relaxed.status === "infeasible") return null;
    const rounded = relaxed.status === "optimal" ? await roundInside(relaxed.objective) : null;
    if (rounded) return rounded;
    if (relaxed.status === "optimal" && whole.program.columns <= mostColumns) {
      const near = build();
      near.narrowTo(relaxed.values, margin);
      const answer = await solveProgram(near.program, { work: work.near, gap, relativeGap: nearOptimum }, signal);
      const counts = answer.values.length > 0 ? meets(near.countsAfter(answer.values)) : null;
      if (counts) return counts;
    }
  }
  if (whole.program.columns > mostColumns) return findAny();
  const answer = await solveProgram(whole.program, { work: work.all, gap }, signal);
  if (answer.status === "infeasible") return null;
  const counts = answer.values.length > 0 ? meets(whole.countsAfter(answer.values)) : null;
  return counts ?? findAny();

  async function findAny(): Promise<Int32Array | null> {
    const found = await findCounts(asked, findEffort, signal);
    return found && sortLike(found, current, asked.k);
  }

  /** A fractional solution that keeps a few people away from every bound can be rounded at once. */
  async function roundInside(bound: number): Promise<Int32Array | null> {
    for (const away of [1, 2, 4]) {
      const inside = new CountsProgram(current, { ...asked, tolerance: asked.tolerance - away }, cost, false);
      const answer = await solveProgram(inside.program, { relaxed: true }, signal);
      if (answer.status !== "optimal" || answer.objective > bound * (1 + nearOptimum) + gap) return null;
      const counts = meets(roundCounts(inside.fractionsAfter(answer.values), asked));
      // With costs the few people that rounding adds are not priced.
      if (counts && (cost || countMoved(current, counts) <= bound * (1 + nearOptimum) + gap)) return counts;
    }
    return null;
  }
}

/** The same clusters in the order of the present ones' sizes, so that fewer have to move. */
function sortLike(counts: Int32Array, current: Int32Array, k: number): Int32Array {
  const bySize = (of: Int32Array) => {
    const sizes = new Float64Array(k);
    for (let cell = 0; cell < of.length; cell++) sizes[cell % k] += of[cell];
    return Array.from(sizes.keys()).sort((a, b) => sizes[a] - sizes[b] || a - b);
  };
  const [from, to] = [bySize(counts), bySize(current)];
  const sorted = new Int32Array(counts.length);
  for (let cell = 0; cell < counts.length; cell++) {
    const rank = cell % k;
    sorted[cell - rank + to[rank]] = counts[cell - rank + from[rank]];
  }
  return sorted;
}

function countMoved(from: Int32Array, to: Int32Array): number {
  let moved = 0;
  for (let cell = 0; cell < from.length; cell++) moved += Math.max(0, to[cell] - from[cell]);
  return moved;
}
