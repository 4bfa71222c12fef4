import {
  AnalystClient,
  type FetchedAlignment,
  type FetchedResult,
  type FetchedTraining,
} from "../src/federation/analyst/client.js";
import { MemberAudit } from "../src/federation/audit/member-audit.js";
import type { Card } from "../src/federation/consent/card.js";
import { parsePolicy } from "../src/federation/consent/policy.js";
import type { JobView } from "../src/federation/coordinator/job.js";
import { CoordinatorService } from "../src/federation/coordinator/service.js";
import { type Kit, readKit } from "../src/federation/identity/kit.js";
import type { PartyAlignment, PartyOptions, PartyResult } from "../src/federation/party/options.js";
import { PartyService } from "../src/federation/party/service.js";
import { makeKits } from "../src/federation/provision.js";
import { Ledger } from "../src/privacy/accounting/ledger.js";
import { SimulatedDisk } from "./disk.js";
import { held, ids, names, policy } from "./jobs.js";
import { SimulatedNetwork } from "./network.js";
import type { World } from "./world.js";

/** Everybody who has a disk and processes. */
export const members = ["coordinator", ...names] as const;
export type MemberName = (typeof members)[number];

/** Kits last for all worlds: keys have nothing to do with what happens. */
const kits = makeKits(
  {
    name: "simulated",
    coordinator: { host: "localhost", port: 7443 },
    parties: [...names],
    analysts: ["alice"],
    days: 36500,
  },
  new Date(Date.UTC(2029, 0, 1)),
);
const opened = new Map<string, Promise<Kit>>();

export function kitOf(name: string): Promise<Kit> {
  const kit = opened.get(name) ?? kits.then((texts) => readKit(name, async (file) => texts.get(name)?.[file] ?? ""));
  opened.set(name, kit);
  return kit;
}

/** A process of a member. What it does after its death happens to nobody. */
interface Process {
  isDead: boolean;
  stop(): void;
}

export type Fetched = FetchedResult | FetchedTraining | FetchedAlignment;

/** A federation of the real services over a simulated network, disks and clocks. */
export class SimulatedFederation {
  readonly network: SimulatedNetwork;
  readonly disks = new Map<MemberName, SimulatedDisk>();
  readonly logs: string[] = [];
  /** What the sites were given at the end of jobs, in order. */
  readonly results: (PartyResult | PartyAlignment)[] = [];
  /** Milliseconds by which clocks are wrong. */
  readonly wrongBy = new Map<MemberName, number>();
  /** Sites whose data somebody has edited. */
  readonly changed = new Set<string>();
  private readonly processes = new Map<MemberName, Process>();

  constructor(readonly world: World) {
    this.network = new SimulatedNetwork(world);
    for (const name of members) this.disks.set(name, new SimulatedDisk(world));
  }

  disk(name: MemberName): SimulatedDisk {
    return this.disks.get(name)!;
  }

  isAlive(name: MemberName): boolean {
    return this.processes.get(name)?.isDead === false;
  }

  startAll(): void {
    for (const name of members) this.start(name);
  }

  /** A new process, with what is on the disk. */
  start(name: MemberName): void {
    this.kill(name);
    const stopping = new AbortController();
    const process: Process = { isDead: false, stop: () => stopping.abort() };
    this.processes.set(name, process);
    const run =
      name === "coordinator" ? this.coordinator(process, stopping.signal) : this.party(name, process, stopping.signal);
    run.catch((error: Error) => {
      this.log(name, `the process ended: ${error.message}`);
      process.isDead = true;
    });
  }

  /** kill -9. */
  kill(name: MemberName): void {
    const process = this.processes.get(name);
    if (!process || process.isDead) return;
    process.isDead = true;
    if (name === "coordinator") this.network.cut();
    else this.network.cut(name);
    process.stop();
  }

  killAll(): void {
    for (const name of members) this.kill(name);
    this.network.cut();
  }

  async asAnalyst<T>(work: (client: AnalystClient) => Promise<T>): Promise<T> {
    const kit = await kitOf("alice");
    const client = await AnalystClient.connect(kit, this.network.dialling({ role: "analyst", name: "alice" }));
    return work(client).finally(() => client.close());
  }

  /** Submits a job, whoever dies meanwhile: with the same nonce it is the same job. */
  async submit(request: string, number: number): Promise<string> {
    const nonce = Buffer.alloc(16, number);
    return this.insist(() =>
      this.asAnalyst((client) => client.submit(request, "job.yaml", (bytes) => nonce.subarray(0, bytes))),
    );
  }

  async show(id: string): Promise<JobView & { readonly card: Card }> {
    return this.insist(() => this.asAnalyst((client) => client.show(id)));
  }

  async fetch(id: string): Promise<Fetched> {
    return this.insist(() => this.asAnalyst((client) => client.fetch(id)));
  }

  /** As somebody would who tries again until there is an answer; what is damaged or has failed stays so, and a coordinator that was put back does not know what came since. */
  private async insist<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const { message } = error as Error;
        this.log("alice", message);
        if (/damaged|^no job |has no result: it is failed/.test(message)) throw error;
        await new Promise<void>((resolve) => this.world.after(500, resolve));
      }
    }
  }

  private log(name: string, line: string): void {
    this.logs.push(`${((this.world.now / 1000) % 1e6).toFixed(3)} ${name}: ${line}`);
  }

  private async coordinator(process: Process, signal: AbortSignal): Promise<void> {
    const { store, audit, clock, log, kit } = await this.surroundings("coordinator", process);
    const service = new CoordinatorService({ kit, listening: this.network, store, audit, clock, log });
    signal.addEventListener("abort", () => void service.stop(), { once: true });
    await service.start();
  }

  private async party(name: (typeof names)[number], process: Process, signal: AbortSignal): Promise<void> {
    const { store, audit, ledger, clock, log, kit } = await this.surroundings(name, process);
    const random: PartyOptions["random"] = (count) =>
      Uint8Array.from({ length: count }, () => this.world.random.byte());
    const service = new PartyService({
      ...{ kit, store, audit, clock, log, random },
      dialling: this.network.dialling({ role: "party", name }),
      ids: async () => ({ sorted: [...ids], duplicates: 0 }),
      people: async (_, card) => held(name, card, this.changed.has(name)),
      policy: async () => parsePolicy(policy, "policy.yaml"),
      ledger: new Ledger(ledger, name, () => "now"),
      threads: 1,
      onResult: async (result) => {
        if (!process.isDead) this.results.push(result);
      },
      onSummary: async () => undefined,
    });
    await service.serve(signal);
  }

  private async surroundings(name: MemberName, process: Process) {
    const kit = await kitOf(name);
    const { store, audit: lines, ledger } = this.disk(name).open(() => process.isDead);
    const clock = () => this.world.now + (this.wrongBy.get(name) ?? 0);
    const log = (line: string) => {
      if (!process.isDead) this.log(name, line);
    };
    const audit = await MemberAudit.open(kit, lines, clock, log);
    return { kit, store, audit, ledger, clock, log };
  }
}
