/**
 * The one error class. The list of codes is closed: a caller can switch over it, and each has one exit code.
 *
 * A message is one line: what is wrong, the value seen, the values allowed, what to do. It never carries people's
 * data or ids: it may name columns, options, files, counts and row numbers. Options stand between backticks, as callers
 * write them: `minSize`, `minSize: 2`. The command line shows them as flags.
 */
export type ErrorCode =
  /** a wrong option, or options that contradict each other */
  | "usage"
  /** the data cannot be used as asked */
  | "input"
  /** no clustering can meet the request */
  | "infeasible"
  /** a result could not be written */
  | "output"
  /** the run cannot go on until something is put right at a site; it goes on from there then */
  | "paused"
  /** the caller stopped the run */
  | "cancelled"
  /** the run went wrong in a way that is nobody's input */
  | "failed";

const exitCodes: Record<ErrorCode, number> = {
  usage: 2,
  input: 2,
  infeasible: 2,
  output: 1,
  paused: 1,
  failed: 1,
  cancelled: 130,
};

/** What to ask for instead: the options that change, with their new values. */
export type NearestRequest = Partial<Record<"k" | "delta" | "tolerance" | "minSize" | "maxSize", number>>;

export class MoietyError extends Error {
  override readonly name = "MoietyError";
  /** What others in a federation may be told of it: not where files lie on this machine. */
  readonly told: string;
  /** With "infeasible": requests nearby that are feasible, where single options lead to them. */
  readonly nearest: readonly NearestRequest[];

  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: { cause?: unknown; told?: string; nearest?: readonly NearestRequest[] },
  ) {
    super(message, options);
    this.told = options?.told ?? message;
    this.nearest = options?.nearest ?? [];
  }

  /** What a process that fails with this error exits with. */
  get exitCode(): number {
    return exitCodes[this.code];
  }
}

/** An error as a line of a log: of one that nobody expected, where it came from. */
export function lineOf(error: unknown): string {
  if (error instanceof MoietyError) return error.message;
  return `unexpected: ${(error instanceof Error && error.stack) || error}`;
}

/** A message about what a job's file says, in which options are keys: they need no backticks. */
export function asKeys(message: string): string {
  return message.replaceAll("`", "");
}

/** What went wrong in a way that is nobody's input. */
export function failed(message: string, cause?: unknown): MoietyError {
  return new MoietyError("failed", message, cause === undefined ? undefined : { cause });
}

/** What work throws when its signal is aborted. */
export function cancelled(): MoietyError {
  return new MoietyError("cancelled", "stopped before the end; nothing was written");
}

const diskReasons: Readonly<Record<string, string>> = {
  ENOSPC: "disk full",
  EDQUOT: "disk quota exceeded",
  EIO: "the disk fails",
  EACCES: "no permission",
  EPERM: "no permission",
  EROFS: "the file system is read-only",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is not a folder",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  EPIPE: "the reader has closed the pipe",
};

/** Why the system would not read or write a file, in words where there are some. */
export function diskReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return diskReasons[code ?? ""] ?? code ?? "unknown error";
}

/** What a file that cannot be read or written makes: others in a federation are told the reason, and not the path. */
export function diskError(what: string, error: unknown): MoietyError {
  const why = diskReason(error);
  return new MoietyError("output", `${what}: ${why}`, { cause: error, told: why });
}
