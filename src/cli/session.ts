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

/** The result on standard output, whole; or aside, where labels go there. */
export function print(text: string, aside = false): void {
  (aside ? process.stderr : process.stdout).write(text.endsWith("\n") ? text : `${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Never on standard output: scripts read that. */
export function warn(warnings: Iterable<string>): void {
  for (const warning of new Set(warnings)) process.stderr.write(`warning: ${asFlags(warning)}\n`);
}

/** Seconds since the call, each time that the answer is called. */
export function stopwatch(): () => number {
  const begun = performance.now();
  return () => Math.round(performance.now() - begun) / 1000;
}

/** The same without what is undefined, as the library's options want it. */
export function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
