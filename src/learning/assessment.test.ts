import { describe, expect, it } from "vitest";
import { uniform } from "../solver/seeded-chance.js";
import { pickExamples } from "./examples.js";
import { randomExamples, unfairExamples } from "./testing/examples.js";
import { train } from "./train.js";
import { inOrder } from "./trainer.js";
import type { LearningData, TrainOptions } from "./types.js";

function data(of: typeof unfairExamples, n = 1500): LearningData {
  const [train, test] = [of(n, 1), of(n, 2)];
  return {
    shape: { height: 1, width: 1, channels: train.features.length / n },
    classes: ["no", "yes"],
    attribute: { name: "sex", groups: ["F", "M"] },
    train,
    test,
  };
}

const chance = (n: number, seed: number) => randomExamples(n, 4, seed);
/** One in twenty has the label, and nothing tells who. */
const rare = (n: number, seed: number) => ({
  ...chance(n, seed),
  labels: Uint8Array.from({ length: n }, (_, i) => (uniform(seed + 50, i) < 0.05 ? 1 : 0)),
});

async function result(people: LearningData, options: TrainOptions = {}) {
  return (await train(people, { parties: 3, threads: 1, ...options })).result;
}

describe("what a model is worth", () => {
  it("is said first: a label that nothing predicts is not learnt, and nobody is called fairer", async () => {
    for (const algorithm of ["ffalm-global", "fairfed", "ffalm"] as const) {
      const { useful, fairer, doubts, auc, ...rest } = await result(data(chance), { algorithm });
      expect(Math.abs(auc! - 0.5)).toBeLessThan(0.05);
      expect({ useful, fairer }).toEqual({ useful: false, fairer: null });
      expect(doubts.join()).toMatch(/^Near the commoner class: .*No better than chance: .* AUC of 0\.\d+/);
      expect(Object.keys({ useful, fairer, doubts, ...rest })).toContain("baseline");
    }
    expect(Object.keys(await result(data(chance), { rounds: 2 })).slice(0, 4)).toEqual([
      "useful",
      "settled",
      "fairer",
      "doubts",
    ]);
  });

  it("is nothing where one answer does as well", async () => {
    const { useful, doubts, baseline, accuracy, positiveRate } = await result(data(rare));
    expect(positiveRate).toBe(0);
    expect(baseline).toEqual({ answer: "no", accuracy });
    expect(useful).toBe(false);
    expect(doubts[0]).toBe("One answer: it predicts 'no' for every person, which makes every difference 0.");
  });

  it("is judged by the commoner class, whichever it is", async () => {
    const mostlyYes = (n: number, seed: number) => {
      const people = unfairExamples(3 * n, seed);
      const chosen = inOrder(3 * n).filter((i) => people.labels[i] === 1 || uniform(seed + 60, i) < 0.4);
      return pickExamples(people, chosen.slice(0, n));
    };
    const { useful, baseline } = await result(data(mostlyYes));
    expect(baseline.answer).toBe("yes");
    expect(baseline.accuracy).toBeGreaterThan(0.6);
    expect(useful).toBe(true);
  });

  it("is no doubt where people are told apart and everything has settled", async () => {
    const { useful, settled, fairer, doubts, ended } = await result(data(unfairExamples, 4000));
    expect({ useful, settled, fairer, doubts, ended }).toEqual({
      useful: true,
      settled: true,
      fairer: true,
      doubts: [],
      ended: "settled",
    });
  });

  it("is open while the difference is still moving, and nobody is called fairer", async () => {
    const { useful, settled, fairer, doubts, rounds } = await result(data(unfairExamples), { rounds: 60, parties: 10 });
    expect({ useful, settled, fairer, rounds }).toEqual({ useful: true, settled: false, fairer: null, rounds: 60 });
    expect(doubts.join("\n")).toMatch(/^Not settled after 60 rounds: .* leave out `rounds`/);
    const few = await result(data(unfairExamples), { rounds: 5 });
    expect(few.doubts.filter((doubt) => doubt.startsWith("Not settled"))).toEqual([
      "Not settled, as far as 5 rounds can tell: leave out `rounds`, and it goes on until it settles.",
    ]);
    const capped = await result(data(unfairExamples), { maxRounds: 30 });
    expect(capped).toMatchObject({ rounds: 30, ended: "rounds", settled: false, fairer: null });
    expect(capped.doubts.join()).toMatch(/give more `maxRounds`/);
  });

  it("is open when training diverged", async () => {
    const { settled, fairer, doubts, ended } = await result(data(unfairExamples), { rate: 1000, clip: 1000 });
    expect({ settled, fairer, ended }).toEqual({ settled: false, fairer: null, ended: "diverged" });
    expect(doubts.join()).toMatch(/Diverged: its training/);
  });

  it("needs more than seventy rounds where each has a step or two: it goes on by itself", async () => {
    const few = data((n, seed) => unfairExamples(n, seed), 60);
    const people = { ...few, test: unfairExamples(1500, 2) };
    const asked = { fairness: "eo", parties: 10, batch: 128 } as const;
    const [seventy, settled] = [await result(people, { ...asked, rounds: 70 }), await result(people, asked)];
    expect(seventy.settled).toBe(false);
    expect(seventy.fairer).toBe(null);
    expect(seventy.auc).toBeLessThan(0.6);
    expect(settled.rounds).toBeGreaterThan(100);
    expect(settled.auc).toBeGreaterThan(0.85);
  });
});
