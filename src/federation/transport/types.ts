import type { Identity } from "../identity/member.js";
import type { Frame } from "./frame.js";

/** One end of an open stream between two who know each other. Frames arrive whole, in order, once. */
export interface Link {
  readonly peer: Identity;
  /** Resolves when the frame is on its way and there is room for the next one. */
  send(frame: Frame): Promise<void>;
  /** Ends when either side closes; throws when the other side broke the contract or the line. May be read once. */
  frames(): AsyncIterable<Frame>;
  close(): void;
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** The coordinator's side: one port, to which everybody comes. */
export interface Listening {
  listen(accept: (link: Link) => void): Promise<Listener>;
}

/** Everybody else's side: only ever dials out. */
export interface Dialling {
  dial(): Promise<Link>;
}
