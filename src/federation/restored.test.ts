import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addInto, bytesOf, integersOf, signed, unpack } from "../privacy/integers.js";
import type { Table } from "../table/index.js";
import { prepare } from "./coordinator/prepare.js";
import { giveUpState } from "./party/lost-state.js";
import { type AgreedJob, copied, HostileCoordinator } from "./testing/hostile.js";
import { workplace } from "./testing/sites.js";
import type { PartyHandle } from "./transport/types.js";
import { decodeHandover, headerBytes } from "./wire/relay.js";

const names = ["a", "b"];
const n = 60;
const tableOf = (at: number): Table => ({
  rows: n,
  columns: ["x", "y"].map((name, j) => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: n }, (_, row) => Math.sin(row * (3 * at + j + 1)) * 10),
    missing: 0,
    notFinite: 0,
  })),
});
const policy = `approval: automatic
analysts: [alice]
algorithms: [lloyd]
features: [x, y]
protection: masked
minimum: { rows: 10, clusterSize: 1 }
`;
const coordinator = new HostileCoordinator({ a: tableOf(0), b: tableOf(1) }, policy);
const folder = workplace();
beforeAll(() => coordinator.open(join(folder, "kits")));
beforeEach(() => coordinator.startAnew());

const agreed = (protection = "masked") =>
  coordinator.agreed(
    `algorithm: lloyd\nk: 2\nscale: none\nprotection: ${protection}\nparties: { a: { features: [x, y] }, b: { features: [x, y] } }`,
  );
const restore = coordinator.start.bind(coordinator);
const backups = () => coordinator.backups();

/** One life of a job, up to the first rows that site a hands over, or b's first numbers where the job is blinded. */
async function live(job: AgreedJob, epoch: number): Promise<BigInt64Array> {
  const { card, hash, consents } = job;
  await coordinator.enter(job, epoch);
  await prepare({ card, hash, epoch, consents, handles: coordinator.handles, resuming: false });
  const { handles } = coordinator;
  for (const handle of handles) await handle.ask("begin", { job: hash, epoch, consents, position: null });
  let answer: Uint8Array = new Uint8Array(0);
  for (let step = 0; ; step++) {
    const meta = { job: hash, epoch, step, ...(step === 0 ? { answered: 0 } : {}) };
    const received = await Promise.all(
      handles.map((handle) => handle.ask("relay", meta, { body: answer, most: 1 << 20 })),
    );
    const [a, b] = received.map(({ body }) => body.slice(headerBytes));
    if (card.protection === "blinded") return integersOf(b);
    const handover = decodeHandover(received[0].body.subarray(0, headerBytes));
    if (handover.kind === "rows") {
      const numbers = new BigInt64Array(a.length / handover.bytes);
      unpack(a, handover.bytes, numbers);
      return signed(numbers, handover.bytes).map((number) => number << BigInt(64 - 8 * handover.bytes));
    }
    const sums = integersOf(a);
    addInto(sums, integersOf(b));
    answer = bytesOf(sums);
  }
}

/** How many of these numbers could be differences of two scores: half of all numbers are above 2^62. */
const small = (numbers: readonly bigint[]) =>
  numbers.filter((value) => value < 2n ** 60n && value > -(2n ** 60n)).length;

const putBack =
  /[ab]: its state was put back: other sites have seen \d+ entries of its audit log.*moiety audit restored/;

describe("an epoch that is repeated at sites which have all forgotten it", () => {
  it("has other masks: two answers tell nothing by their difference", async () => {
    const job = await agreed();
    const before = await backups();
    const first = await live(job, 0);
    for (const name of names) await restore(name, before.get(name)!);
    const second = await live(job, 0);
    const difference = Array.from(first, (value, at) => BigInt.asIntN(64, value - second[at]));
    expect(difference.length).toBeGreaterThanOrEqual(n);
    // The same numbers under the same masks would differ by 0.
    expect(small(difference)).toBeLessThan(difference.length / 2);
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
    const newest = await copied(coordinator.states.get("a")!);
    await expect(live(job, 0)).rejects.toThrow(/epoch 0 of this job cannot begin/);
    await restore("a", before.get("a")!);
    await expect(live(job, 0)).rejects.toThrow(/b: epoch 0 of this job cannot begin/);
    await expect(live(job, 1)).rejects.toThrow(putBack);
    await restore("a");
    await expect(live(await agreed(), 0)).rejects.toThrow(putBack);
    await restore("a", newest);
    await live(job, 7);
    await live(await agreed(), 0);
  });

  it("finds out from an honest coordinator, where all other sites have forgotten it too", async () => {
    const job = await agreed();
    const before = await backups();
    await coordinator.enter(job, 0, { honest: true });
    for (const name of names) await restore(name, before.get(name)!);
    await expect(coordinator.enter(job, 1, { honest: true })).rejects.toThrow(putBack);
  });

  it("finds out however long its other log has grown meanwhile", async () => {
    const job = await agreed();
    const before = await backups();
    await live(job, 0);
    const seen = coordinator.states.get("a")!.audit.length;
    await restore("a", before.get("a")!);
    const [a, b] = coordinator.handles;
    const head = await coordinator.head();
    // Nobody tells it what the other site says, while its log grows and is shown round.
    for (let epoch = 1; coordinator.states.get("a")!.audit.length < 2 * seen; epoch++) {
      const meta = { job: job.hash, epoch };
      const { meta: joined } = await a.ask("join", { ...meta, consents: job.consents });
      await b.ask("join", { ...meta, consents: job.consents });
      await b.ask("attest", { ...meta, joined: { a: joined }, head });
      const { meta: told } = await a.ask("heads", { heads: [head] });
      await b.ask("heads", { heads: [(told as { head: unknown }).head] });
    }
    await expect(live(job, 1000)).rejects.toThrow(putBack);
  });

  it("takes no statement that is missing, is of another life, or that its site has not signed", async () => {
    const job = await agreed();
    const before = await backups();
    let said: unknown;
    const listening = (handle: PartyHandle): PartyHandle => ({
      name: handle.name,
      ask: async (method, meta, options) => {
        const answer = await handle.ask(method, meta, options);
        if (handle.name === "b" && method === "attest") said = answer.meta;
        return answer;
      },
    });
    await coordinator.enter(job, 0, { meddle: listening });
    await live(job, 1);
    await restore("a", before.get("a")!);
    const answering =
      (change: (statements: Record<string, { heads: unknown[] }>) => unknown) =>
      (handle: PartyHandle): PartyHandle => ({
        name: handle.name,
        ask: async (method, meta, options) => {
          const answer = await handle.ask(method, meta, options);
          if (handle.name !== "b" || method !== "attest") return answer;
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
      await expect(coordinator.enter(job, 2 + at, { meddle: answering(lie) })).rejects.toThrow(
        /a: the signature of party 'b'/,
      );
    }
    await expect(coordinator.enter(job, 9)).rejects.toThrow(putBack);
  });

  it("prepares and begins nothing that it has not entered, and each life once", async () => {
    const job = await agreed();
    const { card, hash, consents } = job;
    const run = (epoch: number) =>
      prepare({ card, hash, epoch, consents, handles: coordinator.handles, resuming: false });
    await expect(run(0)).rejects.toThrow(/not joined here/);
    for (const handle of coordinator.handles) await handle.ask("join", { job: hash, epoch: 0, consents });
    await expect(run(0)).rejects.toThrow(/not entered here/);
    await live(job, 1);
    await expect(run(1)).rejects.toThrow(/not joined here/);
    await expect(
      coordinator.handles[0].ask("begin", { job: hash, epoch: 1, consents, position: null }),
    ).rejects.toThrow(/prepared first/);
  });

  it("goes on when its operator has said that the rest is lost", async () => {
    const before = await backups();
    await live(await agreed(), 0);
    await restore("a", before.get("a")!);
    const job = await agreed();
    await expect(live(job, 0)).rejects.toThrow(putBack);
    expect((await giveUpState(coordinator.states.get("a")!.store))!.length).toBeGreaterThan(0);
    // Whatever it may have been in before is over: only what it agrees to from now on goes on.
    await expect(live(job, 1)).rejects.toThrow(/a: job .* is over here and is never begun again/);
    const next = await agreed();
    await live(next, 0);
    // It is known to be lost for good, by the others too.
    await restore("a");
    await live(next, 1);
    expect(coordinator.states.get("a")!.audit.join()).toMatch(/"kind":"restored"/);
    expect(await giveUpState(coordinator.states.get("a")!.store)).toBeUndefined();
  });
});
