import { CommanderError } from "commander";
import { MoietyError } from "../errors.js";
import { asFlags } from "./flags.js";

/** One line and an exit code for whatever ended the process; no line where all has been said, as after --help. */
export function explain(error: unknown) {
  if (error instanceof CommanderError) {
    // Commander exits with 1 after a help that nobody asked for; that is wrong usage like any other.
    return { line: undefined, exitCode: error.exitCode === 0 ? 0 : 2, stack: undefined };
  }
  if (error instanceof MoietyError) {
    return { line: asFlags(oneLine(error.message)), exitCode: error.exitCode, stack: stackOf(error) };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError && /allocat|array length|memory/i.test(message)) {
    const line =
      "not enough memory for this many people and columns: name fewer --features, have people streamed (--memory 2GB), or use a larger machine";
    return { line, exitCode: 1, stack: stackOf(error) };
  }
  const advice = "this is a fault in moiety; --verbose shows where";
  return { line: `unexpected failure: ${oneLine(message)}: ${advice}`, exitCode: 1, stack: stackOf(error) };
}

function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const own = error.stack ?? error.message;
  const cause = stackOf(error.cause);
  return cause === undefined ? own : `${own}\ncaused by ${cause}`;
}

function oneLine(message: string): string {
  return message.replace(/\s*[\r\n]+\s*/g, " ").trim();
}
