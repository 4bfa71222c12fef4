import type { Bounds } from "../constraints/bounds.js";
import { MoietyError } from "../errors.js";
import type { Attribute, Links, People } from "../table/types.js";
import { adjustedMutualInformation, adjustedRandIndex, partyRandIndex } from "./agreement.js";
import { daviesBouldin } from "./davies-bouldin.js";
import { type Evenness, evenness } from "./evenness.js";
import {
  balance,
  clustersTooSmall,
  type GroupCounts,
  type GroupShares,
  groupCounts,
  groupShares,
  violation,
  type Worst,
} from "./fairness.js";
import { checkLabels, largestLabel } from "./labelled-points.js";
import type { NotionMeasures } from "./notion.js";
import { type Silhouette, silhouette } from "./silhouette.js";
import { simplifiedSilhouette } from "./simplified-silhouette.js";
import { clusterSizes, flatMeans, sse } from "./sse.js";
import { type Judgement, judge } from "./verdict.js";

/** Up to here all distances between people take seconds; beyond, the silhouette is that of a sample. */
const mostForFullSilhouette = 20_000;
const silhouetteSample = 5_000;

export interface MeasureRequest {
  readonly people: Pick<People, "attributes" | "weights">;
  readonly labels: Uint16Array;
  readonly k: number;
  /** For the attributes that are bounded, in any order. */
  readonly bounds: readonly Bounds[];
  /** People beyond the bounds that are allowed in each group and cluster. */
  readonly tolerance: number;
}

export interface FairnessMeasures extends Judgement {
  readonly sizes: number[];
  /** Per cluster; empty when nothing is protected. */
  readonly balance: number[];
  /** attribute -> group -> share in each cluster */
  readonly groups: GroupShares;
  /** attribute -> group -> the bounds that it was held against */
  readonly bounds: Record<string, Record<string, { min: number; max: number }>>;
  readonly tolerance: number;
  /** People beyond the bounds in the worst group and cluster, tolerance not counted. */
  readonly maxViolation: number;
  /** Null when no group is beyond its bounds. */
  readonly worst: Worst | null;
  /** Null when there are no bounds to be held against. */
  readonly fair: boolean | null;
  /** Clusters in which a lower bound means nothing, because the tolerance covers it; empty clusters are among them. */
  readonly tooSmall: number[];
}

export interface EvaluationRequest extends Omit<MeasureRequest, "people" | "k"> {
  /** With holders and truth the parties' own agreement is measured too. */
  readonly people: Pick<People, "n" | "dimensions" | "attributes" | "holders" | "weights" | "together" | "apart">;
  /** Default: the largest label plus one. */
  readonly k?: number;
  /** Known classes, any numbers. */
  readonly truth?: ArrayLike<number>;
  /** Of the silhouette's sample. Default 1. */
  readonly seed?: number;
}

export interface Evaluation extends FairnessMeasures {
  /** Where people have weights: sizes, shares, bounds, tolerance and SSE are in weight. Silhouettes and the like count everybody once. */
  readonly weights?: { readonly column: string; readonly total: number; readonly unit: number };
  /** Where people belong together or are to be kept apart: households that are split, and pairs of people who are not apart. */
  readonly together?: { readonly column: string; readonly households: number; readonly split: number };
  readonly apart?: { readonly column: string; readonly values: number; readonly pairs: number };
  /** What `fair` and `verdict` mean, where that is not bounds of shares; see `measureSocial` and its neighbours. */
  readonly notion?: NotionMeasures;
  readonly n: number;
  readonly d: number;
  readonly k: number;
  /** In the scaled space of the people given. */
  readonly sse: number;
  readonly evenness: Evenness;
  /** Of everybody; null beyond 20,000 people, and with fewer than two clusters. */
  readonly silhouette: number | null;
  /** Of a random sample, where there are too many people for the full one. */
  readonly sampledSilhouette: Silhouette | null;
  readonly simplifiedSilhouette: number | null;
  readonly daviesBouldin: number | null;
  /** Only when truth was given. */
  readonly ari?: number;
  readonly ami?: number;
  /** Only when somebody holds the rows as well: the mean of the parties' own ARI, weighted by their people. */
  readonly partyAri?: number;
}

/** All that concerns fairness, without touching the points. */
export function measureFairness({ people, labels, k, bounds, tolerance }: MeasureRequest): FairnessMeasures {
  const { attributes, weights } = people;
  const counts = attributes.map((attribute) => groupCounts(attribute, labels, k));
  const sizes = clusterSizes(labels, k, weights?.values);
  return measureCounts({ attributes, counts, sizes, bounds, tolerance, unit: weights?.unit ?? 1 });
}

/** The same from counts of people. */
export function measureCounts({
  attributes,
  counts: own,
  sizes: told,
  bounds,
  tolerance,
  unit = 1,
}: Pick<MeasureRequest, "bounds" | "tolerance"> & {
  readonly attributes: readonly Attribute[];
  /** In the order of the attributes. */
  readonly counts: readonly GroupCounts[];
  readonly sizes: number[];
  /** What counts are whole multiples of. Default 1. */
  readonly unit?: number;
}): FairnessMeasures {
  // Those who were there before count for shares; the sizes that are told are those of these people.
  const counts = attributes.map(({ name }, at) => {
    const present = bounds.find(({ attribute }) => attribute === name)?.present;
    return present ? own[at].map((row, group) => row.map((count, m) => count + present[group][m])) : own[at];
  });
  const joined = bounds.some(({ present }) => present !== undefined);
  const sizes = joined ? told.map((_, m) => counts[0].reduce((sum, row) => sum + row[m], 0)) : told;
  const boundCounts = bounds.map((bound) => {
    const at = attributes.findIndex(({ name }) => name === bound.attribute);
    if (at < 0) {
      const known = attributes.map(({ name }) => name).join(", ") || "none";
      throw new MoietyError("usage", `bounds name attribute ${bound.attribute}, protected are: ${known}`);
    }
    return bound.groups.map((group): readonly number[] => {
      const index = attributes[at].groups.indexOf(group);
      if (index >= 0) return counts[at][index];
      const known = attributes[at].groups.join(", ");
      throw new MoietyError("usage", `bounds name group ${group} of ${bound.attribute}, its groups are: ${known}`);
    });
  });
  const { people: maxViolation, worst } = violation(bounds, boundCounts, sizes);
  const measures = {
    sizes,
    balance: balance(counts, sizes),
    groups: groupShares(attributes, counts, sizes),
    bounds: Object.fromEntries(
      bounds.map(({ attribute, groups, lower, upper }) => [
        attribute,
        Object.fromEntries(groups.map((group, at) => [group, { min: lower[at], max: upper[at] }])),
      ]),
    ),
    tolerance,
    // The rounding that bounds forgive is not worth showing.
    maxViolation: Number(maxViolation.toFixed(6)),
    worst,
    fair: bounds.length === 0 ? null : maxViolation <= tolerance,
    tooSmall: clustersTooSmall(bounds, sizes, tolerance),
  };
  return { ...measures, ...judge(measures, unit), sizes: told };
}

/** Every metric of any labelling, ready for JSON. Cluster ids that nobody has are empty clusters. */
export function evaluate(request: EvaluationRequest): Evaluation {
  const { people, labels, bounds, tolerance, truth } = request;
  const { n, dimensions } = people;
  if (n === 0) throw new MoietyError("input", "people=0 should be at least 1");
  if (labels.length !== n) throw new MoietyError("input", `labels=${labels.length} should equal people=${n}`);
  const k = request.k ?? largestLabel(labels) + 1;
  checkLabels(labels, k, dimensions);
  const measures = measureFairness({ people, labels, k, bounds, tolerance });
  const weights = people.weights?.values;
  const means = flatMeans(dimensions, labels, k, weights);
  const all = n <= mostForFullSilhouette;
  const sample = { sample: silhouetteSample, seed: request.seed ?? 1 };
  return {
    n,
    d: dimensions.length,
    ...measureLinks(people, labels, k),
    k,
    sse: sse(dimensions, labels, k, weights, means),
    ...measures,
    evenness: evenness(measures.sizes),
    silhouette: all ? silhouette(dimensions, labels, k).value : null,
    sampledSilhouette: all ? null : silhouette(dimensions, labels, k, sample),
    simplifiedSilhouette: simplifiedSilhouette(dimensions, labels, k, means),
    daviesBouldin: daviesBouldin(dimensions, labels, k, means),
    ...(truth ? { ari: adjustedRandIndex(truth, labels), ami: adjustedMutualInformation(truth, labels) } : {}),
    ...(truth && people.holders ? { partyAri: partyRandIndex(truth, labels, people.holders.codes) } : {}),
  };
}

function measureLinks(
  { weights, together, apart }: EvaluationRequest["people"],
  labels: Uint16Array,
  k: number,
): Pick<Evaluation, "weights" | "together" | "apart"> {
  return {
    ...(weights ? { weights: { column: weights.column, total: weights.total, unit: weights.unit } } : {}),
    ...(together
      ? { together: { column: together.column, households: together.count, split: splitHouseholds(together, labels) } }
      : {}),
    ...(apart ? { apart: { column: apart.column, values: apart.count, pairs: pairsTogether(apart, labels, k) } } : {}),
  };
}

function splitHouseholds({ codes, count }: Links, labels: Uint16Array): number {
  const first = new Int32Array(count).fill(-1);
  const split = new Uint8Array(count);
  codes.forEach((household, i) => {
    if (first[household] < 0) first[household] = labels[i];
    else if (first[household] !== labels[i]) split[household] = 1;
  });
  return split.reduce((sum, one) => sum + one, 0);
}

/** Pairs of people with the same value in the same cluster. */
function pairsTogether({ codes }: Links, labels: Uint16Array, k: number): number {
  const seen = new Map<number, number>();
  let pairs = 0;
  codes.forEach((code, i) => {
    const place = code * k + labels[i];
    const before = seen.get(place) ?? 0;
    pairs += before;
    seen.set(place, before + 1);
  });
  return pairs;
}
