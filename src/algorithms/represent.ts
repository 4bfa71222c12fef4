import {
  cannotTogether,
  countPatterns,
  type Matching,
  matchedBounds,
  matchGroups,
  numberPeople,
  type PresentClusters,
  type Representation,
} from "../constraints/feasibility/index.js";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import {
  clusterSizes,
  groupCounts,
  measureRepresentation,
  type NotionJudgement,
  type RepresentationMeasures,
} from "../metrics/index.js";
import { separatePoints, squaredDistance } from "../parties/points.js";
import { tally } from "../parties/row-questions.js";
import { derive, uniform } from "../solver/seeded-chance.js";
import type { People } from "../table/types.js";
import { methodFor } from "./catalogue.js";
import type { DescribedRun } from "./describe.js";
import type { Settings } from "./settings.js";
import { type RowProblem, type RowSolution, solveRows } from "./solve-rows.js";
import type { ClusterOptions, ClusterResult, PeopleClustering } from "./types.js";

export type AskedRepresentation = Extract<NonNullable<Settings["notion"]>, { name: "representation" }>;

/** What representation asks of all clusters together. */
export function representationOf(
  { n, attributes }: Pick<People, "n" | "attributes">,
  { k, sizes }: Pick<Settings, "k" | "sizes">,
  { share, clusters, tolerance }: AskedRepresentation,
): Representation {
  return { n, k, sizes, share, clusters, tolerance, attributes, patterns: countPatterns(attributes, n) };
}

/** How every second start looks for plain clusters: hardly, since the best ones are often those of the start before. */
const astray = { init: "random", effort: "quick" } as const;
/** Up to so many times more, or less, a move may seem to cost. */
const misjudgement = 8;

interface Runs {
  readonly run: (settings: Settings) => Promise<PeopleClustering>;
  readonly cluster: (people: People, options: ClusterOptions) => Promise<PeopleClustering>;
}

/**
 * Clusters in which every group is represented: of each start plain k-means, whose clusters are matched with the groups that are
 * cheapest to raise there; what follows is a run with these lower bounds. The best of the starts.
 */
export async function clusterRepresented(
  people: People,
  settings: Settings,
  asked: AskedRepresentation,
  options: ClusterOptions,
  { run, cluster }: Runs,
): Promise<PeopleClustering> {
  const { k, seed, starts, split, parties, maxIterations, threads, minCount, protection } = settings;
  const { init, from, seats, distance, onProgress, clock, signal } = options;
  const rows = split === "rows" ? { split, minCount, protection } : defined({ init, distance });
  const held = people.holders ? {} : { parties };
  const free = { k, maxIterations, threads, ...rows, ...held, ...defined({ from, seats, onProgress, clock, signal }) };
  const plainly = { ...free, algorithm: methodFor(split === "rows" ? "rows" : "columns").name };
  const request = representationOf(people, settings, asked);
  const canStray = split === "columns" && !from && !seats;
  let best: PeopleClustering | undefined;
  for (let start = 0; start < starts; start++) {
    const own = start === 0 ? seed : derive(seed, start);
    const how = start % 2 === 1 && canStray ? { ...plainly, ...astray } : plainly;
    const plain = await cluster({ ...people, attributes: [] }, { ...how, seed: own });
    const present = presentIn(people, plain, request);
    const matching = await matchGroups(request, start === 0 ? present : misjudged(present, own), signal);
    if (matching === "none") throw cannotTogether(request);
    if (matching === "undecided") continue;
    const bounds = matchedBounds(request, matching);
    const found = await run({ ...settings, bounds, seed: own, starts: 1, from: settings.seats ?? plain.centres });
    const judged = { now: measureLabels(people, found, asked), plain: measureLabels(people, plain, asked) };
    const result = { ...withRepresentation(found.result, people, judged, matching), seed };
    if (!best || isBetter(result, best.result)) best = { ...found, result };
  }
  if (best) return best;
  throw notMatched();
}

/**
 * The same over parties who hold rows, wherever they are: one start, and what remains is the run with the lower bounds. Of the clusters of
 * plain k-means nothing is known but centres and how many people of each pattern they have.
 */
export async function solveRowsRepresented(problem: RowProblem, request: Representation): Promise<RowSolution> {
  const { run, settings } = problem;
  const { group, k, grid, columns } = run;
  const free = { ...settings, algorithm: methodFor("rows").name, bounds: [] };
  const { outcome } = await solveRows({ ...problem, settings: free, compares: false });
  const centres = separatePoints(
    outcome.centres.map((value) => value * 2 ** -grid.bits),
    columns,
  );
  const { people: counts } = await group.ask(tally, { cells: request.patterns.counts.length * k });
  const matching = await matchGroups(request, { counts, moveCost: moveCostBetween(centres) }, group.signal);
  if (matching === "none") throw cannotTogether(request);
  if (matching === "undecided") throw notMatched();
  return solveRows({
    ...problem,
    settings: { ...settings, bounds: matchedBounds(request, matching), from: centres },
  });
}

/** The result of a run whose groups were matched with clusters like this, judged now and before anything was promised. */
export function withRepresentation<Run extends DescribedRun>(
  result: Run,
  people: Pick<People, "attributes">,
  { now, plain }: Readonly<Record<"now" | "plain", NotionJudgement<RepresentationMeasures>>>,
  matching: Matching,
): Run {
  const { represented, lacking } = plain.notion;
  const notion = { ...now.notion, matched: named(people, matching), plain: { represented, lacking } };
  const sized = result.sizesKept !== false;
  const verdict = sized ? now.verdict : "unfair";
  const told = { ...now, notion, fair: now.fair === true && sized, verdict } as const;
  return { ...result, ...told, bounds: unbounded(result.bounds) };
}

/** What to say where no matching was found. */
export function notMatched(): MoietyError {
  return new MoietyError(
    "failed",
    "no clusters were found that can represent every group: use a smaller `represent`, or fewer `inClusters`",
  );
}

function isBetter(one: ClusterResult, other: ClusterResult): boolean {
  return one.fair === other.fair ? one.sse < other.sse : one.fair === true;
}

/** By the labels of a clustering. */
export function measureLabels(
  { attributes }: Pick<People, "attributes">,
  { labels, centres }: Pick<PeopleClustering, "labels" | "centres">,
  asked: AskedRepresentation,
): NotionJudgement<RepresentationMeasures> {
  const k = centres.length;
  const counts = attributes.map((attribute) => groupCounts(attribute, labels, k));
  return measureRepresentation(attributes, counts, clusterSizes(labels, k), asked);
}

/** What a move costs: somebody at a centre who goes to another is as far from it as the two are apart. */
function moveCostBetween(centres: readonly Float64Array[]): PresentClusters["moveCost"] {
  return (from, to) => squaredDistance(centres[from], centres[to]);
}

/**
 * The same, but each move seems cheaper or more expensive than it is: plain k-means of several starts often ends in the same clusters, and the
 * matching that is cheapest there need not lead to the best ones.
 */
function misjudged({ counts, moveCost }: PresentClusters, seed: number): PresentClusters {
  const moves = derive(seed, 0);
  return {
    counts,
    moveCost: (from, to) => moveCost(from, to) * misjudgement ** (2 * uniform(derive(moves, from), to) - 1),
  };
}

/** People by pattern and cluster. */
function presentIn(
  { n, attributes }: People,
  { labels, centres }: PeopleClustering,
  { k, patterns }: Representation,
): PresentClusters {
  const counts = new Float64Array(patterns.counts.length * k);
  const numbers = numberPeople(attributes, patterns, n);
  labels.forEach((cluster, i) => {
    counts[numbers[i] * k + cluster]++;
  });
  return { counts, moveCost: moveCostBetween(centres) };
}

/** attribute -> group -> the clusters that are to hold it */
function named(
  { attributes }: Pick<People, "attributes">,
  matching: Matching,
): NonNullable<RepresentationMeasures["matched"]> {
  return Object.fromEntries(
    attributes.map(({ name, groups }, a) => [
      name,
      Object.fromEntries(groups.map((group, at) => [group, matching[a][at]])),
    ]),
  );
}

/** No share is asked for in every cluster. */
function unbounded(bounds: ClusterResult["bounds"]): ClusterResult["bounds"] {
  return Object.fromEntries(
    Object.entries(bounds).map(([attribute, groups]) => [
      attribute,
      Object.fromEntries(Object.keys(groups).map((group) => [group, { min: 0, max: 1 }])),
    ]),
  );
}
