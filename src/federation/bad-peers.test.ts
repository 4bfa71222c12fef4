import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLanes } from "../kernels/lanes.js";
import { pairKeysOfAll } from "../privacy/masks/pair-keys.js";
import { PairwiseMasks } from "../privacy/masks/pairwise.js";
import { Draws } from "../testing/draws.js";
import { tiedPeople } from "../testing/people.js";
import { AnalystClient } from "./analyst/client.js";
import { Journal } from "./audit/journal.js";
import { parsePolicy } from "./consent/policy.js";
import { CoordinatorService } from "./coordinator/service.js";
import type { Kit } from "./identity/kit.js";
import { ColumnRun } from "./party/columns/column-run.js";
import { columnsFor } from "./party/columns/own-columns.js";
import { PartyService } from "./party/service.js";
import { Answers } from "./replay/answers.js";
import { MemoryStore } from "./store/memory.js";
import { memoryAudit } from "./testing/in-memory.js";
import { cardFor, dealt } from "./testing/simulated.js";
import { provisioned, workplace } from "./testing/sites.js";
import { Conversation } from "./transport/conversation.js";
import { encodeFrame, frame } from "./transport/frame.js";
import { MemoryNetwork } from "./transport/memory.js";
import type { Link } from "./transport/types.js";
import { hello } from "./wire/greeting.js";
import { headerBytes } from "./wire/relay.js";

const folder = workplace();
const people = tiedPeople(60, 4, 2, 3);
const names = ["p0", "p1"];
const network = new MemoryNetwork();
const logs: string[] = [];
const stopping = new AbortController();
let kits: (name: string) => Promise<Kit>;
let service: CoordinatorService;

beforeAll(async () => {
  kits = await provisioned(join(folder, "kits"), [...names, "p2"]);
  service = new CoordinatorService({
    kit: await kits("coordinator"),
    listening: network,
    store: new MemoryStore(),
    audit: await memoryAudit(await kits("coordinator")),
    clock: () => Date.now(),
    log: (line) => logs.push(line),
  });
  await service.start();
  const policy = parsePolicy(
    `approval: automatic\nanalysts: [alice]\nalgorithms: [f3km, lloyd]\nfeatures: [x0, x1, x2, x3]\nprotect: ["attribute 0", "attribute 1"]\nminimum: { rows: 10, clusterSize: 1 }\n`,
    "policy.yaml",
  );
  for (const [at, name] of [...names, "p2"].entries()) {
    const sites = dealt(people, 2);
    const party = new PartyService({
      kit: await kits(name),
      dialling: network.dialling({ role: "party", name }),
      store: new MemoryStore(),
      audit: await memoryAudit(await kits(name)),
      ids: async () => ({ sorted: [], duplicates: 0 }),
      // The third one holds other people.
      people: async () => (at < 2 ? sites[at] : dealt(tiedPeople(61, 4, 2, 3), 2)[1]),
      policy: async () => policy,
      random: randomBytes,
      clock: () => Date.now(),
      threads: 1,
      pause: () => 10,
      log: () => undefined,
      onResult: async () => undefined,
      onSummary: async () => undefined,
    });
    party.serve(stopping.signal).catch(() => undefined);
  }
});

afterAll(async () => {
  stopping.abort();
  await service.stop();
});

const job = (second: string) =>
  `algorithm: lloyd\nk: 3\nparties:\n  p0: { features: [x0, x2] }\n  ${second}: { features: [x1, x3] }\n`;

async function outcome(text: string): Promise<string> {
  const kit = await kits("alice");
  const client = await AnalystClient.connect(kit, network.dialling({ role: "analyst", name: "alice" }));
  const id = await client.submit(text, "job.yaml", randomBytes);
  for (;;) {
    const view = await client.show(id);
    if (view.state === "done" || view.state === "failed") {
      client.close();
      return `${view.state} ${view.reason ?? ""}`;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("the coordinator", () => {
  it("sends away whoever sends garbage, and serves the others", async () => {
    const draws = new Draws(1);
    for (let round = 0; round < 60; round++) {
      const link = await network.dialling({ role: "party", name: "p2" }).dial();
      const bytes = encodeFrame(frame("ask", { call: 1, method: "hello", meta: Buffer.from("{}") }));
      for (let i = 0; i < 3; i++) bytes[draws.below(bytes.length)] = draws.below(256);
      await raw(link, bytes.subarray(0, draws.between(1, bytes.length))).catch(() => undefined);
      link.close();
    }
    expect(await outcome(job("p1"))).toBe("done ");
  });

  it("answers nobody who has not said who they are, nor questions that it does not know", async () => {
    const open = async () =>
      new Conversation(await network.dialling({ role: "analyst", name: "alice" }).dial(), { answer: async () => ({}) });
    const silent = await open();
    await expect(silent.ask("list", {})).rejects.toThrow(/a greeting comes first/);
    const known = await open();
    await known.ask("hello", hello(await kits("alice")));
    await expect(known.ask("nonsense", {})).rejects.toThrow(/knows no question/);
    await expect(known.ask("show", { id: "../../etc" })).rejects.toThrow(/shape/);
    await expect(known.ask("submit", { card: { format: "moiety-card" }, signature: "x" })).rejects.toThrow(
      /not a job card/,
    );
    known.close();
  });

  it("refuses a party with another number of people, by name, and no other job suffers", async () => {
    expect(await outcome(job("p2"))).toMatch(/^failed p2 holds 61 people and p0 60/);
    expect(await outcome(job("p1"))).toBe("done ");
  });
});

describe.each(["blinded", "masked"])("a party of a %s run", (protection) => {
  /** A party, and the coordinator's steps: the position of the smallest is 0 everywhere, and sums are those of one party. */
  async function running() {
    const sites = dealt(people, 2);
    const card = cardFor(sites, `algorithm: lloyd\nk: 3\nprotection: ${protection}`);
    const random = randomBytes;
    const run = new ColumnRun({
      ...{ card, party: "p0", random, results: [], clock: () => 0 },
      own: await columnsFor(card, "p0", sites[0], openLanes(1)),
      masks: new PairwiseMasks(pairKeysOfAll(names, randomBytes)[0]),
      groupKey: randomBytes(32),
      journal: new Journal(),
      keep: async () => undefined,
      answers: await Answers.open(new MemoryStore(), "answers/", null),
    });
    const ask = async (relay: Relay, answer: Uint8Array) => {
      const { body } = await run.relay(relay, answer);
      const all: Uint8Array[] = [];
      if (body instanceof Uint8Array) all.push(body);
      else for await (const piece of body ?? []) all.push(piece.slice());
      return Buffer.concat(all);
    };
    const sent = await ask({ step: 0, answered: 0 }, new Uint8Array(0));
    // Its columns' spread, sealed: what comes back says that the other party's are all zeros, and can be read by it alone.
    return { run, ask, sums: sent.subarray(headerBytes) };
  }
  type Relay = Parameters<ColumnRun["relay"]>[0];

  it("hands nothing over twice, and begins once", async () => {
    const { ask, sums } = await running();
    await expect(ask({ step: 0 }, sums)).rejects.toThrow(/step 0 is not the next one/);
    await expect(ask({ step: 7 }, sums)).rejects.toThrow(/step 7 is not the next one/);
    await expect(ask({ step: 1, answered: 0 }, sums)).rejects.toThrow(/begun already/);
  });

  it.each([
    ["fewer sums than it asked for", (sums: Uint8Array) => sums.subarray(8), /another number of sums/],
    ["bytes that are no numbers", (sums: Uint8Array) => sums.subarray(1), /whole 64-bit numbers/],
  ])("ends its run on %s", async (_, change, reason) => {
    const { ask, sums } = await running();
    await expect(ask({ step: 1 }, change(sums))).rejects.toThrow(reason);
    await expect(ask({ step: 2 }, sums)).rejects.toThrow(reason);
  });

  it("is asked in no other way", async () => {
    const { run } = await running();
    expect(run).not.toHaveProperty("answer");
  });
});

/** Bytes past the encoder, as a broken peer would send them. */
async function raw(link: Link, bytes: Uint8Array): Promise<void> {
  const { outgoing } = link as unknown as { outgoing: { push(bytes: Uint8Array): Promise<void> } };
  await outgoing.push(bytes);
}
