import type { ClusterResult } from "../../algorithms/types.js";
import { excess } from "../../constraints/bounds.js";
import { eightyPercentRule, groupCounts } from "../../metrics/index.js";
import type { People } from "../../table/types.js";

/** One group in one cluster. */
export interface GroupInCluster {
  readonly cluster: number;
  readonly count: number;
  readonly size: number;
  readonly share: number;
  /** Share in the cluster over share among everybody. */
  readonly ratio: number;
  /** People beyond the bounds, tolerance not counted. */
  readonly beyond: number;
  /** Too few rather than too many; only where somebody is beyond. */
  readonly lacking: boolean;
  /** More people beyond the bounds than are tolerated. */
  readonly broken: boolean;
  /** Between 80% and 125% of the share among everybody. */
  readonly inRule: boolean;
  /** The same in the clusters without promises, where they are known. */
  readonly without?: Pick<GroupInCluster, "size" | "share" | "ratio" | "beyond" | "lacking" | "broken">;
}

export interface GroupFacts {
  readonly attribute: string;
  readonly name: string;
  readonly members: number;
  readonly share: number;
  readonly min: number;
  readonly max: number;
  /** 0 to 1 is no bound. */
  readonly bounded: boolean;
  readonly cells: readonly GroupInCluster[];
}

export interface AttributeFacts {
  readonly name: string;
  readonly groups: readonly GroupFacts[];
}

interface Pair {
  readonly group: GroupFacts;
  readonly cell: GroupInCluster;
}

export interface Facts {
  readonly attributes: readonly AttributeFacts[];
  /** The largest violation; undefined when no group is beyond its bounds. */
  readonly worst: Pair | undefined;
  /** Pairs of a bounded group and a cluster, and how many of them break their bounds. */
  readonly pairs: number;
  readonly broken: number;
  /** Those that would break their bounds without promises, and the one that would most; undefined where that is not known. */
  readonly without: { readonly broken: number; readonly worst: Pair | undefined } | undefined;
  readonly brokenClusters: readonly number[];
  /** Pairs outside the 80% rule, bounded or not; clusters without people are not counted. */
  readonly outsideRule: number;
  /** By how many people at most. */
  readonly furthestOutside: number;
  /** All pairs of a group and a cluster with people. */
  readonly shares: number;
  /** The delta from which all bounds follow; undefined when they were set one by one. */
  readonly delta: number | undefined;
}

/** What facts are gathered of: a clustering, or newcomers in its clusters. */
type JudgedClusters = Pick<ClusterResult, "sizes" | "k" | "tolerance" | "bounds"> &
  Partial<Pick<ClusterResult, "unconstrainedGroups" | "unconstrainedSizes">>;

/** Who is where, counted from the labels themselves rather than taken from shares that were rounded. */
export function gatherFacts(
  people: Pick<People, "n" | "attributes" | "weights">,
  { labels, result }: { readonly labels: Uint16Array; readonly result: JudgedClusters },
): Facts {
  const { sizes, k, tolerance } = result;
  const attributes = people.attributes.map((attribute): AttributeFacts => {
    const counts = groupCounts(attribute, labels, k);
    const rule = eightyPercentRule(counts, sizes);
    const bounds = Object.hasOwn(result.bounds, attribute.name) ? result.bounds[attribute.name] : {};
    return {
      name: attribute.name,
      groups: attribute.groups.map((group, at) => {
        const members = counts[at].reduce((sum, count) => sum + count, 0);
        const share = members / (people.weights?.total ?? people.n);
        const { min, max } = Object.hasOwn(bounds, group) ? bounds[group] : { min: 0, max: 1 };
        const placed = (count: number, size: number) => {
          const inside = size === 0 ? 0 : count / size;
          const beyond = excess(count, size, min, max);
          const standing = { beyond, lacking: count < min * size, broken: beyond > tolerance };
          return { size, share: inside, ratio: inside / share, ...standing };
        };
        const before = freeCounts(result, attribute.name, group);
        const cells = counts[at].map(
          (count, cluster): GroupInCluster => ({
            cluster,
            count,
            ...placed(count, sizes[cluster]),
            inRule: rule[at][cluster],
            ...(before ? { without: placed(before[cluster], result.unconstrainedSizes![cluster]) } : {}),
          }),
        );
        const bounded = min > 0 || max < 1;
        return { attribute: attribute.name, name: group, members, share, min, max, bounded, cells };
      }),
    };
  });
  const groups = attributes.flatMap((attribute) => attribute.groups);
  const cells = groups.flatMap((group) => group.cells.map((cell) => ({ group, cell })));
  const outside = cells.filter(({ cell }) => cell.size > 0 && !cell.inRule);
  const broken = cells.filter(({ cell }) => cell.broken);
  return {
    attributes,
    worst: worstOf(cells, ({ cell }) => cell.beyond),
    without: result.unconstrainedGroups && {
      broken: cells.filter(({ cell }) => cell.without?.broken).length,
      worst: worstOf(cells, ({ cell }) => cell.without?.beyond ?? 0),
    },
    pairs: groups.filter(({ bounded }) => bounded).length * k,
    broken: broken.length,
    brokenClusters: [...new Set(broken.map(({ cell }) => cell.cluster))].sort((a, b) => a - b),
    outsideRule: outside.length,
    furthestOutside: Math.max(
      0,
      ...outside.map(({ group, cell }) => excess(cell.count, cell.size, 0.8 * group.share, 1.25 * group.share)),
    ),
    shares: cells.filter(({ cell }) => cell.size > 0).length,
    delta: commonDelta(groups),
  };
}

function worstOf(pairs: readonly Pair[], beyond: (pair: Pair) => number): Pair | undefined {
  return pairs.reduce<Pair | undefined>(
    (worst, pair) => (beyond(pair) > (worst ? beyond(worst) : 0) ? pair : worst),
    undefined,
  );
}

/** People of a group in each cluster without promises: whole numbers that became shares. */
function freeCounts(
  { unconstrainedGroups, unconstrainedSizes }: JudgedClusters,
  attribute: string,
  group: string,
): number[] | undefined {
  if (!unconstrainedGroups || !unconstrainedSizes || !Object.hasOwn(unconstrainedGroups, attribute)) return undefined;
  return unconstrainedGroups[attribute][group].map((share, m) => Math.round(share * unconstrainedSizes[m]));
}

/** Bounds from a delta are share (1 - delta) to share / (1 - delta), at most 1: can one delta have made them all? */
function commonDelta(groups: readonly GroupFacts[]): number | undefined {
  if (groups.length === 0) return undefined;
  const delta = 1 - groups[0].min / groups[0].share;
  const same = groups.every(({ share, min, max }) => {
    const expected = Math.min(1, share / (1 - delta));
    return Math.abs(min - share * (1 - delta)) < 1e-9 && (delta >= 1 ? max === 1 : Math.abs(max - expected) < 1e-9);
  });
  return same ? Math.max(0, delta) : undefined;
}
