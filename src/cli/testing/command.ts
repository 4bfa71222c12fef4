import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, vi } from "vitest";

/** The built command: `npm test` builds before it tests. */
export const command = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whether it was stopped by Ctrl-C as it should be. On a busy machine Node may not have begun: then the signal ends it. */
export function stoppedByHand({ code, signal, stdout, stderr }: Finished): boolean {
  if (stdout !== "") return false;
  if (signal === "SIGINT") return stderr === "";
  return code === 130 && stderr === "moiety: stopped before the end; nothing was written\n";
}

interface StartOptions extends SpawnOptions {
  /** How many files the process may have open. */
  readonly files?: number;
  /** How large each file may be that it writes, in blocks of 512 bytes: beyond that a disk seems full. */
  readonly blocks?: number;
}

/** What a process of its own would print and exit with. */
async function runHere(folder: string, args: readonly string[]): Promise<Finished> {
  const [{ runCommand }, { openProgress }, { Interruption }] = await Promise.all([
    built<typeof import("../run.js")>("run.js"),
    built<typeof import("../progress.js")>("progress.js"),
    built<typeof import("../interruption.js")>("interruption.js"),
  ]);
  const before = { folder: process.cwd(), argv: process.argv };
  process.chdir(folder);
  process.argv = [process.execPath, command, ...args];
  const streams = [process.stdout, process.stderr].map((stream) => {
    const texts: string[] = [];
    const spy = vi.spyOn(stream, "write").mockImplementation((text, ...rest) => {
      texts.push(typeof text === "string" ? text : Buffer.from(text).toString());
      const taken = rest.find((each) => typeof each === "function") as (() => void) | undefined;
      taken?.();
      return true;
    });
    return { texts, spy };
  });
  try {
    const progress = await openProgress(process.stderr);
    const code = await runCommand(args, { progress, interruption: new Interruption(() => undefined) });
    const [stdout, stderr] = streams.map(({ texts }) => texts.join(""));
    return { code, signal: null, stdout, stderr: withoutEstimate(stderr) };
  } finally {
    for (const { spy } of streams) spy.mockRestore();
    process.argv = before.argv;
    process.chdir(before.folder);
  }
}

/** Whether a command foretells how long it will take depends on the machine; its own test has a clock of its own. */
function withoutEstimate(stderr: string): string {
  return stderr.replace(/^this will take about .*\n/m, "");
}

/** A module of the built command line. */
function built<T>(file: string): Promise<T> {
  return import(new URL(file, pathToFileURL(command)).href);
}

/** A folder of its own for one file of tests, with the command running in it. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), "moiety-cli-"));
  /** Ends when the last command that was run has ended. */
  private last: Promise<unknown> = Promise.resolve();

  constructor() {
    afterAll(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return name;
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  /** Everything there, unfinished files too. */
  files(): string[] {
    return readdirSync(this.folder).sort();
  }

  /**
   * Runs a command in this process, when those before it have ended: most take less time than a process takes to start.
   * A test of signals, standard input or the environment uses `start`.
   */
  run(...args: string[]): Promise<Finished> {
    const done = this.last.then(() => runHere(this.folder, args));
    this.last = done.catch(() => undefined);
    return done;
  }

  /** Starts a process of its own. */
  start(...given: [options: StartOptions, ...args: string[]] | string[]): {
    process: ChildProcess;
    done: Promise<Finished>;
  } {
    const [{ files, blocks, ...options }, args] =
      typeof given[0] === "object" ? [given[0], given.slice(1)] : [{}, given];
    const line = [process.execPath, command, ...(args as string[])];
    const limits = [...(files ? [`ulimit -n ${files}`] : []), ...(blocks ? [`ulimit -f ${blocks}`] : [])];
    const limited = ["sh", "-c", [...limits, 'exec "$@"'].join(" && "), "sh", ...line];
    const [program, ...rest] = limits.length > 0 ? limited : line;
    const child = spawn(program, rest, {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
      ...options,
    });
    let stdout = "";
    let stderr = "";
    child.stdout?.on("data", (text) => {
      stdout += text;
    });
    child.stderr?.on("data", (text) => {
      stderr += text;
    });
    const done = new Promise<Finished>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr: withoutEstimate(stderr) }));
    });
    return { process: child, done };
  }
}

/** A table with two clear clusters, an id that is out of order, and two groups in both clusters. */
export function smallTable(rows = 40): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const far = i % 2 === 0 ? 0 : 10;
    const sex = i % 4 < 2 ? "F" : "M";
    return `p${String((i * 7) % rows).padStart(3, "0")},${far + (i % 5) / 10},${far + (i % 3) / 10},${sex}`;
  });
  return `person,age,income,sex\n${lines.join("\n")}\n`;
}
