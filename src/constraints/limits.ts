import type { Bounds, SizeLimits } from "./bounds.js";

/**
 * One linear limit on every cluster: member * N + everyone * n + constant <= 0, where N counts the cluster's people of
 * one group and n all its people. Restricted dominance is N - alpha n - tolerance <= 0, minority protection
 * beta n - N - tolerance <= 0, a smallest size min - n <= 0: all that the solver promises has this form.
 */
export interface Limit {
  /** An index into the groups of the attribute; -1 where only the size matters. */
  readonly group: number;
  readonly member: number;
  readonly everyone: number;
  readonly constant: number;
  /** Added to the constant, where clusters differ. */
  readonly own?: readonly number[];
  /** How much of the constant is tolerance: what is reported as a violation does not forgive it. */
  readonly tolerance: number;
}

/** The limits that one holder answers for: those of one attribute, or the sizes. `groups` is 1 for sizes. */
export interface Limits {
  readonly groups: number;
  readonly list: readonly Limit[];
  /** Where what moves as a whole is not one person of one group. */
  readonly atoms?: AtomKinds;
}

/**
 * Atoms move as a whole: a person with a weight, or a household. Atoms of one kind are multiples of the same mix of groups, so that
 * a limit's left side changes in proportion to what an atom weighs.
 */
export interface AtomKinds {
  /** [kinds]: what an atom of each kind weighs on average. */
  readonly typical: Float64Array;
  /** [kinds][groups]: how much of each group is in the lightest possible atom of a kind, and what that weighs. Absent where a kind is a group. */
  readonly mix?: { readonly parts: Float64Array; readonly totals: Float64Array };
}

/** How many kinds of people, or of atoms, the limits tell apart. */
export function kindsOf({ groups, atoms }: Limits): number {
  return atoms?.typical.length ?? groups;
}

/** The share of a group in an atom of a kind. */
function shareOf(atoms: AtomKinds | undefined, kind: number, group: number): number {
  if (!atoms?.mix) return kind === group ? 1 : 0;
  const { parts, totals } = atoms.mix;
  return group < 0 ? 0 : parts[(kind * parts.length) / totals.length + group] / totals[kind];
}

/** Adds so much weight of a kind to what cluster m has of each group, [groups][k]. */
export function addToGroups(
  { groups, atoms }: Limits,
  counts: Float64Array,
  k: number,
  kind: number,
  weight: number,
  m: number,
): void {
  if (!atoms?.mix) {
    counts[kind * k + m] += weight;
    return;
  }
  const { parts, totals } = atoms.mix;
  // A whole number of lightest atoms: the products are exact.
  const atomsOfKind = weight / totals[kind];
  for (let group = 0; group < groups; group++) counts[group * k + m] += atomsOfKind * parts[kind * groups + group];
}

/** Bounds that forbid nothing are left out: they would only cost time. */
export function fairLimits(bounds: Bounds, tolerance: number): Limits {
  const list: Limit[] = [];
  bounds.groups.forEach((_, group) => {
    const upper = bounds.upper[group];
    const lower = bounds.lower[group];
    const add = (member: number, everyone: number) => {
      const own = presentSide(bounds, group, member, everyone) ?? (member < 0 ? liftedSide(bounds, group) : undefined);
      list.push({ group, member, everyone, constant: -tolerance, tolerance, ...(own ? { own } : {}) });
    };
    if (upper < 1) add(1, -upper);
    if (lower > 0) add(-1, lower);
  });
  return { groups: bounds.groups.length, list };
}

/** What those who are present already add to a limit's left side, in each cluster. */
function presentSide({ present }: Bounds, group: number, member: number, everyone: number): number[] | undefined {
  return present?.[group].map((members, m) => {
    return member * members + everyone * present.reduce((sum, counts) => sum + counts[m], 0);
  });
}

/** Where a lower bound does not hold, its limit is so far off that no cluster reaches it. */
function liftedSide({ where, lower, counts }: Bounds, group: number): number[] | undefined {
  const people = counts.reduce((sum, count) => sum + count, 0);
  return where?.[group].map((holds) => (holds ? 0 : -lower[group] * people));
}

export function sizeLimits({ min, max, each }: SizeLimits): Limits {
  const list: Limit[] = [];
  const common = { group: -1, member: 0, tolerance: 0 };
  if (each) {
    list.push({ ...common, everyone: -1, constant: 0, own: each.map((range) => range.min) });
    list.push({ ...common, everyone: 1, constant: 0, own: each.map((range) => -range.max) });
    return { groups: 1, list };
  }
  if (min > 0) list.push({ ...common, everyone: -1, constant: min });
  if (Number.isFinite(max)) list.push({ ...common, everyone: 1, constant: -max });
  return { groups: 1, list };
}

/** The constant of a limit in cluster m. */
function constantIn({ constant, own }: Limit, m: number): number {
  return own ? constant + own[m] : constant;
}

/** The same limit for a part of the people: what counts people shrinks in proportion, a tolerance does not. */
export function shrinkLimit({ constant, tolerance, own, ...limit }: Limit, part: number): Limit {
  const shrunk = (constant + tolerance) * part - tolerance;
  return { ...limit, constant: shrunk, tolerance, ...(own ? { own: own.map((value) => value * part) } : {}) };
}

/** By how much a limit's left side changes when a person of this group, or the same weight of a kind of atoms, joins the cluster. */
export function weightOf(limit: Limit, kind: number, atoms?: AtomKinds): number {
  if (!atoms?.mix) return limit.everyone + (limit.group === kind ? limit.member : 0);
  return limit.everyone + limit.member * shareOf(atoms, kind, limit.group);
}

/** How far a person of each kind reaches: what does not change with the clusters. */
interface Reaches {
  /** [kinds]: what one of each kind weighs. */
  readonly typicals: Float64Array;
  /** Of each limit, [kinds]: by how much its left side changes for each unit of weight, and for one of each kind; and the most of the latter. */
  readonly list: readonly { readonly unit: Float64Array; readonly one: Float64Array; readonly furthest: number }[];
}

const knownReaches = new WeakMap<Limits, Reaches>();

/** Computed once for some limits: every move of a repair asks for it. */
export function reachesOf(limits: Limits): Reaches {
  const known = knownReaches.get(limits);
  if (known) return known;
  const { list, atoms } = limits;
  const typicals = atoms?.typical ?? new Float64Array(limits.groups).fill(1);
  const reaches = {
    typicals,
    list: list.map((limit) => {
      const unit = typicals.map((_, kind) => weightOf(limit, kind, atoms));
      const one = unit.map((weight, kind) => weight * typicals[kind]);
      return { unit, one, furthest: one.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) };
    }),
  };
  knownReaches.set(limits, reaches);
  return reaches;
}

/** Scores and prices beyond this would leave the range in which sums over parties are exact; no distance competes anyway. */
const mostScore = 2 ** 48;

export function withinScores(score: number): number {
  return Math.max(-mostScore, Math.min(mostScore, score));
}

/** The rounding of share * size must not count as a violation where a bound is met exactly. */
const roundingSlack = 1e-9;

/** What the clusters hold of the limits' groups: counts [groups][k] and sizes [k]. */
export interface ClusterTally {
  readonly counts: Float64Array;
  readonly sizes: Float64Array;
}

/** The left side of a limit in cluster m: above 0 is beyond the limit. */
export function leftSide(limit: Limit, tally: ClusterTally, m: number): number {
  const members = limit.group < 0 ? 0 : tally.counts[limit.group * tally.sizes.length + m];
  return limit.member * members + limit.everyone * tally.sizes[m] + constantIn(limit, m);
}

function beyond(value: number): number {
  return Math.max(0, value - roundingSlack);
}

/** People beyond the bounds in the worst group and cluster, before tolerance. */
export function worstViolation(limits: Limits, tally: ClusterTally): number {
  const k = tally.sizes.length;
  let worst = 0;
  for (const limit of limits.list) {
    const { tolerance } = limit;
    for (let m = 0; m < k; m++) worst = Math.max(worst, beyond(leftSide(limit, tally, m) + tolerance));
  }
  return worst;
}

/** People beyond the limits, tolerance forgiven, over all limits and clusters: 0 when every promise is kept. */
export function totalExcess(limits: Limits, tally: ClusterTally): number {
  const k = tally.sizes.length;
  let total = 0;
  for (const limit of limits.list) for (let m = 0; m < k; m++) total += beyond(leftSide(limit, tally, m));
  return total;
}

/** People beyond the limits of cluster m, before and after a person of a group, who counts for so many, joins it. */
export function excessInCluster(
  limits: Limits,
  tally: ClusterTally,
  m: number,
  group: number,
  people = 1,
): [number, number] {
  let [before, after] = [0, 0];
  for (const limit of limits.list) {
    const value = leftSide(limit, tally, m);
    before += beyond(value);
    after += beyond(value + people * weightOf(limit, group));
  }
  return [before, after];
}

/**
 * How the total excess changes when one person of a group joins or leaves a cluster: two tables [groups][k]. Of atoms: for each unit of
 * their weight, by kind. `insistence` says how much each limit counts, [limits][k].
 */
export function excessChanges(
  limits: Limits,
  tally: ClusterTally,
  insistence?: Float64Array,
): { joining: Float64Array; leaving: Float64Array } {
  const k = tally.sizes.length;
  const reaches = reachesOf(limits);
  const { typicals } = reaches;
  const kinds = typicals.length;
  const joining = new Float64Array(kinds * k);
  const leaving = new Float64Array(kinds * k);
  limits.list.forEach((limit, index) => {
    const { one: weights, furthest } = reaches.list[index];
    for (let m = 0; m < k; m++) {
      const value = leftSide(limit, tally, m);
      // Most limits are too far off for one person to reach.
      if (value + furthest <= 0) continue;
      const now = beyond(value);
      const counts = insistence ? insistence[index * k + m] : 1;
      for (let kind = 0, cell = m; kind < kinds; kind++, cell += k) {
        const weight = weights[kind];
        joining[cell] += (counts * (beyond(value + weight) - now)) / typicals[kind];
        leaving[cell] += (counts * (beyond(value - weight) - now)) / typicals[kind];
      }
    }
  });
  return { joining, leaving };
}

/** Adds one for every limit that is broken in a cluster, to [limits][k]. */
export function addBroken(limits: Limits, tally: ClusterTally, times: Float64Array): void {
  const k = tally.sizes.length;
  limits.list.forEach((limit, index) => {
    for (let m = 0; m < k; m++) if (beyond(leftSide(limit, tally, m)) > 0) times[index * k + m]++;
  });
}

/** People who would change clusters, one after another, as columns: their groups, where they are and where they would go. */
export interface Changes {
  /** Of atoms: their kinds. */
  readonly groups: Uint16Array;
  readonly from: Uint16Array;
  readonly to: Uint16Array;
  /** What atoms weigh; absent where everybody counts for one. */
  readonly weights?: Float64Array;
}

/** How each of the changes changes the total excess when all of them happen, one after another. */
export function judgeMoves(limits: Limits, tally: ClusterTally, { groups, from, to, weights }: Changes): Float64Array {
  const k = tally.sizes.length;
  const counts = tally.counts.slice();
  const sizes = tally.sizes.slice();
  // Columns: this is done for every move of many lists.
  const group = Int32Array.from(limits.list, (limit) => limit.group);
  const [member, everyone] = (["member", "everyone"] as const).map((name) =>
    Float64Array.from(limits.list, (limit) => limit[name]),
  ) as [Float64Array, Float64Array];
  const constants = new Float64Array(group.length * k);
  limits.list.forEach((limit, index) => {
    for (let m = 0; m < k; m++) constants[index * k + m] = constantIn(limit, m);
  });
  const excess = new Float64Array(k);
  for (let m = 0; m < k; m++) excess[m] = excessOf(m);
  const changes = new Float64Array(groups.length);
  for (let index = 0; index < changes.length; index++) {
    const [left, joined] = [from[index], to[index]];
    const weight = weights ? weights[index] : 1;
    addToGroups(limits, counts, k, groups[index], -weight, left);
    addToGroups(limits, counts, k, groups[index], weight, joined);
    sizes[left] -= weight;
    sizes[joined] += weight;
    const before = excess[left] + excess[joined];
    excess[left] = excessOf(left);
    excess[joined] = excessOf(joined);
    changes[index] = excess[left] + excess[joined] - before;
  }
  return changes;

  function excessOf(m: number): number {
    let sum = 0;
    for (let limit = 0; limit < group.length; limit++) {
      const members = group[limit] < 0 ? 0 : counts[group[limit] * k + m];
      const value = member[limit] * members + everyone[limit] * sizes[m] + constants[limit * k + m];
      if (value > roundingSlack) sum += value - roundingSlack;
    }
    return sum;
  }
}

/**
 * Which of the proposed changes may all happen, judged in order. Only what a move uses up is counted, never what another
 * one frees, so that any part of the permitted moves keeps the limits too: several holders can judge the same list
 * apart from each other, and the moves that all of them permit are safe.
 */
export function permitMoves(limits: Limits, tally: ClusterTally, { groups, from, to, weights }: Changes): boolean[] {
  const k = tally.sizes.length;
  const { list, atoms } = limits;
  /** What is used of each limit in each cluster, with what is there: [limits][k]. */
  const values = Float64Array.from({ length: list.length * k }, (_, at) =>
    leftSide(list[Math.floor(at / k)], tally, at % k),
  );
  // By group: what a person uses up of each limit, of the cluster joined or else of the one left.
  const { length } = list;
  const used = new Float64Array(reachesOf(limits).typicals.length * length);
  for (let at = 0; at < used.length; at++) used[at] = weightOf(list[at % length], Math.floor(at / length), atoms);
  const permitted = new Array<boolean>(groups.length).fill(false);
  for (let index = 0; index < groups.length; index++) {
    const line = groups[index] * length;
    const people = weights ? weights[index] : 1;
    if (!isFree(index, line, people)) continue;
    permitted[index] = true;
    for (let limit = 0; limit < length; limit++) {
      const weight = used[line + limit] * people;
      values[limit * k + (weight > 0 ? to : from)[index]] += Math.abs(weight);
    }
  }
  return permitted;

  function isFree(index: number, line: number, people: number): boolean {
    for (let limit = 0; limit < length; limit++) {
      const weight = used[line + limit] * people;
      const value = values[limit * k + (weight > 0 ? to : from)[index]];
      if (weight !== 0 && value + Math.abs(weight) > roundingSlack) return false;
    }
    return true;
  }
}
