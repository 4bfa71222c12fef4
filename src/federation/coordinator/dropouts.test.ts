import { describe, expect, it } from "vitest";
import { cluster } from "../../algorithms/cluster.js";
import type { People } from "../../table/types.js";
import { tiedPeople } from "../../testing/people.js";
import { type Away, cardFor, dealtRows, newDisk, simulate } from "../testing/simulated.js";
import type { PartyHandle } from "../transport/types.js";

const people = tiedPeople(160, 3, 2, 7);
const sites = dealtRows(people, 4);

function cardOfRows(request: string) {
  const groups = people.attributes.map(
    ({ name, groups }) => `  "${name}": [${groups.map((each) => `"${each}"`).join(", ")}]`,
  );
  const means = request.includes("fkm\n") ? "protection: means\n" : "";
  return cardFor(sites, `split: rows\n${means}scale: none\n${request}\ngroups:\n${groups.join("\n")}`);
}

/** The people of some sites. */
function only(...which: number[]): People {
  const chosen = which.map((at) => sites[at]);
  return {
    ...people,
    n: chosen.reduce((sum, { n }) => sum + n, 0),
    dimensions: people.dimensions.map((_, j) => Float64Array.from(chosen.flatMap((site) => [...site.dimensions[j]]))),
    attributes: people.attributes.map((attribute, a) => ({
      ...attribute,
      codes: Uint16Array.from(chosen.flatMap((site) => [...site.attributes[a].codes])),
    })),
  };
}

/** What the last of a batch's questions is, and everything else by its method. */
function nameOf(method: string, meta: unknown): string {
  const { steps } = meta as { steps?: { question: { ask: string; name?: string } }[] };
  const question = steps?.at(-1)?.question;
  return question?.name ?? question?.ask ?? method;
}

/** p3 hangs up at the n-th question of a kind, and comes back after some more questions to p0. */
function hangingUp(away: Away, kind: string, times: number, { back = Number.POSITIVE_INFINITY, who = ["p3"] } = {}) {
  let seen = 0;
  let since = 0;
  return (handle: PartyHandle): PartyHandle => ({
    ...handle,
    ask: (method, meta, rest) => {
      const name = nameOf(method, meta);
      if (who.includes(handle.name) && name === kind && ++seen === times * who.length)
        for (const each of who) away.add(each);
      if (away.size > 0 && handle.name === "p0" && ++since === back) away.clear();
      return handle.ask(method, meta, rest);
    },
  });
}

describe("a party that drops out of a run on split rows", () => {
  it.each([
    ["fkm-plus", "algorithm: fkm-plus\nk: 4", "place", 12],
    ["fkm-plus", "algorithm: fkm-plus\nk: 4", "totals", 2],
    ["fkm-plus", "algorithm: fkm-plus\nk: 4", "disclose", 26],
    ["fkm-plus at its end", "algorithm: fkm-plus\nk: 4", "assign", 1],
    ["fkm", "algorithm: fkm\nk: 4", "refine", 2],
    ["fair", "k: 3\nmaxIterations: 3", "below", 3],
    ["fair", "k: 3\nmaxIterations: 3", "gather", 2],
    ["fair at its end", "k: 3\nmaxIterations: 3", "tally", 1],
  ])("is missed, and the others end without it: %s, at %s %s", async (_, request, kind, times) => {
    const away: Away = new Set();
    const card = cardOfRows(request);
    const { labels, solution } = await simulate(sites, card, { away, meddle: hangingUp(away, kind, times) });
    expect(away.size).toBe(1);
    expect(solution.present).toEqual(["p0", "p1", "p2"]);
    expect(solution.absences).toEqual([{ party: "p3", from: expect.any(Number), to: null }]);
    const left = only(0, 1, 2);
    expect(labels).toHaveLength(left.n);
    // Everything that is said is about those who are left.
    const sizes = new Array<number>(card.k).fill(0);
    for (const label of labels) sizes[label]++;
    expect(solution.whole!.sizes).toEqual(sizes);
    if (card.algorithm === "f3km" && kind !== "tally") expect(solution.whole!.fair).toBe(true);
    // And as good as if the others had been alone from the start.
    const options = { k: card.k, split: "rows", parties: 3, maxIterations: card.maxIterations } as const;
    const smallest = card.minSize === undefined ? {} : { minSize: card.minSize };
    const alone = await cluster(left, { ...options, ...smallest, algorithm: card.algorithm as "f3km" });
    if (kind !== "tally" && kind !== "disclose") expect(solution.sse).toBeLessThan(alone.result.sse * 1.1);
  });

  it.each([
    ["given places", "k: 2\nminSize: 20\nseats: [{ x0: 2, x1: 5, x2: 8 }, { x0: 5, x1: 8, x2: 2 }]"],
    ["representation", "k: 4\nnotion: representation\nrepresent: 0.5"],
  ])("is waited for: the same sums without it would show its people, with %s", async (_, request) => {
    const away: Away = new Set();
    const run = simulate(sites, cardOfRows(request), { away, meddle: hangingUp(away, "gather", 1) });
    await expect(run).rejects.toThrow("a party has left");
  });

  it("at the last question, which is about what promises cost, spoils that alone", async () => {
    const card = cardOfRows("k: 3\nmaxIterations: 2");
    const whole = await simulate(sites, card);
    expect(whole.solution.unconstrainedSse).toBeLessThanOrEqual(whole.solution.sse);
    const away: Away = new Set();
    const { labels, solution } = await simulate(sites, card, { away, meddle: hangingUp(away, "silhouette", 1) });
    expect(labels).toEqual(whole.labels.slice(0, labels.length));
    expect(solution).toMatchObject({ present: ["p0", "p1", "p2"], unconstrainedSse: null });
  });

  it("joins again in the next round, and is told of in the result", async () => {
    for (const [request, kind] of [
      ["algorithm: fkm-plus\nk: 4", "totals"],
      ["k: 3\nmaxIterations: 4", "gather"],
    ]) {
      const away: Away = new Set();
      const meddle = hangingUp(away, kind, 1, { back: 8 });
      const { labels, solution } = await simulate(sites, cardOfRows(request), { away, meddle });
      expect(away.size).toBe(0);
      expect(solution.present).toHaveLength(4);
      expect(labels).toHaveLength(people.n);
      expect(solution.whole!.sizes.reduce((sum, size) => sum + size, 0)).toBe(people.n);
      if (kind === "gather") expect(solution.whole!.fair).toBe(true);
      for (const { from, to } of solution.absences!) expect(to).toBeGreaterThanOrEqual(from);
    }
  });

  it("is one too many below the quorum: the run ends and says so", async () => {
    const away: Away = new Set();
    const meddle = hangingUp(away, "totals", 1, { who: ["p2", "p3"] });
    await expect(simulate(sites, cardOfRows("algorithm: fkm-plus\nk: 4"), { away, meddle })).rejects.toThrow(
      /only 2 of 4 parties stayed: sums need at least 3/,
    );
    const early: Away = new Set();
    const first = hangingUp(early, "moments", 1);
    await expect(
      simulate(sites, cardOfRows("algorithm: fkm-plus\nk: 4"), { away: early, meddle: first }),
    ).rejects.toThrow(/a party has left/);
  });

  it("is not shown by asking for the same once more without it after everybody was killed, since the last checkpoint", async () => {
    const card = cardOfRows("algorithm: fkm-plus\nk: 4");
    const disk = newDisk();
    const killed = new Error("killed");
    let placed = false;
    let lastAsked = "";
    // Right after the masks of the first sum about centres were opened.
    const mortal = (handle: PartyHandle): PartyHandle => ({
      ...handle,
      ask: (method, meta, rest) => {
        if (placed && method === "batch") throw killed;
        if (nameOf(method, meta) === "disclose" && lastAsked === "place") placed = true;
        lastAsked = nameOf(method, meta);
        return handle.ask(method, meta, rest);
      },
    });
    await expect(simulate(sites, card, { disk, meddle: mortal })).rejects.toThrow(killed);
    const away: Away = new Set();
    const opened: unknown[] = [];
    const leaving = hangingUp(away, "place", 1);
    const listening = (handle: PartyHandle): PartyHandle => ({
      ...leaving(handle),
      ask: async (method, meta, rest) => {
        const answer = await leaving(handle).ask(method, meta, rest);
        if (away.size > 0 && method === "disclose") opened.push((answer.meta as { opened: unknown }).opened);
        return answer;
      },
    });
    await simulate(sites, card, { disk, away, meddle: listening }).catch(() => undefined);
    expect(opened.slice(0, 3)).toEqual([null, null, null]);
  });

  it("is not shown by asking for the same once more without it", async () => {
    const away: Away = new Set();
    let asked: { meta: object; rest: object | undefined } | undefined;
    // A coordinator that says p3 has gone, and asks the others again about the centres of before.
    const meddle = (handle: PartyHandle): PartyHandle => ({
      ...handle,
      ask: (method, meta, rest) => {
        const name = nameOf(method, meta);
        if (name === "place" && !asked) asked = { meta: meta as object, rest };
        if (name !== "totals" || !asked) return handle.ask(method, meta, rest);
        away.add("p3");
        const { steps } = asked.meta as { steps: { step: number }[] };
        const again = { ...(meta as object), steps: [{ ...steps.at(-1)!, step: 1e6 }] };
        return handle.ask(method, again, asked.rest);
      },
    });
    await expect(simulate(sites, cardOfRows("algorithm: fkm-plus\nk: 4"), { away, meddle })).rejects.toThrow(
      /told the same with it before|another number of numbers/,
    );
  });
});
