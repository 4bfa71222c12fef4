import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openLanes } from "../../kernels/lanes.js";
import { bytesOf } from "../../privacy/integers.js";
import { generateTable, preparePeople } from "../../table/index.js";
import { Journal } from "../audit/journal.js";
import { cardFor, dealtRows } from "../testing/simulated.js";
import { packRequest } from "../wire/questions.js";
import { DisclosureLog } from "./disclosure-log.js";
import { openSite } from "./make-run.js";
import type { ReleaseStore } from "./question-run.js";

const people = preparePeople(generateTable("people", { n: 90, seed: 3 }), {
  features: ["age", "hours"],
  protect: ["sex"],
  box: { age: [0, 100], hours: [0, 100] },
});
const sites = dealtRows(people, 3);
const groups = people.attributes[0].groups.map((group) => `"${group}"`).join(", ");
const card = cardFor(
  sites,
  `algorithm: dp-fair\nsplit: rows\nk: 2\nepsilon: 1\ngroups: { sex: [${groups}] }\nbox: { age: [0, 100], hours: [0, 100] }`,
);
const everybody = ["p0", "p1", "p2"];
const centres = Float64Array.of(-0.5, 0, 0.5, 0);

type Kept = Map<string, Awaited<ReturnType<ReleaseStore["get"]>>>;

/** One life of a site without masks, so that its numbers are seen; what was kept outlives it. */
async function life(kept: Kept, { told = new DisclosureLog(), members = everybody, before = async () => {} } = {}) {
  const journal = new Journal();
  const left: string[][] = [];
  let step = 0;
  const run = await openSite({
    ...{
      card,
      party: "p0",
      people: sites[0],
      lanes: openLanes(1),
      threads: 1,
      journal,
      random: randomBytes,
      disclosures: told,
    },
    masks: { hide: (values) => ({ body: bytesOf(values) }) },
    keep: async () => undefined,
    members: () => members,
    leaving: async () => void left.push(journal.list().map(({ kind }) => kind)),
    releases: {
      get: async (name) => {
        await before();
        return kept.get(name);
      },
      put: async (name, released) => void kept.set(name, structuredClone(released)),
    },
  });
  const ask = async (body = centres) => {
    const width = people.attributes[0].groups.length - (people.attributes[0].groups.length === 2 ? 1 : 0);
    const packed = packRequest({ centres: body, cells: body.length / 2, width });
    const question = { ask: "question", name: "groups", request: packed.request } as const;
    const answer = await run.answer([{ step: ++step, question, bytes: packed.body.length }], packed.body);
    return Buffer.from(answer.body as Uint8Array).toString("hex");
  };
  return { run, ask, left, told };
}

describe("a site in a private job", () => {
  it("repeats the very bytes, in any life, and says that it does before they leave", async () => {
    const kept: Kept = new Map();
    const first = await life(kept);
    const bytes = await first.ask();
    expect(first.left).toEqual([["people of each group in cells, with noise"]]);
    expect(await first.ask()).toBe(bytes);
    const second = await life(kept);
    expect(await second.ask()).toBe(bytes);
    expect(second.left).toEqual([["people of each group in cells, with noise, repeated"]]);
    await expect(second.ask(centres.map((value) => value / 2))).rejects.toThrow(/its privacy is spent/);
    // Only what left is kept: from it and the people alone the noise would follow.
    expect(Object.keys(kept.get("groups")!).sort()).toEqual(["among", "digest", "numbers"]);
  });

  it("repeats them among the sites that they were summed over, and no others", async () => {
    const kept: Kept = new Map();
    const { ask, told } = await life(kept);
    const bytes = await ask();
    told.open(everybody);
    expect(await (await life(kept, { told })).ask()).toBe(bytes);
    const others = await life(kept, { told, members: ["p0", "p1", "p2", "p3"] });
    await expect(others.ask()).rejects.toThrow(/summed over p0,p1,p2 before and is not disclosed over others/);
  });

  it("takes what an earlier version has kept for a sum over everybody on the card", async () => {
    const kept: Kept = new Map();
    const bytes = await (await life(kept)).ask();
    const { among: _, ...old } = kept.get("groups")!;
    kept.set("groups", old);
    expect(await (await life(kept)).ask()).toBe(bytes);
    const fewer = await life(kept, { members: everybody.slice(1) });
    await expect(fewer.ask()).rejects.toThrow(/is not disclosed over others/);
  });

  it("draws no noise once it is closed, not even for what was asked before", async () => {
    const kept: Kept = new Map();
    let go = () => {};
    const waiting = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { run, ask } = await life(kept, { before: () => waiting });
    const asked = [ask(), ask(centres)];
    const ended = Promise.allSettled(asked);
    await new Promise((resolve) => setImmediate(resolve));
    let closed = false;
    const closing = run.close().then(() => {
      closed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toBe(false);
    go();
    await closing;
    const drawn = kept.size;
    const [first, second] = await ended;
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ status: "rejected" });
    expect([drawn, kept.size]).toEqual([1, 1]);
  });
});
