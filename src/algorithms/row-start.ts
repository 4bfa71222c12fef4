import * as z from "zod";
import { MoietyError } from "../errors.js";
import type { Lane } from "../kernels/lanes.js";
import { GridPoints } from "../parties/grid-points.js";
import { kMeans, untilSettled } from "../parties/kmeans.js";
import { joinPoints } from "../parties/points.js";
import { count, type Question, questionsTo } from "../parties/questions.js";
import { rowQuestions } from "../parties/row-questions.js";
import type { RowSite } from "../parties/row-site.js";
import { type Summary, type SummaryRequest, summarise as summariseRows } from "../parties/row-summary.js";
import type { Outcome } from "../solver/lloyd.js";
import { assignToNearest, type RowRun } from "../solver/row-run.js";
import { derive } from "../solver/seeded-chance.js";
import type { Random } from "../table/generators/random.js";
import type { Settings } from "./settings.js";
import type { StartCost } from "./solve-columns.js";
import type { Progress } from "./types.js";

/** One start of an algorithm over split rows: what it works with. It leaves everybody's cluster with the parties. */
export interface RowStart {
  readonly run: RowRun;
  readonly settings: Settings;
  readonly lanes: readonly Lane[];
  readonly seed: number;
  /** Called after each round with the squared distances, in squared grid units, and the people beyond the bounds; where people have weights, in units. */
  readonly watch: (phase: Progress["phase"]) => (pass: number, cost: number, violation?: number) => void;
  /** Adds a warning to the result. */
  readonly warn: (warning: string) => void;
  readonly seeded: () => void;
  /** Called with centres that keep no promise, and what everybody's squared distances to them add up to: the reference for what promises cost. */
  readonly unconstrained?: (free: { readonly centres: Float64Array; readonly cost: number }) => void;
}

/** `cost` is the sum of squared distances, in squared grid units. */
export interface RowOutcome extends Outcome, StartCost {
  /** [k][columns], in grid units. */
  readonly centres: Float64Array;
  /** People in each cluster; where they have weights, in units. */
  readonly sizes: Float64Array;
}

/** A method over split rows, and all that it may ask the parties. */
export interface RowMethod {
  readonly run: (start: RowStart) => Promise<RowOutcome>;
  readonly questions: readonly Question<RowSite, unknown>[];
}

/** Everybody goes to the nearest of these centres. */
export async function outcomeAt(
  { run }: RowStart,
  { centres, passes, converged }: Pick<RowOutcome, "centres" | "passes" | "converged">,
): Promise<RowOutcome> {
  return { centres, passes, converged, ...(await assignToNearest(run, centres)), beyond: 0 };
}

/** Given centres on the grid. */
export function givenCentres({ run, settings }: RowStart): Float64Array | undefined {
  if (!settings.from) return undefined;
  const scale = 2 ** run.grid.bits;
  return joinPoints(settings.from).map((value) => Math.round(value * scale));
}

/** Whether a party may send means of its own clusters of at least `least` people, by the job's terms. */
export function maySendMeans({ terms, opened }: RowSite, least: number): boolean {
  if (terms?.means !== undefined && least >= terms.means) return opened > 0;
  throw new MoietyError("failed", "means of so few people, or any, are not on the card: refused");
}

/** A summary as numbers that leave a party, and back. */
export function fieldsOf({ means, counts, withheld, cost }: Summary) {
  return { means, counts, withheld: Float64Array.of(withheld), cost: Float64Array.of(cost) };
}

export function summaryOf({ means, counts, withheld, cost }: Readonly<Record<keyof Summary, Float64Array>>): Summary {
  return { means, counts, withheld: withheld[0], cost: cost[0] };
}

export const ownMeans = { what: "means of own clusters", shape: "clusters x (columns, people), SSE" } as const;

/** The means and sizes of a party's own clusters, unmasked. */
export const summarise = questionsTo<RowSite>().question({
  name: "summarise",
  request: z.strictObject({
    clusters: count.min(1),
    peopleEach: count.min(1),
    least: count,
    small: z.enum(["drop", "merge"]),
    method: z.enum(["seeds", "step", "k-means", "spectral"]),
    starts: count.min(1).max(100),
    seed: count,
    columns: count,
  }),
  leaves: "own",
  shape: ({ clusters, columns }) => ({ means: clusters * columns, counts: clusters, withheld: 1, cost: 1 }),
  // As on the card, and once more with larger clusters where all were too small: other requests would disclose more. Raw records
  // ("seeds") cannot be asked for by another process.
  guard: (site, { least, clusters, peopleEach, method, columns }) =>
    maySendMeans(site, least) &&
    clusters <= 3 * site.terms!.k &&
    (peopleEach === 1 || peopleEach === least) &&
    (method === "step" || method === "k-means") &&
    columns === site.columns,
  once: ({ opened }, { peopleEach }) => [[Float64Array.of(opened, peopleEach)]],
  answer: async ({ points, lanes, number }, request) => fieldsOf(await summariseRows(points, lanes, request, number)),
  journal: ownMeans,
  passes: 1,
});

/** What every method over split rows may ask. */
export const usualQuestions = [...rowQuestions, summarise];

/**
 * Asks every party for its own clusters, and warns of those that sent none or few. Where all clusters of all parties are smaller than
 * allowed, they are asked again for fewer and larger ones.
 */
export async function summaries(start: RowStart, request: Omit<SummaryRequest, "seed">): Promise<Summary[]> {
  const { run, warn } = start;
  const ask = async (asked: Omit<SummaryRequest, "seed">) => {
    const told = await run.group.ask(summarise, { ...asked, seed: derive(start.seed, 1), columns: run.columns });
    return told.map(summaryOf);
  };
  let found = await ask(request);
  if (found.every(({ counts }) => counts.length === 0) && request.peopleEach < request.least) {
    const each = `clusters of at least ${request.least} people`;
    warn(`every local cluster was below the minimum count: each party was asked for fewer ${each} instead`);
    found = await ask({ ...request, peopleEach: request.least });
  }
  const parties = (count: number) => `${count} of ${run.group.size} parties`;
  const silent = found.filter(({ counts }) => counts.length === 0).length;
  const few = found.filter(({ counts, withheld }) => counts.length > 0 && counts.length + withheld < run.k).length;
  if (silent > 0) warn(`${parties(silent)} sent nothing at the start: all clusters below ${request.least} people`);
  if (few > 0) warn(`${parties(few)} had people for fewer than k=${run.k} clusters`);
  return found;
}

/** The coordinator's weighted k-means over all means that it was sent: the centres of each run, best first. */
export async function clusterMeans(
  { run, lanes, warn }: Pick<RowStart, "run" | "lanes" | "warn">,
  summaries: readonly Summary[],
  starts: number,
  random: Random,
): Promise<Float64Array[]> {
  const { columns, k } = run;
  const weights = joinPoints(summaries.map(({ counts }) => counts));
  if (weights.length < k) {
    warn(`${weights.length} means are known for k=${k} clusters: the others begin at random places`);
    if (weights.length === 0)
      return Array.from({ length: starts }, () => addRandomCentres(run, new Float64Array(0), random));
  }
  const means = joinPoints(summaries.map((summary) => summary.means));
  const dimensions = Array.from({ length: columns }, (_, j) => weights.map((_, i) => means[i * columns + j]));
  const points = await GridPoints.load(lanes, weights.length, dimensions, 1, weights);
  const found = await kMeans(points, { k, starts, steps: untilSettled, random });
  points.close();
  return found.map(({ centres }) => addRandomCentres(run, centres, random));
}

/** Adds random points of the public box where there are fewer than k centres. */
function addRandomCentres({ k, columns, box }: RowRun, centres: Float64Array, random: Random): Float64Array {
  if (centres.length === k * columns) return centres;
  const filled = new Float64Array(k * columns);
  filled.set(centres);
  for (let at = centres.length; at < filled.length; at++) {
    const [least, most] = [box.least[at % columns], box.most[at % columns]];
    filled[at] = Math.round(least + random.uniform() * (most - least));
  }
  return filled;
}
