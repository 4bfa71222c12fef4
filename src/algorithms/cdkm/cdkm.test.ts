import { describe, expect, it } from "vitest";
import { Draws } from "../../testing/draws.js";
import { drawColumns, landscapes, peopleOf, tiedPeople } from "../../testing/people.js";
import { cluster } from "../cluster.js";

describe("coordinate descent", () => {
  it.each(landscapes)("never ends above Lloyd from the same start: %s", async (landscape) => {
    for (let seed = 1; seed <= 15; seed++) {
      const draws = new Draws(seed);
      const people = peopleOf(drawColumns(landscape, draws.between(10, 200), draws.between(1, 3), [], draws));
      const asked = { k: draws.between(2, 7), seed, threads: 1 };
      const lloyd = await cluster(people, { ...asked, algorithm: "lloyd" });
      const cdkm = await cluster(people, { ...asked, algorithm: "cdkm" });
      expect(cdkm.result.sse).toBeLessThanOrEqual(lloyd.result.sse * (1 + 1e-9) + 1e-9);
    }
  });

  it("is what f3km does in blocks of one person when nothing is protected", async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const people = { ...tiedPeople(300, 3, 0, seed) };
      const asked = { k: 5, seed, threads: 1, init: "random" } as const;
      const cdkm = await cluster(people, { ...asked, algorithm: "cdkm" });
      const f3km = await cluster(people, { ...asked, algorithm: "f3km", block: 1 });
      expect(Array.from(f3km.labels)).toEqual(Array.from(cdkm.labels));
      expect(f3km.centres).toEqual(cdkm.centres);
      expect(f3km.result).toMatchObject({ sse: cdkm.result.sse, iterations: cdkm.result.iterations });
    }
  });
});
