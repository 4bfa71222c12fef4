// Slow: some dozens of simulated federations.
import { describe, expect, it, vi } from "vitest";
import { NoisyParties } from "../../../algorithms/dp-fair/noisy-parties.js";
import { openLanes } from "../../../kernels/lanes.js";
import { Chance } from "../../../privacy/noise/chance.js";
import { generateTable, type People, preparePeople } from "../../../table/index.js";
import { privatePlanOf } from "../../consent/private-card.js";
import { diskDrawnOnce, mortal, refusedElsewhere } from "../../testing/released.js";
import { cardFor, type Disk, dealt, newDisk, simulate } from "../../testing/simulated.js";
import { digestsOf } from "../column-digests.js";
import { DisclosureLog } from "../disclosure-log.js";
import { ColumnRun } from "./column-run.js";

const box = { age: [15, 95], hours: [0, 80], income: [0, 150_000], visits: [0, 40] } as const;
const people: People = preparePeople(generateTable("people", { n: 400, seed: 3 }), {
  ...{ features: Object.keys(box), protect: ["sex", "region"], box },
});
const groups = `groups: { ${people.attributes.map(({ name, groups }) => `${name}: [${groups.map((each) => `"${each}"`).join(", ")}]`).join(", ")} }`;
const boxes = `box: { ${Object.entries(box)
  .map(([name, [low, high]]) => `${name}: [${low}, ${high}]`)
  .join(", ")} }`;
const request = `algorithm: dp-fair\nprivate: all\nk: 3\ncomponents: 6\nbalanceTarget: 0.5\n${groups}\n${boxes}`;
const cardOver = (parties: number, more = "epsilon: 30") => cardFor(dealt(people, parties), `${request}\n${more}`);
const run = (card: ReturnType<typeof cardOver>, disk = newDisk(), of = people) =>
  simulate(dealt(of, card.parties.length), card, { disk });
type Card = ReturnType<typeof cardOver>;

/** The columns of all sites, one site's after the other's, as the card has them. */
const onCard = (parties: number): People => {
  const sites = dealt(people, parties);
  return {
    ...people,
    dimensions: sites.flatMap(({ dimensions }) => dimensions),
    attributes: sites.flatMap(({ attributes }) => attributes),
  };
};

/** The same in one process: with what the sites have released, or without noise. */
async function inOneProcess(card: Card, disk?: Disk) {
  const plan = await privatePlanOf(card, people.n);
  const whole = onCard(card.parties.length);
  const columns = new NoisyParties(
    whole,
    1,
    openLanes(1),
    plan.terms,
    new Chance({ secret: false, fill: () => undefined }),
  );
  const released = async (place: string) => {
    const parts = card.parties.map((_, at) => disk!.released.get(`${at}/${place}`)!.numbers);
    return Float64Array.from(parts[0], (_, at) => parts.reduce((sum, part) => sum + part[at], 0));
  };
  const asked = disk
    ? { sums: (_: Float64Array, round: number) => released(`sums ${round}`), census: () => released("groups") }
    : columns;
  const solution = await plan.solveColumns!(asked, { seed: card.seed, maxIterations: 1 });
  const [{ clusters }] = solution.clusterings;
  const cells = await columns.cells(solution.centres);
  return { labels: Array.from(cells, (cell) => clusters[cell]), centres: Array.from(solution.centres) };
}

describe("private clusters of split columns, everything private", () => {
  it.each([
    ["two sites", 2, "epsilon: 30"],
    ["three sites, of which two hold an attribute, without noise", 3, "epsilon: inf"],
    ["four sites, masked", 4, "epsilon: 30\nprotection: masked"],
  ])("are those of one process with the same noise: %s", async (_, parties, more) => {
    const card = cardOver(parties, more);
    const disk = newDisk();
    const { labels } = await run(card, disk);
    expect(new Set(labels).size).toBe(3);
    const alone = await inOneProcess(card, disk);
    expect(labels).toEqual(alone.labels);
    if (more === "epsilon: inf") expect(await inOneProcess(card)).toEqual(alone);
  });

  it("promise those who see the model alone, and tell no true size, share or SSE", async () => {
    const { solution } = await run(cardOver(3));
    expect(solution).toMatchObject({ sse: 0, history: [], outcome: { passes: 8 } });
    const told = await toldIn(cardOver(3));
    expect(Object.keys(told).sort()).toEqual(["privacy", "sizes", "sse", "warnings"]);
    const { privacy, sizes, sse } = told;
    expect(privacy).toMatchObject({ mode: "all", epsilon: 30, delta: 1e-5, colluders: 0 });
    expect(privacy!.promise).toMatch(
      /^to those who see the model and the noisy counts alone, .* nothing is promised against the sites/,
    );
    expect(sizes).toEqual(privacy!.released.sizes.map(Math.round));
    expect(sse).toBe(0);
    expect(privacy!.model!.centres).toHaveLength(4 * privacy!.cells);
  });

  async function toldIn(card: Card) {
    const disk = newDisk();
    let told: ColumnRun["told"];
    const close = vi.spyOn(ColumnRun.prototype, "close").mockImplementation(async function (this: ColumnRun) {
      told ??= this.told;
    });
    await run(card, disk);
    close.mockRestore();
    return told!;
  }

  it("have the noise of each number from whoever holds it, counts of people from the first site, and zeros elsewhere", async () => {
    const card = cardOver(3);
    const disk = newDisk();
    const { journals } = await run(card, disk);
    const width = 1 + 4;
    // Dealt over three sites: two columns for the first one.
    const owners = [0, 0, 0, 1, 2];
    for (let round = 0; round < 8; round++) {
      const [first, ...others] = [0, 1, 2].map((at) => disk.released.get(`${at}/sums ${round}`)!.numbers);
      for (const [at, numbers] of [first, ...others].entries()) {
        numbers.forEach((value, place) => {
          if (owners[place % width] !== at) expect(value).toBe(0);
        });
      }
      // Each number has noise: whole people would be multiples of 2^20.
      expect(first.filter((value, place) => place % width === 0 && value % 2 ** 20 === 0)).toEqual([]);
    }
    const kinds = journals.map((each) => each.list().map(({ kind }) => kind));
    expect(kinds[0]).toContain("counts and sums of people in cells, with noise");
    expect(kinds[0]).toContain("zeros, where others count groups");
    for (const own of kinds.slice(1)) {
      expect(own).toContain("sums of people in cells, with noise");
      expect(own).toContain("people of each group in cells, with noise");
    }
  });

  it("leave no digest of any column: that two are equal may hang on one person", () => {
    expect(digestsOf(dealt(people, 1)[0], cardOver(2), new Uint8Array(32))).toEqual({});
  });

  it("do not change where somebody else is added: everybody's cell follows from their own values and public centres", async () => {
    const card = cardOver(2, "epsilon: inf");
    const plan = await privatePlanOf(card, people.n);
    const chance = new Chance({ secret: false, fill: () => undefined });
    const rows = (n: number): People => ({
      ...people,
      n,
      dimensions: people.dimensions.map((column) =>
        Float64Array.from({ length: n }, (_, row) => column[row % people.n]),
      ),
    });
    const cellsOf = (who: People, centres: Float64Array) =>
      new NoisyParties(who, 2, openLanes(1), plan.terms, chance).cells(centres);
    // Centres that tie for some, and one outside all people.
    const centres = Float64Array.from([0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, 0.25, 0.125, 0, 0]);
    const few = await cellsOf(rows(100), centres);
    for (const n of [101, 399, 5000]) {
      expect((await cellsOf(rows(n), centres)).subarray(0, 100)).toEqual(few);
    }
    expect(few).not.toContain(2);
  });
});

describe("private rounds whose processes are killed", () => {
  const card = cardOver(3);
  const sites = dealt(people, 3);

  it("go on from where they were, draw noise once, and end as if nothing had been, whatever the message", async () => {
    const seen = { messages: 0 };
    await simulate(sites, card, { meddle: mortal(Number.POSITIVE_INFINITY, false, seen) });
    for (let message = 0; message < seen.messages; message += 3) {
      const disk = diskDrawnOnce();
      const dying = simulate(sites, card, { disk, meddle: mortal(message, message % 2 === 0) });
      await expect(dying).rejects.toThrow("killed");
      const { labels } = await simulate(sites, card, { disk });
      expect(labels).toEqual((await inOneProcess(card, disk)).labels);
    }
  });

  it("are written down by every site before sums open, after all have kept theirs: a site that was put back is told so, and nobody else", async () => {
    const disk = newDisk();
    const put = disk.told.set.bind(disk.told);
    const places = new Set<string>();
    disk.told.set = (site, sums) => {
      const own = [...disk.released.keys()].filter((name) => name.startsWith(`${site}/`));
      for (const name of own) {
        const place = name.slice(2);
        places.add(place);
        for (const at of [0, 1, 2]) expect(disk.released.has(`${at}/${place}`)).toBe(true);
      }
      return put(site, sums);
    };
    await run(card, disk);
    expect(places.size).toBe(9);
    for (const place of places) {
      const [digest, ...others] = [0, 1, 2].map((at) => disk.released.get(`${at}/${place}`)!.digest);
      expect(others).toEqual([digest, digest]);
      for (const at of [0, 1, 2]) expect(new DisclosureLog(disk.told.get(at)).with("p1", [digest])).toEqual([digest]);
    }
  });

  it("sum nobody in other cells than before, nor over other sites", async () => {
    const disk = newDisk();
    await run(card, disk);
    await refusedElsewhere(disk, (again) => run(card, again));
  });

  it("end in one line where noise would leave nothing of so few people", async () => {
    await expect(run(cardOver(3, "epsilon: 0.5"))).rejects.toThrow(
      /people are too few for epsilon 0.5|noise is larger/,
    );
  });
});
