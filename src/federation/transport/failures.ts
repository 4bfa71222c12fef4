import { type ErrorCode, MoietyError } from "../../errors.js";
import type { Identity } from "../identity/kit.js";

/** An error on its way to the other side. */
interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Stands for unexpected errors, whose messages may quote data. */
const unexpected: Failure = { code: "failed", message: "something unexpected went wrong there: see its log" };

/**
 * What the other side learns of an error: never where files lie here. A full disk pauses the job: it can go on when that is
 * put right.
 */
export function failureFor(error: unknown): Failure {
  if (!(error instanceof MoietyError)) return unexpected;
  const code = error.code === "output" ? "paused" : error.code;
  return { code, message: withoutPaths(error.told) };
}

/** Paths of two names or more, from the root or a drive: removed from errors that have no text for others. */
const paths = /(?<=^|[\s'"(=:])(?:[A-Za-z]:)?(?:[\\/][^\s'"():,;\\/]+){2,}[\\/]?/g;

function withoutPaths(text: string): string {
  return text.replace(paths, "(a file there)");
}

const codes = ["usage", "input", "infeasible", "output", "paused", "cancelled", "failed"] as const;

/** The error that the other side has reported. */
export function failureOf(peer: Identity, meta: unknown): MoietyError {
  const { code, message } = (meta ?? {}) as { code?: unknown; message?: unknown };
  const known = codes.find((each) => each === code) ?? "failed";
  const text = typeof message === "string" ? message.slice(0, 1000) : "no reason given";
  // Errors of a request need no name of the coordinator; where something has to be put right, they do.
  return new MoietyError(known, peer.role === "coordinator" && known !== "paused" ? text : `${peer.name}: ${text}`);
}
