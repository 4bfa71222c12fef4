import { type ErrorCode, MoietyError } from "../../errors.js";
import type { Identity } from "../identity/member.js";

/** An error on its way to the other side. */
interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What an unexpected error says may quote data. */
const unexpected: Failure = { code: "failed", message: "something unexpected went wrong there: see its log" };

/**
 * What the other side is told of an error: never where files lie here. A disk that takes nothing is no fault of the
 * question: what was asked for can go on when it is put right.
 */
export function failureFor(error: unknown): Failure {
  if (!(error instanceof MoietyError)) return unexpected;
  const code = error.code === "output" ? "paused" : error.code;
  return { code, message: withoutPaths(error.told) };
}

/** Two names or more behind slashes, from the root or a drive: for errors that do not say what others may be told. */
const paths = /(?<=^|[\s'"(=:])(?:[A-Za-z]:)?(?:[\\/][^\s'"():,;\\/]+){2,}[\\/]?/g;

function withoutPaths(text: string): string {
  return text.replace(paths, "(a file there)");
}

const codes = ["usage", "input", "infeasible", "output", "paused", "cancelled", "failed"] as const;

/** The error that the other side has told of. */
export function failureOf(peer: Identity, meta: unknown): MoietyError {
  const { code, message } = (meta ?? {}) as { code?: unknown; message?: unknown };
  const known = codes.find((each) => each === code) ?? "failed";
  const text = typeof message === "string" ? message.slice(0, 1000) : "no reason given";
  // What the coordinator says of a request needs no name; where something has to be put right does.
  return new MoietyError(known, peer.role === "coordinator" && known !== "paused" ? text : `${peer.name}: ${text}`);
}

export function failed(message: string, cause?: unknown): MoietyError {
  return new MoietyError("failed", message, cause === undefined ? undefined : { cause });
}
