import type { Attribute } from "../table/types.js";
import { costsAt, fairestCentres, groupMoments } from "./group-costs.js";
import type { Points } from "./labelled-points.js";
import { nearestCentres } from "./nearest-centres.js";
import { neighboursOf } from "./neighbourhoods.js";
import type { GroupName, Verdict } from "./verdict.js";

/**
 * What `fair` is to mean. "shares": every group's share of every cluster is within bounds. "social": the worst-off group's mean
 * cost is as low as can be. "representation": every group has a share of some clusters. "individual": everybody has a centre about
 * as near as their neighbours.
 */
export const notionNames = ["shares", "social", "representation", "individual"] as const;
export type NotionName = (typeof notionNames)[number];

/** What a result is judged by, where that is not bounds of shares. */
export type Notion =
  | { readonly name: "social" }
  | {
      readonly name: "representation";
      /** The least share, and in how many clusters each group is to have it. */
      readonly share: number;
      readonly clusters: number;
      readonly tolerance: number;
    }
  | { readonly name: "individual"; readonly factor: number };

/** attribute -> group -> value */
type ByGroup<Value> = Readonly<Record<string, Readonly<Record<string, Value>>>>;

interface GroupCosts {
  /** attribute -> group -> the mean squared distance of its members to the centre of their cluster */
  readonly costs: ByGroup<number>;
  /** The group with the highest of these. */
  readonly worst: GroupName & { readonly cost: number };
}

export interface SocialMeasures extends GroupCosts {
  readonly name: "social";
  /**
   * By how much the worst-off group's cost would fall in another round, everybody at the nearest centre and the best centres of
   * these clusters, as a part of it. Near 0 is a local optimum: other clusters may still be better.
   */
  readonly further: number;
  /** The same of plain k-means. */
  readonly plain?: GroupCosts;
}

export interface RepresentationMeasures {
  readonly name: "representation";
  readonly share: number;
  readonly clusters: number;
  /** attribute -> group -> the clusters in which it has the share, within the tolerance */
  readonly represented: ByGroup<readonly number[]>;
  /** Groups that have it in too few clusters. */
  readonly lacking: readonly GroupName[];
  /** attribute -> group -> the clusters that were to hold it: those in which it cost least. */
  readonly matched?: ByGroup<readonly number[]>;
  /** The same of plain k-means. */
  readonly plain?: Pick<RepresentationMeasures, "represented" | "lacking">;
}

export interface IndividualMeasures {
  readonly name: "individual";
  readonly factor: number;
  /** How many people are an even share of a cluster: n/k, rounded up. */
  readonly neighbours: number;
  /** The largest ratio of anybody's distance to the nearest centre and to that neighbour; "inf" where a neighbour is at 0. */
  readonly largestRatio: number | "inf";
  /** People whose ratio is above the factor. */
  readonly beyond: number;
  /** The same of plain k-means. */
  readonly plain?: Pick<IndividualMeasures, "largestRatio" | "beyond">;
}

export type NotionMeasures = SocialMeasures | RepresentationMeasures | IndividualMeasures;

/** What replaces the judgement by shares. Social costs have no threshold, so `fair` is null. */
export interface NotionJudgement<Measures extends NotionMeasures = NotionMeasures> {
  readonly notion: Measures;
  readonly fair: boolean | null;
  readonly verdict: Verdict;
  readonly verdictDetails: null;
}

/** People as points, and their groups. */
interface JudgedPeople {
  readonly n: number;
  readonly dimensions: Points;
  readonly attributes: readonly Attribute[];
}

/** A gain of less than this in another round is not worth one: the clusters are at a local optimum. */
const worthARound = 0.01;

export function measureSocial(
  { dimensions, attributes, n }: JudgedPeople,
  labels: Uint16Array,
  centres: readonly Float64Array[],
): NotionJudgement<SocialMeasures> {
  const k = centres.length;
  // An empty cluster has no mean, and costs nobody anything.
  const flat = Float64Array.from(centres.flatMap((centre) => Array.from(centre, (x) => x || 0)));
  const costs = costsAt(groupMoments(dimensions, attributes, labels, k), flat);
  const told = groupCosts(attributes, costs);
  const nearest = nearestCentres(dimensions, n, centres).labels;
  const next = fairestCentres(groupMoments(dimensions, attributes, nearest, k), flat);
  const { cost } = told.worst;
  const further = cost > 0 ? Math.max(0, 1 - next.worst / cost) : 0;
  const verdict = further < worthARound ? "least-found" : "not-least";
  return { notion: { name: "social", ...told, further }, fair: null, verdict, verdictDetails: null };
}

function groupCosts(attributes: readonly Attribute[], costs: Float64Array): GroupCosts {
  const names = attributes.flatMap(({ name, groups }) => groups.map((group) => ({ attribute: name, group })));
  const worst = costs.reduce((most, cost, at) => (cost > costs[most] ? at : most), 0);
  return { costs: byGroup(attributes, (at) => costs[at]), worst: { ...names[worst], cost: costs[worst] } };
}

/** A value for each group; groups of all attributes are numbered one after another. */
function byGroup<Value>(
  attributes: readonly Pick<Attribute, "name" | "groups">[],
  value: (at: number) => Value,
): ByGroup<Value> {
  let at = 0;
  return Object.fromEntries(
    attributes.map(({ name, groups }) => [name, Object.fromEntries(groups.map((group) => [group, value(at++)]))]),
  );
}

/** Of the rounding of share * size, as in bounds. */
const slack = 1e-9;

/** `counts` by attribute, group and cluster. A cluster without people represents nobody. */
export function measureRepresentation(
  attributes: readonly Pick<Attribute, "name" | "groups">[],
  counts: readonly (readonly (readonly number[])[])[],
  sizes: readonly number[],
  { share, clusters, tolerance }: Extract<Notion, { name: "representation" }>,
): NotionJudgement<RepresentationMeasures> {
  const rows = counts.flat();
  const names = attributes.flatMap(({ name, groups }) => groups.map((group) => ({ attribute: name, group })));
  /** The clusters where a group has the share with this tolerance, and where that tolerance is not the whole of it. */
  const clustersWith = (at: number, allowed: number, meaningful: boolean) =>
    sizes.flatMap((size, m) => {
      if (size === 0 || (meaningful && share * size <= tolerance)) return [];
      return rows[at][m] >= share * size - allowed - slack ? [m] : [];
    });
  const lackingWith = (allowed: number, meaningful: boolean) =>
    names.filter((_, at) => clustersWith(at, allowed, meaningful).length < clusters);
  const lacking = lackingWith(tolerance, false);
  const verdict =
    lacking.length > 0
      ? "unfair"
      : lackingWith(tolerance, true).length > 0
        ? "fair-without-meaning"
        : lackingWith(0, true).length > 0
          ? "fair-to-rounding"
          : "fair";
  const represented = byGroup(attributes, (at) => clustersWith(at, tolerance, false));
  return {
    notion: { name: "representation", share, clusters, represented, lacking },
    fair: lacking.length === 0,
    verdict,
    verdictDetails: null,
  };
}

/** `radii` as `neighbourRadii` finds them. Everybody is served by the nearest centre, whatever their cluster. */
export function measureIndividual(
  { dimensions, n }: Pick<JudgedPeople, "n" | "dimensions">,
  centres: readonly Float64Array[],
  radii: Float64Array,
  factor: number,
): NotionJudgement<IndividualMeasures> {
  const { squared } = nearestCentres(dimensions, n, centres);
  let [largest, beyond] = [0, 0];
  for (let i = 0; i < n; i++) {
    const distance = Math.sqrt(squared[i]);
    if (distance === 0) continue;
    const ratio = distance / radii[i];
    if (ratio > factor * (1 + slack)) beyond++;
    if (ratio > largest) largest = ratio;
  }
  const fair = beyond === 0;
  return {
    notion: {
      name: "individual",
      factor,
      neighbours: neighboursOf(n, centres.length),
      largestRatio: Number.isFinite(largest) ? largest : "inf",
      beyond,
    },
    fair,
    verdict: fair ? "fair" : "unfair",
    verdictDetails: null,
  };
}
