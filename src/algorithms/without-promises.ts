import { defined } from "../defined.js";
import { clusterSizes, groupCounts, groupShares } from "../metrics/index.js";
import { distanceUnit, type Grid } from "../parties/grid.js";
import { tuning } from "../solver/tuning.js";
import { manyValues } from "../table/dimension.js";
import type { People } from "../table/types.js";
import { costOf } from "./distances.js";
import { costsOf } from "./price-of-fairness.js";
import type { Solution } from "./solve-columns.js";
import type { ClusterResult, PeopleClustering } from "./types.js";

type Free = Pick<
  ClusterResult,
  "unconstrainedSse" | "unconstrainedCost" | "unconstrainedSizes" | "unconstrainedGroups"
>;

interface AnswerFacts extends Pick<ClusterResult, "sse" | "sizes" | "groups" | "k"> {
  readonly labels: Uint16Array;
  /** Given centres that stay: of all clusterings, and costs are distances to them. */
  readonly seats?: readonly Float64Array[] | undefined;
}

/** The most clusters that are matched with those without promises: all pairs of clusters are counted. */
const mostMatched = 1000;
/** Of a distance of one step of the grid: less is what rounding leaves of an SSE of 0. */
const rounding = 1e-9;
/** With more people than this the reference is to the answer as it is on the grid: measuring it would take too long. */
const manyPeople = 2 * tuning.sampleSize;

/** Cost, sizes and shares of the clusters without promises; all costs are in the distance of the grid. */
export function describeFree(
  people: Pick<People, "n" | "dimensions" | "attributes" | "weights">,
  answer: AnswerFacts,
  { unconstrainedSse, freeLabels }: Pick<Solution, "unconstrainedSse" | "freeLabels">,
  grid: Pick<Grid, "bits" | "distance"> & { /** The answer's. */ readonly sse: number },
): Free {
  if (unconstrainedSse === null) return { unconstrainedSse };
  const { k, seats } = answer;
  const { n, attributes, dimensions } = people;
  const many = n > manyPeople || n * dimensions.length > manyValues;
  const found = freeLabels && {
    labels: freeLabels,
    sse: many ? answer.sse * (unconstrainedSse / grid.sse) : costOf(people, freeLabels, k, grid.distance, seats),
  };
  // Of people as they are, not as the grid has them, the answer may turn out to be the better one.
  const least = found && found.sse < answer.sse ? found : answer;
  const cost = { unconstrainedSse: least.sse < rounding / distanceUnit(grid) ? 0 : least.sse };
  if (attributes.length === 0 || k > mostMatched) return cost;
  if (least === answer) return { ...cost, unconstrainedSizes: answer.sizes, unconstrainedGroups: answer.groups };
  const labels = seats ? least.labels : matchClusters(answer.labels, least.labels, k);
  const sizes = clusterSizes(labels, k, people.weights?.values);
  const counts = attributes.map((attribute) => groupCounts(attribute, labels, k));
  return { ...cost, unconstrainedSizes: sizes, unconstrainedGroups: groupShares(attributes, counts, sizes) };
}

/** Of two answers to one request: the clusters without promises that have the lower SSE. */
export function betterFree(one: PeopleClustering, other: PeopleClustering): Free {
  const [{ result }, { result: second }] = [one, other];
  const { unconstrained } = costsOf(second);
  if (unconstrained === null || unconstrained >= (costsOf(result).unconstrained ?? Number.POSITIVE_INFINITY)) {
    return freeOf(result);
  }
  const { unconstrainedSizes: sizes, unconstrainedGroups: groups, ...cost } = freeOf(second);
  if (!sizes || !groups) return cost;
  // They have the numbers of the other answer's clusters.
  const numbers = clusterNumbers(one.labels, other.labels, result.k);
  const renumber = (values: readonly number[]) => {
    const moved = new Array<number>(values.length);
    values.forEach((value, m) => {
      moved[numbers[m]] = value;
    });
    return moved;
  };
  const shares = Object.entries(groups).map(([attribute, each]) => {
    return [attribute, Object.fromEntries(Object.entries(each).map(([group, values]) => [group, renumber(values)]))];
  });
  return { ...cost, unconstrainedSizes: renumber(sizes), unconstrainedGroups: Object.fromEntries(shares) };
}

function freeOf({ unconstrainedSse, unconstrainedCost, unconstrainedSizes, unconstrainedGroups }: Free): Free {
  const cost = { unconstrainedSse, ...defined({ unconstrainedCost }) };
  return unconstrainedSizes && unconstrainedGroups ? { ...cost, unconstrainedSizes, unconstrainedGroups } : cost;
}

/** The other labels, renumbered so that clusters with many people in common have the same number. */
export function matchClusters(labels: Uint16Array, others: Uint16Array, k: number): Uint16Array {
  const numbers = clusterNumbers(labels, others, k);
  return others.map((other) => numbers[other]);
}

/** Greedily, by people in common: the number of a cluster of `labels` for each of the other clusters. */
function clusterNumbers(labels: Uint16Array, others: Uint16Array, k: number): Uint16Array {
  const common = new Uint32Array(k * k);
  for (let i = 0; i < labels.length; i++) common[others[i] * k + labels[i]]++;
  const pairs = Array.from(common.keys()).filter((pair) => common[pair] > 0);
  pairs.sort((a, b) => common[b] - common[a] || a - b);
  const numbers = new Map<number, number>();
  const left = new Set(Array.from({ length: k }, (_, number) => number));
  for (const pair of pairs) {
    const [other, number] = [Math.floor(pair / k), pair % k];
    if (!numbers.has(other) && left.delete(number)) numbers.set(other, number);
  }
  const rest = left.values();
  return Uint16Array.from({ length: k }, (_, other) => numbers.get(other) ?? rest.next().value!);
}
