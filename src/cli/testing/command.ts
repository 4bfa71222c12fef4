import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

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
}

/** A folder of its own for one file of tests, with the command running in it. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), "moiety-cli-"));

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

  run(...args: string[]): Promise<Finished> {
    return this.start(...args).done;
  }

  start(...given: [options: StartOptions, ...args: string[]] | string[]): {
    process: ChildProcess;
    done: Promise<Finished>;
  } {
    const [{ files, ...options }, args] = typeof given[0] === "object" ? [given[0], given.slice(1)] : [{}, given];
    const line = [process.execPath, command, ...(args as string[])];
    const [program, ...rest] = files ? ["sh", "-c", `ulimit -n ${files} && exec "$@"`, "sh", ...line] : line;
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
      child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
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
