import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { integersOf } from "../privacy/integers.js";
import { preparePeople, type Table } from "../table/index.js";
import { prepare } from "./alignment/lead.js";
import type { MemberAudit } from "./audit/member.js";
import { cardHash, cardOf } from "./consent/card.js";
import { parsePolicy } from "./consent/policy.js";
import { signHash } from "./consent/signature.js";
import { enter } from "./coordinator/entering.js";
import type { Seat } from "./coordinator/panel.js";
import type { Kit } from "./identity/kit.js";
import { giveUpState } from "./party/lost-state.js";
import { PartyService } from "./party/service.js";
import { MemoryStore } from "./store/memory.js";
import { memoryAudit } from "./testing/in-memory.js";
import { provisioned, workplace } from "./testing/sites.js";
import { Conversation } from "./transport/conversation.js";
import { MemoryNetwork } from "./transport/memory.js";
import { headerBytes } from "./wire/relay.js";

const folder = workplace();
const names = ["a", "b"];
const n = 60;
const tables = names.map(
  (_, at): Table => ({
    rows: n,
    columns: ["x", "y"].map((name, j) => ({
      kind: "numeric",
      name,
      values: Float64Array.from({ length: n }, (_, row) => Math.sin(row * (3 * at + j + 1)) * 10),
      missing: 0,
      notFinite: 0,
    })),
  }),
);
const policy = `approval: automatic
analysts: [alice]
algorithms: [lloyd]
features: [x, y]
protection: masked
minimum: { rows: 10, clusterSize: 1 }
`;

/** What outlives a site's process: its state, and its audit log. */
interface State {
  readonly store: MemoryStore;
  readonly audit: string[];
}

async function copied({ store, audit }: State): Promise<State> {
  const copy = new MemoryStore();
  for (const key of await store.list()) await copy.write(key, (await store.read(key))!);
  return { store: copy, audit: [...audit] };
}

/** A coordinator that asks whom and what it pleases. */
class Hostile {
  readonly network = new MemoryNetwork();
  private readonly lines = new Map<string, Conversation>();
  private readonly serving = new Map<string, AbortController>();
  kits: (name: string) => Promise<Kit> = async () => Promise.reject();

  async open(): Promise<void> {
    await this.network.listen((link) => {
      const line = new Conversation(link, { answer: async () => ({}) });
      this.lines.set(link.peer.name, line);
    });
  }

  /** A site's process with this state; the one before is gone. */
  async start(name: string, { store, audit }: State): Promise<void> {
    this.serving.get(name)?.abort();
    this.lines.delete(name);
    const serving = new AbortController();
    this.serving.set(name, serving);
    const kit = await this.kits(name);
    const party = new PartyService({
      kit,
      store,
      dialling: this.network.dialling({ role: "party", name }),
      audit: await memoryAudit(kit, audit),
      ids: async () => ({ sorted: [], duplicates: 0 }),
      people: async ({ features, protect }, { scale }) =>
        preparePeople(tables[names.indexOf(name)], { features, protect, scale }),
      policy: async () => parsePolicy(policy, "policy.yaml"),
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

  stop(): void {
    for (const serving of this.serving.values()) serving.abort();
  }

  seat(name: string): Seat {
    return { name, ask: (method, meta, options) => this.lines.get(name)!.ask(method, meta, options) };
  }
}

const coordinator = new Hostile();
let audit: MemberAudit;
let states: Map<string, State>;

beforeAll(async () => {
  coordinator.kits = await provisioned(join(folder, "kits"), names);
  await coordinator.open();
});
afterAll(() => coordinator.stop());

beforeEach(async () => {
  audit = await memoryAudit(await coordinator.kits("coordinator"));
  states = new Map(names.map((name) => [name, { store: new MemoryStore(), audit: [] }]));
  for (const name of names) await coordinator.start(name, states.get(name)!);
});

/** A job that both sites have agreed to. */
async function agreed(protection = "masked") {
  const alice = await coordinator.kits("alice");
  const card = cardOf(
    `algorithm: lloyd\nk: 2\nscale: none\nprotection: ${protection}\nparties: { a: { features: [x, y] }, b: { features: [x, y] } }`,
    "job.yaml",
    { federation: alice.federation, analyst: "alice", nonce: randomBytes(16).toString("hex") },
  );
  const hash = cardHash(card);
  const signature = signHash(alice.signingKey, "submit", hash);
  const consents: Record<string, string> = {};
  for (const name of names) {
    const { meta } = await coordinator.seat(name).ask("consider", { card, signature });
    consents[name] = (meta as { signature: string }).signature;
  }
  return { card, hash, consents };
}

type Job = Awaited<ReturnType<typeof agreed>>;

const seats = () => names.map((name) => coordinator.seat(name));
/** By a coordinator that keeps back what it has seen itself, unless it is honest. */
const entering = async (
  { hash, consents }: Job,
  epoch: number,
  { meddle = (seat: Seat) => seat, honest = false } = {},
) => {
  const forgetful = await memoryAudit(await coordinator.kits("coordinator"));
  await enter({ hash, consents, epoch, seats: seats().map(meddle), audit: honest ? audit : forgetful });
};

/** One life of a job, up to the first answers: those of site a about this person, or b's first ones where it is blinded. */
async function live(job: Job, epoch: number, row = 0): Promise<BigInt64Array> {
  const { card, hash, consents } = job;
  await entering(job, epoch);
  await prepare({ card, hash, epoch, consents, seats: seats(), resuming: false });
  const [a, b] = seats();
  for (const seat of [a, b]) await seat.ask("begin", { job: hash, epoch, consents, position: null });
  if (card.protection === "blinded") {
    const { body } = await b.ask("relay", { job: hash, epoch, step: 0, answered: 0 }, { most: 1 << 20 });
    return integersOf(body.slice(headerBytes));
  }
  const grid = { bits: 20, weightBits: 9, quantum: 2 ** -16, reach: 40 };
  const steps = [
    { step: 1, of: 0, question: { ask: "open", k: 2, grid } },
    { step: 2, of: 0, question: { ask: "distances", row } },
  ];
  const { body } = await a.ask("batch", { job: hash, epoch, steps }, { most: 1 << 20 });
  return integersOf(body);
}

async function restore(name: string, backup: State): Promise<void> {
  states.set(name, await copied(backup));
  await coordinator.start(name, states.get(name)!);
}

const backups = async () =>
  new Map(await Promise.all([...states].map(async ([name, state]) => [name, await copied(state)] as const)));

/** How many of these numbers could be differences of two scores: half of all numbers are above 2^62. */
const small = (numbers: readonly bigint[]) =>
  numbers.filter((value) => value < 2n ** 60n && value > -(2n ** 60n)).length;

const putBack =
  /[ab]: its state was put back: other sites have seen \d+ entries of its audit log.*moiety audit restored/;

describe("an epoch that is repeated at sites which have all forgotten it", () => {
  it("has other masks: two answers tell nothing by their difference", async () => {
    const job = await agreed();
    const before = await backups();
    const first = await live(job, 0, 5);
    for (const name of names) await restore(name, before.get(name)!);
    const second = await live(job, 0, 9);
    const difference = Array.from(first, (value, at) => BigInt.asIntN(64, value - second[at]));
    expect(difference.length).toBe(n);
    expect(small(difference)).toBeLessThan(n / 2);
  });

  it("is blinded and masked anew: the same numbers do not look the same", async () => {
    const job = await agreed("blinded");
    const before = await backups();
    const first = await live(job, 0);
    for (const name of names) await restore(name, before.get(name)!);
    const second = await live(job, 0);
    expect(first.length).toBe(second.length);
    expect(Array.from(first).filter((value, at) => value === second[at])).toEqual([]);
  });
});

describe("a site whose state was put back", () => {
  it("enters nothing while another site has seen more of its log, also after a restart, until the newest is back", async () => {
    const job = await agreed();
    const before = await backups();
    await live(job, 0);
    const newest = await copied(states.get("a")!);
    await expect(live(job, 0)).rejects.toThrow(/epoch 0 of this job cannot begin/);
    await restore("a", before.get("a")!);
    await expect(live(job, 0)).rejects.toThrow(/b: epoch 0 of this job cannot begin/);
    await expect(live(job, 1)).rejects.toThrow(putBack);
    await restore("a", states.get("a")!);
    await expect(live(await agreed(), 0)).rejects.toThrow(putBack);
    await restore("a", newest);
    await live(job, 7);
    await live(await agreed(), 0);
  });

  it("finds out from an honest coordinator, where all other sites have forgotten it too", async () => {
    const job = await agreed();
    const before = await backups();
    await entering(job, 0, { honest: true });
    for (const name of names) await restore(name, before.get(name)!);
    await expect(entering(job, 1, { honest: true })).rejects.toThrow(putBack);
  });

  it("finds out however long its other log has grown meanwhile", async () => {
    const job = await agreed();
    const before = await backups();
    await live(job, 0);
    const seen = states.get("a")!.audit.length;
    await restore("a", before.get("a")!);
    const [a, b] = seats();
    // Nobody tells it what the other site says, while its log grows and is shown round.
    for (let epoch = 1; states.get("a")!.audit.length < 2 * seen; epoch++) {
      const meta = { job: job.hash, epoch };
      const { meta: joined } = await a.ask("join", { ...meta, consents: job.consents });
      await b.ask("join", { ...meta, consents: job.consents });
      await b.ask("attest", { ...meta, joined: { a: joined }, head: audit.head });
      const { meta: told } = await a.ask("heads", { heads: [audit.head] });
      await b.ask("heads", { heads: [(told as { head: unknown }).head] });
    }
    await expect(live(job, 1000)).rejects.toThrow(putBack);
  });

  it("takes no statement that is missing, is of another life, or that its site has not signed", async () => {
    const job = await agreed();
    const before = await backups();
    let said: unknown;
    const listening = (seat: Seat): Seat => ({
      name: seat.name,
      ask: async (method, meta, options) => {
        const answer = await seat.ask(method, meta, options);
        if (seat.name === "b" && method === "attest") said = answer.meta;
        return answer;
      },
    });
    await entering(job, 0, { meddle: listening });
    await live(job, 1);
    await restore("a", before.get("a")!);
    const answering =
      (change: (statements: Record<string, { heads: unknown[] }>) => unknown) =>
      (seat: Seat): Seat => ({
        name: seat.name,
        ask: async (method, meta, options) => {
          const answer = await seat.ask(method, meta, options);
          if (seat.name !== "b" || method !== "attest") return answer;
          return {
            ...answer,
            meta: change((answer.meta as { statements: Record<string, { heads: unknown[] }> }).statements),
          };
        },
      });
    const lies = [
      () => ({ statements: {} }),
      () => said,
      ({ a }: Record<string, { heads: unknown[] }>) => ({ statements: { a: { ...a, heads: [] } } }),
    ];
    for (const [at, lie] of lies.entries()) {
      await expect(entering(job, 2 + at, { meddle: answering(lie) })).rejects.toThrow(/a: the signature of party 'b'/);
    }
    await expect(entering(job, 9)).rejects.toThrow(putBack);
  });

  it("prepares and begins nothing that it has not entered, and each life once", async () => {
    const job = await agreed();
    const { card, hash, consents } = job;
    const run = (epoch: number) => prepare({ card, hash, epoch, consents, seats: seats(), resuming: false });
    await expect(run(0)).rejects.toThrow(/not joined here/);
    for (const seat of seats()) await seat.ask("join", { job: hash, epoch: 0, consents });
    await expect(run(0)).rejects.toThrow(/not entered here/);
    await live(job, 1);
    await expect(run(1)).rejects.toThrow(/not joined here/);
    await expect(seats()[0].ask("begin", { job: hash, epoch: 1, consents, position: null })).rejects.toThrow(
      /prepared first/,
    );
  });

  it("goes on when its operator has said that the rest is lost", async () => {
    const before = await backups();
    await live(await agreed(), 0);
    await restore("a", before.get("a")!);
    const job = await agreed();
    await expect(live(job, 0)).rejects.toThrow(putBack);
    expect((await giveUpState(states.get("a")!.store))!.length).toBeGreaterThan(0);
    // Whatever it may have been in before is over: only what it agrees to from now on goes on.
    await expect(live(job, 1)).rejects.toThrow(/a: job .* is over here and is never begun again/);
    const next = await agreed();
    await live(next, 0);
    // It is known to be lost for good, by the others too.
    await restore("a", states.get("a")!);
    await live(next, 1);
    expect(states.get("a")!.audit.join()).toMatch(/"kind":"restored"/);
    expect(await giveUpState(states.get("a")!.store)).toBeUndefined();
  });
});
