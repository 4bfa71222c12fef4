#!/usr/bin/env node
import { removeUnfinished } from "../table/index.js";
import { explain } from "./failure.js";
import { Interruption } from "./interruption.js";
import { buildProgram } from "./program.js";
import { ProgressLine } from "./progress.js";

const args = process.argv.slice(2);
const progress = new ProgressLine(process.stderr);
const interruption = new Interruption(() => {
  progress.stop();
  removeUnfinished();
});

/** Standard output may be a full disk, or a reader that has gone away, as `head` does. */
function watchOutput(error: NodeJS.ErrnoException): void {
  progress.stop();
  removeUnfinished();
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`moiety: cannot write to standard output: ${error.code ?? error.message}\n`);
  process.exit(1);
}

async function run(): Promise<number> {
  let exitCode = 0;
  const session = {
    progress,
    interruption,
    fail: () => {
      exitCode = 1;
    },
  };
  try {
    await buildProgram(session).parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    progress.stop();
    const { line, exitCode: code, stack } = explain(error);
    if (line !== undefined) process.stderr.write(`moiety: ${line}\n`);
    if (stack !== undefined && args.includes("--verbose")) process.stderr.write(`${stack}\n`);
    return code;
  }
}

process.stdout.on("error", watchOutput);
interruption.listen();
const exitCode = await run();
// Leaving at once is right, since all is done; but not before a slow reader has taken everything.
await new Promise<void>((taken) => process.stdout.write("", () => taken()));
process.exit(exitCode);
