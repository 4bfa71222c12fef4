import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLanes } from "../kernels/lanes.js";
import { pairKeysOfAll } from "../privacy/masks/pair-keys.js";
import { PairwiseMasks } from "../privacy/masks/pairwise.js";
import { Draws } from "../testing/draws.js";
import { tiedPeople } from "../testing/people.js";
import { AnalystClient } from "./analyst/client.js";
import { parsePolicy } from "./consent/policy.js";
import { CoordinatorService } from "./coordinator/service.js";
import type { Kit } from "./identity/kit.js";
import { columnsFor } from "./party/columns.js";
import { Journal } from "./party/journal.js";
import { PartyRun } from "./party/party-run.js";
import { PartyService } from "./party/service.js";
import { MemoryStore } from "./store/memory.js";
import { memoryAudit } from "./testing/in-memory.js";
import { cardFor, dealt } from "./testing/simulated.js";
import { provisioned, workplace } from "./testing/sites.js";
import { Conversation } from "./transport/conversation.js";
import { encodeFrame, frame } from "./transport/frame.js";
import { MemoryNetwork } from "./transport/memory.js";
import type { Link } from "./transport/types.js";
import { hello } from "./wire/greeting.js";
import type { WireQuestion } from "./wire/questions.js";

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

describe("a party", () => {
  async function running() {
    const sites = dealt(people, 2);
    const card = cardFor(sites, "k: 3");
    const run = new PartyRun({
      columns: await columnsFor(card, "p0", sites[0], openLanes(1)),
      masks: new PairwiseMasks(pairKeysOfAll(names, randomBytes)[0]),
      journal: new Journal(),
      random: randomBytes,
      keep: async () => undefined,
    });
    let step = 0;
    const ask = async (question: WireQuestion, body: Uint8Array = new Uint8Array(0), at = ++step) => {
      const answer = await run.answer([{ step: at, of: 0, question, bytes: body.length }], body);
      if (answer.body && !(answer.body instanceof Uint8Array)) for await (const _ of answer.body);
      return answer;
    };
    await ask({ ask: "spread" });
    await ask({ ask: "open", k: 3, grid: { bits: 4, weightBits: 9, quantum: 2 ** -16, reach: 40 } });
    return ask;
  }

  it("answers no question twice", async () => {
    const ask = await running();
    await ask({ ask: "sse" }, undefined, 50);
    await expect(ask({ ask: "sse" }, undefined, 50)).rejects.toThrow(/asked before/);
    await expect(ask({ ask: "sse" }, undefined, 49)).rejects.toThrow(/asked before/);
    await ask({ ask: "sse" }, undefined, 51);
  });

  const wrong: readonly (readonly [string, WireQuestion, Uint8Array?])[] = [
    ["a row that is not there", { ask: "place", cluster: 0, row: 60 }],
    ["a cluster that is not there", { ask: "place", cluster: 3, row: 0 }],
    ["a range beyond the people", { ask: "table", range: { from: 0, to: 61 }, order: "index" }],
    ["a range that ends before it begins", { ask: "table", range: { from: 5, to: 4 }, order: "index" }],
    ["too few places", { ask: "settle", range: { from: 0, to: 60 }, order: "index" }, new Uint8Array(59)],
    ["places of no cluster", { ask: "settle", range: { from: 0, to: 60 }, order: "index" }, new Uint8Array(60).fill(3)],
    ["labels of no cluster", { ask: "adopt", range: { from: 0, to: 1 } }, Uint8Array.of(255, 255)],
    ["moves of nobody", { ask: "apply", count: 1 }, Uint8Array.of(60, 0, 0, 0, 0, 0)],
    ["a sample of nobody", { ask: "sample", as: 1, count: 1 }, Uint8Array.of(60, 0, 0, 0)],
    ["to close everybody", { ask: "close" }],
    ["to inherit from no sample", { ask: "inherit", from: 7 }],
  ];
  it.each(wrong.map(([what, question, body]) => ({ what, question, body })))(
    "refuses $what, and goes on",
    async ({ question, body }) => {
      const ask = await running();
      await expect(ask(question, body)).rejects.toThrow(/out of place|should have/);
      expect((await ask({ ask: "sse" })).body).toBeInstanceOf(Uint8Array);
    },
  );
});

/** Bytes past the encoder, as a broken peer would send them. */
async function raw(link: Link, bytes: Uint8Array): Promise<void> {
  const { outgoing } = link as unknown as { outgoing: { push(bytes: Uint8Array): Promise<void> } };
  await outgoing.push(bytes);
}
