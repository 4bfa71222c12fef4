import { randomBytes } from "node:crypto";
import { afterAll } from "vitest";
import { Ledger, type LedgerRecord, type LedgerStore } from "../../privacy/accounting/ledger.js";
import { withPixels } from "../../table/disk/index.js";
import { asLevels, preparePeople, type Table, tableAmong } from "../../table/index.js";
import { distinctIds } from "../../table/order.js";
import { AnalystClient, type FetchedAlignment, type FetchedResult, type FetchedTraining } from "../analyst/client.js";
import { MemberAudit } from "../audit/member.js";
import { mostGroups } from "../consent/columns.js";
import { parsePolicy } from "../consent/policy.js";
import type { JobView } from "../coordinator/job.js";
import { CoordinatorService } from "../coordinator/service.js";
import type { Kit } from "../identity/kit.js";
import type { PartyAlignment, PartyResult, PartySummary } from "../party/options.js";
import { PartyService } from "../party/service.js";
import { MemoryStore } from "../store/memory.js";
import type { Store } from "../store/types.js";
import type { Frame } from "../transport/frame.js";
import { MemoryNetwork } from "../transport/memory.js";
import type { Link } from "../transport/types.js";
import { provisioned } from "./sites.js";

export interface Site {
  /** May be replaced between jobs: the site's data have changed then. */
  table: Table;
  policy: string;
  /** The table's file, where it names pictures. */
  file?: string;
}

/** A federation inside this process: the real services over frames in memory. */
export class MemoryFederation {
  readonly network = new MemoryNetwork();
  readonly stores = new Map<string, Store>();
  /** The lines of everybody's audit log. */
  readonly audits = new Map<string, string[]>();
  private readonly books = new Map<string, LedgerStore>();
  readonly logs: string[] = [];
  readonly results: PartyResult[] = [];
  readonly alignments: PartyAlignment[] = [];
  /** The last one of each party. */
  readonly summaries = new Map<string, PartySummary>();
  private readonly leaving = new Map<string, { letters: number; readonly back: boolean }>();
  private returning: string | undefined;
  private readonly hangingUp = new Map<string, { readonly method: string; left: number }>();
  /** The coordinator's. */
  clock: () => number = () => Date.now();
  private service: CoordinatorService | undefined;
  private readonly stopping = new AbortController();
  private kits: (name: string) => Promise<Kit> = async () => {
    throw new Error("not started");
  };

  constructor(readonly sites: Readonly<Record<string, Site>>) {
    afterAll(() => this.stopping.abort());
  }

  async start(folder: string, { analysts = ["alice"] } = {}): Promise<void> {
    const load = await provisioned(folder, Object.keys(this.sites), { analysts });
    const loaded = new Map<string, Promise<Kit>>();
    this.kits = (name) => {
      const kit = loaded.get(name) ?? load(name);
      loaded.set(name, kit);
      return kit;
    };
    await this.startCoordinator();
    for (const [name, site] of Object.entries(this.sites)) await this.join(name, site);
    this.stopping.signal.addEventListener("abort", () => this.service?.stop());
  }

  /** Again, with what the one before has left; for whoever stopped that one. */
  async startCoordinator(): Promise<void> {
    this.service = new CoordinatorService({
      kit: await this.kits("coordinator"),
      listening: this.network,
      store: this.storeOf("coordinator"),
      audit: await this.auditOf("coordinator"),
      clock: () => this.clock(),
      log: (line) => {
        this.logs.push(`coordinator: ${line}`);
        if (this.returning === undefined || !line.includes("going on with")) return;
        this.join(this.returning).catch((error: Error) => this.logs.push(error.message));
        this.returning = undefined;
      },
    });
    await this.service.start();
  }

  async stopCoordinator(): Promise<void> {
    await this.service?.stop();
  }

  /** A site hangs up when it has sealed so many letters; `back` when the others are known to go on without it. */
  leaveAfter(name: string, letters: number, back = false): void {
    this.leaving.set(name, { letters, back });
  }

  /** A site hangs up when it is asked this for the n-th time from now. */
  leaveAt(name: string, method: string, left = 1): void {
    this.hangingUp.set(name, { method, left });
  }

  async join(name: string, site = this.sites[name]): Promise<void> {
    const going = new AbortController();
    const onFrame = ({ kind, method }: Frame) => {
      const hanging = this.hangingUp.get(name);
      if (!hanging || kind !== "ask" || method !== hanging.method || --hanging.left > 0) return;
      this.hangingUp.delete(name);
      going.abort();
    };
    const dialling = this.network.dialling({ role: "party", name });
    const random = (bytes: number) => {
      const leaving = this.leaving.get(name);
      // A sealed letter has 12 random bytes.
      if (leaving && bytes === 12 && --leaving.letters === 0) {
        this.leaving.delete(name);
        going.abort();
        if (leaving.back) this.returning = name;
      }
      return randomBytes(bytes);
    };
    const party = new PartyService({
      kit: await this.kits(name),
      dialling: { dial: async () => watched(await dialling.dial(), onFrame) },
      store: this.storeOf(name),
      audit: await this.auditOf(name),
      ids: async (column) => {
        const { codes, levels } = asLevels(site.table.columns.find((each) => each.name === column)!);
        return distinctIds(Array.from(codes, (code) => levels[code]));
      },
      people: async (
        { features, categorical, protect },
        { id, scale, missing, split, categories, train, box, maxGroups },
        common,
      ) => {
        const most = mostGroups({ split, maxGroups });
        const known = {
          ...(most === undefined ? {} : { maxGroups: most }),
          ...(id === undefined ? {} : { id }),
          ...(categories ? { levels: categories } : {}),
          ...(box ? { box } : {}),
        };
        const columns = { features, categorical, protect, scale, missing, partial: split === "rows", ...known };
        if (train?.images) {
          const seen = await withPixels(site.table, features[0], site.file!, train.imageShape!);
          return preparePeople(seen.table, { ...columns, features: seen.pixels });
        }
        return preparePeople(id && common ? tableAmong(site.table, id, common) : site.table, columns);
      },
      policy: async () => parsePolicy(site.policy, "policy.yaml"),
      random,
      ledger: this.ledgerOf(name),
      clock: () => Date.now(),
      threads: 1,
      pause: () => 10,
      log: (line) => this.logs.push(`${name}: ${line}`),
      onResult: async (result) => {
        if ("common" in result) this.alignments.push(result);
        else this.results.push(result);
      },
      onSummary: async (summary) => {
        this.summaries.set(name, summary);
      },
    });
    party.serve(AbortSignal.any([this.stopping.signal, going.signal])).catch(() => undefined);
  }

  kit(name: string): Promise<Kit> {
    return this.kits(name);
  }

  /** Waits for what happens soon. */
  async until(happened: () => boolean): Promise<void> {
    for (const end = Date.now() + 60_000; !happened(); ) {
      if (Date.now() > end) throw new Error(`it never happened:\n${this.logs.join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  storeOf(name: string): Store {
    const store = this.stores.get(name) ?? new MemoryStore();
    this.stores.set(name, store);
    return store;
  }

  private ledgerOf(name: string): Ledger {
    const book = this.books.get(name) ?? memoryLedger();
    this.books.set(name, book);
    return new Ledger(book, name, () => "now");
  }

  private async auditOf(name: string): Promise<MemberAudit> {
    const lines = this.audits.get(name) ?? [];
    this.audits.set(name, lines);
    return memoryAudit(await this.kits(name), lines, (line) => this.logs.push(`${name}: ${line}`));
  }

  async asAnalyst<T>(work: (client: AnalystClient) => Promise<T>, name = "alice"): Promise<T> {
    const kit = await this.kits(name);
    const client = await AnalystClient.connect(kit, this.network.dialling(kit));
    return work(client).finally(() => client.close());
  }

  /** Submits a job and waits for its end. Throws when it has failed. */
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
        if (view.state === "failed") throw new Error(`${view.reason}`);
        if (view.state === "done") return { ...(await fetch(client, id)), view };
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    });
  }
}

/** A book that is gone with the process. */
function memoryLedger(): LedgerStore {
  const records: LedgerRecord[] = [];
  return {
    read: async () => records,
    append: async (_, place, record) => place === records.length && records.push(record) > 0,
    datasets: async () => [],
  };
}

/** A link that shows what arrives to somebody else first. */
function watched(link: Link, onFrame: (frame: Frame) => void): Link {
  return {
    peer: link.peer,
    send: (frame) => link.send(frame),
    close: () => link.close(),
    async *frames() {
      for await (const frame of link.frames()) {
        onFrame(frame);
        yield frame;
      }
    },
  };
}

/** An audit log that is gone with the process. */
export function memoryAudit(kit: Kit, lines: string[] = [], say: (line: string) => void = () => undefined) {
  const storage = {
    append: async (line: string) => {
      lines.push(line);
    },
    lines: () => lines,
  };
  return MemberAudit.open(kit, storage, () => Date.now(), say);
}
