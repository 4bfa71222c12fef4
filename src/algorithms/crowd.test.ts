import { expect, test } from "vitest";
import { Random } from "../table/generators/random.js";
import { tableFromColumns } from "../table/make.js";
import { preparePeople } from "../table/people.js";
import { cluster } from "./cluster.js";

test("a crowd beyond its limits is moved together, not one by one: where the only column tells the groups, rounds stay few", async () => {
  const draws = new Random(7);
  const x = Array.from({ length: 600 }, () => draws.normal());
  const band = (groups: number, from: number) =>
    x.map((value) => `g${Math.abs(Math.floor(2 * value + from)) % groups}`);
  const table = tableFromColumns({ x, a: band(7, 0), b: band(2, 1) });
  const people = preparePeople(table, { features: ["x"], protect: ["a", "b"], scale: "none" });
  const { result } = await cluster(people, { k: 20, threads: 1, seed: 1, minSize: 30 });
  expect(result.fair).toBe(true);
  // One by one it took 18,883 rounds, and ended at an SSE of 206.8.
  expect(result.communication.rounds).toBeLessThan(10_000);
  expect(result.sse).toBeLessThan(206);
});
