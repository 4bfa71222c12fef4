import { solveProgram } from "../../kernels/programs.js";
import { sizesIn } from "../bounds.js";
import { CountsProgram } from "./counts-program.js";
import { dealPeople } from "./deal-people.js";
import { clustersDiffer, meetsRequest, type Requirements, withoutFreeGroups } from "./request.js";
import { ClassProgram, type SizeClass } from "./size-classes.js";
import {
  type Binding,
  fractionalConflict,
  possibleSizes,
  sizeConflict,
  wholePeopleConflict,
} from "./size-conflicts.js";
import { splitClasses } from "./split-classes.js";

export type FeasibilityVerdict =
  | { readonly feasible: true }
  | { readonly feasible: false; readonly binding: Binding }
  /** The effort ran out before the integer programs were decided. */
  | { readonly feasible: "undecided" };

/** How hard to try. No clock: the same request has the same verdict on every machine, however busy. */
export interface Effort {
  /** For each program, as `SolveOptions` counts it. */
  readonly work: number;
  /** Larger programs are left out: with 0 all of them. */
  readonly columns: number;
  /** Deals of more patterns times clusters are left out. */
  readonly cells?: number;
}

/**
 * Whether any clustering can meet the request. Cheapest first: conditions that must hold, a case that always works, a
 * deal of the people that usually works, and only then integer programs. Without an effort they are left out.
 */
export async function decideFeasible(
  request: Requirements,
  effort: Effort | null,
  signal?: AbortSignal,
): Promise<FeasibilityVerdict> {
  const conflict = sizeConflict(request) ?? (clustersDiffer(request) ? null : fractionalConflict(request));
  if (conflict) return { feasible: false, binding: conflict };
  const asked = withoutFreeGroups(request);
  if (clustersDiffer(asked) && asked.bounds.length > 0) return decideEach(asked, effort, signal);
  if (asked.bounds.length === 0 || roundingMeets(asked)) return { feasible: true };
  const cells = asked.k * asked.patterns.counts.length;
  const dealt = cells <= (effort?.cells ?? Number.POSITIVE_INFINITY) ? dealPeople(asked) : undefined;
  if (dealt && meetsRequest(dealt, asked)) return { feasible: true };
  const whole = wholePeopleConflict(asked);
  if (whole) return { feasible: false, binding: whole };
  if (!effort?.columns || !dealt) return { feasible: "undecided" };
  const found = await findClasses(asked, effort, signal);
  if (found === "none") {
    const only = asked.bounds.length === 1 ? asked.bounds[0].attribute : undefined;
    return { feasible: false, binding: only === undefined ? { kind: "together" } : { kind: "sizes", attribute: only } };
  }
  if (found !== "undecided" && asked.bounds.length <= 2) return { feasible: true };
  if (found !== "undecided" && (await splitClasses(found, asked, signal))) return { feasible: true };
  return verdictOf(await moveDealt(dealt, asked, effort, signal));
}

function verdictOf(counts: Int32Array | "none" | "undecided"): FeasibilityVerdict {
  if (counts === "none") return { feasible: false, binding: { kind: "together" } };
  return { feasible: counts === "undecided" ? counts : true };
}

/** Counts that meet the request. Starting from people dealt out nearly fairly, few have to move, so the fractional solution is nearly whole. */
async function moveDealt(
  dealt: Int32Array,
  request: Requirements,
  effort: Effort,
  signal?: AbortSignal,
): Promise<Int32Array | "none" | "undecided"> {
  if (2 * dealt.length > effort.columns) return "undecided";
  const program = new CountsProgram(dealt, request, undefined, !clustersDiffer(request));
  const answer = await solveProgram(program.program, { work: effort.work, first: true }, signal);
  if (answer.status === "infeasible") return "none";
  const counts = answer.values.length > 0 ? program.countsAfter(answer.values) : undefined;
  return counts && meetsRequest(counts, request) ? counts : "undecided";
}

/** Where clusters differ: a program over the counts of all patterns in each of them. */
async function decideEach(
  request: Requirements,
  effort: Effort | null,
  signal?: AbortSignal,
): Promise<FeasibilityVerdict> {
  const dealt = dealEach(request);
  if (meetsRequest(dealt, request)) return { feasible: true };
  const counts = new CountsProgram(dealt, request, undefined, false);
  const relaxed = await solveProgram(counts.program, { relaxed: true }, signal);
  if (relaxed.status === "infeasible") return { feasible: false, binding: { kind: "together" } };
  return effort === null ? { feasible: "undecided" } : verdictOf(await moveDealt(dealt, request, effort, signal));
}

/** Everybody dealt out in proportion to the sizes that clusters may have. */
function dealEach({ n, k, sizes, patterns }: Requirements): Int32Array {
  const ranges = Array.from({ length: k }, (_, m) => {
    const { min, max } = sizesIn(sizes, m);
    return { least: Math.max(0, min), room: Math.min(n, max) - Math.max(0, min) };
  });
  const left = n - ranges.reduce((sum, { least }) => sum + least, 0);
  const room = ranges.reduce((sum, range) => sum + range.room, 0);
  let people = 0;
  const ends = ranges.map((range) => {
    people += range.least + (room > 0 ? (left * range.room) / room : 0);
    return people / n;
  });
  const counts = new Int32Array(patterns.counts.length * k);
  for (let p = 0; p < patterns.counts.length; p++) {
    let dealt = 0;
    for (let m = 0; m < k; m++) {
      const end = m === k - 1 ? patterns.counts[p] : Math.round(patterns.counts[p] * ends[m]);
      counts[p * k + m] = end - dealt;
      dealt = end;
    }
  }
  return counts;
}

/** Counts that meet the request, out of the programs that decide whether there are any; null when none were found. */
export async function findCounts(
  request: Requirements,
  effort: Effort,
  signal?: AbortSignal,
): Promise<Int32Array | null> {
  if (clustersDiffer(request)) return null;
  const dealt = dealPeople(request);
  if (meetsRequest(dealt, request)) return dealt;
  const classes = await findClasses(request, effort, signal);
  if (classes === "none") return null;
  const split = classes === "undecided" ? null : await splitClasses(classes, request, signal);
  const counts = split ?? (await moveDealt(dealt, request, effort, signal));
  return typeof counts === "string" ? null : counts;
}

/** Columns of the first and smallest program, and how many times more the next one has. */
const programColumns = { first: 300, factor: 4 };

/** More sizes than this are too many for even a fractional program: clusters so large that rounding hardly matters. */
const mostSizes = 100_000;

type FoundClasses = SizeClass[] | "none" | "undecided";

/**
 * Classes that meet the request. Small programs over few sizes usually have a solution: over those nearest to the mean, then
 * over those around the sizes of the fractional optimum. Only a program over all sizes can show that there is none.
 */
export async function findClasses(
  request: Requirements,
  effort: Effort,
  signal: AbortSignal | undefined,
): Promise<FoundClasses> {
  const { n, k, patterns } = request;
  const possible = possibleSizes(request);
  if (possible === null) return "undecided";
  if (possible.length === 0) return "none";
  const mean = n / k;
  const middle = possible.findIndex((size) => size >= mean);
  let around = [middle < 0 ? possible.length - 1 : middle];
  for (const among of ["mean", "optimum"] as const) {
    if (among === "optimum") {
      if (possible.length > mostSizes) return "undecided";
      const all = new ClassProgram(request, possible, false);
      const fractional = await solveProgram(all.program, { relaxed: true }, signal);
      if (fractional.status === "infeasible") return "none";
      around = Array.from(possible.keys()).filter((s) => fractional.values[s] > 1e-9);
      if (around.length === 0) return "undecided";
    }
    let tried = 0;
    for (let columns = programColumns.first; columns <= effort.columns; columns *= programColumns.factor) {
      const count = Math.ceil(columns / (patterns.counts.length + 1));
      if (count >= possible.length) return solve(possible, true);
      const sizes = sizesAround(possible, around, count);
      const found = sizes.length > tried ? await solve(sizes, true) : "none";
      if (typeof found !== "string") return found;
      tried = sizes.length;
    }
  }
  return possible.length <= effort.columns && (await solve(possible, false)) === "none" ? "none" : "undecided";

  async function solve(sizes: Int32Array, withPatterns: boolean): Promise<FoundClasses> {
    const classes = new ClassProgram(request, sizes, withPatterns);
    const answer = await solveProgram(classes.program, { work: effort.work, first: true }, signal);
    if (answer.status === "infeasible") return "none";
    return (answer.values.length > 0 ? classes.classesOf(answer.values) : null) ?? "undecided";
  }
}

/** About so many of the possible sizes: as many on either side of each of these places among them. */
function sizesAround(possible: Int32Array, places: readonly number[], count: number): Int32Array {
  const reach = Math.max(1, Math.floor(count / places.length / 2));
  return possible.filter((_, s) => places.some((place) => Math.abs(s - place) <= reach));
}

/**
 * One attribute, its bounds around the shares in the data, and a tolerance of a whole person: rounding share * size up
 * or down fills clusters of any sizes (a flow with whole capacities has a whole solution), and is off by less than one.
 */
function roundingMeets({ n, bounds, tolerance }: Requirements): boolean {
  if (bounds.length !== 1 || tolerance < 1) return false;
  const [{ counts, lower, upper }] = bounds;
  return counts.every((count, l) => lower[l] * n <= count + 1e-9 && upper[l] * n >= count - 1e-9);
}
