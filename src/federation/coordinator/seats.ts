import { MoietyError } from "../../errors.js";
import { quorumOf } from "../consent/settings.js";
import type { Conversation } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/party-handle.js";
import type { OpenJob } from "./open-job.js";

/** A party at the other end of a line. */
export interface LineSeat extends PartyHandle {
  readonly conversation: Conversation;
  /** Why it cannot go on before something is put right there, if it has said so. */
  pause?: MoietyError;
}

function seatOf(conversation: Conversation): LineSeat {
  const seat: LineSeat = {
    name: conversation.peer.name,
    conversation,
    gone: () => isGone(conversation),
    ask: (method, meta, options) =>
      conversation.ask(method, meta, options).catch((error: Error) => {
        if (isPause(error)) seat.pause = error;
        throw error;
      }),
  };
  return seat;
}

/** Whether a site cannot go on before something is put right there. */
export function isPause(error: unknown): error is MoietyError {
  return error instanceof MoietyError && error.code === "paused";
}

/** The parties among these that are there. */
export function seatsOf({ around }: OpenJob, names: readonly string[]): LineSeat[] {
  return names.flatMap((name) => {
    const conversation = around.line(name);
    return conversation ? [seatOf(conversation)] : [];
  });
}

/** Whether a line has ended; an answer may fail a moment before it is known. */
export function isGone(conversation: Conversation): Promise<boolean> {
  return Promise.race([
    conversation.ended.then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 200)),
  ]);
}

export async function namesOfGone(seats: readonly LineSeat[]): Promise<string[]> {
  const gone: string[] = [];
  for (const { name, conversation } of seats) if (await isGone(conversation)) gone.push(name);
  return gone;
}

/** A checkpoint goes on with those who have it, and a private run with those who are left. */
export function keepersOf({ record: { keepers }, names }: OpenJob): readonly string[] {
  return keepers ?? names;
}

/** Whether enough parties are there for the next life of the run; else the job waits for the others. */
export async function enoughParties(job: OpenJob): Promise<boolean> {
  const { card, epoch, position, stage } = job.record;
  const needed = keepersOf(job);
  const absent = needed.filter((name) => !job.around.line(name));
  // The first stage begins with all; a checkpoint goes on with those who have it; a new stage with a quorum.
  const quorum = position === null && stage ? needed.length - absent.length >= quorumOf(card) : false;
  if (quorum || absent.length === 0) return true;
  const is = epoch === 0 ? "waiting" : "paused";
  await job.enter({ is, for: absent, reason: `${absent.join(", ")} not connected` });
  return false;
}

/** With columns split all hold the same people. */
export function sameRows(seats: readonly PartyHandle[], counts: readonly number[]): number {
  const first = counts[0];
  const other = counts.findIndex((count) => count !== first);
  if (other < 0) return first;
  throw new MoietyError(
    "input",
    `${seats[other].name} holds ${counts[other]} people and ${seats[0].name} ${first}: all sites must hold the same people in the same order`,
  );
}
