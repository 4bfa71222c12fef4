import type { Progress } from "../../algorithms/types.js";
import { lineOf } from "../../errors.js";
import type { TrainProgress } from "../../learning/types.js";
import type { Card } from "../consent/card.js";
import type { AlignFacts } from "../results/alignment.js";
import type { RunFacts } from "../results/summary.js";
import type { TrainFacts } from "../results/training.js";
import { readRecord, recordBefore, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";
import type { RowStage, TrainStage } from "./run-stage.js";
import type { SiteView } from "./site-views.js";

/** Where a job stands. Waiting and paused name whom they wait for; failed names the reason. */
export type JobState =
  | { readonly is: "waiting" | "paused"; readonly for: readonly string[]; readonly reason: string }
  | { readonly is: "running"; readonly without?: readonly string[] }
  | { readonly is: "done" }
  | { readonly is: "failed"; readonly reason: string };

/** All that a coordinator keeps of a job, beside the log of its run and the sealed letters: no label, no score. */
export interface JobRecord {
  readonly hash: string;
  readonly card: Card;
  /** The analyst's. */
  readonly signature: string;
  readonly submitted: string;
  readonly state: JobState;
  /** When the state began. */
  readonly since: string;
  readonly consents: Readonly<Record<string, string>>;
  /** Why parties have refused it, by their names. */
  readonly refusals?: Readonly<Record<string, string>>;
  /** The next epoch to begin. */
  readonly epoch: number;
  /** The last checkpoint that all parties have; null before the first one. */
  readonly position: number | null;
  /** With rows split: the parties that have this checkpoint; of a private run, those who have not left. */
  readonly keepers?: readonly string[];
  /** With rows split: where the run goes on after parties have left or come back. */
  readonly stage?: RowStage | TrainStage;
  readonly facts?: RunFacts | TrainFacts | AlignFacts;
  /** Parties that know that it is over. */
  readonly released: readonly string[];
}

/** What everybody may see of a job at any moment. */
export interface JobView {
  readonly id: string;
  readonly algorithm: string;
  readonly k: number;
  /** Whether it is a training: k means nothing. */
  readonly learns: boolean;
  readonly analyst: string;
  /** Who of the analyst's people submitted it, where they log in. */
  readonly person?: string;
  readonly parties: readonly string[];
  readonly submitted: string;
  /** waiting-for-bank-a, running, paused, done, failed */
  readonly state: string;
  readonly reason: string | null;
  readonly since: string;
  /** When the coordinator last worked on it: never long ago while it is neither done nor failed. */
  readonly heartbeat: string;
  readonly deadline: string;
  readonly epochs: number;
  readonly progress: Progress | TrainProgress | null;
  /** Ids that have been compared, while the sites find out whom they have in common. */
  readonly aligning: { readonly done: number; readonly total: number } | null;
  /** What each party is doing, in the card's order. */
  readonly sites: readonly SiteView[];
}

const recordKey = (hash: string) => `jobs/${hash}/record`;
const cardKey = (hash: string) => `jobs/${hash}/card`;

/** Whose job it is, and when it was submitted: written once, so that it is known even of a job whose record is damaged. */
type SubmittedCard = Pick<JobRecord, "card" | "signature" | "submitted">;

/** A job as it was found on disk. */
export interface FoundJob {
  readonly hash: string;
  /** Undefined where nothing of it can be read. */
  readonly record: JobRecord | undefined;
  /** What is wrong with its files, with their names: for the coordinator's own log. */
  readonly damage?: string;
}

/** All jobs that earlier processes left. Damage of one job's files does not affect the others. */
export async function loadJobs(store: Store): Promise<FoundJob[]> {
  const keys = await store.list("jobs/");
  // A card alone: the process ended while it took the job, before the analyst got an answer, and the card may come again.
  const hashes = new Set(keys.filter((key) => !key.endsWith("/card")).map((key) => key.split("/")[1]));
  const found: FoundJob[] = [];
  // One by one: there may be more of them than a process may open files.
  for (const hash of hashes) found.push(await loadJob(store, hash));
  return found;
}

async function loadJob(store: Store, hash: string): Promise<FoundJob> {
  const key = recordKey(hash);
  try {
    const record = await readRecord<JobRecord>(store, key);
    if (record) return { hash, record };
    return { hash, record: await lostRecord(store, hash, "the coordinator has no record of it: submit it again") };
  } catch (error) {
    const before = await recordBefore<JobRecord>(store, key).catch(() => undefined);
    // One write lies between the two, and at most one attempt of the run has begun with it: that epoch is used up.
    if (before) {
      const record = { ...before, epoch: before.epoch + 1 };
      return { hash, record, damage: `${lineOf(error)}; going on with the copy of before` };
    }
    return { hash, record: await lostRecord(store, hash), damage: lineOf(error) };
  }
}

/** What replaces a record that cannot be read: the job has failed, and no party is informed of anything more. */
async function lostRecord(
  store: Store,
  hash: string,
  reason = "what the coordinator keeps of it is damaged: ask its operator",
): Promise<JobRecord | undefined> {
  const submission = await readRecord<SubmittedCard>(store, cardKey(hash)).catch(() => undefined);
  if (!submission) return undefined;
  const state = { is: "failed", reason } as const;
  const released = submission.card.parties.map(({ name }) => name);
  return { hash, ...submission, state, since: submission.submitted, consents: {}, epoch: 0, position: null, released };
}

/** A new job. */
export async function createJob(store: Store, record: JobRecord): Promise<void> {
  const { card, signature, submitted } = record;
  await writeRecord(store, cardKey(record.hash), { card, signature, submitted } satisfies SubmittedCard);
  await saveJob(store, record);
}

/** An older record may replace a damaged one, unless the job is over: that is never taken back. */
export function saveJob(store: Store, record: JobRecord): Promise<void> {
  return writeRecord(store, recordKey(record.hash), record, { copy: !isOver(record) });
}

export function isOver({ state }: Pick<JobRecord, "state">): boolean {
  return state.is === "done" || state.is === "failed";
}

/** What a party wrote to each reader of the result; sealed. */
export interface Letters {
  readonly parts: Readonly<Record<string, string>>;
  readonly labels?: string;
}

export function saveLetters(store: Store, hash: string, party: string, body: Uint8Array): Promise<void> {
  return store.write(`jobs/${hash}/letters/${party}`, body);
}

export async function loadLetters(store: Store, hash: string, party: string): Promise<Letters> {
  return (await readRecord<Letters>(store, `jobs/${hash}/letters/${party}`)) ?? { parts: {} };
}
