import { meansOf } from "../../parties/kmeans.js";
import { joinPoints, separatePoints, squaredDistance } from "../../parties/points.js";
import {
  givenCentres,
  outcomeAt,
  type RowMethod,
  type RowOutcome,
  type RowStart,
  summaries,
  usualQuestions,
} from "../row-start.js";

/** Dennis, Li and Smith 2021: one message from each party, and one Lloyd step over what they sent. */
export const kfedOnRows: RowMethod = { questions: usualQuestions, run: runKfed };

async function runKfed(start: RowStart): Promise<RowOutcome> {
  const { run, settings } = start;
  const { columns, k } = run;
  const clustering = { method: "spectral", clusters: settings.localClusters ?? k, starts: 10 } as const;
  const sent = await summaries(start, { ...clustering, peopleEach: 1, least: settings.minCount, small: "drop" });
  start.seeded();
  const means = sent.flatMap((summary) => separatePoints(summary.means, columns));
  const given = givenCentres(start);
  const seeds = given
    ? separatePoints(given, columns)
    : farthestFirst(means, sent.find(({ counts }) => counts.length > 0)?.counts.length ?? 0, k);
  while (seeds.length < k) seeds.push(run.box.least.map((value, j) => Math.round((value + run.box.most[j]) / 2)));
  const centres = oneStep(means, seeds, columns);
  const outcome = await outcomeAt(start, { centres, passes: 1, converged: true });
  start.watch("descent")(1, outcome.cost);
  return outcome;
}

/** The means of the first party that sent any, then repeatedly the mean that is farthest from all chosen so far. */
function farthestFirst(means: readonly Float64Array[], first: number, k: number): Float64Array[] {
  const seeds = means.slice(0, first);
  const nearest = means.map((mean) => Math.min(...seeds.map((seed) => squaredDistance(mean, seed))));
  while (seeds.length > 0 && seeds.length < Math.min(k, means.length)) {
    const farthest = nearest.reduce((best, distance, i) => (distance > nearest[best] ? i : best), 0);
    seeds.push(means[farthest]);
    means.forEach((mean, i) => {
      nearest[i] = Math.min(nearest[i], squaredDistance(mean, means[farthest]));
    });
  }
  return seeds;
}

/** One Lloyd step: every centre becomes the unweighted mean of the means that are nearest to it. */
function oneStep(means: readonly Float64Array[], seeds: readonly Float64Array[], columns: number): Float64Array {
  const sums = new Float64Array(seeds.length * columns);
  const counts = new Float64Array(seeds.length);
  for (const mean of means) {
    const distances = seeds.map((seed) => squaredDistance(mean, seed));
    const nearest = distances.indexOf(Math.min(...distances));
    counts[nearest]++;
    for (let j = 0; j < columns; j++) sums[nearest * columns + j] += mean[j];
  }
  return meansOf({ sums, counts }, joinPoints(seeds));
}
