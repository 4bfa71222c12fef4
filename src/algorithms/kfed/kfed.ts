import { settleRows } from "../../solver/row-run.js";
import {
  givenCentres,
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
  const least = settings.minCount;
  const sent = await summaries(start, {
    clusters: k,
    peopleEach: 1,
    least,
    small: "drop",
    method: "spectral",
    starts: 10,
  });
  start.seeded();
  const means = sent.flatMap(({ means }) =>
    Array.from({ length: means.length / columns }, (_, m) => means.subarray(m * columns, (m + 1) * columns)),
  );
  const given = givenCentres(start);
  const seeds = given
    ? Array.from({ length: k }, (_, m) => given.subarray(m * columns, (m + 1) * columns))
    : farthestFirst(means, sent.find(({ counts }) => counts.length > 0)?.counts.length ?? 0, k);
  while (seeds.length < k) seeds.push(run.box.least.map((value, j) => Math.round((value + run.box.most[j]) / 2)));
  const centres = oneStep(means, seeds, columns);
  const settled = await settleRows(run, centres);
  start.watch("descent")(1, settled.cost);
  return { centres, passes: 1, converged: true, ...settled, beyond: 0 };
}

/** The means of the first party, then again and again the mean that is farthest from all so far. */
function farthestFirst(means: readonly Float64Array[], first: number, k: number): Float64Array[] {
  const seeds = means.slice(0, first);
  const nearest = means.map((mean) => Math.min(...seeds.map((seed) => squared(mean, seed))));
  while (seeds.length > 0 && seeds.length < Math.min(k, means.length)) {
    const farthest = nearest.reduce((best, distance, i) => (distance > nearest[best] ? i : best), 0);
    seeds.push(means[farthest]);
    means.forEach((mean, i) => {
      nearest[i] = Math.min(nearest[i], squared(mean, means[farthest]));
    });
  }
  return seeds;
}

/** Every centre becomes the plain mean of the means that are nearest to it. */
function oneStep(means: readonly Float64Array[], seeds: readonly Float64Array[], columns: number): Float64Array {
  const sums = seeds.map(() => new Float64Array(columns));
  const counts = seeds.map(() => 0);
  for (const mean of means) {
    const distances = seeds.map((seed) => squared(mean, seed));
    const nearest = distances.indexOf(Math.min(...distances));
    counts[nearest]++;
    for (let j = 0; j < columns; j++) sums[nearest][j] += mean[j];
  }
  return Float64Array.from(
    seeds.flatMap((seed, m) =>
      Array.from(seed, (value, j) => (counts[m] > 0 ? Math.round(sums[m][j] / counts[m]) : value)),
    ),
  );
}

function squared(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += (a[j] - b[j]) ** 2;
  return sum;
}
