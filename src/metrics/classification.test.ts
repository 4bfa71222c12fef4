import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classification, thresholdFor } from "./classification.js";

const someone = fc.record({
  score: fc.integer({ min: -5, max: 5 }),
  label: fc.integer({ min: 0, max: 1 }),
  group: fc.integer({ min: 0, max: 2 }),
});
const crowd = fc.array(someone, { minLength: 1, maxLength: 60 });
type Crowd = { score: number; label: number; group: number }[];

function measure(people: Crowd, threshold = 0) {
  return classification({
    scores: people.map(({ score }) => score),
    threshold,
    labels: people.map(({ label }) => label),
    groups: ["a", "b", "c"],
    codes: people.map(({ group }) => group),
  });
}

describe("a classification of several classes", () => {
  it("has the largest difference of any class, as definitions read", () => {
    const names = ["x", "y", "z"];
    const one = fc.record({ label: fc.nat(2), answer: fc.nat(2), group: fc.nat(1) });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 40 }), (people) => {
        const found = classification({
          scores: [],
          answers: people.map(({ answer }) => answer),
          labels: people.map(({ label }) => label),
          classes: names,
          groups: ["a", "b"],
          codes: people.map(({ group }) => group),
        });
        const share = (of: typeof people, hit: (person: (typeof people)[number]) => boolean) =>
          of.length === 0 ? undefined : of.filter(hit).length / of.length;
        const gap = (rate: (group: number) => number | undefined) => {
          const [a, b] = [rate(0), rate(1)];
          return a === undefined || b === undefined ? undefined : Math.abs(a - b);
        };
        const most = (gaps: (number | undefined)[]) => {
          const known = gaps.filter((each) => each !== undefined);
          return known.length === 0 ? null : Math.max(...known);
        };
        const inGroup = (group: number) => people.filter((each) => each.group === group);
        const near = (value: number | null, expected: number | null) =>
          expected === null ? expect(value).toBeNull() : expect(value).toBeCloseTo(expected, 12);
        near(found.dpd, most([0, 1, 2].map((k) => gap((g) => share(inGroup(g), ({ answer }) => answer === k)))));
        near(
          found.eod,
          most(
            [0, 1, 2].map((k) =>
              gap((g) =>
                share(
                  inGroup(g).filter(({ label }) => label === k),
                  ({ answer }) => answer === k,
                ),
              ),
            ),
          ),
        );
        near(found.apd, most([gap((g) => share(inGroup(g), ({ label, answer }) => label !== answer))]));
        expect(found.accuracy).toBe(share(people, ({ label, answer }) => label === answer));
        expect([found.auc, found.positiveRate]).toEqual([null, null]);
        expect(Object.keys(found.perClass!)).toEqual(names);
        expect(names.reduce((sum, name) => sum + found.perClass![name].positives, 0)).toBe(people.length);
      }),
    );
  });
});

describe("a classification", () => {
  it("has the area under the curve that counting pairs gives", () => {
    fc.assert(
      fc.property(crowd, (people) => {
        const [yes, no] = [1, 0].map((label) => people.filter((person) => person.label === label));
        let wins = 0;
        for (const a of yes!) for (const b of no!) wins += a.score > b.score ? 1 : a.score === b.score ? 0.5 : 0;
        const pairs = yes!.length * no!.length;
        const { auc } = measure(people);
        if (pairs === 0) expect(auc).toBeNull();
        else expect(auc).toBeCloseTo(wins / pairs, 10);
      }),
    );
  });

  it("has differences of conditional rates between the extreme groups", () => {
    fc.assert(
      fc.property(crowd, (people) => {
        const rates = (of: Crowd, hit: (person: Crowd[number]) => boolean) =>
          [0, 1, 2].flatMap((group) => {
            const members = of.filter((person) => person.group === group);
            return members.length === 0 ? [] : [members.filter(hit).length / members.length];
          });
        const span = (values: number[]) => (values.length < 2 ? null : Math.max(...values) - Math.min(...values));
        const result = measure(people);
        const yes = ({ score }: Crowd[number]) => score > 0;
        const same = (value: number | null, expected: number | null) =>
          expected === null ? expect(value).toBeNull() : expect(value).toBeCloseTo(expected, 10);
        same(result.dpd, span(rates(people, yes)));
        same(
          result.eod,
          span(
            rates(
              people.filter(({ label }) => label === 1),
              yes,
            ),
          ),
        );
        same(result.apd, span(rates(people, (person) => yes(person) !== (person.label === 1))));
      }),
    );
  });

  it("has intervals around its values, within 0 and 1", () => {
    fc.assert(
      fc.property(crowd, (people) => {
        for (const { value, low, high } of Object.values(measure(people).intervals)) {
          if (value === null) continue;
          expect(low).toBeGreaterThanOrEqual(0);
          expect(low! - 1e-12).toBeLessThanOrEqual(value);
          expect(high! + 1e-12).toBeGreaterThanOrEqual(value);
          expect(high).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it("has Wilson's interval of 81 of 263", () => {
    // Newcombe 1998, table I: 0.2553 to 0.3662.
    const people = Array.from({ length: 263 }, (_, i) => ({ score: i < 81 ? 1 : -1, label: 1, group: 0 }));
    const { low, high } = measure(people).intervals.accuracy;
    expect(low).toBeCloseTo(0.2553, 4);
    expect(high).toBeCloseTo(0.3662, 4);
  });

  it("has Newcombe's interval of 56/70 less 48/80", () => {
    // Newcombe 1998, table II, method 10: 0.0524 to 0.3339.
    const group = (size: number, right: number, code: number) =>
      Array.from({ length: size }, (_, i) => ({ score: i < right ? 1 : -1, label: 1, group: code }));
    const { low, high } = measure([...group(70, 56, 0), ...group(80, 48, 1)]).intervals.dpd;
    expect(low).toBeCloseTo(0.0524, 4);
    expect(high).toBeCloseTo(0.3339, 4);
  });

  it("finds the threshold that says yes so often", () => {
    const scores = Float64Array.from({ length: 100 }, (_, i) => (i * 37) % 100);
    for (const rate of [0, 0.01, 0.25, 0.5, 0.99, 1]) {
      const threshold = thresholdFor(scores, rate);
      expect(scores.filter((score) => score > threshold).length).toBe(Math.round(100 * rate));
    }
  });
});
