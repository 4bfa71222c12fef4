import { z } from "zod";
import { MoietyError } from "../errors.js";
import type { Lane } from "../kernels/lanes.js";
import { GridPoints } from "../parties/grid-points.js";
import { kMeans, untilSettled } from "../parties/kmeans.js";
import { count, type Question, questionsTo } from "../parties/questions.js";
import { rowQuestions } from "../parties/row-questions.js";
import type { RowSite } from "../parties/row-site.js";
import { type Summary, type SummaryRequest, summarise as summariseRows } from "../parties/row-summary.js";
import type { Outcome } from "../solver/lloyd.js";
import type { RowRun } from "../solver/row-run.js";
import { derive } from "../solver/seeded-chance.js";
import type { Random } from "../table/generators/random.js";
import type { Settings } from "./settings.js";
import type { Progress } from "./types.js";

/** One start of an algorithm over split rows: what it works with. It leaves everybody's cluster with the parties. */
export interface RowStart {
  readonly run: RowRun;
  readonly settings: Settings;
  readonly lanes: readonly Lane[];
  readonly seed: number;
  /** Told after each round: the squared distances in squared grid units, and people beyond the bounds. */
  readonly watch: (phase: Progress["phase"]) => (pass: number, cost: number, violation?: number) => void;
  /** What the user should know of this run. */
  readonly warn: (warning: string) => void;
  readonly seeded: () => void;
  /** Told the centres before any promise is kept, where somebody wants to know what they cost. */
  readonly unconstrained?: (centres: Float64Array) => Promise<void>;
}

export interface RowOutcome extends Outcome {
  /** [k][columns], in grid units. */
  readonly centres: Float64Array;
  /** Squared distances in squared grid units, and people beyond a limit: of several starts the best is kept. */
  readonly cost: number;
  readonly beyond: number;
  /** People in each cluster. */
  readonly sizes: Float64Array;
}

type RowAlgorithm = (start: RowStart) => Promise<RowOutcome>;

/** A method over split rows, and all that it may ask the parties. */
export interface RowMethod {
  readonly run: RowAlgorithm;
  readonly questions: readonly Question<RowSite, unknown>[];
}

/** Given centres on the grid. */
export function givenCentres({ run, settings }: RowStart): Float64Array | undefined {
  if (!settings.from) return undefined;
  const scale = 2 ** run.grid.bits;
  return Float64Array.from(
    settings.from.flatMap((centre) => Array.from(centre)),
    (value) => Math.round(value * scale),
  );
}

/** Means of a party's own clusters are told where the job's terms allow it, of so many people at least. */
export function tellsMeans({ terms, opened }: RowSite, least: number): boolean {
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

/** In the journal's words. */
export const ownMeans = { what: "means of own clusters", shape: "clusters x (columns, people), SSE" } as const;

/** A party's own clusters, in the open. */
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
  // As the card has it, and once more where every cluster was too small: other wishes would tell more. Raw records
  // ("seeds") are nothing that another process can ask for.
  guard: (site, { least, clusters, peopleEach, method, columns }) =>
    tellsMeans(site, least) &&
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
 * Asks every party for its own clusters, and says whose are missing. When nobody may say anything, because every cluster
 * is smaller than allowed, they are asked for fewer and larger ones.
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

/** The coordinator's weighted k-means over all means that it was sent: the centres of each start, best first. */
export async function clusterMeans(
  { run, lanes, warn }: Pick<RowStart, "run" | "lanes" | "warn">,
  summaries: readonly Summary[],
  starts: number,
  random: Random,
): Promise<Float64Array[]> {
  const { columns, k } = run;
  const weights = Float64Array.from(summaries.flatMap(({ counts }) => Array.from(counts)));
  if (weights.length < k) {
    warn(`${weights.length} means are known for k=${k} clusters: the others begin at random places`);
    if (weights.length === 0) return Array.from({ length: starts }, () => fillUp(run, new Float64Array(0), random));
  }
  const means = Float64Array.from(summaries.flatMap((summary) => Array.from(summary.means)));
  const dimensions = Array.from({ length: columns }, (_, j) => weights.map((_, i) => means[i * columns + j]));
  const points = await GridPoints.load(lanes, weights.length, dimensions, 1);
  const found = await kMeans(points, { k, starts, steps: untilSettled, random, weights });
  points.close();
  return found.map(({ centres }) => fillUp(run, centres, random));
}

/** Up to k centres: the missing ones are random places where people may be, which is public and better than none. */
function fillUp({ k, columns, box }: RowRun, centres: Float64Array, random: Random): Float64Array {
  if (centres.length === k * columns) return centres;
  const filled = new Float64Array(k * columns);
  filled.set(centres);
  for (let at = centres.length; at < filled.length; at++) {
    const [least, most] = [box.least[at % columns], box.most[at % columns]];
    filled[at] = Math.round(least + random.uniform() * (most - least));
  }
  return filled;
}
