import { describe, expect, it } from "vitest";
import { cluster } from "../../algorithms/cluster.js";
import type { ClusterOptions } from "../../algorithms/types.js";
import { generateTable, type People, preparePeople } from "../../table/index.js";
import { checkCard } from "../consent/card.js";
import { type Away, cardFor, dealtRows, newDisk, simulate } from "../testing/simulated.js";
import type { PartyHandle } from "../transport/types.js";
import { packRequest } from "../wire/questions.js";

const features = ["age", "hours"];
const box = { age: [0, 100], hours: [0, 100] } as const;
const people: People = preparePeople(generateTable("people", { n: 1200, seed: 3 }), {
  features,
  protect: ["sex"],
  box: { age: [0, 100], hours: [0, 100] },
});

function cardOfPeople(sites: readonly People[], request: string) {
  const groups = people.attributes[0].groups.map((group) => `"${group}"`).join(", ");
  const boxes = Object.entries(box).map(([name, [low, high]]) => `${name}: [${low}, ${high}]`);
  return cardFor(sites, `split: rows\n${request}\ngroups: { sex: [${groups}] }\nbox: { ${boxes.join(", ")} }`);
}

describe("dp-fair over sites", () => {
  it.each([
    ["attribute", "private: attribute", {}],
    ["all", "private: all", { private: "all" }],
  ] as const)("without noise gives the clusters of one process: %s", async (_, request, more) => {
    const sites = dealtRows(people, 3);
    const card = cardOfPeople(sites, `algorithm: dp-fair\nk: 3\nepsilon: inf\ncomponents: 8\n${request}`);
    const { labels, solution, journals } = await simulate(sites, card);
    const options: ClusterOptions = {
      algorithm: "dp-fair",
      k: 3,
      epsilon: Number.POSITIVE_INFINITY,
      components: 8,
      ...more,
    };
    const alone = await cluster(people, { ...options, parties: 3 });
    expect(labels).toEqual(Array.from(alone.labels));
    expect(solution.privacy).toMatchObject({ mode: "none", epsilon: "inf" });
    expect(solution.privacy!.released.groups).toEqual(alone.result.privacy!.released.groups);
    expect(journals[0].list().filter(({ protection }) => protection === "open")).toEqual([]);
  });

  it("adds noise at every site, says what is promised, and draws it once however often it is interrupted", async () => {
    const sites = dealtRows(people, 3);
    const card = cardOfPeople(sites, "algorithm: dp-fair\nk: 3\nepsilon: 0.5\ncomponents: 8");
    const { solution, journals } = await simulate(sites, card);
    expect(solution.privacy).toMatchObject({ mode: "attribute", epsilon: 0.5, delta: 0, colluders: 1 });
    expect(solution.privacy!.randomness).toBe("operating system");
    const exact = await cluster(people, {
      algorithm: "dp-fair",
      k: 3,
      epsilon: Number.POSITIVE_INFINITY,
      components: 8,
    });
    const counts = Object.values(solution.privacy!.released.groups.sex).flat();
    expect(counts).not.toEqual(Object.values(exact.result.privacy!.released.groups.sex).flat());
    expect(journals[0].list().map(({ kind }) => kind)).toContain("people of each group in cells, with noise");
    // Killed when the noisy counts have left: the next life gets the very same ones.
    const disk = newDisk();
    let left = 0;
    const dying = (handle: PartyHandle): PartyHandle => ({
      ...handle,
      ask: async (method, meta, rest) => {
        const answer = await handle.ask(method, meta, rest);
        if (JSON.stringify(meta).includes('"groups"')) left++;
        if (left === 3) throw new Error("killed");
        return answer;
      },
    });
    await expect(simulate(sites, card, { disk, meddle: dying })).rejects.toThrow("killed");
    const kept = structuredClone([...disk.released]);
    expect(kept.map(([name]) => name)).toEqual(["0/groups", "1/groups", "2/groups"]);
    await simulate(sites, card, { disk });
    expect([...disk.released]).toEqual(kept);
  });

  it("answers each question of the plan once, and no other", async () => {
    const sites = dealtRows(people, 3);
    const card = cardOfPeople(sites, "algorithm: dp-fair\nk: 3\nepsilon: 4\nprivate: all\ncomponents: 8");
    const bend =
      (change: (question: Record<string, unknown>) => object) =>
      (handle: PartyHandle): PartyHandle => ({
        ...handle,
        ask: (method, meta, rest) => {
          const { steps } = meta as { steps?: { question: { name?: string; request: Record<string, unknown> } }[] };
          if (steps?.[0].question.name !== "mixture") return handle.ask(method, meta, rest);
          const bent = steps.map(({ question, ...step }) => {
            return { ...step, question: { ...question, request: change(question.request) } };
          });
          return handle.ask(method, { ...(meta as object), steps: bent }, rest);
        },
      });
    const run = (change: (question: Record<string, unknown>) => object) =>
      simulate(sites, card, { meddle: bend(change) });
    await expect(run((question) => ({ ...question, number: 0 }))).rejects.toThrow(/its privacy is spent/);
    await expect(run((question) => ({ ...question, number: 99 }))).rejects.toThrow(/out of place/);
    await expect(run((question) => ({ ...question, hard: false }))).rejects.toThrow(/out of place/);
    await expect(run(({ theta }) => ({ centres: theta }))).rejects.toThrow(/out of place/);
    // Where people are private, how many are where is not told at all.
    const counting = (handle: PartyHandle): PartyHandle => ({
      ...handle,
      ask: (method, meta, rest) => {
        if (!JSON.stringify(meta).includes('"mixture"')) return handle.ask(method, meta, rest);
        const { request, body } = packRequest({ centres: new Float64Array(4), cells: 2 });
        const question = { ask: "question", name: "cells", request };
        const bad = { ...(meta as object), steps: [{ step: 1e6, question, bytes: body.length }] };
        return handle.ask(method, bad, { ...rest, body });
      },
    });
    await expect(simulate(sites, card, { meddle: counting })).rejects.toThrow(/out of place/);
  });

  it("goes on without a site that drops out: the others' noise is enough", async () => {
    const sites = dealtRows(people, 4);
    const away: Away = new Set();
    const card = cardOfPeople(sites, "algorithm: dp-fair\nk: 3\nepsilon: 8\nprivate: all\ncomponents: 4");
    let asked = 0;
    const meddle = (handle: PartyHandle): PartyHandle => ({
      ...handle,
      ask: (method, meta, rest) => {
        if (handle.name === "p3" && JSON.stringify(meta).includes('"mixture"') && ++asked === 3) away.add("p3");
        return handle.ask(method, meta, rest);
      },
    });
    const { labels, solution } = await simulate(sites, card, { away, meddle });
    expect(labels).toHaveLength(900);
    expect(solution.present).toEqual(["p0", "p1", "p2"]);
    expect(solution.absences).toEqual([{ party: "p3", from: expect.any(Number), to: null }]);
  });

  it("private k-means is one of the jobs", async () => {
    const open = dealtRows({ ...people, attributes: [] }, 3);
    const card = cardFor(
      open,
      `split: rows\nalgorithm: fkm-plus\nk: 2\nepsilon: 8\nbox: { age: [0, 100], hours: [0, 100] }`,
    );
    const { labels, solution } = await simulate(open, card);
    expect(labels).toHaveLength(1200);
    expect(solution.privacy).toMatchObject({ mode: "all", delta: 1e-5 });
    expect(solution.privacy!.epsilon).toBeLessThanOrEqual(8);
    expect(solution.privacy!.model!.centres).toHaveLength(4);
  });
});

describe("the card of a private job", () => {
  const sites = dealtRows(people, 3);
  it.each([
    ["algorithm: dp-fair\nk: 3", /needs an epsilon/],
    ["algorithm: f3km\nk: 3\nepsilon: 1", /epsilon is for fkm-plus or dp-fair/],
    ["algorithm: dp-fair\nk: 3\nepsilon: 1\ncolluders: 3", /one must be honest/],
    ["algorithm: dp-fair\nk: 3\nepsilon: 1\nprotection: means", /leave out protection/],
    [
      "algorithm: dp-fair\nk: 3\nepsilon: 1\nprivate: all\nid: person\nlabels: [analyst]",
      /leave labels to the parties/,
    ],
  ])("is refused: %s", (request, why) => {
    expect(() => cardOfPeople(sites, request)).toThrow(why);
  });

  it("opens sums only where more than half agree, counting who colludes twice: two stories about who is there cannot both be told", () => {
    const five = dealtRows(people, 5);
    const quorumOf = (request: string) => cardOfPeople(five, `algorithm: dp-fair\nk: 3\nepsilon: 1\n${request}`).quorum;
    expect(quorumOf("")).toBe(4);
    expect(quorumOf("colluders: 0")).toBe(3);
    expect(quorumOf("colluders: 3")).toBe(5);
    expect(() => quorumOf("quorum: 3")).toThrow(/quorum 3 of 5 parties, of whom 1 may collude .*: give from 4 to 5/);
    const card = cardOfPeople(five, "algorithm: dp-fair\nk: 3\nepsilon: 1");
    expect(() => checkCard({ ...card, quorum: 3 })).toThrow(/give from 4 to 5/);
  });

  it("names public bounds of everything", () => {
    const request =
      'split: rows\nalgorithm: dp-fair\nk: 3\nepsilon: 1\ngroups: { sex: ["F", "M", "X"] }\nbox: { age: [0, 100] }';
    expect(() => cardFor(sites, request)).toThrow(/publicly known of 'hours'/);
  });
});
