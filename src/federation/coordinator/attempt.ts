import type { Progress } from "../../algorithms/types.js";
import { MoietyError } from "../../errors.js";
import type { TrainProgress } from "../../learning/types.js";
import type { Card } from "../consent/card.js";
import { isAlignment } from "../consent/methods.js";
import { masksOnRing } from "../consent/settings.js";
import { dropResults, loadResults, saveResults } from "../replay/results.js";
import type { PreparedPeople } from "../results/alignment.js";
import { askAll } from "../wire/checked.js";
import { type Begun, begunSchema } from "../wire/job-questions.js";
import { type Attempt, type ConnectedParty, handlesOf, keepersOf, patience } from "./connected-parties.js";
import { enter } from "./entering.js";
import { finishAlignment, finishClustering, finishTraining } from "./finishing.js";
import type { OpenJob } from "./open-job.js";
import { prepare } from "./prepare.js";
import { type CardRun, solveCard } from "./solve-card.js";
import { trainCard } from "./train-card.js";

/** Takes the next epoch, which no other attempt will ever have. */
export async function beginAttempt(job: OpenJob, stopping: AbortSignal, onCheckpoint: () => void): Promise<Attempt> {
  const { clock, audit } = job.context;
  const { hash, epoch, card } = job.record;
  const handles = handlesOf(job, keepersOf(job));
  const began = clock();
  job.times.begin();
  await audit.note("begun", { job: hash, epoch });
  await job.save({ epoch: epoch + 1 });
  await job.run(handles.map(({ name }) => name));
  const lost = new AbortController();
  for (const { conversation } of handles) conversation.ended.then(() => lost.abort());
  // Runs on split rows go on without one of their parties.
  const signal = card.split === "rows" ? stopping : AbortSignal.any([stopping, lost.signal]);
  return { job, epoch, handles, signal, began, onCheckpoint };
}

/** All parties begin the epoch, and go on from the last checkpoint that all of them have, to the job's end. */
export async function runAttempt(attempt: Attempt): Promise<void> {
  const { job, epoch, handles } = attempt;
  const { card, hash, consents, position, stage } = job.record;
  const ring = await enter({ hash, epoch, consents, handles, audit: job.context.audit, ...ringed(card) });
  const prepared = card.split === "columns" ? await findPeople(attempt) : undefined;
  const ready = job.context.clock();
  const begun = await begin(attempt);
  const counts = begun.map(({ rows }) => rows);
  const rows = card.split === "rows" ? counts.reduce((sum, count) => sum + count, 0) : sameRows(handles, counts);
  if (isAlignment(card)) {
    return finishAlignment(attempt, rows, prepared?.alignment?.reused ?? false);
  }
  const answered = Math.min(...begun.map((each) => each.answered));
  const run = { ...(await runOf(attempt, rows, counts)), answered, ring };
  if (card.train) {
    const trained = await trainCard({ ...run, position, ...(stage && "training" in stage ? { stage } : {}) });
    await finishTraining(attempt, trained, rows);
  } else {
    const solved = await solveCard({ ...run, ...(stage && !("training" in stage) ? { stage } : {}) });
    await finishClustering(attempt, solved, { rows, ready, prepared });
  }
}

/** So many sites are on a ring. */
function ringed(card: Card): { readonly sites?: number } {
  return masksOnRing(card) ? { sites: card.parties.length } : {};
}

/** With columns split all hold the same people. */
function sameRows(handles: readonly ConnectedParty[], counts: readonly number[]): number {
  const [first] = counts;
  const other = counts.findIndex((count) => count !== first);
  if (other < 0) return first;
  throw new MoietyError(
    "input",
    `${handles[other].name} holds ${counts[other]} people and ${handles[0].name} ${first}: all sites must hold the same people in the same order`,
  );
}

/** With columns split the sites first find out whom they have in common. */
async function findPeople({ job, epoch, handles, signal }: Attempt): Promise<PreparedPeople> {
  const { card, hash, consents, position } = job.record;
  const onProgress = (done: number, total: number) => {
    if (!job.aligning) job.say(`aligning ${total} ids`);
    job.aligning = { done, total };
  };
  try {
    return await prepare({ card, hash, epoch, consents, handles, signal, resuming: position !== null, onProgress });
  } finally {
    job.aligning = null;
  }
}

/** The sites load their data, which may take minutes. */
async function begin({ job, epoch, handles }: Attempt): Promise<Begun[]> {
  const { hash, consents, position } = job.record;
  const question = { job: hash, epoch, consents, position };
  const begun = await askAll(handles, "begin", () => question, { answer: begunSchema, patience });
  return [...begun.values()];
}

/** What an algorithm needs of the job that it runs for. */
async function runOf({ job, epoch, handles, signal, onCheckpoint }: Attempt, rows: number, counts: readonly number[]) {
  const { store, connection, clock } = job.context;
  const { card, hash, position, stage } = job.record;
  const everybody = card.split === "rows" ? handles.map(({ name }) => name) : undefined;
  return {
    card,
    hash,
    epoch,
    rows,
    counts,
    handles,
    results: await loadResults(store, hash, position, stage?.number),
    keep: async (at: number, results: readonly unknown[], keepers = everybody) => {
      if (results.length > 0) await saveResults(store, hash, at, results, job.record.stage?.number);
      await job.save({ position: at, ...(keepers ? { keepers } : {}) });
      if (card.train) await dropResults(store, hash, at);
      onCheckpoint();
    },
    narrow: (keepers: readonly string[]) => job.save({ keepers }),
    onFurther: onCheckpoint,
    onProgress: (progress: Progress | TrainProgress) => {
      job.progress = progress;
    },
    returned: (present: readonly string[]) =>
      job.names.some((name) => connection(name) !== undefined && !present.includes(name)),
    onDeparture: (present: readonly string[]) => {
      job.say(`going on with ${present.join(", ")}`);
      job.run(present).catch((error: Error) => job.say(`unexpected: ${error.message}`));
    },
    signal,
    clock,
  } satisfies CardRun;
}
