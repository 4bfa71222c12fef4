import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { generateTable, type People, preparePeople } from "../table/index.js";
import type { Card } from "./consent/card.js";
import type { Considered } from "./party/consents.js";
import { readRecord, writeRecord } from "./store/records.js";
import { MortalFederation } from "./testing/mortal.js";
import { dealt, dealtRows } from "./testing/simulated.js";
import { workplace } from "./testing/sites.js";

const names = ["p0", "p1", "p2"];
const table = generateTable("people", { n: 240, seed: 3 });
const columns = ["age", "hours", "income"];
const people = preparePeople(table, { features: columns, protect: ["sex"], scale: "none" });
const [sex] = people.attributes;
const member = {
  name: "member",
  groups: ["no", "yes"],
  codes: Uint16Array.from({ length: people.n }, (_, row) => row % 2),
};
const boxed = preparePeople(table, {
  features: ["age", "hours"],
  protect: ["sex"],
  box: { age: [0, 100], hours: [0, 100] },
});
const ids = Array.from({ length: people.n }, (_, row) => `${row}`).sort();

/** What a site holds of a card, however its people are split. */
function held(at: number, { split, train, epsilon }: Card): People {
  if (epsilon !== undefined) return dealtRows(boxed, 3)[at];
  const attributes = train ? [sex, member] : [];
  return split === "rows" ? dealtRows({ ...people, attributes }, 3)[at] : dealt({ ...people, attributes }, 3)[at];
}

const policy = `approval: automatic
analysts: [alice]
algorithms: [lloyd, fkm-plus, dp-fair, fedavg, align]
ids: [person]
features: [age, hours, income]
protect: [sex]
learn: [member]
protection: masked
minimum: { rows: 10, clusterSize: 1, group: 1 }
budget: { epsilon: 1000, jobs: 1000 }
`;
const federation = new MortalFederation(
  Object.fromEntries(names.map((name, at) => [name, { people: (card: Card) => held(at, card), policy, ids }])),
);

beforeAll(() => federation.prepare(join(workplace(), "kits")));
beforeEach(() => federation.startAll());
afterEach(() => {
  federation.onMessage = () => undefined;
  federation.siteClock = () => Date.now();
});

const overColumns = (request: string) =>
  `${request}\nk: 2\nmaxIterations: 2\nparties: { p0: { features: [age] }, p1: { features: [hours] }, p2: { features: [income] } }\n`;
const overRows = (request: string, part: string) =>
  `${request}\nsplit: rows\nparties:\n${names.map((name) => `  ${name}: ${part}`).join("\n")}\n`;
const named = (groups: readonly string[]) => groups.map((group) => `"${group}"`).join(", ");
const privately = overRows(
  `algorithm: dp-fair\nk: 2\ncomponents: 2\nmaxIterations: 2\nepsilon: 1\ngroups: { sex: [${named(sex.groups)}] }\nbox: { age: [0, 100], hours: [0, 100] }`,
  "{ features: [age, hours], protect: [sex] }",
);
const kinds = [
  ["columns, blinded", overColumns("algorithm: lloyd")],
  ["columns, masked", overColumns("algorithm: lloyd\nprotection: masked")],
  ["rows", overRows("algorithm: fkm-plus\nk: 2\nscale: none", "{ features: [age, hours, income] }")],
  ["private rows", privately],
  [
    "a training",
    overRows(
      `algorithm: fedavg\nscale: none\ntrain: { label: member, classes: [${named(member.groups)}], rounds: 2 }\ngroups: { sex: [${named(sex.groups)}] }\nminCount: 1`,
      "{ features: [age, hours, income], protect: [sex] }",
    ),
  ],
  ["ids alone", "algorithm: align\nid: person\nparties: { p0: {}, p1: {}, p2: {} }\n"],
] as const;

const notes = (name: string, hash: string, kind: string) =>
  federation.audit(name).filter((entry) => entry.kind === kind && entry.details.job === hash);

describe("a job of any kind", () => {
  it.each(kinds)(
    "goes on over the coordinator's death at its end, and is over for good then: %s",
    async (_, request) => {
      // It dies when the last letters are asked for, and again when the first site hears that the job is over.
      const deaths = ["finish", "release"];
      federation.onMessage = (_message, _site, { kind, method }) => {
        if (kind !== "ask" || method !== deaths[0]) return undefined;
        deaths.shift();
        federation.kill("coordinator");
        federation.start("coordinator").catch(() => undefined);
        return "lost";
      };
      const id = await federation.submit(request);
      expect(await federation.end(id)).toMatchObject({ state: "done", reason: null });
      await federation.untilReleased(id);
      expect(deaths).toEqual([]);
      const { hash, card } = await federation.record(id);
      for (const name of names) {
        const disk = federation.disk(name);
        expect(await readRecord(disk, `jobs/${hash}/over`)).toMatchObject({
          card: hash,
          nonce: card.nonce,
          ending: "done",
        });
        const kept = (await disk.list(`jobs/${hash}/`)).map((key) => key.split("/")[2]);
        for (const folder of ["state", "log", "answers", "released"]) expect(kept).not.toContain(folder);
        expect(notes(name, hash, "begun")).toHaveLength(2);
        // What left again is noted again.
        const counts = notes(name, hash, "sent").filter(({ details }) => details.what === "row count");
        expect(counts.map(({ details }) => details.messages)).toEqual([1, 1]);
        expect(notes(name, hash, "finished")).toHaveLength(1);
      }
      federation.kill("coordinator");
      await federation.rewrite(id, ({ facts: _facts, ...record }) => ({
        ...record,
        state: { is: "running" },
        position: null,
        released: [],
      }));
      await federation.start("coordinator");
      expect(await federation.end(id)).toMatchObject({
        state: "failed",
        reason: expect.stringMatching(/^p\d: job \S+ is over here and is never begun again: submit it as a new job$/),
      });
      for (const name of names) expect(notes(name, hash, "begun")).toHaveLength(2);
    },
  );

  it("that an earlier version has ended is over too", async () => {
    const id = await federation.submit(kinds[2][1]);
    await federation.end(id);
    await federation.untilReleased(id);
    const { hash } = await federation.record(id);
    for (const name of names) await writeRecord(federation.disk(name), `jobs/${hash}/over`, "done");
    federation.kill("coordinator");
    await federation.rewrite(id, ({ facts: _, ...record }) => ({
      ...record,
      state: { is: "running" },
      position: null,
    }));
    await federation.start("coordinator");
    expect((await federation.end(id)).reason).toMatch(/is over here/);
  });

  it("with the nonce of another one is refused", async () => {
    const nonce = Buffer.alloc(16, 7);
    const submit = (request: string) =>
      federation.asAnalyst((client) => client.submit(request, "job.yaml", (bytes) => nonce.subarray(0, bytes)));
    expect(await federation.end(await submit(kinds[2][1]))).toMatchObject({ state: "done" });
    const { reason } = await federation.end(await submit(kinds[2][1].replace("k: 2", "k: 3")));
    expect(reason).toMatch(/its nonce is that of another job/);
  });
});

describe("kill -9 of anybody, again and again", () => {
  it.each([0, 13, 26, 39])(
    "spends a privacy budget once, and draws no noise twice: from message %s on",
    async (first) => {
      // Enough messages for a life to come further than the one before.
      const between = 60;
      const victims = ["coordinator", "p1", "p0", "coordinator", "p2"];
      let [next, deaths] = [first, 0];
      let seen = 0;
      const writes = new Map(names.map((name) => [name, vi.spyOn(federation.disk(name), "write")]));
      const id = await federation.submit(privately);
      federation.onMessage = (_message, site, { method }) => {
        if (method === "release" || seen++ !== next) return undefined;
        next += between;
        const victim = victims[deaths++ % victims.length];
        federation.kill(victim);
        federation.start(victim).catch(() => undefined);
        return victim === "coordinator" || victim === site ? "lost" : undefined;
      };
      expect(await federation.end(id)).toMatchObject({ state: "done", reason: null });
      await federation.untilReleased(id);
      expect(deaths).toBeGreaterThan(2);
      const { hash } = await federation.record(id);
      const { released } = await federation.released(id);
      expect(Object.keys(released.groups)).toEqual(["sex"]);
      for (const name of names) {
        expect(federation.spent(name).filter((what) => what.includes(hash))).toHaveLength(1);
        const drawn = writes.get(name)!.mock.calls.filter(([key]) => key === `jobs/${hash}/released/groups`);
        expect(drawn).toHaveLength(1);
      }
    },
  );
});

const hour = 3_600_000;

describe("a site's consent", () => {
  const soon = `${privately}deadlineHours: 1\n`;
  const late = /^p\d: the deadline of job \S+ has passed since this site agreed to it: nothing more is answered$/;

  async function expectExpired(id: string, name: string): Promise<void> {
    const { hash } = await federation.record(id);
    const disk = federation.disk(name);
    while (!(await disk.read(`jobs/${hash}/over`))) await new Promise((go) => setTimeout(go, 5));
    expect(await readRecord(disk, `jobs/${hash}/over`)).toMatchObject({ ending: "expired" });
    expect(notes(name, hash, "expired")).toHaveLength(1);
    while ((await disk.list(`jobs/${hash}/released/`)).length > 0) await new Promise((go) => setTimeout(go, 5));
  }

  it("ends with the card's deadline, by its own clock from its own consent: it does not begin", async () => {
    federation.kill("p2");
    const id = await federation.submit(soon);
    while (Object.keys((await federation.record(id)).consents).length < 2) await new Promise((go) => setTimeout(go, 5));
    const now = Date.now();
    federation.siteClock = () => now + 1.01 * hour;
    await federation.start("p2");
    const { state, reason } = await federation.end(id);
    expect({ state, reason }).toEqual({ state: "failed", reason: expect.stringMatching(late) });
    for (const name of ["p0", "p1"]) await expectExpired(id, name);
    // Who agreed later is told by the coordinator.
    const { hash } = await federation.record(id);
    await federation.untilReleased(id);
    expect(await readRecord(federation.disk("p2"), `jobs/${hash}/over`)).toMatchObject({ ending: "failed" });
    for (const name of names) expect(notes(name, hash, "begun")).toHaveLength(0);
  });

  it("ends in the middle of a run: nothing more is answered", async () => {
    let batches = 0;
    federation.onMessage = (_message, site, { kind, method }) => {
      if (site === "p1" && kind === "ask" && method === "batch" && ++batches === 3) {
        const now = Date.now();
        federation.siteClock = () => now + 1.01 * hour;
      }
      // Nobody says that it is over.
      return method === "release" ? "lost" : undefined;
    };
    const id = await federation.submit(soon);
    const { state, reason } = await federation.end(id);
    expect({ state, reason }).toEqual({ state: "failed", reason: expect.stringMatching(late) });
    await expectExpired(id, "p1");
    const { hash } = await federation.record(id);
    expect(federation.spent("p1").filter((what) => what.includes(hash))).toHaveLength(1);
    expect(notes("p1", hash, "sent").length).toBeGreaterThan(0);
  });

  it("to a job that nobody ever ends is taken back when the site starts again after the deadline", async () => {
    federation.onMessage = (_message, _site, { method }) => (method === "release" ? "lost" : undefined);
    const id = await federation.submit(soon);
    expect(await federation.end(id)).toMatchObject({ state: "done" });
    const { hash } = await federation.record(id);
    federation.kill("coordinator");
    await federation.start("p0");
    expect((await federation.disk("p0").list(`jobs/${hash}/released/`)).length).toBeGreaterThan(0);
    const now = Date.now();
    federation.siteClock = () => now + 1.01 * hour;
    await federation.start("p0");
    await expectExpired(id, "p0");
  });

  it("of a version that did not write down when it was given counts from the first look", async () => {
    federation.kill("p2");
    const id = await federation.submit(soon);
    while (Object.keys((await federation.record(id)).consents).length < 2) await new Promise((go) => setTimeout(go, 5));
    const { hash } = await federation.record(id);
    const key = `jobs/${hash}/consent`;
    for (const name of ["p0", "p1"]) {
      const { signed: _, ...old } = (await readRecord<Considered>(federation.disk(name), key))!;
      await writeRecord(federation.disk(name), key, old);
    }
    const now = Date.now();
    federation.siteClock = () => now + 20 * hour;
    for (const name of ["p0", "p1"]) {
      const seen = async () => (await readRecord<Considered>(federation.disk(name), key))?.signed;
      for (await federation.start(name); !(await seen()); ) await new Promise((go) => setTimeout(go, 5));
    }
    federation.siteClock = () => now + 20.5 * hour;
    await federation.start("p2");
    expect(await federation.end(id)).toMatchObject({ state: "done" });
    expect(await readRecord(federation.disk("p0"), key)).toMatchObject({
      signed: new Date(now + 20 * hour).toISOString(),
    });
  });
});
