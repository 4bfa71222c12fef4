import { CheapestMatching } from "../../kernels/cheapest-matching.js";
import { solveProgram } from "../../kernels/programs.js";
import { CountsProgram, type MoveCost } from "./counts-program.js";
import { roundCounts } from "./counts-rounding.js";
import { findCounts } from "./decide.js";
import { clustersDiffer, type FeasibilityRequest, meetsRequest, requirementsOf } from "./request.js";
import { fractionalConflict, sizeConflict } from "./size-conflicts.js";

/**
 * Of each fractional solution away from the bounds; of the first search, among the counts near the fractional optimum where there is one; and of
 * the last, among those and then among all.
 */
const work = { inside: 1e8, first: 1e7, near: 1e8, all: 2e8 };
/** More columns than this are beyond an integer program in reasonable time. */
const mostColumns = 10_000;
/** How hard to try for any counts at all when the nearest ones were not found. */
const findEffort = { work: 5e7, columns: 20_000 };
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

  const whole = build();
  let near: CountsProgram | undefined;
  // Moved people are whole: a solution less than one above a lower bound is the best there is.
  const gap = cost ? 1e-6 : 0.99;
  if (whole.program.columns > manyColumns) {
    const relaxed = await solveProgram(whole.program, { relaxed: true }, signal);
    if (relaxed.status === "infeasible") return null;
    const rounded = relaxed.status === "optimal" ? await roundInside(relaxed.objective) : null;
    if (rounded) return rounded;
    if (relaxed.status === "optimal" && whole.program.columns <= mostColumns) {
      near = build();
      near.narrowTo(relaxed.values, margin);
    }
  }
  if (whole.program.columns > mostColumns) return findAny();
  const first = await search(near ?? whole, work.first);
  if (first !== "undecided") return first;
  // Where no few moves are soon found that lead to any, clusters are put together anew out of the sizes that they may have.
  const any = await findAny();
  if (any) return any;
  const later = near ? await search(near, work.near) : "undecided";
  const last = later === "undecided" ? await search(whole, work.all) : later;
  return last === "undecided" ? null : last;

  async function search(counts: CountsProgram, most: number): Promise<Int32Array | null | "undecided"> {
    const relativeGap = counts === near ? nearOptimum : 0;
    const { status, values } = await solveProgram(counts.program, { work: most, gap, relativeGap }, signal);
    if (status === "infeasible") return counts === whole ? null : "undecided";
    const found = values.length > 0 && counts.countsAfter(values);
    return found && meetsRequest(found, asked) ? found : "undecided";
  }

  async function findAny(): Promise<Int32Array | null> {
    const found = await findCounts(asked, findEffort, signal);
    return found && alignTo(current, found, asked.k);
  }

  /** A fractional solution that keeps a few people away from every bound can be rounded at once. */
  async function roundInside(bound: number): Promise<Int32Array | null> {
    for (const away of [1, 2, 4]) {
      const inside = new CountsProgram(current, { ...asked, tolerance: asked.tolerance - away }, cost, false);
      const answer = await solveProgram(inside.program, { relaxed: true, work: work.inside }, signal);
      if (answer.status !== "optimal" || answer.objective > bound * (1 + nearOptimum) + gap) return null;
      const counts = roundCounts(inside.fractionsAfter(answer.values), asked);
      // With costs the few people that rounding adds are not priced.
      if (meetsRequest(counts, asked) && (cost || countMoved(current, counts) <= bound * (1 + nearOptimum) + gap))
        return counts;
    }
    return null;
  }
}

/** The same clusters, numbered so that the fewest people have to move. */
function alignTo(current: Int32Array, found: Int32Array, k: number): Int32Array {
  const matching = new CheapestMatching(k);
  const coming = matching.open(k).fill(0);
  for (let row = 0; row < found.length; row += k) {
    for (let m = 0; m < k; m++) {
      for (let at = 0; at < k; at++) coming[m * k + at] += Math.max(0, found[row + m] - current[row + at]);
    }
  }
  const numbers = matching.solve(k);
  const aligned = new Int32Array(found.length);
  for (let cell = 0; cell < found.length; cell++) aligned[cell - (cell % k) + numbers[cell % k]] = found[cell];
  return aligned;
}

function countMoved(from: Int32Array, to: Int32Array): number {
  let moved = 0;
  for (let cell = 0; cell < from.length; cell++) moved += Math.max(0, to[cell] - from[cell]);
  return moved;
}
