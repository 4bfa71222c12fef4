import { MoietyError } from "../../errors.js";
import { quorumOf } from "../consent/settings.js";
import type { Conversation } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/party-handle.js";
import type { OpenJob } from "./open-job.js";

/** A party at the other end of a connection. */
export interface ConnectedParty extends PartyHandle {
  readonly conversation: Conversation;
  /** Why it cannot go on before something is put right there, if it has said so. */
  pause?: MoietyError;
}

function handleOf(conversation: Conversation): ConnectedParty {
  const handle: ConnectedParty = {
    name: conversation.peer.name,
    conversation,
    gone: () => isGone(conversation),
    ask: (method, meta, options) =>
      conversation.ask(method, meta, options).catch((error: Error) => {
        if (isPause(error)) handle.pause = error;
        throw error;
      }),
  };
  return handle;
}

/** Whether a site cannot go on before something is put right there. */
export function isPause(error: unknown): error is MoietyError {
  return error instanceof MoietyError && error.code === "paused";
}

/** The parties among these that are there. */
export function handlesOf({ context }: OpenJob, names: readonly string[]): ConnectedParty[] {
  return names.flatMap((name) => {
    const conversation = context.connection(name);
    return conversation ? [handleOf(conversation)] : [];
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
  const gone: string[] = [];
  for (const { name, conversation } of handles) if (await isGone(conversation)) gone.push(name);
  return gone;
}

/** A checkpoint goes on with those who have it, and a private run with those who are left. */
export function keepersOf({ record: { keepers }, names }: OpenJob): readonly string[] {
  return keepers ?? names;
}

/** Whether enough parties are there for the next attempt of the run; else the job waits for the others. */
export async function enoughParties(job: OpenJob): Promise<boolean> {
  const { card, epoch, position, stage } = job.record;
  const needed = keepersOf(job);
  const absent = needed.filter((name) => !job.context.connection(name));
  // The first stage begins with all; a checkpoint goes on with those who have it; a new stage with a quorum.
  const quorum = position === null && stage ? needed.length - absent.length >= quorumOf(card) : false;
  if (quorum || absent.length === 0) return true;
  const is = epoch === 0 ? "waiting" : "paused";
  await job.enter({ is, for: absent, reason: `${absent.join(", ")} not connected` });
  return false;
}

/** With columns split all hold the same people. */
export function sameRows(handles: readonly PartyHandle[], counts: readonly number[]): number {
  const first = counts[0];
  const other = counts.findIndex((count) => count !== first);
  if (other < 0) return first;
  throw new MoietyError(
    "input",
    `${handles[other].name} holds ${counts[other]} people and ${handles[0].name} ${first}: all sites must hold the same people in the same order`,
  );
}
