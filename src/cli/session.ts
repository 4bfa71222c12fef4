import { asFlags } from "./flags.js";
import type { Interruption } from "./interruption.js";
import type { ProgressLine } from "./progress.js";

/** What a command can reach of the process that it runs in. */
export interface Session {
  readonly progress: ProgressLine;
  readonly interruption: Interruption;
  /** The command did its work, and the answer is no: exit 1 without an error. */
  fail(): void;
}

/** A whole text on standard output, or on standard error where labels go to standard output. */
export function print(text: string, toStandardError = false): void {
  (toStandardError ? process.stderr : process.stdout).write(text.endsWith("\n") ? text : `${text}\n`);
}

/** The result of a command: as JSON where --json asks for that, else as the text of its report. */
export function printResult(
  { json }: { readonly json?: boolean | undefined },
  result: unknown,
  report: string,
  toStandardError = false,
): void {
  if (json) print(JSON.stringify(result, null, 2));
  else print(report, toStandardError);
}

/** Never on standard output: scripts read that. */
export function warn(warnings: Iterable<string>): void {
  for (const warning of new Set(warnings)) process.stderr.write(`warning: ${asFlags(warning)}\n`);
}

/** Returns a function that gives the seconds since this call. */
export function stopwatch(): () => number {
  const begun = performance.now();
  return () => Math.round(performance.now() - begun) / 1000;
}
