// Slow: it makes some dozen fair clusterings.
import { describe, expect, it } from "vitest";
import { evaluate, sse } from "../metrics/index.js";
import type { People } from "../table/types.js";
import { Draws } from "../testing/draws.js";
import { copied, peopleOf, weighed } from "../testing/people.js";
import { cluster } from "./cluster.js";
import { settle } from "./settings.js";
import type { ClusterOptions } from "./types.js";

/** People drawn at random around three places, one attribute of three groups that the places nearly tell apart. */
function drawPeople(n: number, draws: Draws): People {
  const places = draws.list(n, (i) => (i < 3 ? i : draws.below(3)));
  const codes = places.map((place, i) => (i < 3 || draws.below(3) > 0 ? place : draws.below(3)));
  return peopleOf(
    [0, 1].map((j) => draws.list(n, (i) => 3 * ((places[i]! + j) % 3) + draws.normal())),
    [codes],
  );
}

function surveyed(n: number, draws: Draws, unit = 1): People {
  const people = drawPeople(n, draws);
  return weighed(
    people,
    draws.list(n, () => unit * draws.between(1, 12)),
    unit,
  );
}

const heldBy = (people: People, parties: number, draws: Draws): People => ({
  ...people,
  holders: {
    name: "site",
    groups: Array.from({ length: parties }, (_, party) => `${party}`),
    codes: Uint16Array.from(draws.list(people.n, (i) => (i < parties ? i : draws.below(parties)))),
  },
});

describe("people with weights whose rows are split", () => {
  it.each([1, 0.25, 2 ** -22])(
    "have fair clusters in weight, the same for any parties and threads: unit %d",
    async (unit) => {
      const draws = new Draws(7);
      const people = surveyed(240, draws, unit);
      const options: ClusterOptions = { k: 3, split: "rows" };
      const one = await cluster(people, { ...options, threads: 1 });
      const { result, labels } = one;
      expect(result).toMatchObject({
        algorithm: "f3km",
        fair: true,
        tolerance: 12 * unit,
        atoms: { count: 240, largest: 12 * unit, feasible: "witnessed" },
        weights: { column: "w", unit },
      });
      expect(result.sizes.reduce((a, b) => a + b, 0)).toBe(people.weights!.total);
      expect(result.unconstrainedSse!).toBeLessThanOrEqual(result.sse);
      const bounds = (await settle(people, { k: 3 })).bounds;
      const { sizes, maxViolation, sse: cost } = evaluate({ people, labels, bounds, tolerance: 12 * unit });
      expect({ sizes, maxViolation, cost }).toEqual({
        sizes: result.sizes,
        maxViolation: result.maxViolation,
        cost: result.sse,
      });
      for (const other of [{ parties: 5 }, { parties: 3, threads: 3 }]) {
        expect((await cluster(people, { ...options, ...other })).labels).toEqual(labels);
      }
      expect((await cluster(heldBy(people, 4, draws), { k: 3 })).labels).toEqual(labels);
      // Not much dearer than with columns split, where every person is weighed one by one.
      expect(result.sse).toBeLessThan(1.1 * (await cluster(people, { k: 3 })).result.sse);
    },
  );

  it("of 1 are people without weights, bit for bit", async () => {
    const people = drawPeople(150, new Draws(3));
    const alike = weighed(people, new Array<number>(150).fill(1));
    for (const options of [{ algorithm: "fkm-plus" }, { algorithm: "fkm" }, { protection: "means" }] as const) {
      const asked: ClusterOptions = { k: 3, split: "rows", parties: 3, ...options };
      const free = (each: People) => ({ ...each, attributes: [] });
      const own = await cluster(free(alike), asked);
      const other = await cluster(free(people), asked);
      expect(own.labels).toEqual(other.labels);
      expect(own.result.simplifiedSilhouette).toBe(other.result.simplifiedSilhouette);
    }
  });

  it.each(["fkm-plus", "fkm", "f3km"] as const)("draw centres to the heavy ones with %s", async (algorithm) => {
    const draws = new Draws(9);
    const { attributes: _, ...plain } = drawPeople(120, draws);
    const times = draws.list(120, () => draws.between(1, 5));
    const people = weighed({ ...plain, attributes: [] }, times);
    const asked: ClusterOptions = { k: 3, split: "rows", parties: 2, algorithm };
    const { labels, result, history } = await cluster(people, asked);
    expect(result.sse).toBe(sse(people.dimensions, labels, 3, people.weights!.values));
    expect(result.sizes.reduce((a, b) => a + b, 0)).toBe(people.weights!.total);
    // What the rounds told is in weight too.
    expect(Math.min(...history.map((round) => round.sse))).toBeCloseTo(result.sse, -1);
    // About as tight as clusters of as many copies.
    const copies = (await cluster(copied(people, times).copies, asked)).result;
    expect(result.sse).toBeLessThan(1.05 * copies.sse);
  });

  it("keep sizes, capacities and seats in weight", async () => {
    const draws = new Draws(4);
    const people = surveyed(150, draws);
    const total = people.weights!.total;
    const rows = { k: 3, split: "rows", parties: 3 } as const;
    const third = Math.round(total / 3);
    const sized = await cluster(people, { ...rows, minSize: third - 30, maxSize: third + 30 });
    expect(sized.result).toMatchObject({ fair: true, sizesKept: true });
    for (const size of sized.result.sizes) expect(Math.abs(size - third)).toBeLessThanOrEqual(30);
    const seats = [0, 3, 6].map((place) => Float64Array.of(place, place));
    const capacity = [{ max: third + 60 }, { max: third + 20 }, { min: third - 20 }];
    const seated = await cluster({ ...people, attributes: [] }, { ...rows, seats, capacity, algorithm: "f3km" });
    expect(seated.result.sizesKept).toBe(true);
    expect(seated.centres.map((centre) => [...centre])).toEqual(seats.map((seat) => [...seat]));
    const alone = await cluster(
      { ...people, attributes: [] },
      { ...rows, parties: 1, seats, capacity, algorithm: "f3km" },
    );
    expect(alone.labels).toEqual(seated.labels);
  });

  it("may be one village that weighs more than all others", async () => {
    const draws = new Draws(2);
    const { attributes: _, ...plain } = drawPeople(90, draws);
    const village = weighed(
      { ...plain, attributes: [] },
      draws.list(90, (i) => (i === 40 ? 10_000 : 1)),
    );
    const { result } = await cluster(village, { k: 3, split: "rows", parties: 3 });
    expect(result.sse).toBeLessThan(1.2 * (await cluster(village, { k: 3 })).result.sse);
  });
});
