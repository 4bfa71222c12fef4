import { explain } from "./failure.js";
import { buildProgram } from "./program.js";
import type { Session } from "./session.js";

/** Runs the command that the arguments name to its end, and returns its exit code; what failed is said in one line. */
export async function runCommand(args: readonly string[], session: Omit<Session, "fail">): Promise<number> {
  let exitCode = 0;
  const fail = () => {
    exitCode = 1;
  };
  try {
    const program = await buildProgram(args, { ...session, fail });
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    session.progress.stop();
    const { line, exitCode: code, stack } = explain(error);
    if (line !== undefined) process.stderr.write(`moiety: ${line}\n`);
    if (stack !== undefined && args.includes("--verbose")) process.stderr.write(`${stack}\n`);
    return code;
  }
}
