import { MoietyError } from "../../errors.js";
import { Adviser, type Fix } from "./advice.js";
import { type AtomRequest, checkAtoms, decideAtoms } from "./atoms.js";
import { decideFeasible, type Effort } from "./decide.js";
import { type FeasibilityRequest, type Requirements, requirementsOf } from "./request.js";
import type { Binding } from "./size-conflicts.js";

/**
 * Quick: what can be told without programs, in milliseconds, and without advice. Usual: enough for almost every request, as a rule in less
 * than a second. Thorough: what is spent where the run shows nothing.
 */
const efforts = {
  // A deal of so many cells takes about 50 ms: `moiety bench explore` moves the slider.
  quick: { work: 0, columns: 0, cells: 20_000 },
  usual: { work: 5e7, columns: 5000 },
  thorough: { work: 1e9, columns: 20_000 },
} satisfies Readonly<Record<string, Effort>>;
export type FeasibilityEffort = keyof typeof efforts;

export interface FeasibilityOptions {
  readonly effort?: FeasibilityEffort;
  /** When it is aborted, "cancelled" is thrown at once. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Throws "infeasible", naming what binds and the nearest feasible request, when no clustering can meet this one. True
 * when one can; false when the effort did not suffice to tell, which is rare, and the same on every machine.
 */
export async function checkFeasible(request: FeasibilityRequest, options: FeasibilityOptions = {}): Promise<boolean> {
  const atoms = atomsIn(request);
  if (atoms) {
    const effort = efforts[options.effort ?? "usual"];
    return effort.columns > 0 && checkAtoms(atoms, effort, options.signal);
  }
  const answer = await refuse(request, options);
  if (answer !== null && answer !== "undecided") {
    const nearest = answer.fixes.map(({ change }) => change).filter((change) => change !== undefined);
    throw new MoietyError("infeasible", answer.message, { nearest });
  }
  return answer === null;
}

/** Whether some clustering is known to meet the request; without advice, and no where the usual effort cannot tell. */
export async function isFeasible(request: FeasibilityRequest, signal?: AbortSignal): Promise<boolean> {
  const atoms = atomsIn(request);
  if (atoms) return (await decideAtoms(atoms, efforts.usual, signal)) === true;
  return (await decideFeasible(requirementsOf(request), efforts.usual, signal)).feasible === true;
}

function atomsIn(request: FeasibilityRequest): AtomRequest | undefined {
  return "types" in request && request.types ? { ...request, types: request.types } : undefined;
}

/** Why a request is refused, in one line, and the nearest requests that are not; null when it is feasible. */
export async function refuse(
  request: FeasibilityRequest,
  { effort = "usual", signal }: FeasibilityOptions = {},
): Promise<{ readonly message: string; readonly fixes: readonly Fix[] } | null | "undecided"> {
  const asked = requirementsOf(request);
  const verdict = await decideFeasible(asked, efforts[effort], signal);
  if (verdict.feasible === "undecided") return "undecided";
  if (verdict.feasible) return null;
  if (effort === "quick") return { message: describeBinding(verdict.binding, asked), fixes: [] };
  const adviser = new Adviser(asked, signal);
  const fixes = await adviser.findFixes(verdict.binding);
  const what = describeBinding(await adviser.narrowBinding(verdict.binding), asked);
  const advice = fixes.map(({ text }) => text).join(", or ");
  const general = asked.sizes.each ? "change the sizes, or use wider bounds" : "use a smaller k or wider bounds";
  return { message: advice === "" ? `${what}: ${general}` : `${what}: use ${advice}`, fixes };
}

function describeBinding(binding: Binding, request: Requirements): string {
  const { n, k, sizes, tolerance } = request;
  if (sizes.each) {
    const total = (of: "min" | "max") => sizes.each?.reduce((sum, range) => sum + Math.max(0, range[of]), 0);
    if (binding.kind === "sizeOrder") {
      const cluster = sizes.each.findIndex(({ min, max }) => min > max || max < 0);
      return `cluster ${cluster} has no room: its smallest size is above its largest one`;
    }
    if (binding.kind === "minSize") return `the smallest sizes add up to ${total("min")} people, but there are ${n}`;
    if (binding.kind === "maxSize") return `the clusters have room for ${total("max")} people, but there are ${n}`;
  }
  if (binding.kind === "sizeOrder") return `the minimum size ${sizes.min} is above the maximum size ${sizes.max}`;
  if (binding.kind === "minSize") {
    return `a minimum size of ${sizes.min} in each of k=${k} clusters needs ${k * sizes.min} people, but there are ${n}`;
  }
  if (binding.kind === "maxSize") {
    return `a maximum size of ${sizes.max} in each of k=${k} clusters holds ${k * sizes.max} people, but there are ${n}`;
  }
  const bounds = request.bounds.find(({ attribute }) => attribute === binding.attribute);
  const range = sizes.max < n ? `${sizes.min} to ${sizes.max}` : `at least ${sizes.min}`;
  const clusters = `in k=${k} clusters of ${range} people with tolerance ${tolerance}`;
  if (!bounds) {
    const names = request.bounds.map(({ attribute }) => attribute).join(" and ");
    return `the bounds of ${names} cannot be met together ${clusters}`;
  }
  const lowerSum = sum(bounds.lower);
  const upperSum = sum(bounds.upper);
  if (lowerSum > 1)
    return `the min shares of ${bounds.attribute} add up to ${short(lowerSum)}, more than 1, ${clusters}`;
  if (upperSum < 1)
    return `the max shares of ${bounds.attribute} add up to ${short(upperSum)}, less than 1, ${clusters}`;
  if (binding.group === undefined) return `the bounds of ${bounds.attribute} cannot be met by whole people ${clusters}`;
  const l = bounds.groups.indexOf(binding.group);
  const share =
    binding.kind === "lower"
      ? `at least ${short(bounds.lower[l])}`
      : binding.kind === "upper"
        ? `at most ${short(bounds.upper[l])}`
        : `${short(bounds.lower[l])} to ${short(bounds.upper[l])}`;
  return `${bounds.attribute} ${binding.group} cannot be ${share} of each cluster ${clusters}: it has ${bounds.counts[l]} of ${n} people (${short(bounds.counts[l] / n)})`;
}

function sum(shares: readonly number[]): number {
  // Shares such as 0.1 and 0.2 do not add up exactly.
  return Math.round(shares.reduce((total, share) => total + share, 0) * 1e9) / 1e9;
}

function short(share: number): string {
  return String(Number(share.toPrecision(4)));
}
