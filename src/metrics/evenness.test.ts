import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { balanceLoss, coefficientOfVariation, evenness, normalisedEntropy } from "./evenness.js";

const someSizes = fc.array(fc.nat(1000), { minLength: 1, maxLength: 12 }).filter((sizes) => sizes.some((s) => s > 0));

describe("balanceLoss", () => {
  it("has the scale of the reference figures for Adult, k = 10, eta = 0.8", () => {
    // 32561 = 10 * 3256 + 1: with whole people the loss is always a whole number plus 0.9, like 16.9 and 6.9 are.
    const even = [3257, ...new Array<number>(9).fill(3256)];
    expect(balanceLoss(even)).toBeCloseTo(0.9, 6);
    const nearlyEven = [3259, 3255, 3255, ...new Array<number>(7).fill(3256)];
    expect(balanceLoss(nearlyEven)).toBeCloseTo(10.9, 6);
    // SSE, loss and objective as measured: eta * SSE + (1 - eta) * loss, without any other factor.
    for (const [sse, loss, objective] of [
      [69019, 16.9, 55218],
      [68231, 6.9, 54586],
      [814318, 1100, 651675],
      [813929, 1092, 651362],
    ]) {
      expect(Math.abs(0.8 * sse + 0.2 * loss - objective)).toBeLessThan(1);
    }
  });

  it("is the sum of squares less n^2/k, and zero only when sizes are equal", () => {
    fc.assert(
      fc.property(someSizes, (sizes) => {
        const n = sizes.reduce((a, b) => a + b);
        const expected = sizes.reduce((sum, size) => sum + size * size, 0) - (n * n) / sizes.length;
        expect(balanceLoss(sizes)).toBeCloseTo(expected, 4);
        if (sizes.every((size) => size === sizes[0])) expect(balanceLoss(sizes)).toBe(0);
        else expect(balanceLoss(sizes)).toBeGreaterThan(0.4);
      }),
    );
  });
});

describe("coefficientOfVariation", () => {
  it("is as printed in eq. 30", () => {
    // n = 20, k = 4: 4/20 * sqrt(9 + 1 + 1 + 1)
    expect(coefficientOfVariation([8, 4, 4, 4])).toBeCloseTo(0.2 * Math.sqrt(12), 12);
    expect(coefficientOfVariation([100, 0, 0, 0])).toBeCloseTo(Math.sqrt(12), 12);
    expect(coefficientOfVariation([0, 0])).toBe(0);
  });

  it("does not depend on how many people there are", () => {
    fc.assert(
      fc.property(someSizes, fc.integer({ min: 2, max: 9 }), (sizes, times) => {
        const more = sizes.map((size) => size * times);
        expect(coefficientOfVariation(more)).toBeCloseTo(coefficientOfVariation(sizes), 9);
      }),
    );
  });
});

describe("normalisedEntropy", () => {
  it("runs from 0, all in one, to 1, all equal", () => {
    expect(normalisedEntropy([7, 7, 7])).toBeCloseTo(1, 12);
    expect(normalisedEntropy([0, 9, 0])).toBe(0);
    expect(normalisedEntropy([5])).toBe(1);
    expect(normalisedEntropy([3, 1])).toBeCloseTo(0.8112781244591328, 12);
    fc.assert(
      fc.property(someSizes, (sizes) => {
        const value = normalisedEntropy(sizes);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(normalisedEntropy(sizes.toReversed())).toBeCloseTo(value, 12);
      }),
    );
  });
});

it("evenness of an even clustering is the contract's example", () => {
  expect(evenness([25, 25, 25, 25])).toEqual({ balanceLoss: 0, cv: 0, entropy: 1 });
});
