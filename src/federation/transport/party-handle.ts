import type { AskOptions, ReceivedAnswer } from "./conversation.js";

/** One party of a running job, as the coordinator reaches it. */
export interface PartyHandle {
  readonly name: string;
  ask(method: string, meta: unknown, options?: AskOptions): Promise<ReceivedAnswer>;
  /** Whether it has hung up; asked after something went wrong. */
  gone?(): Promise<boolean>;
}
