import { MoietyError } from "../../errors.js";
import type { Conversation } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/types.js";
import type { OpenJob } from "./open-job.js";

/**
 * Milliseconds for an answer that takes a site long: it may have to read all its data first, or look at hundreds of signatures, and
 * several sites may share a machine.
 */
export const patience = 600_000;

/** A party of a running job, and its connection. */
export interface ConnectedParty extends PartyHandle {
  readonly conversation: Conversation;
  /** Why it cannot go on before something is put right there, if it has said so. */
  pause?: MoietyError;
}

/** One attempt of a run: an epoch, with those who are connected at its beginning. */
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

function handleOf(conversation: Conversation, { times }: OpenJob): ConnectedParty {
  const handle: ConnectedParty = {
    name: conversation.peer.name,
    conversation,
    gone: () => isGone(conversation),
    ask: (method, meta, options) => {
      const answered = times.ask(handle.name);
      return conversation
        .ask(method, meta, options)
        .catch((error: Error) => {
          if (isPause(error)) handle.pause = error;
          throw error;
        })
        .finally(answered);
    },
  };
  return handle;
}

/** Whether a site cannot go on before something is put right there. */
export function isPause(error: unknown): error is MoietyError {
  return error instanceof MoietyError && error.code === "paused";
}

/** The parties among these that are connected. */
export function handlesOf(job: OpenJob, names: readonly string[]): ConnectedParty[] {
  return names.flatMap((name) => {
    const conversation = job.context.connection(name);
    return conversation ? [handleOf(conversation, job)] : [];
  });
}

/** Whether a connection has ended; an answer may fail a moment before it is known. */
export function isGone(conversation: Conversation): Promise<boolean> {
  return Promise.race([
    conversation.ended.then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 200)),
  ]);
}

export async function namesOfGone(handles: readonly ConnectedParty[]): Promise<string[]> {
  const gone = await Promise.all(handles.map(({ conversation }) => isGone(conversation)));
  return handles.filter((_, at) => gone[at]).map(({ name }) => name);
}

/** The parties that the next attempt needs: those that have its checkpoint, or that are left of a private run. */
export function keepersOf({ record: { keepers }, names }: OpenJob): readonly string[] {
  return keepers ?? names;
}
