import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { failed, MoietyError } from "../../errors.js";
import { Ledger, type LedgerRecord, type LedgerStore } from "../../privacy/accounting/ledger.js";
import { withPixels } from "../../table/disk/index.js";
import { asLevels, preparePeople, type Table } from "../../table/index.js";
import { distinctIds } from "../../table/order.js";
import { AnalystClient, type FetchedAlignment, type FetchedResult, type FetchedTraining } from "../analyst/client.js";
import { MemberAudit } from "../audit/member-audit.js";
import type { Card } from "../consent/card.js";
import { type CardReading, readingOnCard, tableOnCard } from "../consent/card-columns.js";
import { parsePolicy } from "../consent/policy.js";
import type { JobView } from "../coordinator/job.js";
import { CoordinatorService } from "../coordinator/service.js";
import { type Kit, readKit } from "../identity/kit.js";
import type { Log } from "../log.js";
import type { PartyAlignment, PartyOptions, PartyResult, PartySummary } from "../party/options.js";
import { PartyService } from "../party/service.js";
import { makeKits } from "../provision.js";
import { MemoryStore } from "../store/memory.js";
import type { Store } from "../store/types.js";
import { MemoryNetwork } from "../transport/memory.js";

/** An institution of a simulation. */
export interface SimulatedSite {
  /** May be replaced between jobs: the site's data have changed then. */
  table: Table;
  /** As policy.yaml. */
  policy: string;
  /** The table's file, where it names pictures. */
  file?: string;
}

/** When a site leaves, if ever: it may `join` again. */
type Leave = (name: string) => AbortSignal | undefined;

/** Milliseconds from one look at a job to the next. */
const pollEvery = 10;

/**
 * A whole federation inside this process: the real coordinator, parties and analysts over frames in memory, with keys, consent,
 * masks, journals and audit logs. Nothing is written to a disk.
 */
export class Simulation {
  readonly network = new MemoryNetwork();
  readonly stores = new Map<string, Store>();
  /** The lines of everybody's audit log. */
  readonly audits = new Map<string, string[]>();
  readonly logs: string[] = [];
  readonly results: PartyResult[] = [];
  readonly alignments: PartyAlignment[] = [];
  /** The last one of each party. */
  readonly summaries = new Map<string, PartySummary>();
  private readonly ledgers = new Map<string, LedgerStore>();
  private readonly stopping = new AbortController();
  private readonly serving = new Map<string, { readonly signal: AbortSignal; readonly ended: Promise<void> }>();
  private readonly kits = new Map<string, Promise<Kit>>();
  private service: CoordinatorService | undefined;
  private loadKit: ((name: string) => Promise<Kit>) | undefined;
  /** The coordinator's. */
  clock: () => number = () => Date.now();

  constructor(readonly sites: Readonly<Record<string, SimulatedSite>>) {
    // Every site listens to it, and there may be hundreds.
    setMaxListeners(0, this.stopping.signal);
  }

  /** A federation of these sites that is ready for jobs. */
  static async open(
    sites: Readonly<Record<string, SimulatedSite>>,
    { analysts = ["alice"], leave }: { readonly analysts?: readonly string[]; readonly leave?: Leave } = {},
  ): Promise<Simulation> {
    const coordinator = { host: "localhost", port: 7443 };
    const plan = { name: "simulation", coordinator, parties: Object.keys(sites), analysts: [...analysts], days: 1 };
    const texts = await makeKits(plan, new Date());
    const simulation = new Simulation(sites);
    await simulation.begin((name) => readKit(name, async (file) => texts.get(name)?.[file] ?? ""), leave);
    return simulation;
  }

  /** Starts everybody, with kits that `load` gets. */
  async begin(load: (name: string) => Promise<Kit>, leave: Leave = () => undefined): Promise<void> {
    this.loadKit = load;
    await this.startCoordinator();
    for (const name of Object.keys(this.sites)) await this.join(name, this.sites[name], leave(name));
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.service?.stop();
  }

  /** Also again, after `stopCoordinator`: it goes on with what the one before has left. */
  async startCoordinator(): Promise<void> {
    this.service = new CoordinatorService({
      kit: await this.kit("coordinator"),
      listening: this.network,
      store: this.storeOf("coordinator"),
      audit: await this.auditOf("coordinator"),
      clock: () => this.clock(),
      log: (line) => this.note("coordinator", line),
    });
    await this.service.start();
  }

  async stopCoordinator(): Promise<void> {
    await this.service?.stop();
  }

  /** A site takes part until `leave` is aborted, or the simulation ends. */
  async join(name: string, site = this.sites[name], leave?: AbortSignal): Promise<void> {
    // A process that was told to end still writes to the store and the log that the next one opens.
    const before = this.serving.get(name);
    if (before?.signal.aborted) await before.ended;
    const party = new PartyService(await this.partyOptions(name, site));
    const signal = leave ? AbortSignal.any([this.stopping.signal, leave]) : this.stopping.signal;
    this.serving.set(name, { signal, ended: party.serve(signal).catch(() => undefined) });
  }

  protected async partyOptions(name: string, site: SimulatedSite): Promise<PartyOptions> {
    const kit = await this.kit(name);
    return {
      kit,
      dialling: this.network.dialling({ role: "party", name }),
      store: this.storeOf(name),
      audit: await this.auditOf(name),
      ids: async (card) => {
        const { codes, levels } = asLevels(tableOnCard(site.table, card).columns.find(({ name }) => name === card.id)!);
        return distinctIds(Array.from(codes, (code) => levels[code]));
      },
      people: (part, card, common, linked) => peopleOf(site, readingOnCard(part, card, linked), card, common),
      policy: async () => parsePolicy(site.policy, "policy.yaml"),
      random: randomBytes,
      ledger: this.ledgerOf(name),
      clock: () => Date.now(),
      threads: 1,
      pause: () => pollEvery,
      log: (line) => this.note(name, line),
      onResult: async (result) => {
        if ("common" in result) this.alignments.push(result);
        else this.results.push(result);
      },
      onSummary: async (summary) => {
        this.summaries.set(name, summary);
      },
    };
  }

  /** Adds a line to the log, with the member's name. */
  protected note(name: string, line: string): void {
    this.logs.push(`${name}: ${line}`);
  }

  kit(name: string): Promise<Kit> {
    if (!this.loadKit) throw new MoietyError("usage", "the simulation has not begun: make it by Simulation.open");
    const kit = this.kits.get(name) ?? this.loadKit(name);
    this.kits.set(name, kit);
    return kit;
  }

  storeOf(name: string): Store {
    const store = this.stores.get(name) ?? new MemoryStore();
    this.stores.set(name, store);
    return store;
  }

  private ledgerOf(name: string): Ledger {
    const ledger = this.ledgers.get(name) ?? memoryLedger();
    this.ledgers.set(name, ledger);
    return new Ledger(ledger, name, () => "now");
  }

  private async auditOf(name: string): Promise<MemberAudit> {
    const lines = this.audits.get(name) ?? [];
    this.audits.set(name, lines);
    return memoryAudit(await this.kit(name), lines, (line) => this.note(name, line));
  }

  async asAnalyst<T>(work: (client: AnalystClient) => Promise<T>, name = "alice"): Promise<T> {
    const kit = await this.kit(name);
    const client = await AnalystClient.connect(kit, this.network.dialling(kit));
    return work(client).finally(() => client.close());
  }

  /** Submits a job, as job.yaml, and waits for its end. Throws when it has failed. */
  run(job: string): Promise<FetchedResult & { readonly view: JobView }> {
    return this.follow(job, (client, id) => client.result(id));
  }

  /** A training. */
  train(job: string): Promise<FetchedTraining & { readonly view: JobView }> {
    return this.follow(job, (client, id) => client.fetch(id) as Promise<FetchedTraining>);
  }

  /** An alignment alone. */
  align(job: string): Promise<FetchedAlignment & { readonly view: JobView }> {
    return this.follow(job, (client, id) => client.fetch(id) as Promise<FetchedAlignment>);
  }

  private follow<T>(job: string, fetch: (client: AnalystClient, id: string) => Promise<T>) {
    return this.asAnalyst(async (client): Promise<T & { readonly view: JobView }> => {
      const id = await client.submit(job, "job.yaml", randomBytes);
      for (;;) {
        const view = await client.show(id);
        if (view.state === "failed") throw failed(`${view.reason}`);
        if (view.state === "done") return { ...(await fetch(client, id)), view };
        await new Promise((resolve) => setTimeout(resolve, pollEvery));
      }
    });
  }
}

/** The people of a site in the columns that a card names. */
async function peopleOf(site: SimulatedSite, columns: CardReading, card: Card, common?: readonly string[]) {
  const { train } = card;
  if (train?.images) {
    const seen = await withPixels(site.table, columns.features[0], site.file!, train.imageShape!);
    return preparePeople(seen.table, { ...columns, features: seen.pixels });
  }
  return preparePeople(tableOnCard(site.table, card, common), columns);
}

/** A ledger that is gone with the process. */
function memoryLedger(): LedgerStore {
  const records: LedgerRecord[] = [];
  return {
    read: async () => records,
    append: async (_, place, record) => place === records.length && records.push(record) > 0,
    datasets: async () => [],
  };
}

/** An audit log that is gone with the process. */
export function memoryAudit(kit: Kit, lines: string[] = [], say: Log = () => undefined) {
  const storage = {
    append: async (line: string) => {
      lines.push(line);
    },
    lines: () => lines,
  };
  return MemberAudit.open(kit, storage, () => Date.now(), say);
}
