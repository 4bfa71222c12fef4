// Slow: all answers to some small requests are tried.
import { describe, expect, it } from "vitest";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { plainSse, sizesOf, worstExcess } from "../testing/check.js";
import { Draws } from "../testing/draws.js";
import { peopleOf } from "../testing/people.js";
import { cluster } from "./cluster.js";

const n = 8;
const k = 3;

/** Eight people in the plane, of one attribute with two groups. */
function drawPeople(seed: number) {
  const draws = new Draws(seed);
  const codes = draws.list(n, (i) => (i < 2 ? i : draws.below(2)));
  return peopleOf(
    [0, 1].map(() => draws.list(n, () => draws.normal())),
    [codes],
  );
}

/** The least SSE of all labels that are allowed. */
function leastSse(people: ReturnType<typeof drawPeople>, allows: (labels: Uint16Array) => boolean): number {
  let least = Number.POSITIVE_INFINITY;
  for (let code = 0; code < k ** n; code++) {
    const labels = Uint16Array.from({ length: n }, (_, i) => Math.floor(code / k ** i) % k);
    if (allows(labels)) least = Math.min(least, plainSse(people.dimensions, labels, k));
  }
  return least;
}

describe("a few people are clustered as well as they can be", () => {
  const seeds = Array.from({ length: 6 }, (_, at) => at + 1);

  it.each(seeds)("with fair shares, seed %s; the same for any number of parties", async (seed) => {
    const people = drawPeople(seed);
    const options = { k, minSize: 2, tolerance: 1, delta: 0.2, effort: "normal", starts: 5, seed, threads: 1 } as const;
    const { labels, result } = await cluster(people, options);
    const least = leastSse(people, (each) => {
      const small = sizesOf(each, k).some((size) => size < 2);
      return !small && worstExcess(people, resolveBounds(people.attributes, { delta: 0.2 }), each, k) <= 1 + 1e-9;
    });
    expect(result.sse).toBeCloseTo(least, 4);
    expect((await cluster(people, { ...options, parties: 2 })).labels).toEqual(labels);
  });

  it.each(seeds)("in even clusters, seed %s", async (seed) => {
    const { attributes: _, ...plain } = drawPeople(seed);
    const people = { ...plain, attributes: [] };
    const { result } = await cluster(people, { k, balance: "hard", effort: "normal", starts: 5, seed, threads: 1 });
    const least = leastSse(drawPeople(seed), (each) => sizesOf(each, k).every((size) => size === 2 || size === 3));
    expect(result.sse).toBeCloseTo(least, 4);
  });

  it.each([10, 19, 39])("with a group in the majority somewhere, seed %s", async (seed) => {
    const people = drawPeople(seed);
    const [{ codes }] = people.attributes;
    const asked = { notion: "representation", represent: 0.6, minSize: 1 } as const;
    const { result } = await cluster(people, { k, ...asked, starts: 20, seed, threads: 1 });
    const least = leastSse(people, (each) => {
      const sizes = sizesOf(each, k);
      const has = (group: number) => (size: number, m: number) =>
        each.filter((own, i) => own === m && codes[i] === group).length >= 0.6 * size;
      return Math.min(...sizes) > 0 && [0, 1].every((group) => sizes.some(has(group)));
    });
    expect(result.fair).toBe(true);
    expect(result.sse).toBeLessThanOrEqual(least * (1 + 1e-3));
  });

  it.each([1, 2, 3])("with a capacity for each cluster, seed %s", async (seed) => {
    const people = drawPeople(seed);
    const capacity = [{ min: 1, max: 2 }, { min: 3, max: 3 }, { min: 3 }];
    const { result } = await cluster({ ...people, attributes: [] }, { k, capacity, starts: 20, seed, threads: 1 });
    const least = leastSse(people, (each) => {
      const [a, b, c] = sizesOf(each, k);
      return a >= 1 && a <= 2 && b === 3 && c >= 3;
    });
    expect(result.sizesKept).toBe(true);
    expect(result.sse).toBeLessThanOrEqual(least * (1 + 1e-3));
  });
});

it.each([1, 120])("numbers clusters by the capacities that they fit, %s times 310 people", async (times) => {
  const draws = new Draws(1);
  const sizes = [10, 20, 40, 80, 160].map((size) => size * times);
  const places = sizes.flatMap((size, at) => new Array<number>(size).fill(at));
  const column = draws.list(places.length, (i) => 20 * places[i] + draws.normal());
  const people = peopleOf([column], []);
  const capacity = [4, 1, 3, 0, 2].map((at) => ({ min: sizes[at], max: sizes[at] }));
  for (let seed = 1; seed <= (times > 1 ? 2 : 5); seed++) {
    const { result } = await cluster(people, { k: sizes.length, capacity, seed, threads: 1 });
    const least = plainSse(people.dimensions, Uint16Array.from(places), sizes.length);
    expect(result.sse / least).toBeCloseTo(1, 4);
  }
});
