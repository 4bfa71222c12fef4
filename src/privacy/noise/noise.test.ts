// Slow: statistical tests draw millions of numbers.
import { randomFillSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { chiSquare, chiSquareLimit } from "../../testing/statistics.js";
import { provenLoss } from "../testing/distinguisher.js";
import { Chance, seededNoise } from "./chance.js";
import { discreteGaussian, gaussianVariance } from "./gaussian.js";
import { discreteLaplace, laplaceScale, laplaceVariance } from "./laplace.js";
import { alone, gaussianShare, gaussianSlack, laplaceShare, negativeBinomial } from "./noise-shares.js";
import { exactly, rootBelow } from "./rational.js";

const chance = () => new Chance({ secret: true, fill: (bytes) => void randomFillSync(bytes) });
const times = 60_000;

/** Chi-square against exact probabilities; what is rare is counted together. */
function fits(draw: () => number, probability: (value: number) => number, from: number, to: number): void {
  const seen = new Array<number>(to - from + 2).fill(0);
  for (let i = 0; i < times; i++) {
    const value = draw();
    seen[value < from || value > to ? to - from + 1 : value - from]++;
  }
  const expected = Array.from({ length: to - from + 1 }, (_, at) => times * probability(from + at));
  expected.push(times - expected.reduce((sum, count) => sum + count, 0));
  const kept = expected.flatMap((count, at) => (count >= 8 ? [at] : []));
  const rest = (list: readonly number[]) => list.reduce((sum, count, at) => sum + (kept.includes(at) ? 0 : count), 0);
  const pooled = (list: readonly number[]) => [...kept.map((at) => list[at]), rest(list)];
  expect(chiSquare(pooled(seen), pooled(expected))).toBeLessThan(chiSquareLimit(kept.length));
}

const laplaceLaw = (scale: number) => (x: number) => Math.tanh(0.5 / scale) * Math.exp(-Math.abs(x) / scale);

function gaussianLaw(variance: number): (x: number) => number {
  const weight = (x: number) => Math.exp((-x * x) / (2 * variance));
  let total = 1;
  for (let x = 1; weight(x) > 1e-18; x++) total += 2 * weight(x);
  return (x) => weight(x) / total;
}

/** The law of a sum of two independent whole numbers. */
function convolve(one: (x: number) => number, other: (x: number) => number, reach: number): (x: number) => number {
  return (z) => {
    let total = 0;
    for (let x = -reach; x <= reach; x++) total += one(x) * other(z - x);
    return total;
  };
}

describe("exact chance", () => {
  it.each([1, 2, 3, 10, 255, 256, 257, 1000])("draws evenly below %i", (limit) => {
    const source = chance();
    const bins = Math.min(limit, 50);
    const seen = new Array<number>(bins).fill(0);
    for (let i = 0; i < times; i++) seen[Math.floor((source.below(limit) * bins) / limit)]++;
    const share = Array.from({ length: limit }, (_, v) => Math.floor((v * bins) / limit));
    const expected = seen.map((_, bin) => (times * share.filter((at) => at === bin).length) / limit);
    expect(chiSquare(seen, expected)).toBeLessThan(chiSquareLimit(Math.max(1, bins - 1)));
  });

  it("draws evenly below numbers beyond 2^53", () => {
    const source = chance();
    const limit = 3n << 70n;
    const seen = [0, 0, 0];
    for (let i = 0; i < times; i++) seen[Number(source.belowBig(limit) >> 70n)]++;
    expect(chiSquare(seen, [times / 3, times / 3, times / 3])).toBeLessThan(chiSquareLimit(2));
  });

  it.each([
    [0n, 1n],
    [1n, 3n],
    [1n, 1n],
    [7n, 2n],
  ])("decays by exp(-%i/%i)", (numerator, denominator) => {
    const source = chance();
    let yes = 0;
    for (let i = 0; i < times; i++) if (source.decay(numerator, denominator)) yes++;
    const p = Math.exp(-Number(numerator) / Number(denominator));
    expect(chiSquare([yes, times - yes], [times * p, times * (1 - p)])).toBeLessThan(chiSquareLimit(1));
  });

  it("repeats itself from a seed, and says that this is no secret", () => {
    const draws = (seed: number) => {
      const source = new Chance(seededNoise(seed));
      return Array.from({ length: 20 }, () => source.below(1000));
    };
    expect(draws(1)).toEqual(draws(1));
    expect(draws(1)).not.toEqual(draws(2));
    expect(seededNoise(1).secret).toBe(false);
  });
});

it("rounds scales up, never down", () => {
  for (const epsilon of [0.1, 1 / 3, 1, 0.001, 7.3]) {
    for (const sensitivity of [1, 2, 5]) {
      const { numerator, denominator } = laplaceScale(sensitivity, epsilon);
      const exact = exactly(epsilon);
      expect(numerator * exact.numerator >= BigInt(sensitivity) * denominator * exact.denominator).toBe(true);
      expect(Number(numerator) / Number(denominator)).toBeCloseTo(sensitivity / epsilon, 4);
    }
  }
  expect(gaussianVariance(1, 0.3)).toBe(2n);
  for (const value of [0n, 1n, 3n, 4n, 99n, 10n ** 30n]) {
    const root = rootBelow(value);
    expect(root * root <= value && (root + 1n) * (root + 1n) > value).toBe(true);
  }
});

describe("discrete Laplace", () => {
  it.each([0.2, 0.5, 1, 3])("has its distribution at epsilon %f", (epsilon) => {
    const source = chance();
    const scale = laplaceScale(1, epsilon);
    const exact = Number(scale.numerator) / Number(scale.denominator);
    fits(() => Number(discreteLaplace(source, scale)), laplaceLaw(exact), -40, 40);
    let variance = 0;
    for (let x = -2000; x <= 2000; x++) variance += x * x * laplaceLaw(exact)(x);
    expect(laplaceVariance(scale)).toBeCloseTo(variance, 6);
  });

  it("keeps its promise against a distinguisher, and is caught when it does not", () => {
    const source = chance();
    const promised = laplaceScale(1, 1);
    const at =
      (count: number, scale = promised) =>
      () =>
        count + Number(discreteLaplace(source, scale));
    const honest = provenLoss(at(100), at(101), 100_000);
    expect(honest).toBeLessThanOrEqual(1);
    expect(honest).toBeGreaterThan(0.7);
    const sabotaged = laplaceScale(1, 2);
    expect(provenLoss(at(100, sabotaged), at(101, sabotaged), 100_000)).toBeGreaterThan(1);
  });
});

describe("discrete Gaussian", () => {
  it.each([1n, 4n, 30n])("has its distribution at variance %i", (variance) => {
    const source = chance();
    fits(() => Number(discreteGaussian(source, variance)), gaussianLaw(Number(variance)), -40, 40);
  });

  it("has its spread at variances beyond 2^53", () => {
    const source = chance();
    const variance = 10n ** 20n;
    let squares = 0;
    const draws = 20_000;
    for (let i = 0; i < draws; i++) squares += (Number(discreteGaussian(source, variance)) / 1e10) ** 2;
    // The mean of squares of normal draws: deviation sqrt(2 / draws), five of which are one in a million.
    expect(Math.abs(squares / draws - 1)).toBeLessThan(5 * Math.sqrt(2 / draws));
  });

  it("keeps its promise against a distinguisher, and is caught when it does not", () => {
    const source = chance();
    const [rho, delta] = [0.125, 1e-3];
    const epsilon = rho + 2 * Math.sqrt(rho * Math.log(1 / delta));
    const promised = gaussianVariance(1, rho);
    const at = (count: number, variance: bigint) => () => count + Number(discreteGaussian(source, variance));
    expect(provenLoss(at(7, promised), at(8, promised), 60_000, delta)).toBeLessThanOrEqual(epsilon);
    expect(provenLoss(at(7, 1n), at(9, 1n), 60_000, delta)).toBeGreaterThan(epsilon);
  });
});

describe("noise in shares", () => {
  const scale = laplaceScale(1, 1);
  const q = Math.exp(-Number(scale.denominator) / Number(scale.numerator));

  it.each([1n, 2n, 5n])("draws NB(1/%i, q)", (parts) => {
    const source = chance();
    const r = 1 / Number(parts);
    const law = (k: number) => {
      let p = (1 - q) ** r;
      for (let j = 1; j <= k; j++) p *= ((j - 1 + r) / j) * q;
      return p;
    };
    fits(() => Number(negativeBinomial(source, scale, parts)), law, 0, 30);
  });

  it.each([2, 3, 5])("of %i parties sum to discrete Laplace, exactly", (parties) => {
    const source = chance();
    const draw = () => {
      let sum = 0;
      for (let h = 0; h < parties; h++) sum += Number(laplaceShare(source, scale, { parties, colluding: 0 }));
      return sum;
    };
    fits(draw, laplaceLaw(Number(scale.numerator) / Number(scale.denominator)), -20, 20);
  });

  it("is enough without the shares of those who collude", () => {
    const source = chance();
    const draw = () => {
      let sum = 0;
      for (let h = 0; h < 3; h++) sum += Number(laplaceShare(source, scale, { parties: 4, colluding: 1 }));
      return sum;
    };
    fits(draw, laplaceLaw(Number(scale.numerator) / Number(scale.denominator)), -20, 20);
    expect(() => laplaceShare(source, scale, { parties: 2, colluding: 2 })).toThrow(/no honest party to add noise/);
  });

  it("of Gaussian noise sum to what their slack says", () => {
    // Small shares on purpose, where the difference from one draw can be computed.
    const sharing = { parties: 3, colluding: 0 };
    for (const variance of [3n, 6n, 12n]) {
      const share = gaussianLaw(Number(variance) / 3);
      const sum = convolve(convolve(share, share, 60), share, 60);
      const whole = gaussianLaw(Number(variance));
      const slack = gaussianSlack(variance, sharing);
      for (let x = -8; x <= 8; x++) expect(Math.abs(Math.log(sum(x) / whole(x)))).toBeLessThanOrEqual(slack + 1e-12);
    }
    expect(gaussianSlack(1000n, sharing)).toBeLessThan(1e-300);
    expect(gaussianSlack(1000n, alone)).toBe(0);
    const source = chance();
    const draw = () => {
      let total = 0;
      for (let h = 0; h < 3; h++) total += Number(gaussianShare(source, 30n, sharing));
      return total;
    };
    fits(draw, gaussianLaw(30), -30, 30);
  });
});
