import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adjustedMutualInformation, adjustedRandIndex, contingency, partyRandIndex } from "./agreement.js";
import { expectedMutualInformation } from "./expected-information.js";

/** truth, labels, ARI, AMI: scikit-learn 1.9.1. */
const known: [number[], number[], number, number][] = [
  [[0, 0, 1, 1, 2, 2, 2, 3], [0, 0, 1, 2, 2, 2, 1, 1], 0.15789473684210525, 0.20118648299711017],
  [
    [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2],
    [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 0, 1],
    0.08333333333333333,
    0.11575305380508151,
  ],
  [[0, 0, 0, 1, 1, 1], [0, 1, 2, 3, 4, 4], 0.1935483870967742, 0.2421851150961632],
  [[0, 0, 0, 1, 1, 1], [0, 1, 2, 3, 4, 5], 0, 0],
  [[0, 0, 1, 1], [0, 1, 0, 1], -0.5, -0.5],
  [[0, 0, 0, 0], [0, 1, 2, 3], 0, 0],
  [[0, 1, 2, 3], [3, 2, 1, 0], 1, 1],
  [[0, 0, 0, 0], [1, 1, 1, 1], 1, 1],
  [[], [], 1, 1],
];

const n = 3000;
const people = (label: (i: number) => number) => Uint16Array.from({ length: n }, (_, i) => label(i));
const sevenths = people((i) => i % 7);

/** truth, labels, ARI, AMI on 3000 people. */
const long: [Uint16Array, Uint16Array, number, number][] = [
  [sevenths, people((i) => (i * i) % 11), -0.0017718565845823045, -0.002706497408327163],
  [sevenths, people((i) => (i % 3 === 0 ? i % 7 : (i * i) % 11)), 0.10875736343113232, 0.17381743819733836],
  // 750 by 1500 classes
  [people((i) => i >> 2), people((i) => ((i * 7919) % n) >> 1), -0.000500417014178482, -0.000667334031613009],
];

describe("adjusted Rand index and adjusted mutual information", () => {
  it("equal scikit-learn's", () => {
    for (const [truth, labels, ari, ami] of [...known, ...long]) {
      expect(adjustedRandIndex(truth, labels)).toBeCloseTo(ari, 12);
      expect(adjustedMutualInformation(truth, labels)).toBeCloseTo(ami, 10);
    }
  });

  it("are 1 for the same partition under any names", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(6), { minLength: 1, maxLength: 60 }), (labels) => {
        const renamed = Int32Array.from(labels, (label) => 1_000_000 - 7 * label);
        expect(adjustedRandIndex(labels, renamed)).toBe(1);
        expect(adjustedMutualInformation(labels, renamed)).toBe(1);
      }),
    );
  });

  it("are symmetric, at most 1, and blind to order and numbering", () => {
    const two = fc.array(fc.tuple(fc.nat(4), fc.nat(5)), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(two, (pairs) => {
        const truth = pairs.map(([a]) => a);
        const labels = pairs.map(([, b]) => b);
        for (const measure of [adjustedRandIndex, adjustedMutualInformation]) {
          const value = measure(truth, labels);
          expect(value).toBeLessThanOrEqual(1 + 1e-9);
          expect(measure(labels, truth)).toBeCloseTo(value, 9);
          expect(measure(truth.toReversed(), labels.toReversed())).toBeCloseTo(value, 9);
          expect(
            measure(
              truth.map((label) => -label),
              labels,
            ),
          ).toBeCloseTo(value, 9);
        }
      }),
    );
  });

  it("ARI counts pairs", () => {
    const two = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(two, (pairs) => {
        let [both, first, second, all] = [0, 0, 0, 0];
        for (let i = 0; i < pairs.length; i++) {
          for (let j = 0; j < i; j++) {
            const a = pairs[i][0] === pairs[j][0] ? 1 : 0;
            const b = pairs[i][1] === pairs[j][1] ? 1 : 0;
            both += a * b;
            first += a;
            second += b;
            all++;
          }
        }
        const chance = (first * second) / all;
        const span = (first + second) / 2 - chance;
        fc.pre(span !== 0);
        const ari = adjustedRandIndex(
          pairs.map(([a]) => a),
          pairs.map(([, b]) => b),
        );
        expect(ari).toBeCloseTo((both - chance) / span, 9);
      }),
    );
  });

  it("are about 0 for a random labelling", () => {
    let state = 1;
    const random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      return state >>> 16;
    };
    const truth = Uint16Array.from({ length: 20000 }, () => random() % 5);
    const labels = Uint16Array.from({ length: 20000 }, () => random() % 8);
    expect(Math.abs(adjustedRandIndex(truth, labels))).toBeLessThan(0.003);
    expect(Math.abs(adjustedMutualInformation(truth, labels))).toBeLessThan(0.003);
  });

  it("refuse another number of people", () => {
    expect(() => adjustedRandIndex([0], [0, 1])).toThrow("truth=1 people should equal labels=2");
  });
});

describe("contingency", () => {
  it("keeps occupied cells only", () => {
    const table = contingency([5, 5, 9, 5], [0, 1, 1, 0]);
    expect(table.people).toBe(4);
    expect(table.counts.map((count, at) => [table.rows[at], table.columns[at], count])).toEqual([
      [0, 0, 2],
      [0, 1, 1],
      [1, 1, 1],
    ]);
    expect([Array.from(table.rowTotals), Array.from(table.columnTotals)]).toEqual([
      [3, 1],
      [2, 2],
    ]);
  });
});

describe("expectedMutualInformation", () => {
  /** All orders of the labels, counted one by one. */
  function average(truth: readonly number[], labels: readonly number[]): number {
    if (labels.length === 0) return 0;
    let sum = 0;
    let orders = 0;
    const visit = (chosen: number[], left: number[]) => {
      if (left.length === 0) {
        orders++;
        const { people, rows, columns, counts, rowTotals, columnTotals } = contingency(truth, chosen);
        counts.forEach((count, at) => {
          const product = rowTotals[rows[at]] * columnTotals[columns[at]];
          sum += (count / people) * Math.log((people * count) / product);
        });
      }
      left.forEach((label, at) => {
        visit([...chosen, label], left.toSpliced(at, 1));
      });
    };
    visit([], [...labels]);
    return sum / orders;
  }

  it("is the mean over all orders of the labels", () => {
    for (const [truth, labels] of [
      [
        [0, 0, 1, 1, 2, 2],
        [0, 0, 0, 1, 1, 2],
      ],
      [
        [0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 1, 1],
      ],
      [
        [0, 1, 2, 3, 4, 5],
        [0, 0, 1, 1, 1, 1],
      ],
    ]) {
      const { rowTotals, columnTotals, people } = contingency(truth, labels);
      expect(expectedMutualInformation(rowTotals, columnTotals, people)).toBeCloseTo(average(truth, labels), 12);
    }
  });

  it("keeps its digits at millions of people", () => {
    // To first order the expectation is (rows - 1)(columns - 1) / 2n; the next term is smaller by a factor of about n / k^2.
    const people = 6_000_000;
    const expected = expectedMutualInformation(
      Float64Array.of(1e6, 2e6, 3e6),
      Float64Array.of(2e6, 2e6, 1e6, 1e6),
      people,
    );
    expect(Math.abs(expected / (6 / (2 * (people - 1))) - 1)).toBeLessThan(1e-5);
  });
});

describe("the parties' own agreement", () => {
  it("is that of everybody where one holds all, and weighs parties by their people", () => {
    const truth = [0, 0, 1, 1, 2, 2, 2, 0];
    const labels = [0, 0, 1, 1, 0, 1, 0, 1];
    expect(partyRandIndex(truth, labels, new Array(8).fill(3))).toBeCloseTo(adjustedRandIndex(truth, labels), 12);
    const split = [0, 0, 0, 0, 1, 1, 1, 1];
    const parts = [adjustedRandIndex([0, 0, 1, 1], [0, 0, 1, 1]), adjustedRandIndex([2, 2, 2, 0], [0, 1, 0, 1])];
    expect(partyRandIndex(truth, labels, split)).toBeCloseTo((parts[0] + parts[1]) / 2, 12);
  });
});
