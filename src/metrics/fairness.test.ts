import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundsFromDelta, excess } from "../constraints/bounds.js";
import type { Attribute } from "../table/types.js";
import { balance, clustersTooSmall, eightyPercentRule, groupCounts, groupShares, violation } from "./fairness.js";
import { clusterSizes } from "./sse.js";

function attributeOf(name: string, values: readonly string[]): Attribute {
  const groups = [...new Set(values)].sort();
  return { name, groups, codes: Uint16Array.from(values, (value) => groups.indexOf(value)) };
}

// Ten people: 6 women and 4 men, in clusters of 5, 5 and none.
const sex = attributeOf("sex", ["F", "F", "F", "F", "M", "F", "F", "M", "M", "M"]);
const labels = Uint16Array.of(0, 0, 0, 0, 0, 1, 1, 1, 1, 1);

const labelledPeople = fc
  .array(fc.record({ sex: fc.constantFrom("F", "M"), age: fc.constantFrom("a", "b", "c"), label: fc.nat(3) }), {
    minLength: 1,
    maxLength: 60,
  })
  .map((rows) => ({
    rows,
    labels: Uint16Array.from(rows, (row) => row.label),
    attributes: [
      attributeOf(
        "sex",
        rows.map((row) => row.sex),
      ),
      attributeOf(
        "age",
        rows.map((row) => row.age),
      ),
    ],
  }));

describe("counts and shares", () => {
  it("count by group and cluster", () => {
    const counts = groupCounts(sex, labels, 3);
    expect(counts).toEqual([
      [4, 2, 0],
      [1, 3, 0],
    ]);
    expect(groupShares([sex], [counts], [5, 5, 0])).toEqual({ sex: { F: [0.8, 0.4, 0], M: [0.2, 0.6, 0] } });
  });

  it("survive a group with an awkward name", () => {
    const odd = attributeOf("constructor", ["__proto__", "toString"]);
    const shares = groupShares([odd], [groupCounts(odd, Uint16Array.of(0, 0), 1)], [2]);
    expect(JSON.stringify(shares)).toBe('{"constructor":{"__proto__":[0.5],"toString":[0.5]}}');
  });

  it("refuse another number of people", () => {
    expect(() => groupCounts(sex, new Uint16Array(9), 1)).toThrow("labels=9 should equal people=10 of attribute sex");
  });
});

describe("balance", () => {
  it("is the worst ratio of shares, and 0 when somebody is absent", () => {
    // Shares 0.6 and 0.4. Cluster 0: F 0.6/0.8, M 0.2/0.4. Cluster 1: F 0.4/0.6, M 0.4/0.6.
    const [first, second, empty] = balance([groupCounts(sex, labels, 3)], [5, 5, 0]);
    expect(first).toBeCloseTo(0.5, 12);
    expect(second).toBeCloseTo(2 / 3, 12);
    expect(empty).toBe(0);
    const apart = Uint16Array.from(sex.codes);
    expect(balance([groupCounts(sex, apart, 2)], [6, 4])).toEqual([0, 0]);
  });

  it("is exactly 1 for a mirror of the data, and empty when nothing is protected", () => {
    const thirds = attributeOf("x", ["a", "b", "c", "a", "b", "c", "a", "b", "c"]);
    const mirrored = Uint16Array.of(0, 0, 0, 1, 1, 1, 1, 1, 1);
    expect(balance([groupCounts(thirds, mirrored, 2)], [3, 6])).toEqual([1, 1]);
    expect(balance([], [3, 6])).toEqual([]);
  });

  it("agrees with the definition over several attributes", () => {
    fc.assert(
      fc.property(labelledPeople, ({ rows, labels, attributes }) => {
        const counts = attributes.map((attribute) => groupCounts(attribute, labels, 4));
        const balances = balance(counts, clusterSizes(labels, 4));
        for (let m = 0; m < 4; m++) {
          const inside = rows.filter((row) => row.label === m);
          const ratios = (["sex", "age"] as const).flatMap((name) =>
            [...new Set(rows.map((row) => row[name]))].map((group) => {
              const overall = rows.filter((row) => row[name] === group).length / rows.length;
              const share = inside.filter((row) => row[name] === group).length / inside.length;
              return share === 0 ? 0 : Math.min(share / overall, overall / share);
            }),
          );
          expect(balances[m]).toBeCloseTo(inside.length === 0 ? 0 : Math.min(...ratios), 12);
        }
      }),
    );
  });
});

describe("the 80% rule", () => {
  it("passes everywhere in a cluster exactly when its balance is 0.8 or more", () => {
    fc.assert(
      fc.property(labelledPeople, ({ labels, attributes }) => {
        const sizes = clusterSizes(labels, 4);
        const counts = attributes.map((attribute) => groupCounts(attribute, labels, 4));
        const passes = counts.map((count) => eightyPercentRule(count, sizes));
        balance(counts, sizes).forEach((value, m) => {
          expect(passes.every((groups) => groups.every((group) => group[m]))).toBe(value >= 0.8);
        });
      }),
    );
  });

  it("is exact at the limit", () => {
    // Share 0.5 overall; 0.4 in the first cluster is 80% exactly, 0.6 is within 125%.
    expect(
      eightyPercentRule(
        [
          [4, 6],
          [6, 4],
        ],
        [10, 10],
      ),
    ).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(
      eightyPercentRule(
        [
          [39, 61, 0],
          [61, 39, 0],
        ],
        [100, 100, 0],
      ),
    ).toEqual([
      [false, true, false],
      [true, false, false],
    ]);
  });
});

describe("violation", () => {
  it("counts people beyond the bounds and says where", () => {
    const bounds = boundsFromDelta(sex, 0.2);
    // F: 0.48 to 0.75, M: 0.32 to 0.5. The worst: men in cluster 0, 0.32 * 5 - 1 = 0.6 too few.
    const found = violation([bounds], [groupCounts(sex, labels, 3)], [5, 5, 0]);
    expect(found.people).toBeCloseTo(0.6, 8);
    expect(found.worst).toEqual({ attribute: "sex", group: "M", cluster: 0 });
  });

  it("is zero, and nowhere, for a mirror of the data", () => {
    const bounds = boundsFromDelta(sex, 0);
    const everybody = new Uint16Array(10);
    expect(violation([bounds], [groupCounts(sex, everybody, 2)], [10, 0])).toEqual({ people: 0, worst: null });
    expect(violation([], [], [10])).toEqual({ people: 0, worst: null });
  });

  it("is the largest excess", () => {
    fc.assert(
      fc.property(labelledPeople, fc.double({ min: 0, max: 0.9, noNaN: true }), ({ labels, attributes }, delta) => {
        const sizes = clusterSizes(labels, 4);
        const counts = attributes.map((attribute) => groupCounts(attribute, labels, 4));
        const bounds = attributes.map((attribute) => boundsFromDelta(attribute, delta));
        const { people, worst } = violation(bounds, counts, sizes);
        const all = bounds.flatMap((bound, a) =>
          bound.groups.flatMap((group, l) =>
            sizes.map((size, cluster) => ({
              where: { attribute: bound.attribute, group, cluster },
              beyond: excess(counts[a][l][cluster], size, bound.lower[l], bound.upper[l]),
            })),
          ),
        );
        expect(people).toBe(Math.max(...all.map((one) => one.beyond)));
        expect(worst).toEqual(people === 0 ? null : all.find((one) => one.beyond === people)?.where);
      }),
    );
  });
});

it("clustersTooSmall names clusters that may lack a group within the tolerance", () => {
  const bounds = boundsFromDelta(sex, 0.2);
  // The smallest lower bound is 0.32: below 1/0.32 = 3.125 people it asks for nobody.
  expect(clustersTooSmall([bounds], [0, 1, 3, 4, 10], 1)).toEqual([0, 1, 2]);
  expect(clustersTooSmall([bounds], [0, 1, 3, 4, 10], 0)).toEqual([0]);
  expect(clustersTooSmall([], [0, 1], 1)).toEqual([]);
});
