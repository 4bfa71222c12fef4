import { describe, expect, it } from "vitest";
import { boundsFromDelta } from "../../constraints/bounds.js";
import { gatherCrowds } from "./crowds.js";
import { solveRestricted } from "./relaxation.js";
import { solveBySifting } from "./sifting.js";

/** People on a coarse grid, many of them the same, whose groups go with their place. */
function makePeople(n: number, k: number) {
  let state = 7;
  const draw = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
  const costs = new Float64Array(n * k);
  const codes = [new Uint16Array(n), new Uint16Array(n)];
  for (let i = 0; i < n; i++) {
    const [x, y] = [Math.round(draw() * 120) / 120, Math.round(draw() * 120) / 120];
    for (let m = 0; m < k; m++) costs[i * k + m] = (x - (m + 0.5) / k) ** 2 + (y - ((m * 2) % k) / k) ** 2;
    codes[0][i] = x + 0.5 * draw() > 0.8 ? 1 : 0;
    codes[1][i] = Math.floor(1.5 * y + 1.4 * draw());
  }
  const attributes = codes.map((list, a) => ({
    name: `attribute ${a}`,
    groups: [...new Set(list)].map(String),
    codes: list,
  }));
  return { costs, attributes, bounds: attributes.map((attribute) => boundsFromDelta(attribute, 0.1)) };
}

describe("sifting", () => {
  it("merges people who are the same, and nobody else", () => {
    const { costs, attributes } = makePeople(3000, 3);
    const crowds = gatherCrowds(costs, 3, attributes);
    const keys = new Set<string>();
    for (let i = 0; i < 3000; i++) {
      keys.add([...costs.subarray(i * 3, i * 3 + 3), ...attributes.map(({ codes }) => codes[i])].join());
    }
    expect(crowds.count).toBe(keys.size);
    expect(crowds.weights.reduce((sum, weight) => sum + weight, 0)).toBe(3000);
  });

  it("finds the whole program's optimum", async () => {
    const [n, k] = [8000, 5];
    const { costs, attributes, bounds } = makePeople(n, k);
    const { count, weights, examples } = gatherCrowds(costs, k, attributes);
    expect(count).toBeGreaterThan(2500);
    const crowdCosts = new Float64Array(count * k);
    for (let crowd = 0; crowd < count; crowd++) {
      crowdCosts.set(costs.subarray(examples[crowd] * k, (examples[crowd] + 1) * k), crowd * k);
    }
    const assignment = { k, attributes, bounds, costs: crowdCosts, weights, examples };
    const sifted = await solveBySifting(assignment);
    const all = Uint32Array.from({ length: count }, (_, crowd) => crowd);
    const nobody = bounds.map(({ groups }) => new Float64Array(groups.length * k));
    const whole = await solveRestricted(assignment, all, weights, nobody, 100);
    expect(whole.missed).toBeLessThan(1e-6);
    expect(sifted.objective).toBeCloseTo(whole.objective, 5);
    expect(sifted.crowds.length).toBeLessThan(count);
  });
});
