import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { generateTable, type Table } from "../table/index.js";
import { foresee } from "./analyst/client.js";
import { cardOf } from "./consent/card.js";
import type { PartyOptions } from "./party/options.js";
import { MemoryFederation, type Site } from "./testing/in-memory.js";
import { workplace } from "./testing/sites.js";

const people = generateTable("people", { n: 120, seed: 2 });
const columnsOf = (...names: string[]): Table => ({
  rows: people.rows,
  columns: people.columns.filter(({ name }) => ["person", ...names].includes(name)),
});
const policy = (features: string) =>
  `approval: automatic\nanalysts: [alice]\nalgorithms: [lloyd]\nfeatures: [${features}]\nids: [person]\nminimum: { clusterSize: 1, rows: 200 }`;

/** Site a publishes its policy, b does not; c signs another one than it sends. */
class PublishingFederation extends MemoryFederation {
  lies = false;

  protected override async partyOptions(name: string, site: Site): Promise<PartyOptions> {
    const options = await super.partyOptions(name, site);
    if (name !== "c") return { ...options, publishesPolicy: name === "a" };
    const { signingKey } = await this.kit("b");
    return { ...options, publishesPolicy: this.lies, kit: { ...options.kit, signingKey } };
  }
}

const federation = new PublishingFederation({
  a: { table: columnsOf("age", "income"), policy: policy("age") },
  b: { table: columnsOf("balance"), policy: policy("balance") },
  c: { table: columnsOf("debts"), policy: policy("debts") },
});
const folder = workplace();
beforeAll(() => federation.start(join(folder, "kits")));

const job = (features: string) =>
  `algorithm: lloyd\nk: 2\nid: person\nparties:\n  a: { features: [${features}] }\n  b: { features: [balance] }\n`;
const cardFor = (features: string) =>
  cardOf(job(features), "job", { federation: "f", analyst: "alice", nonce: "0".repeat(32) });

it("an analyst reads a policy that its site publishes, and what it would say; of others nothing", async () => {
  const published = await federation.asAnalyst((client) => client.policies(randomBytes));
  expect(published.map(({ party, policy: each }) => [party, each?.features])).toEqual([
    ["a", ["age"]],
    ["b", undefined],
    ["c", undefined],
  ]);
  const [a, b] = foresee(cardFor("age, income"), published);
  expect(a.lines?.filter(({ holds }) => !holds)).toEqual([
    { rule: "features", holds: false, says: "column 'income' may not be a feature" },
  ]);
  expect(b.lines).toBeNull();
  // How many people a site has is its own knowledge: nothing is said about that.
  expect(
    foresee(cardFor("age"), published)[0].lines?.every(({ holds, rule }) => holds && rule !== "minimum.rows"),
  ).toBe(true);
});

it("a policy that the site has not signed for this question is not believed", async () => {
  federation.lies = true;
  await federation.join("c");
  await expect(federation.asAnalyst((client) => client.policies(randomBytes))).rejects.toThrow(
    /signature of party 'c'/,
  );
});

it("a refusal names its rules and reaches the analyst with the site's lane", async () => {
  federation.lies = false;
  await expect(federation.run(job("age"))).rejects.toThrow(/fewer people than the 200/);
  const [view] = await federation.asAnalyst((client) => client.list());
  expect(view.sites.map(({ stage }) => stage)).toEqual(["refused", "ended"]);
  expect(view.sites[0].reason).toMatch(/^refuses the job: fewer people than the 200/);
});
