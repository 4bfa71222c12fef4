import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Bounds, boundsFromDelta, excess } from "../../constraints/bounds.js";
import type { Attribute } from "../../table/types.js";
import { fairAssignment } from "./assignment.js";

function attributeOf(name: string, values: readonly (string | number)[]): Attribute {
  const groups = [...new Set(values.map(String))].sort();
  return { name, groups, codes: Uint16Array.from(values, (value) => groups.indexOf(String(value))) };
}

/** People beyond the bounds in the worst group and cluster. */
function violation(
  labels: Uint16Array,
  k: number,
  attributes: readonly Attribute[],
  bounds: readonly Bounds[],
): number {
  let worst = 0;
  bounds.forEach(({ groups, lower, upper }, a) => {
    for (let m = 0; m < k; m++) {
      const members = groups.map(() => 0);
      labels.forEach((label, i) => {
        if (label === m) members[attributes[a].codes[i]]++;
      });
      const size = members.reduce((sum, count) => sum + count, 0);
      for (let l = 0; l < groups.length; l++) worst = Math.max(worst, excess(members[l], size, lower[l], upper[l]));
    }
  });
  return worst;
}

function costOf(labels: ArrayLike<number>, costs: Float64Array, k: number): number {
  let total = 0;
  for (let i = 0; i < labels.length; i++) total += costs[i * k + labels[i]];
  return total;
}

describe("fair assignment", () => {
  it("is a lower bound on every assignment that meets the bounds, and is rounded within 3 people", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 8 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 2 }),
        fc.constantFrom(0, 0.1, 0.3),
        fc.infiniteStream(fc.nat(1000)),
        async (n, k, protectedCount, delta, draws) => {
          const draw = (below: number) => draws.next().value % below;
          const attributes = Array.from({ length: protectedCount }, (_, a) =>
            attributeOf(
              `attribute ${a}`,
              Array.from({ length: n }, () => draw(3)),
            ),
          );
          const bounds = attributes.map((attribute) => boundsFromDelta(attribute, delta));
          const costs = Float64Array.from({ length: n * k }, () => draw(20));
          const { labels, lowerBound } = await fairAssignment(costs, k, attributes, bounds);
          expect(violation(labels, k, attributes, bounds)).toBeLessThanOrEqual(3);
          const other = new Uint16Array(n);
          let cheapest = Number.POSITIVE_INFINITY;
          for (let code = 0; code < k ** n; code++) {
            for (let i = 0, rest = code; i < n; i++, rest = Math.floor(rest / k)) other[i] = rest % k;
            if (violation(other, k, attributes, bounds) === 0) cheapest = Math.min(cheapest, costOf(other, costs, k));
          }
          expect(lowerBound).toBeLessThanOrEqual(cheapest + 1e-6);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("stays within 3 people for one attribute and 4 Delta + 3 for more, at about the cost of the fractional optimum", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 20, max: 300 }),
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom(0, 0.05, 0.2),
        fc.infiniteStream(fc.nat(1_000_000)),
        async (n, k, protectedCount, delta, draws) => {
          const draw = () => draws.next().value / 1_000_001;
          const place = Array.from({ length: n }, () => [draw(), draw()]);
          const centres = Array.from({ length: k }, () => [draw(), draw()]);
          const costs = Float64Array.from({ length: n * k }, (_, at) => {
            const [x, y] = place[Math.floor(at / k)];
            return (x - centres[at % k][0]) ** 2 + (y - centres[at % k][1]) ** 2;
          });
          // Groups that go with the place, so that fairness costs something.
          const attributes = Array.from({ length: protectedCount }, (_, a) =>
            attributeOf(
              `attribute ${a}`,
              place.map((x) => Math.floor(2 * x[a % 2] + 1.2 * draw())),
            ),
          );
          const bounds = attributes.map((attribute) => boundsFromDelta(attribute, delta));
          const { labels, lowerBound } = await fairAssignment(costs, k, attributes, bounds);
          expect(violation(labels, k, attributes, bounds)).toBeLessThanOrEqual(
            protectedCount === 1 ? 3 : 4 * protectedCount + 3,
          );
          // The second program's optimum is at most the first one's; dropped constraints only make it cheaper.
          expect(costOf(labels, costs, k)).toBeLessThanOrEqual(lowerBound * (1 + 1e-6) + 1e-6);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("is the nearest assignment when the bounds allow everything", async () => {
    const costs = Float64Array.of(1, 2, 3, 0, 5, 4);
    const sex = attributeOf("sex", ["F", "M", "M"]);
    const free = { attribute: "sex", groups: sex.groups, counts: [1, 2], lower: [0, 0], upper: [1, 1] };
    const { labels, lowerBound } = await fairAssignment(costs, 2, [sex], [free]);
    expect([...labels]).toEqual([0, 1, 1]);
    expect(lowerBound).toBe(5);
  });

  it("refuses bounds that the shares in the data contradict", async () => {
    const sex = attributeOf("sex", ["F", "M", "M", "M"]);
    const bounds = { attribute: "sex", groups: sex.groups, counts: [1, 3], lower: [0.5, 0], upper: [1, 1] };
    await expect(fairAssignment(new Float64Array(8), 2, [sex], [bounds])).rejects.toMatchObject({
      code: "infeasible",
      message: expect.stringMatching(/sex F cannot be 0.5 to 1 of each cluster: it is 0.25 of all 4 people/),
    });
  });
});
