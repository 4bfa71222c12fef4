import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { pairKeysOfAll } from "../privacy/masks/pair-keys.js";
import { distinctIds } from "../table/order.js";
import { peopleOf } from "../testing/people.js";
import { Journal } from "./audit/journal.js";
import type { Card } from "./consent/card.js";
import { prepare } from "./coordinator/prepare.js";
import { SitePreparation } from "./party/preparation.js";
import { MemoryStore } from "./store/memory.js";
import { cardFor, dealt } from "./testing/simulated.js";
import type { PartyHandle } from "./transport/types.js";
import { type PrepareQuestion, prepareSchema } from "./wire/preparation.js";

const ids = [
  ["ann", "bob", "cid", "eve"],
  ["dan", "cid", "bob", "ann"],
];

/** Two sites, and somebody on the way who may change what is asked and answered. */
async function meet(
  meddle: (question: PrepareQuestion, body: Uint8Array, at: number) => void,
  change: Partial<Card> = {},
  { hash = "0".repeat(64), stores = ids.map(() => new MemoryStore()) } = {},
) {
  const people = dealt(
    peopleOf([
      [1, 2, 3, 5],
      [4, 3, 9, 1],
    ]),
    2,
  );
  const card = { ...cardFor(people, "algorithm: lloyd\nk: 2"), id: "person", ...change };
  const keys = pairKeysOfAll(["p0", "p1"], randomBytes);
  const asked: string[] = [];
  const sites = ids.map((own, at) => {
    return new SitePreparation({
      ...{ job: hash, epoch: 0, keys: keys[at], card, store: stores[at], random: randomBytes, threads: 1 },
      journal: new Journal(),
      log: () => undefined,
      ids: () => distinctIds(own),
      people: async () => people[at],
      leastPeople: 0,
      leastSize: 1,
    });
  });
  const handles = sites.map(
    (site, at): PartyHandle => ({
      name: `p${at}`,
      async ask(_, meta, { body = new Uint8Array(0) } = {}) {
        const { question } = prepareSchema.parse(JSON.parse(JSON.stringify(meta)));
        const changed = Uint8Array.from(body);
        meddle(question, changed, at);
        asked.push(question.ask);
        const answer = await site.answer(question, changed);
        return { meta: answer.meta ?? null, body: (answer.body as Uint8Array) ?? new Uint8Array(0) };
      },
    }),
  );
  const preparing = prepare({ card, hash, epoch: 0, consents: {}, handles, resuming: false });
  const prepared = await preparing.finally(() => Promise.all(sites.map((site) => site.close())));
  return { sites, asked, prepared, kept: await Promise.all(stores.map((store) => store.list())) };
}

it("an alignment is called another job's only where another job has found it", async () => {
  const stores = ids.map(() => new MemoryStore());
  const lives = ["1", "1", "2", "2"].map((digit) => ({ hash: digit.repeat(64), stores }));
  const reused: (boolean | undefined)[] = [];
  for (const life of lives) {
    const { prepared, asked } = await meet(() => undefined, {}, life);
    reused.push(prepared.alignment?.reused);
    expect(asked.includes("chunk")).toBe(reused.length === 1);
  }
  expect(reused).toEqual([false, false, true, true]);
});

describe("a coordinator that lies", () => {
  it("can hide somebody from one site, but then the sites do not begin, and keep nothing", async () => {
    const honest = await meet(() => undefined);
    expect(honest.sites.map(({ alignment }) => alignment?.common)).toEqual([3, 3]);
    expect(honest.kept[0].length).toBe(2);
    const hidden = meet(({ ask }, body, at) => {
      // Takes the first common person of one site away.
      if (ask === "accept" && at === 1) body[0] &= body[0] - 1;
    });
    await expect(hidden).rejects.toThrow(/does not mean the same people/);
  });

  it("cannot pass a site's proof, or its own, off as another's", async () => {
    for (const forge of [(own: string) => own, () => randomBytes(32).toString("base64")]) {
      const forged = meet((question) => {
        if (question.ask === "proofs")
          question.proofs = { p0: forge(question.proofs.p1), p1: forge(question.proofs.p0) };
      });
      await expect(forged).rejects.toThrow(/does not mean the same people/);
    }
  });

  it("cannot read the sites' key from their letters, nor replace one", async () => {
    const replaced = meet((question) => {
      if (question.ask === "key") question.letters = { p0: randomBytes(60).toString("base64"), p1: "" };
    });
    await expect(replaced).rejects.toThrow(/sealed letter|letter of p\d is missing/);
  });

  it("gets no answer out of turn", async () => {
    for (const ask of ["keep", "key", "columns", "leave"] as const) {
      const early = meet((question) => {
        if (question.ask === "letters") Object.assign(question, { ask, letters: {}, columns: [] });
      });
      if (ask !== "keep") await expect(early).rejects.toThrow(/out of turn/);
      else await expect(early).rejects.toThrow();
    }
  });

  it("gets nothing of any column out of an alignment alone", async () => {
    const { sites, asked } = await meet(() => undefined, { algorithm: "align" });
    expect(asked).not.toContain("columns");
    expect(asked).not.toContain("leave");
    for (const site of sites) {
      expect(site.agreed).toEqual(["ann", "bob", "cid"]);
      const none = new Uint8Array(0);
      await expect(site.answer({ ask: "columns" }, none)).rejects.toThrow(/out of turn/);
      await expect(site.answer({ ask: "leave", columns: [] }, none)).rejects.toThrow(/out of turn/);
    }
  });
});
