import { describe, expect, it } from "vitest";
import { guarantee, rhoWithin } from "../../privacy/accounting/loss.js";
import { alone } from "../../privacy/noise/noise-shares.js";
import { peopleOf } from "../../testing/people.js";
import { doubts, fairPlanOf } from "./fair-plan.js";
import type { PrivacyOptions } from "./privacy-options.js";

const draw = (n: number, groups: number) => Array.from({ length: n }, (_, i) => i % groups);
const plain = (n = 1000, ...groups: number[]) =>
  peopleOf(
    [draw(n, 17)],
    (groups.length ? groups : [2]).map((g) => draw(n, g)),
  );
const boxed = (n = 1000, ...groups: number[]) => ({ ...plain(n, ...groups), publicBounds: true as const });
const all: PrivacyOptions = { private: "all" };

describe("the plan", () => {
  it("promises what it was asked for, exactly", () => {
    for (const epsilon of [0.1, 1, 7]) {
      const attribute = fairPlanOf(plain(), [3], { epsilon }, alone);
      expect(guarantee(attribute.loss, 0)).toEqual({ epsilon, delta: 0 });
      const person = fairPlanOf(boxed(), [3], { ...all, epsilon, deltaDp: 1e-6 }, alone);
      expect(guarantee(person.loss, 1e-6).epsilon).toBeCloseTo(epsilon, 9);
    }
  });

  it("scales noise by what one person can change", () => {
    const scale = (...groups: number[]) => {
      const { noise } = fairPlanOf(plain(1000, ...groups), [3], { epsilon: 0.5 }, alone).census;
      return noise?.kind === "laplace" ? Number(noise.scale.numerator) / Number(noise.scale.denominator) : 0;
    };
    expect(scale(2)).toBe(2);
    expect(scale(5)).toBe(4);
    expect(scale(2, 2)).toBe(4);
    expect(scale(2, 3)).toBe(6);
    const { rounds, census } = fairPlanOf(boxed(), [3], { ...all, epsilon: 1, epsilonLabel: 0.1 }, alone);
    expect(census.deviation).toBeCloseTo(Math.sqrt(1 / (2 * 0.005)), 3);
    const perRound = (rhoWithin({ epsilon: 1, delta: 1e-5 }) - 0.005) / rounds!.rounds;
    expect(rounds!.countDeviation).toBeCloseTo(Math.sqrt(1 / (2 * 0.2 * perRound)), 9);
  });

  it("adds no noise at an infinite epsilon, and says that it promises nothing", () => {
    for (const people of [plain(), boxed()]) {
      for (const mode of ["attribute", "all"] as const) {
        if (mode === "all" && !("publicBounds" in people)) continue;
        const plan = fairPlanOf(people, [3], { epsilon: Number.POSITIVE_INFINITY, private: mode }, alone);
        expect(plan.census.noise).toBeNull();
        expect(plan.parts).toEqual([]);
      }
    }
  });

  it("decides nothing by the number of people when that is private", () => {
    const size = (n: number) => fairPlanOf(boxed(n), [3], { ...all, epsilon: 1 }, alone).components;
    expect(size(100)).toBe(size(100_000));
  });

  it.each<[string, Parameters<typeof fairPlanOf>[0], PrivacyOptions, RegExp]>([
    ["no epsilon", plain(), {}, /needs an epsilon/],
    ["an epsilon of 0", plain(), { epsilon: 0 }, /epsilon is 0: give a number above 0/],
    ["an epsilon below 0", plain(), { epsilon: -1 }, /epsilon is -1/],
    ["no number", plain(), { epsilon: Number.NaN }, /epsilon is NaN/],
    ["nothing protected", peopleOf([draw(9, 3)]), { epsilon: 1 }, /needs protected attributes/],
    ["one group", plain(50, 1), { epsilon: 1 }, /one group only/],
    ["bounds from the data", plain(), { ...all, epsilon: 1 }, /every feature with `box`/],
    ["a labelling budget above the total", boxed(), { ...all, epsilon: 1, epsilonLabel: 0.3 }, /below 0\.204 fits/],
    ["a labelling budget of 0", boxed(), { ...all, epsilon: 1, epsilonLabel: 0 }, /`epsilonLabel` is 0/],
    ["a delta of 0", boxed(), { ...all, epsilon: 1, deltaDp: 0 }, /delta is 0/],
    ["a delta of 1", boxed(), { ...all, epsilon: 1, deltaDp: 1 }, /delta is 1/],
    ["a delta where it means nothing", plain(), { epsilon: 1, deltaDp: 1e-5 }, /`deltaDp` belongs to `private: all`/],
    ["too few components", plain(), { epsilon: 1, components: 2 }, /2 components cannot be merged into k=3/],
    ["a negative lambda", plain(), { epsilon: 1, lambda: -1 }, /lambda is -1/],
    ["a cell share above a half", plain(), { epsilon: 1, lambda: 10, minCellShare: 0.6 }, /0 to 0\.5/],
    [
      "a balance of all",
      plain(),
      { epsilon: 1, balanceTarget: 1 },
      /the balance target is 1: give a number from 0 to 0\.99/,
    ],
    ["both forms at once", plain(), { epsilon: 1, balanceTarget: 0.7, lambda: 1 }, /knows no `balanceTarget`/],
    ["a part of the paper's form alone", plain(), { epsilon: 1, refine: "on" }, /`refine` belongs to the paper's form/],
  ])("refuses %s", (_, people, options, message) => {
    expect(() => fairPlanOf(people, [3], options, alone)).toThrow(message);
  });

  it("warns of few people with the error to expect, and not of many", () => {
    const warned = (n: number, options: PrivacyOptions) => doubts(fairPlanOf(boxed(n), [3], options, alone), boxed(n));
    expect(warned(200, { epsilon: 0.1 })).toEqual([expect.stringMatching(/errors of about 14\.1 people/)]);
    expect(warned(10_000, { epsilon: 1 })).toEqual([]);
    expect(warned(1000, { ...all, epsilon: 1 }).join()).toMatch(/n=1000 is few for epsilon 1: the noise moves each/);
    expect(warned(1_000_000, { ...all, epsilon: 4 })).toEqual([]);
  });
});
