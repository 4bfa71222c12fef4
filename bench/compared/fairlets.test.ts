import { describe, expect, it } from "vitest";
import { Random } from "../../src/table/generators/random.js";
import type { People } from "../../src/table/index.js";
import { fairlets, scalableFairlets } from "./fairlets.js";

/** n people in a square, every second one of the other group. */
function square(n: number, seed: number): People {
  const random = new Random(seed);
  const dimensions = [0, 1].map(() => Float64Array.from({ length: n }, () => random.uniform()));
  const codes = Uint16Array.from({ length: n }, (_, i) => i % 2);
  return { n, dimensions, attributes: [{ name: "group", groups: ["a", "b"], codes }] } as unknown as People;
}

function costOf({ dimensions }: People, pairs: readonly (readonly [number, number])[]): number {
  return pairs.reduce(
    (sum, [a, b]) => sum + dimensions.reduce((all, values) => all + (values[a] - values[b]) ** 2, 0),
    0,
  );
}

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

describe("fairlets", () => {
  it("are the cheapest of all pairings, and those of the quadtree pair everybody once", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const people = square(12, seed);
      const all = permutations([1, 3, 5, 7, 9, 11]).map((others) => others.map((other, i) => [2 * i, other] as const));
      const least = Math.min(...all.map((pairs) => costOf(people, pairs)));
      expect(costOf(people, fairlets(people))).toBeCloseTo(least, 9);
      const pairs = scalableFairlets(people, seed);
      expect(pairs.map(([a, b]) => [a % 2, b % 2])).toEqual(pairs.map(() => [0, 1]));
      expect(pairs.flat().sort((a, b) => a - b)).toEqual([...Array(12).keys()]);
    }
  });
});
