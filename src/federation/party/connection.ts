import { failed, lineOf, MoietyError } from "../../errors.js";
import type { Kit } from "../identity/kit.js";
import type { Log } from "../log.js";
import { Conversation, type IncomingQuestion, type Reply } from "../transport/conversation.js";
import type { Dialling } from "../transport/types.js";
import { greet } from "../wire/greeting.js";

export interface ConnectionOptions {
  readonly kit: Kit;
  readonly dialling: Dialling;
  /** What this site says to whatever it is asked. */
  readonly answer: (question: IncomingQuestion) => Promise<Reply>;
  /** Milliseconds to wait before the n-th attempt to reach the coordinator. */
  readonly pause?: ((attempt: number) => number) | undefined;
  readonly log: Log;
  /** The connection was made, or has ended. */
  readonly changed?: (connected: boolean) => void;
}

/** The longest question that a site takes, in bytes: it may carry a number for every person, or a model. */
const mostAsked = 256 << 20;

/** Keeps a connection to the coordinator until the signal: whenever it ends, it is sought again. */
export async function keepConnection(options: ConnectionOptions, signal: AbortSignal): Promise<void> {
  const { log, pause = (attempt: number) => Math.min(10_000, 250 * 2 ** attempt) } = options;
  let said = "";
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      await converse(options, signal, () => {
        attempt = 0;
        said = "";
      });
    } catch (error) {
      const why = error instanceof MoietyError ? error.message : "the connection failed";
      if (why !== said) log(`${why}; trying again`, "warning");
      said = why;
    }
    await wait(pause(attempt), signal);
  }
}

/** Until the signal at most. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    if (signal.aborted) done();
    else signal.addEventListener("abort", done, { once: true });
  });
}

/** One conversation, from the greeting to its end. Throws the reason, unless the signal ended it. */
async function converse(options: ConnectionOptions, signal: AbortSignal, connected: () => void): Promise<void> {
  const { kit, dialling, answer, log, changed } = options;
  const link = await dialling.dial();
  const conversation = new Conversation(link, { answer, mostAsked: () => mostAsked });
  conversation.onHidden = (error) => log(lineOf(error), "warning");
  const leave = () => conversation.close();
  signal.addEventListener("abort", leave, { once: true });
  try {
    await greet(conversation, kit, 10_000);
    log(`connected to the coordinator at ${kit.coordinator.host}:${kit.coordinator.port}`);
    connected();
    changed?.(true);
    const reason = await conversation.ended;
    if (!signal.aborted) throw reason ?? failed("the coordinator hung up");
  } finally {
    signal.removeEventListener("abort", leave);
    conversation.close();
    changed?.(false);
  }
}
