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
});
