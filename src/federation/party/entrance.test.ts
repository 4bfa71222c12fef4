import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cardHash, cardOf } from "../consent/card.js";
import { memoryAudit } from "../testing/in-memory.js";
import { provisioned, workplace } from "../testing/sites.js";
import type { Joined, Statement } from "../wire/job-questions.js";
import { Entrance } from "./entrance.js";

const folder = workplace();
const names = ["a", "b", "c", "d"];
let kits: Awaited<ReturnType<typeof provisioned>>;
beforeAll(async () => {
  kits = await provisioned(join(folder, "kits"), names);
});

const card = cardOf(
  `algorithm: dp-fair\nsplit: rows\nk: 2\nepsilon: 1\nbox: { x: [0, 1] }\ngroups: { sex: [F, M] }\nparties:\n${names
    .map((name) => `  ${name}: { features: [x], protect: [sex] }`)
    .join("\n")}\n`,
  "job.yaml",
  { federation: "federation", analyst: "alice", nonce: "0".repeat(32) },
);
const job = cardHash(card);

/** A site of a private job: which of its noisy questions it knows to have answered, and which sums with whom it has opened. */
async function site(name: string, answered: readonly string[], opened: Readonly<Record<string, string[]>> = {}) {
  const kit = await kits(name);
  const epochs = new Map<string, number>();
  const entrance = new Entrance(
    { kit, audit: await memoryAudit(kit), random: randomBytes },
    {
      epochs: { highest: async (key) => epochs.get(key), raise: async (key, epoch) => void epochs.set(key, epoch) },
      answered: async () => [...answered],
      opened: async (_, party) => opened[party] ?? [],
    },
    { found: async () => Promise.reject(new Error("behind")) },
  );
  return { name, entrance };
}

type Site = Awaited<ReturnType<typeof site>>;

/** Some sites enter an attempt together. */
async function meet(sites: readonly Site[], epoch = 0) {
  const joined: Record<string, Joined> = {};
  for (const { name, entrance } of sites) joined[name] = await entrance.join(card, job, epoch);
  const said = new Map<string, Readonly<Record<string, Statement>>>();
  for (const { name, entrance } of sites) {
    const { [name]: _, ...others } = joined;
    said.set(name, await entrance.attest(job, epoch, { joined: others }));
  }
  for (const { name, entrance } of sites) {
    const statements = [...said].flatMap(([by, { [name]: about }]) => (about ? [[by, about] as const] : []));
    expect(await entrance.enter(job, epoch, Object.fromEntries(statements))).toBeNull();
  }
  return sites.map(({ entrance }) => entrance.take(job, epoch));
}

describe("sites that enter an attempt of a private job", () => {
  it("share a key with each other one that is there, and have another one in the next attempt", async () => {
    const sites = await Promise.all(names.map((name) => site(name, [])));
    const [a, b] = await meet(sites);
    expect(a.of("b", ["x"])).toEqual(b.of("a", ["x"]));
    const [again] = await meet(sites.slice(0, 3), 1);
    expect(again.of("b", ["x"])).not.toEqual(a.of("b", ["x"]));
    expect(again.others).toEqual(["b", "c"]);
    expect(() => again.of("d", ["x"])).toThrow(/d is not there/);
    expect(() => sites[0].entrance.take(job, 1)).toThrow(/not joined here/);
    await expect(meet(sites.slice(0, 2), 2)).rejects.toThrow(/1 other sites have joined: 2 of those on the card/);
  });

  it("do not go on when one has seen an answer of another that this one has forgotten", async () => {
    const knowing = await site("b", ["q1", "q2"], { a: ["q1", "q2"], c: ["q1"] });
    const others = [knowing, await site("c", ["q1", "q2"], { a: ["q1"] })];
    await meet([await site("a", ["q1", "q2", "q3"]), ...others]);
    const forgetful = await site("a", ["q1"]);
    await expect(meet([forgetful, ...others], 1)).rejects.toThrow(
      /b has seen answers to this job that are not known here any more/,
    );
  });
});
