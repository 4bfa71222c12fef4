import { atomFacts, atomsOf } from "../../algorithms/atoms.js";
import { costOf } from "../../algorithms/distances.js";
import type { ClusterResult } from "../../algorithms/types.js";
import { type Bounds, shareLimits } from "../../constraints/bounds.js";
import type { GroupPatterns } from "../../constraints/feasibility/index.js";
import {
  balance,
  clusterSizes,
  groupCounts,
  measureRepresentation,
  type NotionJudgement,
  type RepresentationMeasures,
} from "../../metrics/index.js";
import type { DistanceName } from "../../table/distance.js";
import type { Attribute, People } from "../../table/types.js";
import type { JournalEntry } from "../audit/journal.js";
import type { Card } from "../consent/card.js";
import { representationOn } from "../consent/settings.js";
import type { FederatedPrivacy } from "./federated-privacy.js";
import type { LockedTables } from "./site-tables.js";
import { furthest, type GroupTable, groupsLeftOut, type LimitsOf } from "./small-groups.js";

/** What one party sends to the readers of a result: of its own columns and attributes only. */
export interface ResultPart {
  readonly party: string;
  readonly dimensions: number;
  /** In its own columns, of the people as they are. */
  readonly sse: number;
  /** With `distance: manhattan`: its own columns' part of the sum of distances. */
  readonly cost?: number;
  readonly sizes: readonly number[];
  /** Whether all groups are within the tolerance, also those that are left out. Absent in results of earlier versions. */
  readonly fair?: boolean;
  /** Of the groups that are shown. */
  readonly maxViolation: number;
  /** The same where fair means representation. */
  readonly represented?: Pick<NotionJudgement<RepresentationMeasures>, "notion" | "verdict">;
  /** Empty where it protects nothing. */
  readonly balance: readonly number[];
  /** attribute -> group -> share in each cluster; null where too few people would be shown. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, readonly (number | null)[]>>>>;
  readonly bounds: Readonly<Record<string, Readonly<Record<string, { readonly min: number; readonly max: number }>>>>;
  /** Groups were left out that have fewer people than this in some cluster, and others with them. */
  readonly smallest: number;
  /** Where somebody weighs more than others, or people belong together. */
  readonly linked?: LinkedPart;
  /** With rows split, where the card asks for each site's own shares: they open if all sites have enough people everywhere. */
  readonly tables?: LockedTables;
  /** Of a private job with columns split: what it promises and has released, and what is to be said of it. The same in every part. */
  readonly privacy?: FederatedPrivacy;
  readonly warnings?: readonly string[];
  readonly journal: readonly JournalEntry[];
}

/** What readers are told of who counts how and who goes with whom: not of whom. */
export interface LinkedPart extends Pick<ClusterResult, "weights" | "together" | "atoms"> {
  /** What the heaviest person counts for: shares are told in whole multiples of it. */
  readonly heaviest: number;
  /** The squared distances of people to the mean of their household, in this party's columns. */
  readonly scatter: number;
}

/** Nothing but what left a site: of an alignment, and of a holder of rows, who discloses nothing of its own people alone. */
export const journalPart: Omit<ResultPart, "party"> = {
  dimensions: 0,
  sse: 0,
  sizes: [],
  fair: true,
  maxViolation: 0,
  balance: [],
  groups: {},
  bounds: {},
  smallest: 0,
  journal: [],
};

interface ClusteredPeople extends Pick<CountedGroups, "bounds" | "smallest" | "asked"> {
  readonly people: People;
  readonly labels: Uint16Array;
  readonly k: number;
  readonly distance?: Card["distance"];
  /** Given places that stayed the centres. */
  readonly seats?: readonly Float64Array[];
}

/** What a holder of columns tells of its people and their clusters. */
export function measured({ people, labels, k, distance, seats, ...terms }: ClusteredPeople) {
  const counts = people.attributes.map((attribute) => groupCounts(attribute, labels, k));
  const weights = people.weights?.values;
  const linked = linkedPart(people);
  const sizes = clusterSizes(labels, k, weights);
  const cost = (kind: DistanceName) => costOf(people, labels, k, kind, seats);
  return {
    sse: cost("euclidean"),
    ...(linked ? { linked } : {}),
    ...(distance === "manhattan" ? { cost: cost("manhattan") } : {}),
    ...shown({
      ...terms,
      attributes: people.attributes,
      counts,
      sizes,
      ...(weights ? { heaviest: linked!.heaviest } : {}),
    }),
  };
}

function linkedPart(people: People): LinkedPart | undefined {
  const { weights, together } = people;
  const atoms = atomFacts(people);
  if (!atoms) return undefined;
  return {
    ...(weights ? { weights: { column: weights.column, total: weights.total, unit: weights.unit } } : {}),
    ...(together ? { together: { column: together.column, households: together.count } } : {}),
    atoms: { count: atoms.count, largest: atoms.largest },
    heaviest: weights ? weights.values.reduce((most, weight) => Math.max(most, weight)) : 1,
    scatter: atomsOf(people)?.scatter ?? 0,
  };
}

/** What all parties' people are like together, where each holds some of the rows: the coordinator knows it from sums. */
export type WholeSummary = Omit<ResultPart, "party" | "journal"> & Pick<ClusterResult, "simplifiedSilhouette">;

interface TalliedPeople extends Pick<CountedGroups, "attributes" | "bounds" | "smallest" | "asked"> {
  readonly sse: number;
  readonly columns: number;
  readonly k: number;
  readonly patterns: GroupPatterns;
  /** [patterns][k] */
  readonly tally: readonly number[];
  readonly simplifiedSilhouette: number | null;
}

export function wholeOf({
  sse,
  simplifiedSilhouette,
  columns,
  k,
  patterns,
  tally,
  ...terms
}: TalliedPeople): WholeSummary {
  const told = shown({ ...terms, ...groupsIn(terms.attributes, patterns.codes, tally, k) });
  return { dimensions: columns, sse, simplifiedSilhouette, ...told };
}

/** Of people who are counted by combination and cluster: how many each cluster has, and of each group. `codes` are each attribute's groups of the combinations. */
export function groupsIn(
  attributes: CountedGroups["attributes"],
  codes: readonly ArrayLike<number>[],
  tally: ArrayLike<number>,
  k: number,
): Pick<CountedGroups, "counts" | "sizes"> {
  const sizes = new Array<number>(k).fill(0);
  const counts = attributes.map(({ groups }) => groups.map(() => new Array<number>(k).fill(0)));
  for (let cell = 0; cell < tally.length; cell++) {
    const [combination, m] = [Math.floor(cell / k), cell % k];
    sizes[m] += tally[cell];
    counts.forEach((each, a) => {
      each[codes[a][combination]][m] += tally[cell];
    });
  }
  return { counts, sizes };
}

/** What a card asks of shares. */
type AskedShares = Pick<Card, "delta" | "bounds" | "tolerance"> &
  Partial<Pick<Card, "notion" | "represent" | "inClusters">>;

export interface CountedGroups {
  readonly attributes: readonly Pick<Attribute, "name" | "groups">[];
  /** [attribute][group][cluster] */
  readonly counts: readonly (readonly (readonly number[])[])[];
  readonly sizes: readonly number[];
  readonly bounds: readonly Bounds[];
  /** Groups with fewer people in a cluster are left out. */
  readonly smallest: number;
  /** Where counts are in weight: what the heaviest person counts for. */
  readonly heaviest?: number;
  readonly asked: AskedShares;
}

export type Shown = Pick<
  ResultPart,
  "sizes" | "fair" | "maxViolation" | "represented" | "balance" | "groups" | "bounds" | "smallest"
>;

/**
 * What may be shown of counted groups: of those that `groupsLeftOut` names, only whether all are within the tolerance.
 *
 * Where people have weights, which every site knows, a sum of weights may tell whose they are. So a group counts as small where it has
 * fewer people even if all were as heavy as the heaviest: it then has enough people, and nobody is more than a fifth of five. And
 * shares, bounds and the violation are told in steps of the heaviest, or thousandths: as coarsely as counts of so heavy people would be.
 */
export function shown(counted: CountedGroups): Shown {
  const { attributes, sizes, bounds, smallest, asked, heaviest = 1 } = counted;
  const weighed = counted.heaviest !== undefined;
  const told = (weight: number) => heaviest * Math.round(weight / heaviest);
  const bound = (share: number) => (weighed ? Number(share.toFixed(3)) : share);
  const exact = counted.counts;
  const tables = attributes.map((_, a) => tableOf(counted, a));
  const left = withLinked(attributes, tables.map(groupsLeftOut));
  const beyond = (a: number, among: (group: number) => boolean) =>
    exact[a].map((row, l) => (among(l) ? furthest(tables[a], l, row) : 0));
  const furthestOf = (among: (a: number, group: number) => boolean) =>
    Math.max(0, ...attributes.flatMap((_, a) => beyond(a, (l) => among(a, l))));
  const share = (count: number, m: number) => (sizes[m] === 0 ? 0 : count / sizes[m]);
  const counts = exact.map((rows) => rows.map((row) => row.map(told)));
  const violation = furthestOf((a, l) => !left[a].has(l));
  const broken = tables.some(({ breaks, counts }) => breaks && counts.some(breaks));
  const fair = !broken && furthestOf(() => true) <= asked.tolerance;
  return {
    sizes,
    fair,
    ...representedIn(counted, left, fair),
    maxViolation: weighed ? (heaviest / 10) * Math.ceil((10 * violation) / heaviest) : Number(violation.toFixed(6)),
    // A cluster's balance is that of its rarest group: where one is left out, so is the balance.
    balance: left.some(({ size }) => size > 0) ? [] : balance(counts, sizes),
    groups: ofGroups(attributes, (a, l) => counts[a][l].map((count, m) => (left[a].has(l) ? null : share(count, m)))),
    // Bounds tell how many people a group has in all.
    bounds: ofGroups(attributes.slice(0, bounds.length), (a, l) =>
      left[a].has(l) ? undefined : { min: bound(bounds[a].lower[l]), max: bound(bounds[a].upper[l]) },
    ),
    smallest,
  };
}

/** Where fair means representation: the clusters of each group that is shown. */
function representedIn(
  { attributes, counts, sizes, asked }: CountedGroups,
  left: readonly ReadonlySet<number>[],
  fair: boolean,
): Pick<ResultPart, "represented"> {
  const representation = representationOn(asked);
  if (!representation) return {};
  const among = <T>(a: number, each: readonly T[]) => each.filter((_, l) => !left[a].has(l));
  const { notion, verdict } = measureRepresentation(
    attributes.map(({ name, groups }, a) => ({ name, groups: among(a, groups) })),
    counts.map((rows, a) => among(a, rows)),
    sizes,
    representation,
  );
  return { represented: { notion, verdict: fair ? verdict : "unfair" } };
}

/**
 * Attributes of the same column, as sex and sex*race, reveal each other: where one of two leaves something out, all groups of the
 * one with more groups are left out.
 */
function withLinked(
  attributes: CountedGroups["attributes"],
  left: readonly ReadonlySet<number>[],
): ReadonlySet<number>[] {
  const columns = attributes.map(({ name }) => name.split("*").map((column) => column.replace(/:.*/, "").trim()));
  return attributes.map(({ groups }, a) => {
    const finer = attributes.some((other, b) => {
      const shared = b !== a && columns[b].some((column) => columns[a].includes(column));
      const more = groups.length > other.groups.length || (groups.length === other.groups.length && a > b);
      return shared && more && left[a].size + left[b].size > 0;
    });
    return finer ? new Set(groups.keys()) : left[a];
  });
}

/** attribute -> group -> what is shown of it; groups of which nothing is shown are not there. */
function ofGroups<T>(
  attributes: CountedGroups["attributes"],
  shownOf: (attribute: number, group: number) => T | undefined,
): Record<string, Record<string, T>> {
  return Object.fromEntries(
    attributes.map(({ name, groups }, a) => {
      const entries = groups.map((group, l) => [group, shownOf(a, l)] as const);
      return [
        name,
        Object.fromEntries(entries.filter((entry): entry is readonly [string, T] => entry[1] !== undefined)),
      ];
    }),
  );
}

/** How an attribute's counts are judged: limits that follow from the data change with a group's total, those on the card do not. */
function tableOf(counted: CountedGroups, a: number): GroupTable {
  const { attributes, counts, sizes, bounds, smallest, asked, heaviest = 1 } = counted;
  const { delta, tolerance, bounds: explicit } = asked;
  const { lower, upper } = bounds[a] ?? { lower: [], upper: [] };
  const n = sizes.reduce((sum, size) => sum + size, 0);
  const representation = representationOn(asked);
  const limitsOf: LimitsOf =
    bounds[a] === undefined || representation
      ? () => ({ lower: 0, upper: 1 })
      : explicit !== undefined && attributes[a].name in explicit
        ? (group) => ({ lower: lower[group], upper: upper[group] })
        : (_, total) => shareLimits(total / n, delta);
  const breaks =
    representation &&
    ((row: readonly number[]) => {
      const group = [{ name: attributes[a].name, groups: [""] }];
      return measureRepresentation(group, [[row]], sizes, representation).fair === false;
    });
  return { counts: counts[a], sizes, smallest: smallest * heaviest, limitsOf, tolerance, breaks };
}
