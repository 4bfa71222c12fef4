#!/usr/bin/env node
import { version } from "../version.js";
import { Interruption } from "./interruption.js";

const args = process.argv.slice(2);
/** What an interrupted process does on its way out. */
const cleanups: (() => void)[] = [];
const interruption = new Interruption(tidy);

function tidy(): void {
  for (const cleanUp of cleanups) cleanUp();
}

/** Standard output may be a full disk, or a reader that has gone away, as `head` does. */
function outputFailed(error: NodeJS.ErrnoException): void {
  tidy();
  if (error.code === "EPIPE") process.exit(0);
  const why = error.code === "ENOSPC" ? "disk full" : (error.code ?? error.message);
  process.stderr.write(`moiety: cannot write to standard output: ${why}\n`);
  process.exit(1);
}

async function run(): Promise<number> {
  if (args[0] === "--version") {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  // Loading all the rest takes a moment, in which Ctrl-C already has to work.
  const [{ removeUnfinished }, { interruptEngine }, { openProgress }, { runCommand }] = await Promise.all([
    import("../table/disk/atomic.js"),
    import("../table/disk/engine.js"),
    import("./progress.js"),
    import("./run.js"),
  ]);
  const progress = await openProgress(process.stderr);
  cleanups.push(() => progress.stop(), interruptEngine, removeUnfinished);
  return runCommand(args, { progress, interruption });
}

interruption.listen();
process.stdout.on("error", outputFailed);
const exitCode = await run();
// All is done, so leaving at once is right; but not before a slow reader has taken everything.
await new Promise<void>((taken) => process.stdout.write("", () => taken()));
process.exit(exitCode);
