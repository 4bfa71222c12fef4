import type { Progress } from "../../algorithms/types.js";
import { MoietyError } from "../../errors.js";
import type { TrainProgress } from "../../learning/types.js";
import { type PreparedPeople, prepare } from "../alignment/prepare.js";
import { isAlignment } from "../consent/alignment-card.js";
import { dropResults, loadResults, saveResults } from "../replay/results.js";
import { type Begun, begunSchema } from "../wire/job-questions.js";
import { type ConnectedParty, handlesOf, keepersOf, sameRows } from "./connected-parties.js";
import { enter } from "./entering.js";
import { finishAlignment, finishClustering, finishTraining } from "./finishing.js";
import type { OpenJob } from "./open-job.js";
import { type CardRun, solveCard } from "./solve-card.js";
import { trainCard } from "./train-card.js";

/** One attempt of a run: an epoch, with those who are there at its beginning. */
export interface Attempt {
  readonly job: OpenJob;
  readonly epoch: number;
  readonly handles: readonly ConnectedParty[];
  readonly signal: AbortSignal;
  /** When it began. */
  readonly began: number;
  /** A checkpoint was made: it came further than the attempt before. */
  readonly onCheckpoint: () => void;
}

/** Nobody else will ever begin this epoch. */
export async function beginAttempt(job: OpenJob, stopping: AbortSignal, onCheckpoint: () => void): Promise<Attempt> {
  const { clock, audit } = job.context;
  const { hash, epoch, card } = job.record;
  const handles = handlesOf(job, keepersOf(job));
  const began = clock();
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
  await enter({ hash, epoch, consents, handles, audit: job.context.audit });
  const prepared = card.split === "columns" ? await findPeople(attempt) : undefined;
  const ready = job.context.clock();
  const begun = await begin(attempt);
  const counts = begun.map(({ rows }) => rows);
  const rows = card.split === "rows" ? counts.reduce((sum, count) => sum + count, 0) : sameRows(handles, counts);
  if (isAlignment(card)) {
    return finishAlignment(job, handles, prepared!, { common: rows, epochs: epoch + 1, began: attempt.began });
  }
  const answered = Math.min(...begun.map((each) => each.answered));
  const run = { ...(await runOf(attempt, rows, counts)), answered };
  if (card.train) {
    const trained = await trainCard({ ...run, position, ...(stage && "training" in stage ? { stage } : {}) });
    await finishTraining(job, handles, trained, { n: rows, epochs: epoch + 1 });
  } else {
    const solved = await solveCard({ ...run, ...(stage && !("training" in stage) ? { stage } : {}) });
    await finishClustering(job, handles, solved, { rows, epochs: epoch + 1, began: attempt.began, ready, prepared });
  }
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
    job.aligning = undefined;
  }
}

/** Loading data may take minutes. */
function begin({ job, epoch, handles }: Attempt): Promise<Begun[]> {
  const { hash, consents, position } = job.record;
  return Promise.all(
    handles.map(async (handle) => {
      const { meta } = await handle.ask("begin", { job: hash, epoch, consents, position }, { patience: 600_000 });
      const begun = begunSchema.safeParse(meta);
      if (begun.success) return begun.data;
      throw new MoietyError("failed", `${handle.name} did not say how many people it holds`);
    }),
  );
}

/** What an algorithm needs of the job that it runs for. */
async function runOf({ job, epoch, handles, signal, onCheckpoint }: Attempt, rows: number, counts: readonly number[]) {
  const { store, connection, clock } = job.context;
  const { card, hash } = job.record;
  const everybody = card.split === "rows" ? handles.map(({ name }) => name) : undefined;
  return {
    card,
    hash,
    epoch,
    rows,
    counts,
    handles,
    results: await loadResults(store, job.record),
    keep: async (position: number, results: readonly unknown[], keepers = everybody) => {
      if (results.length > 0) await saveResults(store, job.record, position, results);
      await job.save({ position, ...(keepers ? { keepers } : {}) });
      if (card.train) await dropResults(store, hash, position);
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
