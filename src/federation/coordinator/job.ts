import type { Progress } from "../../algorithms/types.js";
import type { TrainProgress } from "../../learning/types.js";
import type { Card } from "../consent/card.js";
import { jobId } from "../consent/card.js";
import type { AlignFacts } from "../results/alignment.js";
import type { RunFacts } from "../results/summary.js";
import type { TrainFacts } from "../results/training.js";
import { readRecord, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";
import type { Stage, TrainStage } from "./stage.js";

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
  /** The next epoch to begin. */
  readonly epoch: number;
  /** The last checkpoint that all parties have; null before the first one. */
  readonly position: number | null;
  /** With rows split: the parties that have this checkpoint. */
  readonly keepers?: readonly string[];
  /** With rows split: where the run goes on after parties have left or come back. */
  readonly stage?: Stage | TrainStage;
  readonly facts?: RunFacts | TrainFacts | AlignFacts;
  /** Parties that have been told that it is over. */
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
  readonly parties: readonly string[];
  readonly submitted: string;
  /** waiting-for-bank-a, running, paused, done, failed */
  readonly state: string;
  readonly reason: string | null;
  readonly since: string;
  /** When somebody last looked after it: never long ago while it is neither done nor failed. */
  readonly heartbeat: string;
  readonly deadline: string;
  readonly epochs: number;
  readonly progress: Progress | TrainProgress | null;
  /** Ids that have been compared, while the sites find out whom they have in common. */
  readonly aligning: { readonly done: number; readonly total: number } | null;
}

export function viewOf(
  record: JobRecord,
  heartbeat: string,
  { progress, aligning }: { progress: JobView["progress"] | undefined; aligning: JobView["aligning"] | undefined },
): JobView {
  const { hash, card, state, submitted, since, epoch } = record;
  const waits = state.is === "waiting" || state.is === "paused";
  return {
    id: jobId(hash),
    algorithm: card.algorithm,
    k: card.k,
    learns: card.train !== undefined,
    analyst: card.analyst,
    parties: card.parties.map(({ name }) => name),
    submitted,
    state: state.is === "waiting" ? `waiting-for-${state.for.join(",")}` : state.is,
    reason: waits || state.is === "failed" ? state.reason : withoutWhom(state),
    since,
    heartbeat,
    deadline: new Date(Date.parse(submitted) + card.deadlineHours * 3_600_000).toISOString(),
    epochs: epoch,
    progress: progress ?? null,
    aligning: aligning ?? null,
  };
}

function withoutWhom(state: JobState): string | null {
  return state.is === "running" && state.without ? `goes on without ${state.without.join(", ")}` : null;
}

const recordKey = (hash: string) => `jobs/${hash}/record`;

export async function loadJobs(store: Store): Promise<JobRecord[]> {
  const keys = (await store.list("jobs/")).filter((key) => key.endsWith("/record"));
  return (await Promise.all(keys.map((key) => readRecord<JobRecord>(store, key)))).filter((each) => each !== undefined);
}

export function saveJob(store: Store, record: JobRecord): Promise<void> {
  return writeRecord(store, recordKey(record.hash), record);
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
