import { type ChildProcess, spawn } from "node:child_process";
import { failed } from "../../errors.js";

/** Commands of Moiety as processes of their own, in one folder; all of them end with this one. */
export class Processes {
  private readonly children: ChildProcess[] = [];
  /** The last words of every process. */
  private readonly words = new WeakMap<ChildProcess, string>();
  /** What every process has printed as a result. */
  private readonly results = new WeakMap<ChildProcess, string>();

  constructor(
    /** The command's own file. */
    private readonly command: string,
    private readonly folder: string,
    private readonly onStart: (args: readonly string[]) => void = () => undefined,
  ) {
    process.once("exit", this.stop);
  }

  start(...args: string[]): ChildProcess {
    this.onStart(args);
    const child = spawn(process.execPath, [this.command, ...args], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr?.on("data", (text) => {
      this.words.set(child, `${this.words.get(child) ?? ""}${text}`.slice(-10_000));
    });
    child.stdout?.on("data", (text) => this.results.set(child, `${this.results.get(child) ?? ""}${text}`));
    this.children.push(child);
    return child;
  }

  /** What a process printed. Throws its last words when it failed. */
  async finished(child: ChildProcess): Promise<string> {
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    if (code === 0) return (this.results.get(child) ?? "").trimEnd();
    throw failed(this.lastWords(child)?.replace(/^moiety: /, "") || "a process ended");
  }

  /** Waits until a process has said something, or printed it, now or before. Returns what the pattern's first group found. */
  said(child: ChildProcess, pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(`${this.results.get(child) ?? ""}${this.words.get(child) ?? ""}`);
        if (found) resolve(found[1] ?? "");
      };
      look();
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", look);
      child.once("close", () => reject(failed(this.lastWords(child) ?? "a process ended")));
    });
  }

  /** Resolves when all of them are gone. */
  readonly stop = async (): Promise<void> => {
    process.off("exit", this.stop);
    const running = this.children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const gone = running.map((child) => new Promise((resolve) => child.once("close", resolve)));
    for (const child of running) child.kill("SIGKILL");
    await Promise.all(gone);
  };

  private lastWords(child: ChildProcess): string | undefined {
    return this.words.get(child)?.trim().split("\n").at(-1);
  }
}
