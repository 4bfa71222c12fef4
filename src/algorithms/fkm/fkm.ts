import type { Summary } from "../../parties/row-summary.js";
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
  summaryOf,
  usualQuestions,
} from "../row-start.js";
import { refine } from "./refine-question.js";

/** Runs of the coordinator's k-means, of which the best counts, and of each party's first k-means. */
const restarts = 10;

/** Garst and Reinders, algorithm 1, as the authors ran it; of all rounds the one with the least squared distances. */
export const fkmOnRows: RowMethod = { questions: [...usualQuestions, refine], run: runFkm };

async function runFkm(start: RowStart): Promise<RowOutcome> {
  const { run, settings, seeded } = start;
  const onRound = start.watch("descent");
  const random = new Random(derive(start.seed, 2));
  let sent = await begin(start);
  seeded();
  let best: { centres: Float64Array; cost: number } = { centres: new Float64Array(0), cost: Number.POSITIVE_INFINITY };
  let passes = 0;
  let converged = false;
  while (passes < settings.maxIterations && !converged) {
    const [centres] = await clusterMeans(start, sent, restarts, random);
    if (passes > 0) run.group.allowChangeOfParties(centres);
    const answers = await refined(start, centres);
    const cost = answers.reduce((total, answer) => total + answer.cost, 0);
    // After a party left, squared distances are of fewer people: not comparable.
    if (cost < best.cost || answers.length < sent.length) best = { centres, cost };
    onRound(++passes, best.cost);
    const silent = answers.every(({ counts }) => counts.length === 0);
    if (silent) start.warn(`after ${passes} rounds every cluster of every party was below ${settings.minCount} people`);
    converged = silent || same(answers, sent);
    sent = answers;
  }
  return outcomeAt(start, { centres: best.centres, passes, converged });
}

async function refined({ run, settings }: RowStart, centres: Float64Array): Promise<Summary[]> {
  const { group, k, columns } = run;
  const told = await group.ask(refine, { centres, least: settings.minCount, clusters: k, columns });
  return told.map(summaryOf);
}

async function begin(start: RowStart): Promise<Summary[]> {
  const { run, settings } = start;
  const { k } = run;
  const least = settings.minCount;
  const given = givenCentres(start);
  if (given) return refined(start, given);
  const how = settings.bareSeeds
    ? ({ method: "seeds", starts: 1 } as const)
    : ({ method: "step", starts: restarts } as const);
  return summaries(start, { clusters: k, peopleEach: 1, least, small: "drop", ...how });
}

/** Whether the parties sent the same as before: from then on only the coordinator's random numbers would change anything. */
function same(answers: readonly Summary[], before: readonly Summary[]): boolean {
  if (answers.length !== before.length) return false;
  return answers.every(
    ({ means, counts }, party) =>
      counts.length === before[party].counts.length &&
      counts.every((count, m) => count === before[party].counts[m]) &&
      means.every((value, at) => value === before[party].means[at]),
  );
}
