import type { Identity } from "../identity/kit.js";
import type { AskOptions, ReceivedAnswer } from "./asking.js";
import type { Frame } from "./frame.js";

/** One end of an open stream between two members. Frames arrive whole, in order, once. */
export interface Link {
  readonly peer: Identity;
  /** Resolves when the frame is on its way and there is room for the next one. */
  send(frame: Frame): Promise<void>;
  /** Ends when either side closes; throws when the other side broke the contract or the connection broke. May be read once. */
  frames(): AsyncIterable<Frame>;
  close(): void;
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** The coordinator's side: one port, which all others dial. */
export interface Listening {
  listen(accept: (link: Link) => void): Promise<Listener>;
}

/** The side of all others: they only ever dial out. */
export interface Dialling {
  dial(): Promise<Link>;
}

/** One party of a running job, as the coordinator reaches it. */
export interface PartyHandle {
  readonly name: string;
  ask(method: string, meta: unknown, options?: AskOptions): Promise<ReceivedAnswer>;
  /** Whether it has hung up; asked after something went wrong. */
  gone?(): Promise<boolean>;
}
