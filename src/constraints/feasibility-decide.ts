import { solveProgram } from "../kernels/programs.js";
import { CountsProgram } from "./counts-program.js";
import { ClassProgram, type SizeClass } from "./feasibility-classes.js";
import { dealPeople } from "./feasibility-deal.js";
import { type FairnessRequest, meetsRequest, withoutFreeGroups } from "./feasibility-problem.js";
import {
  type Binding,
  fractionalConflict,
  possibleSizes,
  sizeConflict,
  wholePeopleConflict,
} from "./feasibility-sizes.js";
import { splitClasses } from "./feasibility-split.js";

export type Verdict =
  | { readonly feasible: true }
  | { readonly feasible: false; readonly binding: Binding }
  /** The effort ran out before the integer programs were decided. */
  | { readonly feasible: "undecided" };

/** How hard to try. No clock: the same request has the same verdict on every machine, however busy. */
export interface Effort {
  readonly nodes: number;
  /** Larger programs are left out. */
  readonly columns: number;
}

/**
 * Whether any clustering can meet the request. Cheapest first: conditions that must hold, a case that always works, a
 * deal of the people that usually works, and only then integer programs. Without an effort they are left out.
 */
export async function decideFeasible(
  request: FairnessRequest,
  effort: Effort | null,
  signal?: AbortSignal,
): Promise<Verdict> {
  const conflict = sizeConflict(request) ?? fractionalConflict(request);
  if (conflict) return { feasible: false, binding: conflict };
  const asked = withoutFreeGroups(request);
  if (asked.bounds.length === 0 || roundingMeets(asked)) return { feasible: true };
  const dealt = dealPeople(asked);
  if (meetsRequest(dealt, asked)) return { feasible: true };
  const whole = wholePeopleConflict(asked);
  if (whole) return { feasible: false, binding: whole };
  if (effort === null) return { feasible: "undecided" };
  const found = await findClasses(asked, effort, signal);
  if (found === "none") {
    const only = asked.bounds.length === 1 ? asked.bounds[0].attribute : undefined;
    return { feasible: false, binding: only === undefined ? { kind: "together" } : { kind: "sizes", attribute: only } };
  }
  if (found !== "undecided" && asked.bounds.length <= 2) return { feasible: true };
  if (found !== "undecided" && (await splitClasses(found, asked, signal))) return { feasible: true };
  if (2 * dealt.length > effort.columns) return { feasible: "undecided" };
  // Starting from people dealt out nearly fairly, few have to move, so the fractional solution is nearly whole.
  const counts = new CountsProgram(dealt, asked, undefined, true);
  const answer = await solveProgram(counts.program, { nodes: effort.nodes, first: true }, signal);
  if (answer.status === "infeasible") return { feasible: false, binding: { kind: "together" } };
  if (answer.values.length > 0 && meetsRequest(counts.countsAfter(answer.values), asked)) return { feasible: true };
  return { feasible: "undecided" };
}

/** Counts that meet the request, out of the programs that decide whether there are any; null when none were found. */
export async function findCounts(
  request: FairnessRequest,
  effort: Effort,
  signal?: AbortSignal,
): Promise<Int32Array | null> {
  const dealt = dealPeople(request);
  if (meetsRequest(dealt, request)) return dealt;
  const classes = await findClasses(request, effort, signal);
  return typeof classes === "string" ? null : splitClasses(classes, request, signal);
}

/** Sizes close to the mean that are tried before all others: small programs, which usually have a solution. */
const near = { sizes: 8, columns: 1000 };

async function findClasses(
  request: FairnessRequest,
  effort: Effort,
  signal: AbortSignal | undefined,
): Promise<SizeClass[] | "none" | "undecided"> {
  const { n, k, patterns } = request;
  const possible = possibleSizes(request);
  if (possible === null) return "undecided";
  const width = patterns.counts.length + 1;
  const few = nearestSizes(possible, n / k, Math.max(near.sizes, Math.floor(near.columns / width)));
  const first = await solve(few, true);
  if (typeof first !== "string" || few.length === possible.length) return first;
  // Sizes alone often show that there is nothing, or which ones to take.
  const sizes = possible.length > effort.columns ? "undecided" : await solve(possible, false);
  if (sizes === "none") return "none";
  if (sizes !== "undecided") {
    const chosen = await solve(
      Int32Array.from(sizes, ({ size }) => size),
      true,
    );
    if (typeof chosen !== "string") return chosen;
  }
  const most = Math.floor(effort.columns / width);
  const answer = await solve(nearestSizes(possible, n / k, most), true);
  return answer === "none" && most < possible.length ? "undecided" : answer;

  async function solve(among: ArrayLike<number>, withPatterns: boolean): Promise<SizeClass[] | "none" | "undecided"> {
    const classes = new ClassProgram(request, among, withPatterns);
    const answer = await solveProgram(classes.program, { nodes: effort.nodes, first: true }, signal);
    if (answer.status === "infeasible") return "none";
    return (answer.values.length > 0 ? classes.classesOf(answer.values) : null) ?? "undecided";
  }
}

function nearestSizes(possible: Int32Array, mean: number, count: number): Int32Array {
  const byDistance = Array.from(possible).sort((a, b) => Math.abs(a - mean) - Math.abs(b - mean) || a - b);
  return Int32Array.from(byDistance.slice(0, count)).sort();
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
