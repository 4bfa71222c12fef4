import { CountsProgram } from "./counts-program.js";
import { dealPeople } from "./feasibility-deal.js";
import { type FairnessRequest, meetsRequest, withoutFreeGroups } from "./feasibility-problem.js";
import { type Binding, fractionalConflict, sizeConflict, wholePeopleConflict } from "./feasibility-sizes.js";
import { type Effort, solveProgram } from "./feasibility-solver.js";

export type Verdict =
  | { readonly feasible: true }
  | { readonly feasible: false; readonly binding: Binding }
  /** The effort ran out before the integer program was decided. */
  | { readonly feasible: "undecided" };

/** More columns than this are beyond an integer program in reasonable time. */
const mostColumns = 60_000;

/**
 * Whether any clustering can meet the request. Cheapest first: conditions that must hold, a case that always works, a
 * deal of the people that usually works, and only then an integer program over the counts. Without an effort the
 * program is left out.
 */
export async function decideFeasible(request: FairnessRequest, effort: Effort | null): Promise<Verdict> {
  const conflict = sizeConflict(request) ?? fractionalConflict(request);
  if (conflict) return { feasible: false, binding: conflict };
  const asked = withoutFreeGroups(request);
  if (asked.bounds.length === 0 || roundingMeets(asked)) return { feasible: true };
  const dealt = dealPeople(asked);
  if (meetsRequest(dealt, asked)) return { feasible: true };
  const whole = wholePeopleConflict(asked);
  if (whole) return { feasible: false, binding: whole };
  if (effort === null || 2 * dealt.length > mostColumns) return { feasible: "undecided" };
  // Starting from people dealt out nearly fairly, few have to move, so the fractional solution is nearly whole.
  const counts = new CountsProgram(dealt, asked, undefined, true);
  const answer = await solveProgram(counts.program, { effort, first: true });
  if (answer.status === "infeasible") {
    const only = asked.bounds.length === 1 ? asked.bounds[0].attribute : undefined;
    return { feasible: false, binding: only === undefined ? { kind: "together" } : { kind: "sizes", attribute: only } };
  }
  if (answer.values.length > 0 && meetsRequest(counts.countsAfter(answer.values), asked)) return { feasible: true };
  return { feasible: "undecided" };
}

/**
 * One attribute, its bounds around the shares in the data, and a tolerance of a whole person: rounding share * size up
 * or down fills clusters of any sizes (a flow with whole capacities has a whole solution), and is off by less than one.
 */
function roundingMeets({ n, bounds, tolerance }: FairnessRequest): boolean {
  if (bounds.length !== 1 || tolerance < 1) return false;
  const [{ counts, lower, upper }] = bounds;
  return counts.every((count, l) => lower[l] * n <= count + 1e-9 && upper[l] * n >= count - 1e-9);
}
