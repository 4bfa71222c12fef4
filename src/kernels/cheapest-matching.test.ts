import { describe, expect, it } from "vitest";
import { Draws } from "../testing/draws.js";
import { CheapestMatching } from "./cheapest-matching.js";

/** The least total cost over all ways to give rows different columns. */
function bruteForce(costs: readonly (readonly number[])[], taken = new Set<number>(), row = 0): number {
  if (row === costs.length) return 0;
  return costs[row]!.reduce((least, cost, column) => {
    if (taken.has(column)) return least;
    return Math.min(least, cost + bruteForce(costs, new Set([...taken, column]), row + 1));
  }, Number.POSITIVE_INFINITY);
}

describe("CheapestMatching", () => {
  it("costs what brute force finds, ties and forbidden columns included", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const draws = new Draws(seed);
      const rows = draws.between(1, 5);
      const columns = rows + draws.below(3);
      const forbidden = columns > rows ? draws.below(columns) : -1;
      const costs = Array.from({ length: rows }, () =>
        draws.list(columns, (column) => (column === forbidden ? Number.POSITIVE_INFINITY : draws.below(10) - 4)),
      );
      const matching = new CheapestMatching(columns);
      matching.open(rows).set(costs.flat());
      const found = matching.solve(rows).slice(0, rows);
      expect(new Set(found).size).toBe(rows);
      expect(found.reduce((sum, column, row) => sum + costs[row]![column]!, 0)).toBe(bruteForce(costs));
    }
  });
});
