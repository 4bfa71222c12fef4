import { randomBytes } from "node:crypto";
import { afterAll } from "vitest";
import { Ledger, type LedgerRecord, type LedgerStore } from "../../privacy/accounting/ledger.js";
import type { AuditEntry } from "../../privacy/audit/log.js";
import type { People } from "../../table/types.js";
import { AnalystClient } from "../analyst/client.js";
import { MemberAudit } from "../audit/member-audit.js";
import type { Card } from "../consent/card.js";
import { parsePolicy } from "../consent/policy.js";
import type { JobRecord, JobView } from "../coordinator/job.js";
import { CoordinatorService } from "../coordinator/service.js";
import type { Kit } from "../identity/kit.js";
import { PartyService } from "../party/service.js";
import { MemoryStore } from "../store/memory.js";
import { readRecord, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";
import { Conversation } from "../transport/conversation.js";
import type { Frame } from "../transport/frame.js";
import { MemoryNetwork } from "../transport/memory.js";
import type { Link } from "../transport/types.js";
import { provisioned } from "./sites.js";

export interface MortalSite {
  readonly people: (card: Card) => People;
  readonly policy: string;
  /** Of a job with columns split that names people. */
  readonly ids?: readonly string[];
}

/** One process of a member: what it does after its death reaches nobody. */
class Life {
  private ended = false;
  constructor(private readonly end: () => void) {}

  kill(): void {
    this.ended = true;
    this.end();
  }

  check(): void {
    if (this.ended) throw new Error("this process is dead");
  }

  store(disk: Store): Store {
    const whileAlive = <T>(work: () => Promise<T>): Promise<T> => {
      this.check();
      return work();
    };
    return {
      read: (key) => whileAlive(() => disk.read(key)),
      before: (key) => whileAlive(() => disk.before(key)),
      write: (key, value, options) => whileAlive(() => disk.write(key, value, options)),
      append: (key, value) => whileAlive(() => disk.append(key, value)),
      remove: (key) => whileAlive(() => disk.remove(key)),
      list: (prefix) => whileAlive(() => disk.list(prefix)),
    };
  }
}

/** A federation of the real services in this process, any of which can be killed at any message and started again. */
export class MortalFederation {
  readonly network = new MemoryNetwork();
  readonly logs: string[] = [];
  /** Milliseconds, at every site; the coordinator's own clock is another matter. */
  siteClock = () => Date.now();
  /** Told of everything that arrives at a site or leaves it, in order, before it does; "lost" when it never does. */
  onMessage: (message: number, site: string, frame: Frame) => "lost" | undefined = () => undefined;
  private messages = 0;
  private readonly disks = new Map<string, Store>();
  private readonly books = new Map<string, LedgerRecord[]>();
  private readonly audits = new Map<string, string[]>();
  private readonly lives = new Map<string, Life>();
  private readonly kits = new Map<string, Kit>();

  constructor(readonly sites: Readonly<Record<string, MortalSite>>) {
    afterAll(() => {
      for (const life of this.lives.values()) life.kill();
    });
  }

  get names(): string[] {
    return Object.keys(this.sites);
  }

  async prepare(folder: string): Promise<void> {
    const load = await provisioned(folder, this.names);
    for (const name of ["coordinator", "alice", ...this.names]) this.kits.set(name, await load(name));
  }

  async startAll(): Promise<void> {
    for (const name of ["coordinator", ...this.names]) await this.start(name);
  }

  /** A new process, with what the last one left on its disk. */
  start(name: string): Promise<void> {
    this.kill(name);
    return name === "coordinator" ? this.startCoordinator() : this.startParty(name);
  }

  /** kill -9. */
  kill(name: string): void {
    this.lives.get(name)?.kill();
  }

  disk(name: string): Store {
    const disk = this.disks.get(name) ?? new MemoryStore();
    this.disks.set(name, disk);
    return disk;
  }

  /** What a site's book says of releases. */
  spent(name: string): string[] {
    return this.book(name).flatMap((record) => (record.kind === "release" ? [record.what] : []));
  }

  audit(name: string): AuditEntry[] {
    return this.lines(name).map((line) => (JSON.parse(line) as { entry: AuditEntry }).entry);
  }

  private book(name: string): LedgerRecord[] {
    const book = this.books.get(name) ?? [];
    this.books.set(name, book);
    return book;
  }

  private lines(name: string): string[] {
    const lines = this.audits.get(name) ?? [];
    this.audits.set(name, lines);
    return lines;
  }

  private async openAudit(name: string, life: Life): Promise<MemberAudit> {
    const lines = this.lines(name);
    const append = async (line: string) => {
      life.check();
      lines.push(line);
    };
    return MemberAudit.open(
      this.kits.get(name)!,
      { append, lines: () => lines },
      () => Date.now(),
      (line) => this.logs.push(`${name}: ${line}`),
    );
  }

  private async startCoordinator(): Promise<void> {
    const life: Life = new Life(() => {
      service.stop().catch(() => undefined);
    });
    const service: CoordinatorService = new CoordinatorService({
      kit: this.kits.get("coordinator")!,
      listening: this.network,
      store: life.store(this.disk("coordinator")),
      audit: await this.openAudit("coordinator", life),
      clock: () => Date.now(),
      log: (line) => this.logs.push(`coordinator: ${line}`),
    });
    this.lives.set("coordinator", life);
    await service.start();
  }

  private async startParty(name: string): Promise<void> {
    const going = new AbortController();
    const life = new Life(() => going.abort());
    const { people, policy, ids = [] } = this.sites[name];
    const book = this.book(name);
    const ledger: LedgerStore = {
      read: async () => [...book],
      append: async (_, place, record) => {
        life.check();
        if (place !== book.length) return false;
        book.push(record);
        return true;
      },
      datasets: async () => [],
    };
    const party = new PartyService({
      kit: this.kits.get(name)!,
      dialling: { dial: async () => this.watched(name, await this.network.dialling({ role: "party", name }).dial()) },
      store: life.store(this.disk(name)),
      audit: await this.openAudit(name, life),
      ids: async () => ({ sorted: [...ids], duplicates: 0 }),
      people: async (_, card) => people(card),
      policy: async () => parsePolicy(policy, "policy.yaml"),
      random: randomBytes,
      ledger: new Ledger(ledger, name, () => "now"),
      clock: () => this.siteClock(),
      threads: 1,
      pause: () => 5,
      log: (line) => this.logs.push(`${name}: ${line}`),
      onResult: async () => undefined,
      onSummary: async () => undefined,
    });
    this.lives.set(name, life);
    party.serve(going.signal).catch(() => undefined);
  }

  /** Questions as they arrive at a site, and answers as they leave it. */
  private watched(site: string, link: Link): Link {
    const isLost = (frame: Frame) =>
      frame.kind !== "beat" && frame.method !== "hello" && this.onMessage(this.messages++, site, frame) === "lost";
    return {
      peer: link.peer,
      send: async (frame) => {
        if (!isLost(frame)) await link.send(frame);
      },
      close: () => link.close(),
      async *frames() {
        for await (const frame of link.frames()) {
          if (!isLost(frame)) yield frame;
        }
      },
    };
  }

  async asAnalyst<T>(work: (client: AnalystClient) => Promise<T>): Promise<T> {
    const client = await AnalystClient.connect(
      this.kits.get("alice")!,
      this.network.dialling({ role: "analyst", name: "alice" }),
    );
    return work(client).finally(() => client.close());
  }

  submit(job: string): Promise<string> {
    return this.asAnalyst((client) => client.submit(job, "job.yaml", randomBytes));
  }

  /** The end of a job, whoever dies meanwhile. */
  async end(id: string): Promise<JobView> {
    for (;;) {
      const view = await this.asAnalyst((client) => client.show(id)).catch(() => undefined);
      if (view?.state === "done" || view?.state === "failed") return view;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** What was published of a private job. */
  async released(id: string) {
    const { result } = await this.asAnalyst((client) => client.result(id));
    return { released: result.privacy!.released, model: result.privacy!.model };
  }

  /** Waits until everybody was told that a job is over. */
  async untilReleased(id: string): Promise<void> {
    while ((await this.record(id)).released.length < this.names.length) await new Promise((go) => setTimeout(go, 5));
  }

  async record(id: string): Promise<JobRecord> {
    return (await readRecord<JobRecord>(this.disk("coordinator"), await this.keyOf(id)))!;
  }

  /** What a coordinator's owner can do to its own records, while the coordinator is not there. */
  async rewrite(id: string, change: (record: JobRecord) => JobRecord): Promise<void> {
    await writeRecord(this.disk("coordinator"), await this.keyOf(id), change(await this.record(id)));
  }

  private async keyOf(id: string): Promise<string> {
    const keys = await this.disk("coordinator").list("jobs/");
    return keys.find((key) => key.startsWith(`jobs/${id}`) && key.endsWith("/record"))!;
  }

  /** In the place of a coordinator: its log, and the bare lines to all sites, over which anything can be asked. */
  async impersonate(): Promise<{ readonly lines: Map<string, Conversation>; readonly audit: MemberAudit }> {
    const lines = new Map<string, Conversation>();
    const listener = await this.network.listen((link) => {
      lines.set(link.peer.name, new Conversation(link, { answer: async () => ({}) }));
    });
    const life = new Life(() => {
      for (const line of lines.values()) line.close();
      listener.close().catch(() => undefined);
    });
    this.lives.set("coordinator", life);
    while (lines.size < this.names.length) await new Promise((go) => setTimeout(go, 5));
    return { lines, audit: await this.openAudit("coordinator", life) };
  }
}
