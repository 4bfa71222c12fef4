import { expect, it } from "vitest";
import { cluster } from "../../src/algorithms/cluster.js";
import { tiedPeople } from "../../src/testing/people.js";

// Table 3 counts the bytes of one seed on two parties, and the rounds of the others on one.
it.each(["prices", "admm"] as const)("%s takes as many rounds on one party as on three", async (solver) => {
  const people = tiedPeople(200, 4, 2, 1);
  for (const block of [1, 50]) {
    const [one, three] = await Promise.all(
      [1, 3].map(async (parties) => {
        const { result } = await cluster(people, { k: 3, solver, block, parties, maxIterations: 5 });
        return result;
      }),
    );
    expect(three!.communication.rounds).toBe(one!.communication.rounds);
    expect(three!.communication.bytesUp).toBeGreaterThan(0);
  }
});
