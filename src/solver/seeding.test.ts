import { describe, expect, it } from "vitest";
import type { ColumnParty } from "../parties/column-party.js";
import { assignerOf } from "../testing/assigned.js";
import { peopleOf, tiedPeople } from "../testing/people.js";
import { chiSquare, chiSquareLimit } from "../testing/statistics.js";
import type { Decider } from "./decider.js";
import { seedCentres } from "./seeding.js";

/** The people who become centres, draw by draw. */
async function drawsOf(people: ReturnType<typeof peopleOf>, k: number, seed: number, init: "kmeans++" | "random") {
  const draws: number[][] = [];
  const listened = (columns: ColumnParty) =>
    new Proxy(columns, {
      get(target, key) {
        if (key === "place") {
          return (cluster: number, row: number) => {
            if (cluster === 0) draws.push([]);
            draws[draws.length - 1].push(row);
            return target.place(cluster, row);
          };
        }
        const value = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const listen = (decider: Decider) =>
    new Proxy(decider, {
      get(target, key) {
        const value = Reflect.get(target, key, target);
        if (key === "columns") return listened(value);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  await seedCentres(await assignerOf(people, k, { wrap: listen }), { init, seed });
  return draws;
}

describe("seeding", () => {
  it("draws the second centre with a chance proportional to the squared distance from the first", async () => {
    const places = [0, 1, 1, 3, 7, 12];
    const people = peopleOf([places]);
    const seen = new Array<number>(36).fill(0);
    let total = 0;
    for (let seed = 1; seed <= 600; seed++) {
      for (const [first, second] of await drawsOf(people, 2, seed, "kmeans++")) {
        seen[first * 6 + second]++;
        total++;
      }
    }
    const square = (i: number, j: number) => (places[i] - places[j]) ** 2;
    const expected = seen.map((_, cell) => {
      const [i, j] = [Math.floor(cell / 6), cell % 6];
      return ((total / 6) * square(i, j)) / places.reduce((sum, _, other) => sum + square(i, other), 0);
    });
    expect(total).toBeGreaterThan(4000);
    seen.forEach((count, cell) => {
      if (expected[cell] === 0) expect(count).toBe(0);
    });
    const free = expected.filter((value) => value > 0).length - 1;
    expect(chiSquare(seen, expected)).toBeLessThan(chiSquareLimit(free));
  });

  it("draws everybody alike at random", async () => {
    const people = peopleOf([[0, 0, 5, 1000]]);
    const seen = [0, 0, 0, 0];
    for (let seed = 1; seed <= 4000; seed++) {
      const [[first]] = await drawsOf(people, 1, seed, "random");
      seen[first]++;
    }
    expect(chiSquare(seen, [1000, 1000, 1000, 1000])).toBeLessThan(chiSquareLimit(3));
  });

  it.each(["kmeans++", "random"] as const)("takes k different people, also among duplicates: %s", async (init) => {
    for (const people of [tiedPeople(40, 2, 0, 1), peopleOf([new Array(12).fill(1)]), peopleOf([[0, 0, 0, 0, 0, 9]])]) {
      for (let seed = 1; seed <= 10; seed++) {
        for (const draw of await drawsOf(people, 5, seed, init)) {
          expect(draw.length).toBe(5);
          expect(new Set(draw).size).toBe(5);
        }
      }
    }
  });
});
