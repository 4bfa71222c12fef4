// Slow: some dozens of simulated federations.
import { describe, expect, it } from "vitest";
import { statementOf } from "../../../algorithms/dp-fair/statement.js";
import { generateTable, type People, preparePeople } from "../../../table/index.js";
import { privatePlanOf } from "../../consent/private-card.js";
import { inOneProcess } from "../../testing/private-cells.js";
import { diskDrawnOnce, mortal, refusedElsewhere } from "../../testing/released.js";
import { cardFor, type Disk, dealt, newDisk, type Simulated, simulate } from "../../testing/simulated.js";
import { digestsOf } from "../column-digests.js";
import { DisclosureLog } from "../disclosure-log.js";

const people: People = preparePeople(generateTable("people", { n: 300, seed: 3 }), {
  features: ["age", "hours", "income", "visits"],
  protect: ["sex", "region"],
});
const groups = `groups: { ${people.attributes.map(({ name, groups }) => `${name}: [${groups.map((each) => `"${each}"`).join(", ")}]`).join(", ")} }`;
const request = `algorithm: dp-fair\nk: 3\ncomponents: 8\nmaxIterations: 5\nbalanceTarget: 0.5\n${groups}`;
const cardOver = (parties: number, more = "epsilon: 1") => cardFor(dealt(people, parties), `${request}\n${more}`);
const run = (card: ReturnType<typeof cardOver>, disk = newDisk(), of = people) =>
  simulate(dealt(of, card.parties.length), card, { disk });

/** What the holders of attributes have counted, with their noise: only theirs is not 0. */
function counted({ released }: Disk): Float64Array {
  const parts = [...released.values()].map((each) => each!.numbers);
  return Float64Array.from(parts[0], (_, at) => parts.reduce((sum, part) => sum + part[at], 0));
}

/** Everything but what it took. */
function told({ labels, solution, journals }: Simulated) {
  const { communication: _, ...rest } = solution;
  return { labels, ...rest, journals: journals.map((each) => each.list()) };
}

describe("private clusters of split columns", () => {
  it.each([
    ["two sites, of which both hold an attribute", 2, "epsilon: 1"],
    ["three sites, without noise", 3, "epsilon: inf"],
    ["four sites, masked", 4, "epsilon: 0.5\nprotection: masked"],
  ])("are those of one process with the same noise: %s", async (_, parties, more) => {
    const card = cardOver(parties, more);
    const disk = newDisk();
    const { labels } = await run(card, disk);
    expect(new Set(labels).size).toBe(3);
    expect(labels).toEqual(await inOneProcess(card, people, counted(disk)));
  });

  it("are a function of features and noisy counts: somebody's other groups change nothing that leaves", async () => {
    const card = cardOver(3);
    const disk = newDisk();
    const one = told(await run(card, disk));
    const attributes = people.attributes.map((each) => ({
      ...each,
      codes: each.codes.map((code, row) => (row === 7 ? (code + 1) % each.groups.length : code)),
    }));
    const same = newDisk();
    for (const [name, numbers] of disk.released) same.released.set(name, numbers);
    const other = told(await run(card, same, { ...people, attributes }));
    const firstTime = (journals: typeof one.journals) => JSON.stringify(journals).replaceAll(", repeated", "");
    expect({ ...other, journals: firstTime(other.journals) }).toEqual({ ...one, journals: firstTime(one.journals) });
    // The test can fail: without that noise, or with fresh one, counts differ.
    expect(counted(disk)).not.toEqual(await freshCounts(card));
  });

  async function freshCounts(card: ReturnType<typeof cardOver>): Promise<Float64Array> {
    const disk = newDisk();
    await run(card, disk);
    return counted(disk);
  }

  it("have whole noise from each holder of an attribute, of the scale of all attributes together, and others send zeros", async () => {
    const card = cardOver(3);
    const { terms, costs } = await privatePlanOf(card, people.n);
    // sex and region have more than two groups each: somebody who changes changes four counts.
    const { noise } = terms.census!;
    expect(noise).toMatchObject({ kind: "laplace", sharing: { parties: 1, colluding: 0 } });
    const { numerator, denominator } = (noise as Extract<typeof noise, { kind: "laplace" }>).scale;
    expect(Number(numerator) / Number(denominator)).toBe(4);
    expect(statementOf(costs, true).epsilon).toBe(1);
    const disk = newDisk();
    const { journals } = await run(card, disk);
    expect(disk.released.get("0/groups")!.numbers.every((count) => count === 0)).toBe(true);
    const kinds = journals.map((each) => each.list().map(({ kind }) => kind));
    expect(kinds[0]).toContain("zeros, where others count groups");
    for (const own of kinds.slice(1)) expect(own).toContain("people of each group in cells, with noise");
    const [, sex, region] = [0, 1, 2].map((at) => disk.released.get(`${at}/groups`)!.numbers);
    const width = people.attributes.reduce((sum, each) => sum + each.groups.length, 0);
    const own = people.attributes[0].groups.length;
    expect(sex.every((count, at) => count === 0 || at % width < own)).toBe(true);
    expect(region.every((count, at) => count === 0 || at % width >= own)).toBe(true);
  });

  it("leave no digest of a protected column, which guesses could be tried on", () => {
    const key = new Uint8Array(32);
    const [site] = dealt(people, 1);
    expect(Object.keys(digestsOf(site, cardOver(2), key)).filter((title) => /protected/.test(title))).toEqual([]);
    const open = cardFor(dealt(people, 2), "k: 3");
    expect(Object.keys(digestsOf(site, open, key)).filter((title) => /protected/.test(title))).toHaveLength(2);
  });
});

describe("a private run over columns whose processes are killed", () => {
  const card = cardOver(3);
  const sites = dealt(people, 3);

  it("goes on from where it was, draws noise once, and ends as if nothing had been", async () => {
    const seen = { messages: 0 };
    await simulate(sites, card, { meddle: mortal(Number.POSITIVE_INFINITY, false, seen) });
    // The census is among the last three questions to three sites.
    const last = [1, 3, 4, 6, 7, 9].map((back) => seen.messages - back);
    for (const message of [Math.floor(seen.messages / 2), ...last]) {
      const disk = diskDrawnOnce();
      const dying = simulate(sites, card, { disk, meddle: mortal(message, message % 2 === 0) });
      await expect(dying).rejects.toThrow("killed");
      const { labels } = await simulate(sites, card, { disk });
      expect(labels).toEqual(await inOneProcess(card, people, counted(disk)));
    }
  });

  it("is written down by every site before counts open, after all have kept theirs: a holder who was put back is told so, and nobody else", async () => {
    const disk = newDisk();
    const put = disk.told.set.bind(disk.told);
    disk.told.set = (site, sums) => {
      expect([...disk.released.keys()].sort()).toEqual(["0/groups", "1/groups", "2/groups"]);
      return put(site, sums);
    };
    await run(card, disk);
    const [digest, ...others] = [0, 1, 2].map((at) => disk.released.get(`${at}/groups`)!.digest);
    expect(others).toEqual([digest, digest]);
    for (const at of [0, 1, 2]) expect(new DisclosureLog(disk.told.get(at)).with("p1", [digest])).toEqual([digest]);
  });

  it("counts no groups in other cells than before, nor over other sites", async () => {
    const disk = newDisk();
    await run(card, disk);
    await refusedElsewhere(disk, (again) => run(card, again));
  });
});
