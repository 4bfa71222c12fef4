import { describe, expect, it } from "vitest";
import { Draws } from "../testing/draws.js";
import { type SizeGoal, SizePrices } from "./size-prices.js";

interface Search {
  readonly labels: number[];
  readonly prices: SizePrices;
  readonly misplaced: number;
}

/** People take the cheapest cluster at its price, prices take a step, again and again. */
function search(costs: readonly (readonly number[])[], k: number, wish: SizeGoal, queries: number): Search {
  const prices = new SizePrices(k, wish, 1000);
  prices.restart(100);
  let labels: number[] = [];
  for (let query = 0; ; query++) {
    const before = labels;
    labels = costs.map((row) =>
      row.reduce((best, cost, m) => (cost + prices.values[m] < row[best] + prices.values[best] ? m : best), 0),
    );
    const sizes = new Float64Array(k);
    const flows = new Float64Array(k * k);
    labels.forEach((label, i) => {
      sizes[label]++;
      if (before.length > 0 && before[i] !== label) flows[before[i] * k + label]++;
    });
    const tally = { sizes, counts: sizes };
    const misplaced = prices.misplaced(tally);
    if (misplaced === 0 || query === queries) return { labels, prices, misplaced };
    prices.adjust(tally, before.length > 0 ? flows : undefined);
  }
}

function drawCosts(n: number, k: number, draws: Draws): number[][] {
  const lean = draws.list(k, () => 2000 * draws.next());
  return Array.from({ length: n }, () => draws.list(k, (m) => lean[m] + 1000 * draws.normal() ** 2));
}

const sizesOf = (labels: readonly number[], k: number) =>
  Array.from({ length: k }, (_, m) => labels.filter((label) => label === m).length);

describe("prices of sizes", () => {
  it("make all sizes equal at the least cost, as the dual bound proves", () => {
    for (let seed = 1; seed <= 30; seed++) {
      const draws = new Draws(seed);
      const k = draws.between(2, 12);
      const n = k * draws.between(50, 300);
      const costs = drawCosts(n, k, draws);
      const { labels, prices, misplaced } = search(costs, k, { sizes: { min: n / k, max: n / k }, alone: true }, 150);
      expect(misplaced).toBe(0);
      expect(sizesOf(labels, k)).toEqual(new Array(k).fill(n / k));
      const cost = costs.reduce((sum, row, i) => sum + row[labels[i]], 0);
      // No assignment with these sizes costs less than sum of min (cost + price) - price n/k.
      const bound = costs.reduce((sum, row) => sum + Math.min(...row.map((each, m) => each + prices.values[m])), 0);
      expect(cost).toBeCloseTo(bound - prices.values.reduce((sum, price) => sum + (price * n) / k, 0), 3);
    }
  });

  it("weigh sizes against costs: no single move gains", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const draws = new Draws(seed);
      const k = draws.between(2, 8);
      const n = 400;
      const costs = drawCosts(n, k, draws);
      const evenness = { rho: 0.01 * (1 + draws.below(20)), even: n / k };
      const wish = { sizes: { min: 0, max: n }, evenness, alone: true };
      const { labels, misplaced } = search(costs, k, wish, 150);
      expect(misplaced).toBe(0);
      const sizes = sizesOf(labels, k);
      const marginal = (size: number) => 2 * evenness.rho * 1000 * (size - evenness.even);
      costs.forEach((row, i) => {
        for (let m = 0; m < k; m++) {
          const change = row[m] - row[labels[i]] + marginal(sizes[m]) - marginal(sizes[labels[i]]);
          // Whole people: a size may be one off at either end.
          expect(change).toBeGreaterThan(-4 * 2 * evenness.rho * 1000);
        }
      });
    }
  });

  it("leave alone what is within its limits", () => {
    const draws = new Draws(7);
    const costs = drawCosts(300, 3, draws);
    const free = search(costs, 3, { sizes: { min: 0, max: 300 }, alone: true }, 5);
    expect(Array.from(free.prices.values)).toEqual([0, 0, 0]);
    const most = Math.max(...sizesOf(free.labels, 3)) - 20;
    const bound = search(costs, 3, { sizes: { min: 1, max: most }, alone: true }, 200);
    expect(Math.max(...sizesOf(bound.labels, 3))).toBeLessThanOrEqual(most + 1);
  });
});
