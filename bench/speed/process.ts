import { spawn } from "node:child_process";
import { MoietyError } from "../../src/errors.js";

export interface Asked {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What to call it in an error. */
  readonly what: string;
  readonly signal: AbortSignal;
}

/** Runs a program to its end and returns what it printed. It ends with us. */
export async function runProgram({ program, args, environment, what, signal }: Asked): Promise<string> {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
    signal,
  });
  let printed = "";
  let complaint = "";
  child.stdout.on("data", (text) => {
    printed += text;
  });
  child.stderr.on("data", (text) => {
    complaint = `${complaint}${text}`.slice(-2000);
  });
  const end = () => child.kill();
  process.once("exit", end);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    if (code === 0) return printed;
  } catch (error) {
    if (signal.aborted) throw new MoietyError("cancelled", "stopped before the end; nothing was written");
    throw new MoietyError("failed", `${what} could not be started: ${(error as Error).message}`, { cause: error });
  } finally {
    process.off("exit", end);
  }
  const last = complaint.trim().split("\n").at(-1) ?? "";
  throw new MoietyError("failed", `${what} failed: ${last || "it said nothing"}`, { cause: new Error(complaint) });
}
