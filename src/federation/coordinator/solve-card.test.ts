import { describe, expect, it } from "vitest";
import { cluster } from "../../algorithms/cluster.js";
import type { ClusterOptions } from "../../algorithms/types.js";
import { tiedPeople } from "../../testing/people.js";
import { cardFor, dealt, newDisk, simulate } from "../testing/simulated.js";
import type { Seat } from "./panel.js";

const people = tiedPeople(120, 5, 2, 7);

const methods: readonly (readonly [string, string, ClusterOptions])[] = [
  ["lloyd", "algorithm: lloyd\nk: 4", { algorithm: "lloyd", k: 4 }],
  ["cdkm", "algorithm: cdkm\nk: 3", { algorithm: "cdkm", k: 3 }],
  ["f3km", "k: 4\nseed: 3", { algorithm: "f3km", k: 4, seed: 3 }],
  ["f3km with sizes", "k: 4\nminSize: 20\nmaxSize: 40", { algorithm: "f3km", k: 4, minSize: 20, maxSize: 40 }],
  [
    "f3km by admm",
    "k: 3\nsolver: admm\nmaxIterations: 8",
    { algorithm: "f3km", k: 3, solver: "admm", maxIterations: 8 },
  ],
  ["teb", "algorithm: teb\nk: 4\nbalance: 0.7", { algorithm: "teb", k: 4, balance: 0.7 }],
  ["teb with hard sizes", "algorithm: teb\nk: 4\nbalance: hard", { algorithm: "teb", k: 4, balance: "hard" }],
  ["fair and even", "k: 3\nbalance: 0.9", { algorithm: "f3km", k: 3, balance: 0.9 }],
  [
    "several starts",
    "algorithm: lloyd\nk: 5\nstarts: 3\ninit: random",
    { algorithm: "lloyd", k: 5, starts: 3, init: "random" },
  ],
  ["one cluster", "algorithm: lloyd\nk: 1", { algorithm: "lloyd", k: 1 }],
];

describe.each(methods)("%s in a federation", (_, request, options) => {
  it.each([2, 3])("gives the labels of one process, with %i parties", async (parties) => {
    const sites = dealt(people, parties);
    const { labels } = await simulate(sites, cardFor(sites, request));
    const alone = await cluster(people, options);
    expect(labels).toEqual(Array.from(alone.labels));
  });
});

describe("a run that is killed", () => {
  it("goes on from its last checkpoint, repeats at most a pass, and ends with the same labels", async () => {
    const sites = dealt(people, 3);
    const card = cardFor(sites, "k: 4\nmaxIterations: 6");
    const whole = await simulate(sites, card);
    const disk = newDisk();
    let lives = 0;
    let asked = 0;
    // Every life ends somewhere else.
    for (let ended = false; !ended; lives++) {
      let left = 60 + 60 * lives;
      const counted = new Set<unknown>();
      const meddle = (seat: Seat): Seat => ({
        name: seat.name,
        ask: async (method, meta, rest) => {
          if (--left < 0) throw new Error("killed");
          const { steps } = meta as { steps: { question: { ask: string; range?: { from: number; to: number } } }[] };
          for (const { question } of counted.has(meta) ? [] : steps) {
            if (question.ask === "table") asked += question.range!.to - question.range!.from;
            if (question.ask === "squares" || question.ask === "kinds") asked += people.n / 3;
          }
          counted.add(meta);
          return seat.ask(method, meta, rest);
        },
      });
      try {
        const again = await simulate(sites, card, { disk, meddle });
        expect(again.labels).toEqual(whole.labels);
        expect(again.solution.sse).toBe(whole.solution.sse);
        expect(again.solution.outcome).toEqual(whole.solution.outcome);
        expect(again.solution.history).toEqual(whole.solution.history);
        ended = true;
      } catch (error) {
        expect((error as Error).message).toBe("killed");
      }
    }
    expect(lives).toBeGreaterThan(4);
    // Each life repeats at most one pass, and the question that it was killed in.
    expect(asked).toBeLessThanOrEqual(whole.solution.wire.asked + (lives - 1) * 2 * people.n);
  });
});
