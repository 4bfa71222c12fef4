import { type DescribedRun, describeMeasured } from "../algorithms/describe.js";
import { withRepresentation } from "../algorithms/represent.js";
import type { Settings } from "../algorithms/settings.js";
import type { ClusterResult, PeopleClustering, Progress } from "../algorithms/types.js";
import type { Matching } from "../constraints/feasibility/index.js";
import { measureCounts, measureRepresentation } from "../metrics/index.js";
import type { Attribute, People } from "../table/types.js";
import type { PreparedScan } from "./prepare.js";
import type { PricedRound } from "./pricing.js";
import { scoresOf } from "./sample.js";
import type { SampledPoints, ScanDecision, ScanMovers, ScannedPeople, ScanSums } from "./scanner.js";

export interface SolvedSample {
  readonly people: People;
  readonly points: SampledPoints;
  readonly clustering: PeopleClustering;
}

/** Clusters of everybody, and how they were found. */
export interface FoundClusters {
  readonly promised: boolean;
  readonly sample: SolvedSample;
  readonly round: PricedRound;
  readonly sums: ScanSums;
  readonly cost: number;
  readonly history: readonly Progress[];
  readonly passes: number;
  readonly converged: boolean;
  readonly border: number;
  /** Of decisions about everybody; 0 where the sample was everybody. */
  readonly rounds: number;
  /** Where groups are to be represented: with which clusters they were matched, and everybody before that, by pattern and cluster. */
  readonly matched?: { readonly matching: Matching; readonly plain: Float64Array };
}

/** Everybody's clusters as one result, whose price of promises is the sample's. */
export function describeScan(
  { everybody, gridBits }: PreparedScan,
  settings: Settings,
  found: FoundClusters,
  seconds: ClusterResult["seconds"],
  scans: number,
): ClusterResult {
  const { k, bounds, tolerance } = settings;
  const { sums, cost, passes, converged, sample } = found;
  const { attributes } = everybody;
  const counts = countsOf(attributes, sums.counts, k);
  const sizes = sizesOf(sums.counts, k);
  const measures = measureCounts({ attributes, counts, sizes, bounds, tolerance });
  const total = cost * 4 ** -gridBits;
  const outcome = { passes, converged };
  const traffic = { rounds: 0, bytesUp: 0, bytesDown: 0 };
  const described = describeMeasured(everybody, settings, measures, outcome, traffic, seconds, total);
  const own = sample.clustering.result;
  const free = own.unconstrainedSse === null ? null : Math.min(total, total * (own.unconstrainedSse / own.sse || 1));
  return {
    ...judged(everybody, settings, found, described),
    unconstrainedSse: found.promised ? free : null,
    // Where everybody is in the sample, what is certified for it is certified for everybody.
    gap: found.promised && found.rounds === 0 ? own.gap : null,
    scanned: scanFacts(found, scans),
  };
}

export function scanFacts({ rounds, sample, border, round }: FoundClusters, scans: number) {
  return { scans, rounds, sample: sample.people.n, border, movers: round.movers.hashes.length };
}

/** The result by the notion of fairness that was asked for. */
function judged(
  everybody: PreparedScan["everybody"],
  { notion, k }: Settings,
  { sums, matched, sample }: FoundClusters,
  described: DescribedRun,
): DescribedRun {
  if (notion?.name !== "representation") return described;
  // The sample was everybody.
  if (!matched) {
    const { notion: told, fair, verdict, verdictDetails, bounds } = sample.clustering.result;
    return { ...described, ...(told ? { notion: told } : {}), fair, verdict, verdictDetails, bounds };
  }
  const { attributes } = everybody;
  const measured = (counts: Float64Array) =>
    measureRepresentation(attributes, countsOf(attributes, counts, k), sizesOf(counts, k), notion);
  const both = { now: measured(sums.counts), plain: measured(matched.plain) };
  return withRepresentation(described, everybody, both, matched.matching);
}

/** By attribute, group and cluster, of counts by pattern and cluster. */
function countsOf(attributes: readonly Attribute[], counts: Float64Array, k: number): number[][][] {
  return attributes.map(({ groups, codes }) => {
    const table = groups.map(() => new Array<number>(k).fill(0));
    counts.forEach((people, cell) => {
      table[codes[Math.floor(cell / k)]][cell % k] += people;
    });
    return table;
  });
}

/** In the scaled space: the means of everybody in a cluster, or given centres that stay. */
export function centresOf(
  { gridBits }: PreparedScan,
  { sums: { counts, sums }, round: { decision } }: FoundClusters,
  stay: boolean,
): Float64Array[] {
  const { k, centres } = decision;
  const dims = centres.length / k;
  const unit = 2 ** -gridBits;
  return sizesOf(counts, k).map((size, m) => {
    return Float64Array.from({ length: dims }, (_, j) => {
      const cell = m * dims + j;
      return (stay || size === 0 ? centres[cell] : sums[cell] / size) * unit;
    });
  });
}

/** The labels of a sample, as a scan would give them. */
export function labelsOf(
  { hashes, patterns, points }: SampledPoints,
  { k, centres, offsets, jitter }: ScanDecision,
  { hashes: moved, clusters }: ScanMovers,
): Uint16Array {
  const movedTo = new Map(Array.from(moved, (hash, at) => [hash, clusters[at]]));
  const { scores } = scoresOf({ hashes, patterns, points }, centres, k, jitter);
  return Uint16Array.from(hashes, (hash, i) => {
    const mover = movedTo.get(hash);
    if (mover !== undefined) return mover;
    let best = 0;
    for (let m = 1; m < k; m++) {
      const [one, other] = [m, best].map((at) => scores[i * k + at] + offsets[patterns[i] * k + at]);
      if (one < other) best = m;
    }
    return best;
  });
}

/** The squared distances of everybody around these centres, in squared grid units. */
export function costAround(
  { squares: [high, low] }: Pick<ScannedPeople, "squares">,
  { counts, sums }: ScanSums,
  centres: Float64Array,
  k: number,
): number {
  const sizes = sizesOf(counts, k);
  const dims = centres.length / k;
  return sums.reduce(
    (cost, sum, cell) => {
      return cost + centres[cell] * (sizes[Math.floor(cell / dims)] * centres[cell] - 2 * sum);
    },
    high * 2 ** 20 + low,
  );
}

/** People of each cluster, of counts by pattern and cluster. */
export function sizesOf(counts: Float64Array, k: number): number[] {
  const sizes = new Array<number>(k).fill(0);
  counts.forEach((people, cell) => {
    sizes[cell % k] += people;
  });
  return sizes;
}
