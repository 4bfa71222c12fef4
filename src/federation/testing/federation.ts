import type { ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type Finished, Workplace } from "../../cli/testing/command.js";

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const openPolicy = `approval: automatic
analysts: [alice]
algorithms: [f3km, lloyd, cdkm]
ids: [person]
idsTo: [analyst]
features: [age, income, balance, debts, visits, hours]
protect: [sex, ethnicity]
labels: [parties, analyst]
`;

/** Of a site whose people say which jobs run, or which lets all that it allows run by themselves. */
export const approvalPolicy = (approval: "manual" | "automatic") => `approval: ${approval}
analysts: [alice]
algorithms: [lloyd]
ids: [person]
features: [age, income, visits]
minimum: { clusterSize: 1 }
`;
/** A job of two sites that such policies allow. */
export const allowedJob =
  "algorithm: lloyd\nk: 2\nid: person\nparties:\n  bank-a: { features: [age, income] }\n  hospital: { features: [visits] }\n";

/** Which columns of the invented population each party holds. */
const holdings: Readonly<Record<string, readonly string[]>> = {
  "bank-a": ["person", "age", "income", "sex"],
  "bank-b": ["person", "balance", "debts"],
  hospital: ["person", "visits", "hours", "ethnicity"],
};

/** A federation of separate processes with real TLS on this machine. */
export class LocalFederation {
  readonly work = new Workplace();
  private readonly processes = new Map<string, ChildProcess>();
  private readonly logs = new Map<string, string>();
  private rows: string[][] = [];

  /** How long the coordinator's log was when its present process was started. */
  private coordinatorSince = 0;

  constructor() {
    afterAll(() => this.stop());
  }

  /**
   * Provisions, and deals the columns of a table over the parties: each has its rows in another order, and among them
   * those of as many strangers as it is told.
   */
  async prepare(people: string, policies: Readonly<Record<string, string>> = {}, strangers = 40): Promise<void> {
    const port = await freePort();
    this.work.write(
      "federation.yaml",
      `coordinator: { host: 127.0.0.1, port: ${port} }\nparties: [${Object.keys(holdings).join(", ")}]\nanalysts: [alice, bob]\n`,
    );
    const made = await this.work.run("provision", "federation.yaml", "-o", "kits");
    if (made.code !== 0) throw new Error(made.stderr);
    this.work.write("people.csv", people);
    this.rows = people
      .trim()
      .split("\n")
      .map((line) => line.split(","));
    const [header] = this.rows;
    for (const [party, columns] of Object.entries(holdings)) {
      const places = columns.map((column) => header.indexOf(column));
      const own = this.rows.slice(1).map((row) => places.map((at) => row[at]).join(","));
      const others = Array.from({ length: strangers }, (_, at) => {
        return own[at % own.length].replace(/^[^,]*/, `${party} ${at}`);
      });
      // Everybody's order is by something that others do not have.
      const lines = [...own, ...others].sort((a, b) => (a.slice(a.indexOf(",")) < b.slice(b.indexOf(",")) ? -1 : 1));
      this.work.write(`${party}.csv`, `${columns.join(",")}\n${lines.join("\n")}\n`);
      this.work.write(`${party}.yaml`, policies[party] ?? openPolicy);
    }
  }

  /** `files` is how many the process may have open. */
  startLimited(name: string, files: number | undefined, ...more: string[]): void {
    const args =
      name === "coordinator"
        ? ["coordinator", "--kit", "kits/coordinator", "--host", "127.0.0.1"]
        : ["party", "--kit", `kits/${name}`, "--data", `${name}.csv`, "--policy", `${name}.yaml`, "--threads", "1"];
    const { process: child } = this.work.start(files ? { files } : {}, ...args, ...more);
    child.stderr?.on("data", (text) => this.logs.set(name, this.log(name) + text));
    child.stdout?.on("data", (text) => this.logs.set(name, this.log(name) + text));
    this.processes.set(name, child);
    if (name === "coordinator") this.coordinatorSince = this.log(name).length;
  }

  start(name: string, ...more: string[]): void {
    this.startLimited(name, undefined, ...more);
  }

  pid(name: string): number {
    return this.processes.get(name)!.pid!;
  }

  startAll(): void {
    this.start("coordinator");
    for (const party of Object.keys(holdings)) this.start(party);
  }

  log(name: string): string {
    return this.logs.get(name) ?? "";
  }

  get allLogs(): string {
    return [...this.logs.values()].join("\n");
  }

  /** kill -9. */
  async kill(name: string): Promise<void> {
    const child = this.processes.get(name)!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  /** Waits until somebody has said something, after what was said before. */
  async until(name: string, pattern: RegExp, { after = 0, seconds = 900 } = {}): Promise<void> {
    for (const end = Date.now() + 1000 * seconds; !pattern.test(this.log(name).slice(after)); ) {
      if (Date.now() > end) throw new Error(`${name} never said ${pattern}:\n${this.allLogs}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Waits for a coordinator that has just been started. */
  async job(...args: string[]): Promise<Finished> {
    const coordinator = this.processes.get("coordinator");
    if (coordinator?.exitCode === null && coordinator.signalCode === null) {
      await this.until("coordinator", /listening/, { after: this.coordinatorSince });
    }
    const line = ["job", ...args, "--kit", "kits/alice"];
    // Whoever watches a job must not keep others from what it waits for.
    return args[0] === "watch" ? this.work.start(...line).done : this.work.run(...line);
  }

  async submit(request: string, file = "job.yaml"): Promise<string> {
    writeFileSync(join(this.work.folder, file), request);
    const { code, stdout, stderr } = await this.job("submit", file);
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  }

  /** The labels that a party got. */
  labels(party: string, id: string): string {
    return readFileSync(join(this.work.folder, "kits", party, "results", id, "labels.csv"), "utf8");
  }

  stop(): void {
    for (const child of this.processes.values()) child.kill("SIGKILL");
  }
}
