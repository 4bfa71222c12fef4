import { expect, it } from "vitest";
import { cluster } from "../../algorithms/cluster.js";
import { tiedPeople } from "../../testing/people.js";
import { cardFor, dealt, simulate } from "../testing/simulated.js";

it.each([
  ["masked", 40],
  ["blinded", 100],
])("gives the labels of one process where most passes go over a sample: %s", async (how, passes) => {
  const people = tiedPeople(131_200, 3, 1, 2);
  const sites = dealt(people, 2);
  const request = `k: 3\nmaxIterations: 1\nprotection: ${how}`;
  const { labels, solution } = await simulate(sites, cardFor(sites, request));
  const alone = await cluster(people, { algorithm: "f3km", k: 3, effort: "lean", minSize: 2, maxIterations: 1 });
  expect(Buffer.compare(Buffer.from(Uint16Array.from(labels).buffer), Buffer.from(alone.labels.buffer))).toBe(0);
  expect(solution.passes).toBeLessThan(passes);
});
