import { MoietyError } from "../../errors.js";
import type { Attribute } from "../../table/types.js";
import { type Bounds, excess, lowerIn, type SizeLimits, sizesIn } from "../bounds.js";
import type { AtomTypes } from "./atoms.js";

/** People by their combination of groups: everything that bounds can say depends on these counts alone. */
export interface GroupPatterns {
  /** For each attribute, in the order of the bounds, the group of each pattern. */
  readonly codes: readonly ArrayLike<number>[];
  /** The people of each pattern. */
  readonly counts: ArrayLike<number>;
}

/** What a clustering has to meet. */
export interface Requirements {
  readonly n: number;
  readonly k: number;
  readonly sizes: SizeLimits;
  /** One for each protected attribute, in the same order as the patterns' codes or the attributes. */
  readonly bounds: readonly Bounds[];
  readonly tolerance: number;
  readonly patterns: GroupPatterns;
}

export type FeasibilityRequest =
  | Requirements
  | (Omit<Requirements, "patterns"> & {
      readonly attributes: readonly Attribute[];
      /** Where not single people but atoms move; `n` is then what they weigh. */
      readonly types?: () => AtomTypes | undefined;
    });

export function requirementsOf(request: FeasibilityRequest): Requirements {
  const patterns = "patterns" in request ? request.patterns : countPatterns(request.attributes, request.n);
  if (patterns.codes.length !== request.bounds.length) {
    const seen = `there are bounds for ${request.bounds.length} attributes, but ${patterns.codes.length} attributes`;
    throw new MoietyError("usage", `${seen}: give one set of bounds for each`);
  }
  const { n, k, sizes, bounds, tolerance } = request;
  return { n, k, sizes, bounds, tolerance, patterns };
}

/** Whether clusters differ in what they may hold: which size goes where then matters. */
export function clustersDiffer({ sizes, bounds }: Pick<Requirements, "sizes" | "bounds">): boolean {
  return sizes.each !== undefined || bounds.some(({ present, where }) => present !== undefined || where !== undefined);
}

/** Those who are in cluster m already, of a group and of all. */
export function presentIn({ present }: Bounds, group: number, m: number): { members: number; everyone: number } {
  if (!present) return { members: 0, everyone: 0 };
  return { members: present[group][m], everyone: present.reduce((sum, counts) => sum + counts[m], 0) };
}

/** The patterns that occur, in the order of the first attribute's groups, then the second's, and so on. */
export function countPatterns(
  attributes: readonly Pick<Attribute, "groups" | "codes" | "people">[],
  everybody: number,
): GroupPatterns {
  const n = attributes[0]?.codes.length ?? 1;
  const people = attributes.length === 0 ? [everybody] : attributes[0].people;
  // One number for each pattern so far: ranks stay dense, so that many attributes cannot overflow a product of groups.
  let rank = new Uint32Array(n);
  let codes: number[][] = [];
  let patterns = 1;
  for (const attribute of attributes) {
    const groups = attribute.groups.length;
    const present = new Int32Array(patterns * groups).fill(-1);
    for (let i = 0; i < n; i++) present[rank[i] * groups + attribute.codes[i]] = 0;
    const next: number[][] = [...codes.map(() => []), []];
    let found = 0;
    for (let cell = 0; cell < present.length; cell++) {
      if (present[cell] < 0) continue;
      const old = Math.floor(cell / groups);
      for (let a = 0; a < codes.length; a++) next[a].push(codes[a][old]);
      next[codes.length].push(cell % groups);
      present[cell] = found++;
    }
    const renumbered = new Uint32Array(n);
    for (let i = 0; i < n; i++) renumbered[i] = present[rank[i] * groups + attribute.codes[i]];
    rank = renumbered;
    codes = next;
    patterns = found;
  }
  const counts = new Array<number>(patterns).fill(0);
  for (let i = 0; i < n; i++) counts[rank[i]] += people?.[i] ?? 1;
  return { codes, counts };
}

/** The number of each person's pattern, in the order in which `countPatterns` lists them. */
export function numberPeople(
  attributes: readonly Pick<Attribute, "codes">[],
  { codes, counts }: GroupPatterns,
  n: number,
): Int32Array {
  const numbers = new Map<string, number>();
  for (let pattern = 0; pattern < counts.length; pattern++) {
    numbers.set(codes.map((column) => column[pattern]).join(), pattern);
  }
  return Int32Array.from({ length: n }, (_, i) => numbers.get(attributes.map(({ codes }) => codes[i]).join())!);
}

/** The fewest members that a group may have in a cluster of this size. */
export function leastMembers(size: number, lower: number, tolerance: number): number {
  // A product such as 0.1 * 30 may be rounded up or down: the same expression as in `excess` has the last word.
  let least = Math.max(0, Math.ceil(lower * size - tolerance - 1e-9));
  while (least > 0 && lower * size - (least - 1) - 1e-9 <= tolerance) least--;
  while (lower * size - least - 1e-9 > tolerance) least++;
  return least;
}

/** The most members that a group may have in a cluster of this size. */
export function mostMembers(size: number, upper: number, tolerance: number): number {
  let most = Math.min(size, Math.floor(upper * size + tolerance + 1e-9));
  while (most < size && most + 1 - upper * size - 1e-9 <= tolerance) most++;
  while (most > 0 && most - upper * size - 1e-9 > tolerance) most--;
  return most;
}

/** Whether these counts (patterns in rows, k clusters in columns) meet every size and bound of the request. */
export function meetsRequest(counts: Int32Array, request: Requirements): boolean {
  const { k, sizes, bounds, tolerance, patterns } = request;
  const total = patterns.counts.length;
  const members = bounds.map((attribute) => new Float64Array(attribute.groups.length));
  for (let m = 0; m < k; m++) {
    let size = 0;
    for (const row of members) row.fill(0);
    for (let p = 0; p < total; p++) {
      const people = counts[p * k + m];
      if (people < 0) return false;
      size += people;
      for (let a = 0; a < bounds.length; a++) members[a][patterns.codes[a][p]] += people;
    }
    const { min, max } = sizesIn(sizes, m);
    if (size < min || size > max) return false;
    for (let a = 0; a < bounds.length; a++) {
      const { lower, upper } = bounds[a];
      for (let l = 0; l < lower.length; l++) {
        const least = lowerIn(bounds[a], l, m);
        const before = presentIn(bounds[a], l, m);
        const [count, all] = [members[a][l] + before.members, size + before.everyone];
        if (excess(count, all, least, upper[l]) > tolerance) return false;
      }
    }
  }
  for (let p = 0; p < total; p++) {
    let people = 0;
    for (let m = 0; m < k; m++) people += counts[p * k + m];
    if (people !== patterns.counts[p]) return false;
  }
  return true;
}

/** Whether a group may have any number of members in any cluster. */
export function isFree(bounds: Bounds, group: number): boolean {
  return bounds.lower[group] <= 0 && bounds.upper[group] >= 1;
}

/** The same request with the groups that nothing binds merged, and attributes left out where that is all of them. */
export function withoutFreeGroups(request: Requirements): Requirements {
  const kept = request.bounds.map((_, a) => a).filter((a) => !isAllFree(request.bounds[a]));
  const merged = kept.map((a) => mergeFree(request.bounds[a]));
  const names = new Map<string, number>();
  const codes: number[][] = kept.map(() => []);
  const counts: number[] = [];
  for (let p = 0; p < request.patterns.counts.length; p++) {
    const groups = kept.map((a, at) => merged[at].codeOf[request.patterns.codes[a][p]]);
    const name = groups.join();
    let pattern = names.get(name);
    if (pattern === undefined) {
      pattern = counts.push(0) - 1;
      names.set(name, pattern);
      for (let at = 0; at < kept.length; at++) codes[at].push(groups[at]);
    }
    counts[pattern] += request.patterns.counts[p];
  }
  return { ...request, bounds: merged.map((entry) => entry.bounds), patterns: { codes, counts } };
}

function isAllFree(bounds: Bounds): boolean {
  return bounds.groups.every((_, l) => isFree(bounds, l));
}

function mergeFree(bounds: Bounds): { bounds: Bounds; codeOf: number[] } {
  const bound = bounds.groups.map((_, l) => l).filter((l) => !isFree(bounds, l));
  const free = bounds.groups.map((_, l) => l).filter((l) => isFree(bounds, l));
  const codeOf = bounds.groups.map((_, l) => (isFree(bounds, l) ? bound.length : bound.indexOf(l)));
  if (free.length === 0) return { bounds, codeOf };
  const freePeople = free.reduce((sum, l) => sum + bounds.counts[l], 0);
  const { present, where } = bounds;
  const freePresent = present?.[0].map((_, m) => free.reduce((sum, l) => sum + present[l][m], 0));
  return {
    codeOf,
    bounds: {
      attribute: bounds.attribute,
      groups: [...bound.map((l) => bounds.groups[l]), "others"],
      counts: [...bound.map((l) => bounds.counts[l]), freePeople],
      lower: [...bound.map((l) => bounds.lower[l]), 0],
      upper: [...bound.map((l) => bounds.upper[l]), 1],
      ...(where ? { where: [...bound.map((l) => where[l]), where[0].map(() => true)] } : {}),
      ...(present && freePresent ? { present: [...bound.map((l) => present[l]), freePresent] } : {}),
    },
  };
}
