import { type RowCentres, RowLloyd } from "../../solver/row-lloyd.js";
import { derive } from "../../solver/seeded-chance.js";
import { Random } from "../../table/generators/random.js";
import {
  clusterMeans,
  givenCentres,
  outcomeAt,
  type RowMethod,
  type RowOutcome,
  type RowStart,
  summaries,
  usualQuestions,
} from "../row-start.js";
import { type CellRounds, countCells } from "./count-cells.js";

/** Rounds of cells where nothing but the centres is wanted. */
const cellRounds: CellRounds = { counts: 6, means: 4 };
/** Each party makes `finer` times k clusters, the best of so many starts: their means say where its people are. */
const local = { finer: 3, starts: 5 } as const;
/** Runs of the coordinator's weighted k-means, and how many of the best are kept as candidates. */
const restarts = { tried: 50, kept: 10 } as const;
/** The most rounds times candidates: each releases sums, and many sums of the same people disclose more than one. */
const mostReleases = 100;

/** Candidate centres from cells that are counted over all parties, or from each party's own means; then exact Lloyd on sums over all parties. */
export const fkmPlusOnRows: RowMethod = { questions: usualQuestions, run: runFkmPlus };

async function runFkmPlus(start: RowStart): Promise<RowOutcome> {
  const { centres, rounds, converged } = await exactCentres(start);
  return outcomeAt(start, { centres, passes: rounds, converged });
}

/** The centres before anything is promised. */
export async function exactCentres(start: RowStart): Promise<RowCentres> {
  const lloyd = await beginLloyd(start, cellRounds);
  await lloyd.descend({ rounds: start.settings.maxIterations, onRound: start.watch("descent") });
  await lloyd.settle();
  return lloyd.found;
}

/** Lloyd before its first round. */
export async function beginLloyd(start: RowStart, rounds: CellRounds): Promise<RowLloyd> {
  const { run, settings } = start;
  const candidates = await begin(start, rounds);
  start.seeded();
  return new RowLloyd(run, candidates, { least: settings.minCount, releases: mostReleases });
}

async function begin(start: RowStart, rounds: CellRounds): Promise<Float64Array[]> {
  const { run, settings } = start;
  const given = givenCentres(start);
  if (given) return [given];
  const least = settings.minCount;
  const clustering = { method: "k-means", clusters: local.finer * run.k, starts: local.starts } as const;
  const sent =
    settings.protection === "masked"
      ? [await countCells(start, rounds)]
      : await summaries(start, { ...clustering, peopleEach: least, least, small: "merge" });
  const found = await clusterMeans(start, sent, restarts.tried, new Random(derive(start.seed, 2)));
  return different(found).slice(0, restarts.kept);
}

/** Many runs end with the same centres: those that differ, in any order of the clusters. */
function different(found: readonly Float64Array[]): Float64Array[] {
  const seen = new Set<string>();
  return found.filter((centres) => {
    const name = Array.from(centres)
      .sort((a, b) => a - b)
      .join();
    return !seen.has(name) && seen.add(name);
  });
}
