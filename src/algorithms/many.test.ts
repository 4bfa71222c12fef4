import { describe, expect, it } from "vitest";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import type { People } from "../table/types.js";
import { sizesOf, worstExcess } from "../testing/check.js";
import { Draws } from "../testing/draws.js";
import { peopleOf, tableOfPeople } from "../testing/people.js";
import { cluster } from "./cluster.js";
import { predict, toModel } from "./model.js";

/** So many that first centres and prices come from a sample, with whole-number coordinates: duplicates everywhere. */
function manyPeople(): People {
  const draws = new Draws(1);
  const n = 135_000;
  const blob = draws.list(n, () => draws.below(4));
  const sex = draws.list(n, (i) => (draws.next() < (blob[i] < 2 ? 0.7 : 0.35) ? 1 : 0));
  const rare = draws.list(n, () => (draws.next() < 0.0005 ? 1 : 0));
  const column = (factor: number) => draws.list(n, (i) => 6 * ((blob[i] * factor) % 4) + draws.below(6));
  return peopleOf([column(1), column(3)], [sex, rare]);
}

describe("many people", () => {
  const people = manyPeople();
  const asked = { k: 2, delta: 0.1, seed: 2, maxIterations: 2 } as const;

  it("are clustered fairly, the same on two threads and two parties", async () => {
    const first = await cluster(people, { ...asked, threads: 1 });
    const bounds = resolveBounds(people.attributes, { delta: 0.1 });
    expect(first.result.fair).toBe(true);
    expect(Math.min(...sizesOf(first.labels, 2))).toBeGreaterThan(1);
    expect(worstExcess(people, bounds, first.labels, 2)).toBeLessThanOrEqual(1 + 1e-8);
    const other = await cluster(people, { ...asked, threads: 2, parties: 2 });
    expect(Buffer.from(other.labels.buffer).equals(Buffer.from(first.labels.buffer))).toBe(true);
    expect(other.result.sse).toBe(first.result.sse);
  });

  it("are clustered as fairly and about as well where the like stand together", async () => {
    const { sse } = (await cluster(people, { ...asked, threads: 2 })).result;
    for (const { codes } of people.attributes) {
      const order = Array.from(codes.keys()).sort((a, b) => codes[a] - codes[b]);
      const sorted = peopleOf(
        people.dimensions.map((column) => order.map((i) => column[i])),
        people.attributes.map((attribute) => order.map((i) => attribute.codes[i])),
      );
      const { result } = await cluster(sorted, { ...asked, threads: 2 });
      expect(result.fair).toBe(true);
      expect(result.sse / sse).toBeLessThan(1.01);
    }
  });

  it("get their labels back from a model when nothing is protected", async () => {
    const free = { ...people, attributes: [] };
    const clustering = await cluster(free, { k: 5, threads: 2 });
    const { labels } = await predict(toModel(free, clustering), tableOfPeople(free), { threads: 2 });
    expect(Buffer.from(labels.buffer).equals(Buffer.from(clustering.labels.buffer))).toBe(true);
  });

  it("who are asked for quickly keep all promises, at nearly the usual cost in half the rounds", async () => {
    const draws = new Draws(3);
    const blob = draws.list(9000, () => draws.below(5));
    const column = (factor: number) => draws.list(9000, (i) => 4 * ((blob[i] * factor) % 5) + draws.below(6));
    const sex = draws.list(9000, (i) => (draws.next() < (blob[i] < 2 ? 0.7 : 0.35) ? 1 : 0));
    const fewer = peopleOf([column(1), column(3)], [sex]);
    const run = async (effort: "quick" | "normal") =>
      (await cluster(fewer, { k: 4, effort, tolerance: 0, threads: 1 })).result;
    const [quick, normal] = [await run("quick"), await run("normal")];
    expect(quick).toMatchObject({ fair: true, maxViolation: 0 });
    expect(quick.sse / normal.sse).toBeLessThan(1.01);
    expect(quick.communication.rounds).toBeLessThan(normal.communication.rounds / 2);
  });
});
