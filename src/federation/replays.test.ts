import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { generateTable, preparePeople } from "../table/index.js";
import { isCountPrivate } from "./consent/private-card.js";
import { enter } from "./coordinator/entering.js";
import type { JobRecord } from "./coordinator/job.js";
import { solveCard } from "./coordinator/solve-card.js";
import { readRecord } from "./store/records.js";
import { MortalFederation } from "./testing/mortal.js";
import { dealtRows } from "./testing/simulated.js";
import { workplace } from "./testing/sites.js";
import type { PartyHandle } from "./transport/types.js";

const names = ["p0", "p1", "p2", "p3"];
const people = preparePeople(generateTable("people", { n: 800, seed: 3 }), {
  features: ["age", "hours"],
  protect: ["sex"],
  box: { age: [0, 100], hours: [0, 100] },
});
const groups = people.attributes[0].groups.map((group) => `"${group}"`).join(", ");
const policy = `approval: automatic
analysts: [alice]
algorithms: [dp-fair, fkm-plus]
features: [age, hours]
protect: [sex]
minimum: { rows: 10, clusterSize: 1 }
budget: { epsilon: 100000, delta: 0.001, jobs: 1000 }
`;
const federation = new MortalFederation(
  Object.fromEntries(names.map((name, at) => [name, { people: () => dealtRows(people, 4)[at], policy }])),
);

beforeAll(async () => {
  await federation.prepare(join(workplace(), "kits"));
  for (const name of names) await federation.start(name);
});

afterEach(() => {
  federation.kill("coordinator");
  federation.onMessage = () => undefined;
});

const job = (request: string, protect = "sex") =>
  `${request}\nsplit: rows\nk: 2\ncomponents: 4\nbox: { age: [0, 100], hours: [0, 100] }\nparties:\n${names
    .map((name) => `  ${name}: { features: [age, hours], protect: [${protect}] }`)
    .join("\n")}\n`;
const fair = (more: string) => job(`algorithm: dp-fair\ngroups: { sex: [${groups}] }\n${more}`);
const requests = {
  "dp-fair": fair("epsilon: 1\nprivate: attribute"),
  "dp-fair of all": fair("epsilon: 30\nprivate: all"),
  "private fkm-plus": job("algorithm: fkm-plus\nepsilon: 30", ""),
};
const kinds = Object.entries(requests);

/** Everything that was asked of a site about a job is in its log, and its budget was spent once. */
async function once(hash: string): Promise<void> {
  for (const name of names) expect(federation.spent(name).filter((what) => what.includes(hash))).toHaveLength(1);
}

const notes = (name: string, hash: string, kind: string) =>
  federation.audit(name).filter((entry) => entry.kind === kind && entry.details.job === hash);

/** What the coordinator's owner makes of a record: as if the job had never been run. */
const setBack =
  (is: "waiting" | "running") =>
  ({ facts: _, keepers: __, ...record }: JobRecord): JobRecord => ({
    ...record,
    state: is === "waiting" ? { is, for: names, reason: "not asked yet" } : { is },
    position: null,
    released: [],
  });

/** An honest run; with `unreleased`, its coordinator dies before any site hears that it is over. */
async function finished(request: string, unreleased = false) {
  await federation.start("coordinator");
  if (unreleased) federation.onMessage = (_, __, { method }) => (method === "release" ? "lost" : undefined);
  const id = await federation.submit(request);
  expect(await federation.end(id)).toMatchObject({ state: "done" });
  const first = await federation.released(id);
  if (!unreleased) await federation.untilReleased(id);
  const record = await federation.record(id);
  federation.kill("coordinator");
  federation.onMessage = () => undefined;
  return { id, first, record };
}

/** A coordinator that asks what it likes: begins an epoch of a job at some sites, and runs it over these handles. */
async function attacker({ hash, card, consents, epoch: next }: JobRecord) {
  const { lines, audit } = await federation.impersonate();
  const handles = names.map(
    (name): PartyHandle => ({ name, ask: (...asked) => lines.get(name)!.ask(...asked), gone: async () => false }),
  );
  let epoch = next;
  const begin = async (some = handles) => {
    const begun = epoch++;
    await enter({ hash, epoch: begun, consents, handles: some, audit });
    const meta = { job: hash, epoch: begun, consents, position: null };
    await Promise.all(some.map((handle) => handle.ask("begin", meta)));
    return begun;
  };
  const drive = async (some = handles) => {
    const begun = await begin(some);
    // The very questions of before, whoever is there; and none of the care that an honest coordinator takes in a later epoch.
    const rows = isCountPrivate(card) ? 4 : 800;
    const careless = some.map(
      (handle): PartyHandle => ({
        ...handle,
        ask: (method, meta, ...rest) => handle.ask(method, { ...(meta as object), epoch: begun }, ...rest),
      }),
    );
    const run = { card, hash, epoch: 0, rows, counts: [], handles: careless, results: [] };
    const { privacy } = await solveCard({ ...run, keep: async () => undefined, clock: () => 0 });
    return { released: privacy!.released, model: privacy!.model };
  };
  /** All sites are killed, and are back when this resolves. */
  const restart = async () => {
    const before = new Map(lines);
    for (const name of names) await federation.start(name);
    while (names.some((name) => lines.get(name) === before.get(name))) await new Promise((go) => setTimeout(go, 5));
  };
  return { handles, begin, drive, restart };
}

const asks = (meta: unknown, ask: string) => JSON.stringify(meta).includes(`"name":"${ask}"`);

describe("a private job that is over", () => {
  it.each(kinds)("is not begun again by a coordinator that sets it back: %s", async (_, request) => {
    const { id, first, record } = await finished(request);
    for (const is of ["waiting", "running"] as const) {
      await federation.rewrite(id, setBack(is));
      await federation.start("coordinator");
      const view = await federation.end(id);
      expect(view).toMatchObject({ state: "failed", reason: expect.stringMatching(/^p\d: job \S+ is over here/) });
      federation.kill("coordinator");
    }
    // Nor by one that does not ask for consent.
    const { begin } = await attacker(record);
    await expect(begin()).rejects.toThrow(/is over here and is never begun again/);
    await once(record.hash);
    for (const name of names) expect(notes(name, record.hash, "begun")).toHaveLength(1);
    // As a new job it is paid anew.
    const again = await finished(request);
    expect(again.record.hash).not.toBe(record.hash);
    expect(again.first).not.toEqual(first);
    await once(again.record.hash);
  });

  it("leaves a tombstone and nothing of what it told; also a damaged one stands, and one of an earlier version", async () => {
    const { record } = await finished(requests["dp-fair of all"]);
    const key = `jobs/${record.hash}/over`;
    for (const name of names) {
      const disk = federation.disk(name);
      expect(await disk.list(`jobs/${record.hash}/released/`)).toEqual([]);
      const { hash, card } = record;
      expect(await readRecord(disk, key)).toMatchObject({ card: hash, nonce: card.nonce, ending: "done" });
    }
    const { begin } = await attacker(record);
    for (const damage of ["", '{"card":', '"done"']) {
      for (const name of names) await federation.disk(name).write(key, Buffer.from(damage));
      await expect(begin()).rejects.toThrow(/is over here and is never begun again/);
    }
  });

  it("stays over when it is begun at the very moment at which it ends", async () => {
    const { record } = await finished(requests["dp-fair"], true);
    const { handles, begin } = await attacker(record);
    const [handle] = handles;
    const end = () => handle.ask("release", { job: record.hash, state: "failed" });
    await Promise.allSettled([begin(), end()]);
    await expect(begin()).rejects.toThrow(/is over here/);
    const announce = { job: record.hash, epoch: record.epoch, round: 0 };
    await expect(handle.ask("announce", announce)).rejects.toThrow(/no such run/);
    expect(await federation.disk("p0").list(`jobs/${record.hash}/released/`)).toEqual([]);
  });

  it("whose folder is gone, while the book knows it, is not begun either", async () => {
    const { record } = await finished(requests["dp-fair"]);
    for (const name of names) {
      const disk = federation.disk(name);
      for (const key of await disk.list(`jobs/${record.hash}/`)) if (!key.endsWith("/consent")) await disk.remove(key);
    }
    const { begin } = await attacker(record);
    await expect(begin()).rejects.toThrow(
      /budget of job \S+ is spent, and what was disclosed for it is not known here any more/,
    );
  });
});

describe("a private job that no site was told is over", () => {
  it.each(kinds)("tells the very same again, and every site writes it down: %s", async (_, request) => {
    const { id, first, record } = await finished(request, true);
    const sent = names.map((name) => notes(name, record.hash, "sent").length);
    await federation.rewrite(id, setBack("waiting"));
    for (const name of names) federation.kill(name);
    for (const name of names) await federation.start(name);
    federation.onMessage = (_message, _site, { method }) => (method === "release" ? "lost" : undefined);
    await federation.start("coordinator");
    expect(await federation.end(id)).toMatchObject({ state: "done" });
    expect(await federation.released(id)).toEqual(first);
    federation.kill("coordinator");
    federation.onMessage = () => undefined;
    // And once more, by one that never says that anything is over.
    const { drive } = await attacker(await federation.record(id));
    expect(await drive()).toEqual(first);
    await once(record.hash);
    for (const [at, name] of names.entries()) {
      expect(notes(name, record.hash, "begun")).toHaveLength(3);
      const since = notes(name, record.hash, "sent").slice(sent[at]);
      const noisy = since.filter(({ details }) => /, with noise/.test(`${details.what}`));
      expect(noisy.length).toBeGreaterThan(0);
      expect(noisy.every(({ details }) => /, with noise, repeated$/.test(`${details.what}`))).toBe(true);
    }
  });

  it.each(kinds)(
    "is not told over other sites, in any epoch, also after all of them were killed: %s",
    async (_, request) => {
      const { first, record } = await finished(request, true);
      const { handles, drive, restart } = await attacker(record);
      for (const restarted of [false, true]) {
        if (restarted) await restart();
        // One site fewer from the beginning; and one whose numbers are said not to have arrived.
        await expect(drive(handles.slice(0, 3))).rejects.toThrow(
          /summed over p0,p1,p2,p3 before and is not disclosed over others/,
        );
        for (const ask of ["mixture", "groups"]) {
          if (ask === "groups" && request === requests["private fkm-plus"]) continue;
          let hidden = false;
          const liar = handles.map((handle) => ({
            ...handle,
            ask: async (method: string, meta: unknown, options?: Parameters<PartyHandle["ask"]>[2]) => {
              const answer = await handle.ask(method, meta, options);
              if (handle.name === "p3" && asks(meta, ask)) {
                hidden = true;
                throw new Error("never arrived");
              }
              return answer;
            },
            gone: async () => handle.name === "p3" && hidden,
          }));
          await expect(drive(liar)).rejects.toThrow(/do not tell it without/);
        }
      }
      expect(await drive()).toEqual(first);
      await once(record.hash);
    },
  );
});
