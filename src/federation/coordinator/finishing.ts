import { failed } from "../../errors.js";
import { absencesAfter, describeAbsence } from "../results/absences.js";
import type { PreparedPeople } from "../results/alignment.js";
import { type Attempt, patience } from "./connected-parties.js";
import { saveLetters } from "./job.js";
import { answersOfPresent } from "./masked-sums.js";
import type { CardSolution } from "./solve-card.js";
import type { CardTraining } from "./train-card.js";

interface RunEnd {
  /** Who was there at the end of the run. */
  readonly present: readonly string[];
  /** What everybody's people are like together, for those on the card. */
  readonly whole?: unknown;
  readonly model?: Uint8Array;
}

interface RunCourse {
  readonly rows: number;
  /** When all were ready to begin. */
  readonly ready: number;
  readonly prepared: PreparedPeople | undefined;
}

/** The clusters are found: every site's letters, and what the coordinator knows. */
export async function finishClustering(
  attempt: Attempt,
  solved: CardSolution,
  { rows, ready, prepared }: RunCourse,
): Promise<void> {
  const { job, handles, epoch, began } = attempt;
  const { split } = job.record.card;
  const { outcome, history, seeding, unconstrainedSse, communication, passes, whole, warnings = [] } = solved;
  const { present = handles.map(({ name }) => name) } = solved;
  const last = await collectLetters(attempt, { present, whole });
  if (split === "columns") refuseDeparture(attempt, last);
  const absences = split === "rows" ? absencesAfter(solved.absences ?? [], job.names, last, history.length) : [];
  const took = job.context.clock() - began;
  await job.conclude({
    n: whole ? whole.sizes.reduce((sum, size) => sum + size, 0) : rows,
    iterations: outcome.passes,
    converged: outcome.converged,
    unconstrainedSse,
    history,
    communication,
    passes,
    epochs: epoch + 1,
    ...(whole ? { whole, absences, warnings: [...warnings, ...absences.map((each) => describeAbsence(each))] } : {}),
    ...(solved.privacy ? { privacy: solved.privacy } : {}),
    ...(prepared ? { prepared } : {}),
    // Reading is what comes before the run: finding the common people, and the sites' own reading.
    seconds: {
      read: (ready - began) / 1000,
      seed: seeding / 1000,
      solve: (began + took - ready - seeding) / 1000,
      total: took / 1000,
    },
  });
}

/** The training is over: the model to those on the card, and every site's letters. */
export async function finishTraining(attempt: Attempt, trained: CardTraining, n: number): Promise<void> {
  const { job, epoch } = attempt;
  const { training, model, communication, present } = trained;
  const { hash, card } = job.record;
  const last = await collectLetters(attempt, { present, whole: training.result, model });
  if (card.model?.includes("analyst")) await job.context.store.write(`jobs/${hash}/model`, model);
  const absences = absencesAfter(trained.absences, job.names, last, training.result.rounds);
  await job.conclude({ n, epochs: epoch + 1, absences, training, communication });
}

/** The common people are found, and nothing else was asked for. */
export async function finishAlignment(attempt: Attempt, common: number, reused: boolean): Promise<void> {
  const { job, epoch, began } = attempt;
  refuseDeparture(attempt, await collectLetters(attempt, { present: job.names }));
  const total = (job.context.clock() - began) / 1000;
  await job.conclude({ aligned: { common, reused }, epochs: epoch + 1, seconds: { total } });
}

/** With columns split every site's part of the result is needed. */
function refuseDeparture({ handles }: Attempt, last: readonly string[]): void {
  if (last.length < handles.length) throw failed("a party left at the end");
}

/** The last question: every site that is there writes to those who may read its part. Returns who did. */
async function collectLetters({ job, handles }: Attempt, { present, whole, model }: RunEnd): Promise<string[]> {
  const { hash, card } = job.record;
  const summary = whole !== undefined && card.summary.includes("parties") ? { whole } : {};
  const shared = model && card.model?.includes("parties") ? { body: model } : {};
  const letters = await answersOfPresent(
    handles.filter(({ name }) => present.includes(name)),
    (handle) => handle.ask("finish", { job: hash, ...summary }, { patience, most: 1 << 30, ...shared }),
  );
  for (const [name, { body }] of letters) await saveLetters(job.context.store, hash, name, body);
  return letters.map(([name]) => name);
}
