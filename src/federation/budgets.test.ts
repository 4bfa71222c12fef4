import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Ledger } from "../privacy/accounting/ledger.js";
import { generateTable, preparePeople } from "../table/index.js";
import { AnalystClient } from "./analyst/client.js";
import { parsePolicy } from "./consent/policy.js";
import { CoordinatorService } from "./coordinator/service.js";
import type { Kit } from "./identity/kit.js";
import { LedgerFolder } from "./ledger-store.js";
import { PartyService } from "./party/service.js";
import { MemoryStore } from "./store/memory.js";
import { memoryAudit } from "./testing/in-memory.js";
import { dealtRows } from "./testing/simulated.js";
import { provisioned, workplace } from "./testing/sites.js";
import { MemoryNetwork } from "./transport/memory.js";

const folder = workplace();
const books = mkdtempSync(join(tmpdir(), "moiety-books-"));
const names = ["p0", "p1", "p2"];
const network = new MemoryNetwork();
const over = new AbortController();
const kits = new Map<string, Kit>();
const policies = new Map<string, string>();
let service: CoordinatorService;

const people = preparePeople(generateTable("people", { n: 600, seed: 3 }), {
  features: ["age", "hours"],
  protect: ["sex"],
  box: { age: [0, 100], hours: [0, 100] },
});
const groups = people.attributes[0].groups.map((group) => `"${group}"`).join(", ");

/** A new one each time, as after a restart: what is known is on the disk. */
const ledgerOf = (name: string) => new Ledger(new LedgerFolder(join(books, name)), name, () => "now");

function policyWith(budget: string): string {
  return `approval: automatic\nanalysts: [alice]\nalgorithms: [dp-fair]\nfeatures: [age, hours]\nprotect: [sex]\nminimum: { rows: 10, clusterSize: 1 }\nbudget: { ${budget} }\n`;
}

beforeAll(async () => {
  const load = await provisioned(join(folder, "kits"), names);
  for (const name of ["coordinator", "alice", ...names]) kits.set(name, await load(name));
  service = new CoordinatorService({
    kit: kits.get("coordinator")!,
    audit: await memoryAudit(kits.get("coordinator")!),
    listening: network,
    store: new MemoryStore(),
    clock: () => Date.now(),
    log: () => undefined,
  });
  await service.start();
  for (const [at, name] of names.entries()) {
    policies.set(name, policyWith("epsilon: 1"));
    const party = new PartyService({
      kit: kits.get(name)!,
      audit: await memoryAudit(kits.get(name)!),
      dialling: network.dialling({ role: "party", name }),
      store: new MemoryStore(),
      ids: async () => ({ sorted: [], duplicates: 0 }),
      people: async () => dealtRows(people, 3)[at],
      policy: async () => parsePolicy(policies.get(name)!, "policy.yaml"),
      random: randomBytes,
      clock: () => Date.now(),
      ledger: ledgerOf(name),
      threads: 1,
      pause: () => 10,
      log: () => undefined,
      onResult: async () => undefined,
      onSummary: async () => undefined,
    });
    party.serve(over.signal).catch(() => undefined);
  }
});

afterAll(async () => {
  over.abort();
  await service.stop();
  rmSync(books, { recursive: true, force: true });
});

async function run(epsilon: number | "inf", more = "private: attribute") {
  const client = await AnalystClient.connect(kits.get("alice")!, network.dialling({ role: "analyst", name: "alice" }));
  const sites = names.map((name) => `  ${name}: { features: [age, hours], protect: [sex] }`).join("\n");
  const card = `algorithm: dp-fair\nsplit: rows\nk: 3\ncomponents: 6\nepsilon: ${epsilon}\n${more}\ngroups: { sex: [${groups}] }\nbox: { age: [0, 100], hours: [0, 100] }\nparties:\n${sites}\n`;
  const id = await client.submit(card, "job.yaml", randomBytes);
  for (;;) {
    const { state, reason } = await client.show(id);
    if (state === "failed") throw new Error(reason!);
    if (state === "done") break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { result } = await client.result(id);
  client.close();
  return result;
}

const spentBy = async (name: string) => (await ledgerOf(name).standing()).spent.attribute.epsilon;

describe("the journal of a private job", () => {
  it.each([
    ["private: attribute", ["consent", "row count"]],
    ["private: all", ["consent"]],
  ])("names a row count only where one left: %s", async (more, kinds) => {
    policies.forEach((_, name) => {
      policies.set(name, policyWith("jobs: 50"));
    });
    const { sites } = await run("inf", more);
    for (const sent of Object.values(sites)) {
      expect(sent.filter(({ protection }) => protection === "open").map(({ kind }) => kind)).toEqual(kinds);
    }
    policies.forEach((_, name) => {
      policies.set(name, policyWith("epsilon: 1"));
    });
  });
});

describe("a site's privacy budget", () => {
  it("is spent by a job once at every site, and the result says under which promise", async () => {
    const result = await run(0.75);
    expect(result.privacy).toMatchObject({ mode: "attribute", epsilon: 0.75, delta: 0 });
    expect(result.fair).toBeNull();
    expect(result.privacy!.private).toContain("privacy.released");
    for (const name of names) expect(await spentBy(name)).toBe(0.75);
  });

  it("is kept: what does not fit is refused before anybody spends, and the refusal says what is left", async () => {
    await expect(run(0.5)).rejects.toThrow(/budget of p\d does not cover.*epsilon 0\.25 is left/);
    for (const name of names) expect(await spentBy(name)).toBe(0.75);
    await run(0.25);
    for (const name of names) expect(await spentBy(name)).toBe(1);
  });

  it("must be set before anything is told under noise, and forbids no noise at all", async () => {
    await expect(run("inf")).rejects.toThrow(/no noise at all/);
    policies.set("p0", policyWith("jobs: 50"));
    await expect(run(0.1)).rejects.toThrow(/sets no privacy budget/);
  });

  it("is spent once for the same release, whatever happens in between", async () => {
    const ledger = () => ledgerOf("other");
    const release = {
      neighbours: "attribute",
      loss: { epsilon: 0.5, pureRho: 0.125, rho: 0, slack: 0 },
      what: "job 1",
    } as const;
    const budget = { epsilon: 1, delta: 0 };
    for (let life = 0; life < 3; life++) await ledger().spendOnce(release, budget);
    await ledger().spendOnce({ ...release, what: "job 2" }, budget);
    await expect(ledger().spendOnce({ ...release, what: "job 3" }, budget)).rejects.toThrow(/epsilon 0 is left/);
    await ledger().spendOnce(release, budget);
    expect((await ledger().standing()).spent.attribute.epsilon).toBe(1);
  });
});
