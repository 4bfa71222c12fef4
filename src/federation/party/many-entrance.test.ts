import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { cardHash, cardOf } from "../consent/card.js";
import { type Kit, readKit } from "../identity/kit.js";
import { makeKits } from "../provision.js";
import { memoryAudit } from "../testing/in-memory.js";
import type { Committed, Joined } from "../wire/job-questions.js";
import { Entrance } from "./entrance.js";

const names = Array.from({ length: 65 }, (_, at) => `s${String(at).padStart(2, "0")}`);
const card = cardOf(
  `algorithm: fkm-plus\nsplit: rows\nk: 2\nparties:\n${names.map((name) => `  ${name}: { features: [x] }`).join("\n")}\n`,
  "job.yaml",
  { federation: "federation", analyst: "alice", nonce: "0".repeat(32) },
);
const job = cardHash(card);
const kits = new Map<string, Kit>();
beforeAll(async () => {
  const plan = { name: "federation", coordinator: { host: "localhost", port: 1 }, days: 1 };
  const texts = await makeKits({ ...plan, parties: names, analysts: ["alice"] }, new Date());
  for (const name of names) kits.set(name, await readKit(name, async (file) => texts.get(name)?.[file] ?? ""));
});

async function joined(epoch = 0) {
  const entrances = new Map<string, Entrance>();
  const said = new Map<string, Joined>();
  for (const name of names) {
    const kit = kits.get(name)!;
    const files = {
      epochs: { highest: async () => undefined, raise: async () => undefined },
      answered: async () => [],
      opened: async () => [],
    };
    const entrance = new Entrance({ kit, audit: await memoryAudit(kit), random: randomBytes }, files, {
      found: async () => Promise.reject(new Error("behind")),
    });
    entrances.set(name, entrance);
    said.set(name, await entrance.join(card, job, epoch));
  }
  const committed = (to: string): Record<string, Committed> =>
    Object.fromEntries(
      [...said].flatMap(([name, { key, draw }]) => {
        return name === to ? [] : [[name, { key, draw: draw!.commitment, signature: draw!.signature }]];
      }),
    );
  return { entrances, said, committed };
}

describe("many sites that draw their order", () => {
  it("all arrive at the same one, and refuse another draw, a second showing, and witnesses who are not theirs", async () => {
    const { entrances, said, committed } = await joined();
    const draws: Record<string, string> = {};
    for (const [name, entrance] of entrances) draws[name] = entrance.reveal(job, 0, committed(name));
    const [first, second] = names;
    const entrance = entrances.get(first)!;
    expect(() => entrance.reveal(job, 0, committed(first))).toThrow(/shown once/);
    const another = { ...draws, [second]: randomBytes(32).toString("base64") };
    await expect(entrance.attest(job, 0, { joined: {}, draws: another })).rejects.toThrow(
      /s01 shows another draw than it has committed itself to/,
    );
    const { [names[7]]: _, ...lacking } = draws;
    await expect(entrance.attest(job, 0, { joined: {}, draws: lacking })).rejects.toThrow(/s07 shows another draw/);
    await expect(entrance.attest(job, 0, { joined: {}, draws })).rejects.toThrow(/all its witnesses/);
    const digests = new Set<string>();
    for (const [name, each] of entrances) {
      await each.attest(job, 0, { joined: {}, draws }).catch(() => undefined);
      const ring = each.ringOf(job, 0)!;
      digests.add(ring.digest);
      const near = ring.witnesses(name).map((other) => {
        const { draw: _, ...rest } = said.get(other)!;
        return [other, rest] as const;
      });
      expect(Object.keys(await each.attest(job, 0, { joined: Object.fromEntries(near) }))).toHaveLength(near.length);
    }
    expect(digests.size).toBe(1);
  });

  it("show no draw where a commitment is not signed, or a quorum is not there", async () => {
    const { entrances, committed } = await joined();
    const entrance = entrances.get(names[0])!;
    const all = committed(names[0]);
    const forged = { ...all, [names[3]]: { ...all[names[3]], draw: randomBytes(32).toString("base64") } };
    expect(() => entrance.reveal(job, 0, forged)).toThrow(/signature of party 's03'/);
    expect(() => entrance.reveal(job, 0, Object.fromEntries(Object.entries(all).slice(0, 50)))).toThrow(/are needed/);
    await expect(entrance.attest(job, 0, { joined: {}, draws: {} })).rejects.toThrow(/no draw was shown here/);
    await expect(entrance.enter(job, 0, {})).rejects.toThrow(/are needed|not known/);
  });
});
