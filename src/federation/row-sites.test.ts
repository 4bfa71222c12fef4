import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tiedPeople } from "../testing/people.js";
import { AnalystClient } from "./analyst/client.js";
import { parsePolicy } from "./consent/policy.js";
import { CoordinatorService } from "./coordinator/service.js";
import type { Kit } from "./identity/kit.js";
import { PartyService } from "./party/service.js";
import { MemoryStore } from "./store/memory.js";
import { memoryAudit } from "./testing/in-memory.js";
import { dealtRows } from "./testing/simulated.js";
import { provisioned, workplace } from "./testing/sites.js";
import { MemoryNetwork } from "./transport/memory.js";

const folder = workplace();
const people = tiedPeople(160, 3, 1, 7);
const names = ["p0", "p1", "p2", "p3"];
const network = new MemoryNetwork();
const everything = new AbortController();
const labels = new Map<string, number>();
let said = "";
let listeners: (() => void)[] = [];
const stores = new Map(names.map((name) => [name, new MemoryStore()]));
const audits = new Map(names.map((name) => [name, [] as string[]]));
const kits = new Map<string, Kit>();
let service: CoordinatorService;

/** A site that hangs up after so many sums: for each it seals a letter to each of three others, under 12 random bytes. */
async function start(name: string, sums = Number.POSITIVE_INFINITY): Promise<void> {
  const going = new AbortController();
  let sealed = 0;
  const party = new PartyService({
    kit: kits.get(name)!,
    dialling: network.dialling({ role: "party", name }),
    store: stores.get(name)!,
    audit: await memoryAudit(kits.get(name)!, audits.get(name)),
    ids: async () => ({ sorted: [], duplicates: 0 }),
    people: async () => dealtRows(people, 4)[names.indexOf(name)],
    policy: async () =>
      parsePolicy(
        `approval: automatic\nanalysts: [alice]\nalgorithms: [f3km, fkm-plus]\nfeatures: [x0, x1, x2]\nprotect: ["attribute 0"]\nminimum: { rows: 10, clusterSize: 1, parties: 3 }\n`,
        "policy.yaml",
      ),
    random: (bytes) => {
      if (bytes === 12 && ++sealed === 3 * sums) going.abort();
      return randomBytes(bytes);
    },
    clock: () => Date.now(),
    threads: 1,
    pause: () => 10,
    log: () => undefined,
    onResult: async (result) => {
      if ("labels" in result) labels.set(name, result.labels.length);
    },
    onSummary: async () => undefined,
  });
  party.serve(AbortSignal.any([everything.signal, going.signal])).catch(() => undefined);
}

beforeAll(async () => {
  const load = await provisioned(join(folder, "kits"), names);
  for (const name of ["coordinator", "alice", ...names]) kits.set(name, await load(name));
  service = new CoordinatorService({
    kit: kits.get("coordinator")!,
    listening: network,
    store: new MemoryStore(),
    audit: await memoryAudit(kits.get("coordinator")!),
    clock: () => Date.now(),
    log: (line) => {
      said += `${line}\n`;
      for (const listener of listeners) listener();
    },
  });
  await service.start();
  for (const name of names.slice(0, 3)) await start(name);
});

afterAll(async () => {
  everything.abort();
  await service.stop();
});

async function run(request: string) {
  labels.clear();
  const client = await AnalystClient.connect(kits.get("alice")!, network.dialling({ role: "analyst", name: "alice" }));
  const sites = names.map((name) => `  ${name}: { features: [x0, x1, x2], protect: ["attribute 0"] }`).join("\n");
  const groups = people.attributes[0].groups.map((group) => `"${group}"`).join(", ");
  const card = `split: rows\nscale: none\n${request}\ngroups: { "attribute 0": [${groups}] }\nparties:\n${sites}\n`;
  const id = await client.submit(card, "job.yaml", randomBytes);
  for (;;) {
    const { state, reason } = await client.show(id);
    if (state === "failed") throw new Error(reason!);
    if (state === "done") break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { result } = await client.result(id);
  client.close();
  return result;
}

const until = (text: string) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (said.includes(text)) resolve();
    };
    listeners = [look];
    look();
  });

describe("sites with rows, as services", () => {
  it("go on without one that leaves, and say so", async () => {
    await start("p3", 25);
    const result = await run("algorithm: fkm-plus\nk: 4");
    expect(said).toContain("going on with p0, p1, p2");
    expect(result.absences).toEqual([{ party: "p3", from: expect.any(Number), to: null }]);
    expect(result.warnings.join()).toMatch(/p3 left in round \d+ and did not come back/);
    expect(result.n).toBe(120);
    expect([...labels.keys()].sort()).toEqual(["p0", "p1", "p2"]);
    expect(Object.keys(result.sites).sort()).toEqual(["p0", "p1", "p2"]);
  });

  it("take it in again when it is back", async () => {
    said = "";
    await start("p3", 34);
    const back = until("going on with p0, p1, p2").then(() => start("p3"));
    const result = await run("k: 3\nmaxIterations: 20");
    await back;
    expect(result.n).toBe(160);
    expect(result.fair).toBe(true);
    expect(result.epochs).toBeGreaterThan(1);
    expect([...labels.values()]).toEqual([40, 40, 40, 40]);
  });
});
