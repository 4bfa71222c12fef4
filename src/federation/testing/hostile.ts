import { randomBytes } from "node:crypto";
import { afterAll } from "vitest";
import { preparePeople, type Table } from "../../table/index.js";
import { type Card, cardHash, cardOf } from "../consent/card.js";
import { parsePolicy } from "../consent/policy.js";
import { signHash } from "../consent/signature.js";
import { enter } from "../coordinator/entering.js";
import type { Kit } from "../identity/kit.js";
import { PartyService } from "../party/service.js";
import { MemoryStore } from "../store/memory.js";
import { Conversation } from "../transport/conversation.js";
import { MemoryNetwork } from "../transport/memory.js";
import type { PartyHandle } from "../transport/types.js";
import { memoryAudit } from "./in-memory.js";
import { provisioned } from "./sites.js";

/** What outlives a site's process: its state, and its audit log. */
export interface State {
  readonly store: MemoryStore;
  readonly audit: string[];
}

export async function copied({ store, audit }: State): Promise<State> {
  const copy = new MemoryStore();
  for (const key of await store.list()) await copy.write(key, (await store.read(key))!);
  return { store: copy, audit: [...audit] };
}

/** A job that all sites have agreed to. */
export interface AgreedJob {
  readonly card: Card;
  readonly hash: string;
  readonly consents: Readonly<Record<string, string>>;
}

/** Real sites under a coordinator that asks whom and what it pleases, and may put their states back. */
export class HostileCoordinator {
  readonly states = new Map<string, State>();
  private readonly network = new MemoryNetwork();
  private readonly lines = new Map<string, Conversation>();
  private readonly serving = new Map<string, AbortController>();
  private kits: (name: string) => Promise<Kit> = async () => Promise.reject();
  /** What it has written down itself. */
  private log: string[] = [];

  constructor(
    private readonly tables: Readonly<Record<string, Table>>,
    private readonly policy: string,
  ) {
    afterAll(() => {
      for (const serving of this.serving.values()) serving.abort();
    });
  }

  get names(): string[] {
    return Object.keys(this.tables);
  }

  async open(folder: string): Promise<void> {
    this.kits = await provisioned(folder, this.names);
    await this.network.listen((link) => {
      this.lines.set(link.peer.name, new Conversation(link, { answer: async () => ({}) }));
    });
  }

  /** All sites, as they were provisioned. */
  async startAnew(): Promise<void> {
    this.log = [];
    for (const name of this.names) await this.start(name, { store: new MemoryStore(), audit: [] });
  }

  /** A site's process with a copy of this state; the one before is gone. */
  async start(name: string, state = this.states.get(name)!): Promise<void> {
    this.serving.get(name)?.abort();
    this.lines.delete(name);
    const serving = new AbortController();
    this.serving.set(name, serving);
    const { store, audit } = await copied(state);
    this.states.set(name, { store, audit });
    const kit = await this.kits(name);
    const party = new PartyService({
      kit,
      store,
      dialling: this.network.dialling({ role: "party", name }),
      audit: await memoryAudit(kit, audit),
      ids: async () => ({ sorted: [], duplicates: 0 }),
      people: async ({ features, protect }, { scale, split }) =>
        preparePeople(this.tables[name], { features, protect, scale, partial: split === "rows" }),
      policy: async () => parsePolicy(this.policy, "policy.yaml"),
      random: randomBytes,
      clock: () => Date.now(),
      threads: 1,
      pause: () => 10,
      log: () => undefined,
      onResult: async () => undefined,
      onSummary: async () => undefined,
    });
    party.serve(serving.signal).catch(() => undefined);
    while (!this.lines.has(name)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async backups(): Promise<Map<string, State>> {
    const copies = [...this.states].map(async ([name, state]) => [name, await copied(state)] as const);
    return new Map(await Promise.all(copies));
  }

  handle(name: string): PartyHandle {
    return { name, ask: (method, meta, options) => this.lines.get(name)!.ask(method, meta, options) };
  }

  get handles(): PartyHandle[] {
    return this.names.map((name) => this.handle(name));
  }

  async agreed(request: string): Promise<AgreedJob> {
    const alice = await this.kits("alice");
    const nonce = randomBytes(16).toString("hex");
    const card = cardOf(request, "job.yaml", { federation: alice.federation, analyst: "alice", nonce });
    const hash = cardHash(card);
    const signature = signHash(alice.signingKey, "submit", hash);
    const consents: Record<string, string> = {};
    for (const handle of this.handles) {
      const { meta } = await handle.ask("consider", { card, signature });
      consents[handle.name] = (meta as { signature: string }).signature;
    }
    return { card, hash, consents };
  }

  /** How a life begins. It keeps back what it has seen itself of the sites' logs, unless it is honest. */
  async enter(
    { hash, consents }: AgreedJob,
    epoch: number,
    { meddle = (handle: PartyHandle) => handle, honest = false } = {},
  ): Promise<void> {
    const audit = await memoryAudit(await this.kits("coordinator"), honest ? this.log : []);
    await enter({ hash, consents, epoch, handles: this.handles.map(meddle), audit });
  }

  /** How far its own log is. */
  async head() {
    return (await memoryAudit(await this.kits("coordinator"), this.log)).head;
  }
}
