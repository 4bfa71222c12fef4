import { MoietyError } from "../../errors.js";
import { LinearProgram, solveProgram } from "../../kernels/programs.js";
import { excess, type SizeLimits, sizesIn } from "../bounds.js";
import type { Effort, FeasibilityVerdict } from "./decide.js";
import { presentIn, type Requirements } from "./request.js";

/**
 * What moves as a whole, a weighted person or a household: how many atoms there are of each weight and mix of groups. `parts` says by
 * attribute what is in each group.
 */
export type AtomTypes = readonly {
  readonly weight: number;
  readonly parts: readonly (readonly number[])[];
  readonly atoms: number;
}[];

/** What clusters of atoms have to meet; `n` is what all of them weigh. Where `types` is undefined, it is not known which atoms there are. */
export type AtomRequest = Omit<Requirements, "patterns"> & { readonly types: () => AtomTypes | undefined };

/** One thing that is asked for: a side of the sizes, or a side of the bounds of one group. */
type Demand =
  | { readonly kind: "minSize" | "maxSize" }
  | { readonly kind: "lower" | "upper"; readonly at: number; readonly group: number };

/** A deal of the atoms compares each with every group of every cluster: with more comparisons than this it is left out. */
const mostComparisons = 1e8;
/** What one trial without a demand may cost while a culprit is looked for. */
const culpritEffort: Effort = { work: 5e6, columns: 2000 };

/**
 * Whether any clustering of atoms meets the request, which is as hard as packing bins: proven not to, with the integer program or by
 * weights alone; witnessed by a deal or by the program's answer; or undecided within the effort.
 */
export async function decideAtoms(
  request: AtomRequest,
  effort: Effort,
  signal?: AbortSignal,
): Promise<FeasibilityVerdict["feasible"]> {
  if (await isFractionallyInfeasible(request, signal)) return false;
  const types = request.types();
  if (!types) return "undecided";
  const { k, sizes } = request;
  const atoms = types.reduce((sum, each) => sum + each.atoms, 0);
  const least = Array.from({ length: k }, (_, m) => sizesIn(sizes, m).min).filter((min) => min > 0).length;
  const heaviest = types.reduce((most, { weight }) => Math.max(most, weight), 0);
  const widest = Array.from({ length: k }, (_, m) => sizesIn(sizes, m).max).reduce(
    (most, max) => Math.max(most, max),
    0,
  );
  if (atoms < least || heaviest > widest) return false;
  const groups = request.bounds.reduce((sum, bound) => sum + bound.groups.length, 1);
  if (atoms * k * groups <= mostComparisons && meetsWhole(dealAtoms(types, request), types, request)) return true;
  if (types.length * k > effort.columns) return "undecided";
  const program = programOf(types, request);
  const answer = await solveProgram(program, { work: effort.work, first: true }, signal);
  if (answer.status === "infeasible") return false;
  const counts = answer.values.map(Math.round);
  return answer.values.length > 0 && meetsWhole(counts, types, request) ? true : "undecided";
}

/** Throws "infeasible", naming demands of which none can be spared, when no clustering can meet the request. False where it is undecided. */
export async function checkAtoms(request: AtomRequest, effort: Effort, signal?: AbortSignal): Promise<boolean> {
  const verdict = await decideAtoms(request, effort, signal);
  if (verdict !== false) return verdict === true;
  const culprit = await irreducible(request, demandsOf(request), signal);
  const named = culprit.demands.map((demand) => describe(demand, request));
  const all = named.length > 1 ? `${named.slice(0, -1).join(", ")} and ${named.at(-1)}` : named[0];
  const heaviest = request.types()?.reduce((most, { weight }) => Math.max(most, weight), 0);
  const atOnce = heaviest === undefined ? "" : ` (up to ${short(heaviest)} at once)`;
  const what = `no k=${request.k} clusters of what moves as a whole${atOnce} have ${all}`;
  const advice = named.length > 1 ? "widen one of them" : "widen it";
  const sure = culprit.proven ? "" : "; whether fewer of these are to blame was not decided";
  throw new MoietyError(
    "infeasible",
    `${what} with tolerance ${short(request.tolerance)}: ${advice}, or use another k${sure}`,
  );
}

/** Fractions of atoms can do more than whole ones: what they cannot meet, nothing can. */
async function isFractionallyInfeasible(request: AtomRequest, signal?: AbortSignal): Promise<boolean> {
  const { n, k, sizes, bounds, tolerance } = request;
  const clustersDiffer = sizes.each !== undefined || bounds.some(({ present }) => present !== undefined);
  if (!clustersDiffer) {
    // Clusters that are all alike are as good as any: what holds on average holds in each of them.
    const slack = k * (tolerance + 2e-9) + n * 1e-12;
    return (
      k * sizes.min > n * (1 + 1e-12) ||
      k * sizes.max < n * (1 - 1e-12) ||
      bounds.some(({ counts, lower, upper }) =>
        counts.some((count, l) => lower[l] * n - slack > count || upper[l] * n + slack < count),
      )
    );
  }
  const whole = request.types();
  if (!whole) return false;
  const types = merged(whole);
  if (types.length * k > culpritEffort.columns) return false;
  return (await solveProgram(programOf(types, request), { relaxed: true }, signal)).status === "infeasible";
}

/** Atoms of one mix of groups as one: for fractions only what they weigh together counts. */
function merged(types: AtomTypes): AtomTypes {
  const byMix = new Map<string, AtomTypes[number]>();
  for (const { weight, parts, atoms } of types) {
    const mix = parts.map((row) => row.map((part) => part / weight));
    const key = JSON.stringify(mix);
    const known = byMix.get(key);
    const all = (known?.weight ?? 0) + weight * atoms;
    byMix.set(key, { weight: all, parts: mix.map((row) => row.map((share) => share * all)), atoms: 1 });
  }
  return [...byMix.values()];
}

/** Columns [types][k]: how many atoms of each type go into each cluster. */
function programOf(types: AtomTypes, { k, sizes, bounds, tolerance, n }: AtomRequest): LinearProgram {
  const program = new LinearProgram();
  for (const { atoms } of types) for (let m = 0; m < k; m++) program.addColumn(0, 0, atoms, true);
  types.forEach(({ atoms }, type) => {
    for (let m = 0; m < k; m++) program.addEntry(type * k + m, 1);
    program.closeRow(atoms, atoms);
  });
  const infinite = Number.POSITIVE_INFINITY;
  for (let m = 0; m < k; m++) {
    const { min, max } = sizesIn(sizes, m);
    types.forEach(({ weight }, type) => {
      program.addEntry(type * k + m, weight);
    });
    program.closeRow(min, Math.min(max, n));
    bounds.forEach((bound, at) => {
      bound.groups.forEach((_, group) => {
        const { members, everyone } = presentIn(bound, group, m);
        const [lower, upper] = [bound.lower[group], bound.upper[group]];
        const add = (share: number, from: number, to: number) => {
          types.forEach(({ weight, parts }, type) => {
            program.addEntry(type * k + m, parts[at][group] - share * weight);
          });
          program.closeRow(from, to);
        };
        if (lower > 0) add(lower, lower * everyone - members - tolerance - 1e-9, infinite);
        if (upper < 1) add(upper, -infinite, upper * everyone - members + tolerance + 1e-9);
      });
    });
  }
  return program;
}

/** Heaviest first, each where what it brings is most wanted: counts [types][k]. */
function dealAtoms(types: AtomTypes, { n, k, sizes, bounds }: AtomRequest): Float64Array {
  const counts = new Float64Array(types.length * k);
  const targets = targetSizes(sizes, n, k);
  const held = new Float64Array(k);
  const members = bounds.map(({ groups }) => new Float64Array(groups.length * k));
  const order = Array.from(types.keys()).sort((a, b) => types[b].weight - types[a].weight || a - b);
  for (const type of order) {
    const { weight, parts, atoms } = types[type];
    for (let atom = 0; atom < atoms; atom++) {
      let [best, least] = [0, Number.POSITIVE_INFINITY];
      for (let m = 0; m < k; m++) {
        let cost = (weight * (held[m] - targets[m])) / Math.max(targets[m], 1e-9);
        for (let at = 0; at < bounds.length; at++) {
          for (let group = 0; group < parts[at].length; group++) {
            const part = parts[at][group];
            if (part === 0) continue;
            const target = (bounds[at].counts[group] * targets[m]) / n;
            cost += (part * (members[at][group * k + m] - target)) / Math.max(target, 1e-9);
          }
        }
        if (cost < least) [best, least] = [m, cost];
      }
      counts[type * k + best]++;
      held[best] += weight;
      for (let at = 0; at < bounds.length; at++) {
        for (let group = 0; group < parts[at].length; group++) members[at][group * k + best] += parts[at][group];
      }
    }
  }
  return counts;
}

/** How large clusters become when everybody is spread in proportion to the room above the smallest sizes. */
function targetSizes(sizes: SizeLimits, n: number, k: number): number[] {
  const ranges = Array.from({ length: k }, (_, m) => {
    const { min, max } = sizesIn(sizes, m);
    return { least: Math.max(0, min), room: Math.max(0, Math.min(n, max) - Math.max(0, min)) };
  });
  const left = n - ranges.reduce((sum, { least }) => sum + least, 0);
  const room = ranges.reduce((sum, range) => sum + range.room, 0);
  return ranges.map((range) => range.least + (room > 0 ? (left * range.room) / room : 0));
}

/** Whether so many whole atoms of each type in each cluster, [types][k], meet the request. */
function meetsWhole(counts: Float64Array, types: AtomTypes, request: AtomRequest): boolean {
  const { k, sizes, bounds, tolerance } = request;
  const all = types.every(({ atoms }, type) => {
    return counts.subarray(type * k, (type + 1) * k).reduce((sum, count) => sum + count, 0) === atoms;
  });
  if (!all || counts.some((count) => count < 0)) return false;
  for (let m = 0; m < k; m++) {
    const size = types.reduce((sum, { weight }, type) => sum + weight * counts[type * k + m], 0);
    const { min, max } = sizesIn(sizes, m);
    if (size < min || size > max) return false;
    for (const [at, bound] of bounds.entries()) {
      for (let group = 0; group < bound.groups.length; group++) {
        const before = presentIn(bound, group, m);
        const own = types.reduce((sum, { parts }, type) => sum + parts[at][group] * counts[type * k + m], 0);
        const beyond = excess(own + before.members, size + before.everyone, bound.lower[group], bound.upper[group]);
        if (beyond > tolerance) return false;
      }
    }
  }
  return true;
}

function demandsOf({ n, sizes, bounds }: AtomRequest): Demand[] {
  const each = sizes.each ?? [sizes];
  const demands: Demand[] = [];
  if (each.some(({ min }) => min > 0)) demands.push({ kind: "minSize" });
  if (each.some(({ max }) => max < n)) demands.push({ kind: "maxSize" });
  bounds.forEach(({ groups, lower, upper }, at) => {
    groups.forEach((_, group) => {
      if (lower[group] > 0) demands.push({ kind: "lower", at, group });
      if (upper[group] < 1) demands.push({ kind: "upper", at, group });
    });
  });
  return demands;
}

/** Demands that cannot all be met although, as far as it was `proven`, all but any one of them can. */
async function irreducible(request: AtomRequest, demands: readonly Demand[], signal?: AbortSignal) {
  let kept = demands;
  let proven = true;
  for (const demand of demands) {
    const without = kept.filter((other) => other !== demand);
    const verdict = await decideAtoms(restrict(request, without), culpritEffort, signal);
    if (verdict === false) kept = without;
    else if (verdict === "undecided") proven = false;
  }
  return { demands: kept, proven };
}

/** The same request with these demands only. */
function restrict(request: AtomRequest, demands: readonly Demand[]): AtomRequest {
  const { n, sizes, bounds } = request;
  const has = (kind: Demand["kind"]) => demands.some((demand) => demand.kind === kind);
  const range = ({ min, max }: { min: number; max: number }) => ({
    min: has("minSize") ? min : 0,
    max: has("maxSize") ? max : Math.max(n, max),
  });
  const keeps = (kind: "lower" | "upper", at: number, group: number) =>
    demands.some((one) => one.kind === kind && "at" in one && one.at === at && one.group === group);
  return {
    ...request,
    sizes: { ...range(sizes), ...(sizes.each ? { each: sizes.each.map(range) } : {}) },
    bounds: bounds.map((bound, at) => ({
      ...bound,
      lower: bound.lower.map((share, group) => (keeps("lower", at, group) ? share : 0)),
      upper: bound.upper.map((share, group) => (keeps("upper", at, group) ? share : 1)),
    })),
  };
}

function describe(demand: Demand, { sizes, bounds }: AtomRequest): string {
  if (demand.kind === "minSize") return sizes.each ? "their smallest sizes" : `a size of at least ${short(sizes.min)}`;
  if (demand.kind === "maxSize") return sizes.each ? "their largest sizes" : `a size of at most ${short(sizes.max)}`;
  if (!("at" in demand)) return "";
  const { attribute, groups, lower, upper } = bounds[demand.at];
  const share =
    demand.kind === "lower" ? `at least ${short(lower[demand.group])}` : `at most ${short(upper[demand.group])}`;
  return `${share} of ${attribute}=${groups[demand.group]}`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}
