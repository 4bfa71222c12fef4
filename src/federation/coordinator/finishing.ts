import { MoietyError } from "../../errors.js";
import type { PreparedPeople } from "../alignment/prepare.js";
import { absencesAfter, describeAbsence } from "../results/absences.js";
import type { TrainFacts } from "../results/training.js";
import type { PartyHandle } from "../transport/party-handle.js";
import { saveLetters } from "./job.js";
import { everybody } from "./masked-sums.js";
import type { OpenJob } from "./open-job.js";
import type { CardSolution, Wire } from "./solve-card.js";
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
  readonly epochs: number;
  readonly began: number;
  /** When all were ready to begin. */
  readonly ready: number;
  readonly prepared: PreparedPeople | undefined;
}

/** The clusters are found: every site's letters, and what the coordinator knows. */
export async function finishClustering(
  job: OpenJob,
  handles: readonly PartyHandle[],
  solved: CardSolution,
  { rows, epochs, began, ready, prepared }: RunCourse,
): Promise<void> {
  const { split } = job.record.card;
  const { outcome, history, seeding, unconstrainedSse, wire, whole, warnings = [], absences = [] } = solved;
  const { present = handles.map(({ name }) => name) } = solved;
  const last = await collectLetters(job, handles, { present, whole });
  if (split === "columns" && last.length < handles.length) throw new MoietyError("failed", "a party left at the end");
  const missed = split === "rows" ? absencesAfter(absences, job.names, last, history.length) : [];
  const took = job.context.clock() - began;
  await job.conclude({
    n: whole ? whole.sizes.reduce((sum, size) => sum + size, 0) : rows,
    iterations: outcome.passes,
    converged: outcome.converged,
    unconstrainedSse,
    history,
    communication: communicationOf(wire),
    passes: wire.asked / rows,
    epochs,
    ...(whole
      ? { whole, absences: missed, warnings: [...warnings, ...missed.map((absence) => describeAbsence(absence))] }
      : {}),
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
export async function finishTraining(
  job: OpenJob,
  handles: readonly PartyHandle[],
  { training, model, wire, present, absences }: CardTraining,
  facts: Pick<TrainFacts, "n" | "epochs">,
): Promise<void> {
  const { hash, card } = job.record;
  const last = await collectLetters(job, handles, { present, whole: training.result, model });
  if (card.model?.includes("analyst")) await job.context.store.write(`jobs/${hash}/model`, model);
  const missed = absencesAfter(absences, job.names, last, training.result.rounds);
  await job.conclude({ ...facts, absences: missed, training, communication: communicationOf(wire) });
}

/** The common people are found, and nothing else was asked for. */
export async function finishAlignment(
  job: OpenJob,
  handles: readonly PartyHandle[],
  { alignment }: PreparedPeople,
  { common, epochs, began }: Pick<RunCourse, "epochs" | "began"> & { readonly common: number },
): Promise<void> {
  const last = await collectLetters(job, handles, { present: job.names });
  if (last.length < handles.length) throw new MoietyError("failed", "a party left at the end");
  const total = (job.context.clock() - began) / 1000;
  await job.conclude({ aligned: { common, reused: alignment?.reused ?? false }, epochs, seconds: { total } });
}

/** The last question: every site that is there writes to those who may read its part. Returns who did. */
async function collectLetters(
  { record: { hash, card }, context: { store } }: OpenJob,
  handles: readonly PartyHandle[],
  { present, whole, model }: RunEnd,
): Promise<string[]> {
  const told = whole !== undefined && card.summary.includes("parties") ? { whole } : {};
  const shared = model && card.model?.includes("parties") ? { body: model } : {};
  const letters = await everybody(
    handles.filter(({ name }) => present.includes(name)),
    (handle) => handle.ask("finish", { job: hash, ...told }, { patience: 600_000, most: 1 << 30, ...shared }),
  );
  for (const [name, { body }] of letters) await saveLetters(store, hash, name, body);
  return letters.map(([name]) => name);
}

function communicationOf({ rounds, bytesUp, bytesDown }: Wire) {
  return { rounds, bytesUp, bytesDown };
}
