import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundsFromDelta, excess } from "../constraints/bounds.js";
import { peopleOf } from "../testing/people.js";
import { measureFairness } from "./evaluate.js";
import { meaningfulSize } from "./verdict.js";

/** People in groups and clusters, by how many there are of each: [group][cluster]. */
function judged(counts: readonly (readonly number[])[], tolerance = 1, delta = 0.2) {
  const k = counts[0].length;
  const codes = counts.flatMap((clusters, l) => clusters.flatMap((count) => new Array<number>(count).fill(l)));
  const labels = Uint16Array.from(
    counts.flatMap((clusters) => clusters.flatMap((count, m) => new Array(count).fill(m))),
  );
  const people = peopleOf([codes.map(() => 0)], [codes]);
  const asked = boundsFromDelta(people.attributes[0], delta);
  return { asked, ...measureFairness({ people, labels, k, bounds: [asked], tolerance }) };
}

describe("the verdict", () => {
  it("is fair where nobody is beyond a bound and every bound means something", () => {
    const { verdict, verdictDetails } = judged([
      [50, 100],
      [50, 100],
    ]);
    expect(verdict).toBe("fair");
    // Half of everybody: bounds of 0.4 and 0.625, of which one person is all up to 2.5 and 2.67 people.
    expect(verdictDetails).toEqual({
      rounding: { count: 0, cells: [] },
      withoutMeaning: { count: 0, groups: [] },
      meaningfulSize: 3,
      tooFew: [],
    });
  });

  it("is fair to rounding where somebody is beyond a bound within the tolerance, and says where and by how much", () => {
    // 0.4 of 99 people are 39.6.
    const { fair, verdict, verdictDetails } = judged([
      [39, 60],
      [60, 39],
    ]);
    expect([fair, verdict]).toEqual([true, "fair-to-rounding"]);
    const place = { attribute: "attribute 0", people: expect.closeTo(0.6, 6) };
    expect(verdictDetails?.rounding).toEqual({
      count: 2,
      cells: [
        { ...place, group: "group 0", cluster: 0 },
        { ...place, group: "group 1", cluster: 1 },
      ],
    });
  });

  it("is without meaning where the tolerance covers a whole bound, and says from which size on it would not", () => {
    // One of 20 is a lower bound of 0.04: a cluster of up to 25 people need not have any.
    const counts = [
      [0, 50],
      [24, 926],
    ];
    const { fair, verdict, verdictDetails } = judged(counts);
    expect([fair, verdict]).toEqual([true, "fair-without-meaning"]);
    expect(verdictDetails).toMatchObject({
      withoutMeaning: { count: 1, groups: [{ attribute: "attribute 0", group: "group 0", clusters: [0] }] },
      meaningfulSize: 26,
    });
    expect(judged(counts, 0.9).verdict).toBe("unfair");
  });

  it("does not hang on groups that are too few for any cluster of average size", () => {
    const { verdict, verdictDetails } = judged([
      [0, 1, 1],
      [50, 50, 50],
      [50, 50, 50],
    ]);
    expect(verdict).toBe("fair-to-rounding");
    expect(verdictDetails).toMatchObject({
      withoutMeaning: { count: 0 },
      tooFew: [{ attribute: "attribute 0", group: "group 0" }],
    });
  });

  it("is unfair before anything else, and nothing where nothing is protected", () => {
    expect(
      judged([
        [0, 50],
        [60, 40],
      ]).verdict,
    ).toBe("unfair");
    const people = peopleOf([[0, 1]]);
    const bare = measureFairness({ people, labels: Uint16Array.of(0, 1), k: 2, bounds: [], tolerance: 1 });
    expect(bare).toMatchObject({ fair: null, verdict: null, verdictDetails: null });
  });

  it("is about clusters that have people: an id that nobody has is no cluster", () => {
    expect(
      judged([
        [0, 50, 50],
        [0, 50, 50],
      ]).verdict,
    ).toBe("fair");
  });

  it("lists two hundred cells, and counts them all", () => {
    const k = 2000;
    const clusters = Array.from({ length: k }, (_, m) => (m === 0 ? 5000 : 1));
    const { verdictDetails } = judged([clusters, clusters], 0.95);
    expect(verdictDetails?.withoutMeaning.count).toBe(2 * (k - 1));
    expect(verdictDetails?.withoutMeaning.groups.flatMap(({ clusters }) => clusters)).toHaveLength(200);
  });

  it("is what anybody counts who follows its definition", () => {
    const cases = fc.record({
      counts: fc
        .tuple(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 1, max: 5 }))
        .chain(([groups, k]) =>
          fc.array(fc.array(fc.nat(40), { minLength: k, maxLength: k }), { minLength: groups, maxLength: groups }),
        )
        .filter((counts) => counts.every((clusters) => clusters.some((count) => count > 0))),
      tolerance: fc.constantFrom(0, 0.5, 1, 1, 2, 7),
      delta: fc.constantFrom(0, 0.2, 0.5, 0.9),
    });
    const seen = new Set<string>();
    fc.assert(
      fc.property(cases, ({ counts, tolerance, delta }) => {
        const k = counts[0].length;
        const { verdict, verdictDetails, fair, sizes, asked } = judged(counts, tolerance, delta);
        const n = sizes.reduce((sum, size) => sum + size, 0);
        const { lower, upper } = asked;
        const cells = counts.flatMap((clusters, l) => clusters.map((count, m) => ({ l, m, count })));
        const beyond = ({ l, m, count }: (typeof cells)[number]) => excess(count, sizes[m], lower[l], upper[l]);
        // Shares are rounded: 0.05 x 0.8 x 25 people are one person all the same.
        const most = tolerance + 1e-9;
        const few = (l: number) => lower[l] > 0 && (lower[l] * n) / k <= most;
        const swallowedAt = (l: number, size: number) =>
          (lower[l] > 0 && lower[l] * size <= most) || (upper[l] < 1 && (1 - upper[l]) * size <= most);
        const swallowed = cells.filter(({ l, m }) => !few(l) && sizes[m] > 0 && swallowedAt(l, sizes[m]));
        const rounded = cells.filter((cell) => beyond(cell) > 0 && beyond(cell) <= tolerance);
        const expected = !fair
          ? "unfair"
          : swallowed.length > 0
            ? "fair-without-meaning"
            : rounded.length > 0
              ? "fair-to-rounding"
              : "fair";
        expect(verdict).toBe(expected);
        seen.add(expected);
        expect(verdictDetails?.rounding.count).toBe(rounded.length);
        expect(verdictDetails?.withoutMeaning.count).toBe(swallowed.length);
        expect(verdictDetails?.tooFew.length).toBe(lower.filter((_, l) => few(l)).length);
        let size = 1;
        while (lower.some((_, l) => !few(l) && swallowedAt(l, size))) size++;
        expect(verdictDetails?.meaningfulSize).toBe(size);
        expect(meaningfulSize([asked], n, k, tolerance)).toBe(size);
      }),
      { numRuns: 2000 },
    );
    expect(seen.size).toBe(4);
  });

  it("knows a size even where no cluster could have it", () => {
    const hardly = { ...boundsFromDelta(peopleOf([[0]], [[0]]).attributes[0], 0), lower: [0], upper: [1 - 2 ** -53] };
    expect(meaningfulSize([hardly], 1e6, 3, 1e9)).toBe(Number.MAX_SAFE_INTEGER);
    expect(meaningfulSize([{ ...hardly, upper: [1] }], 1e6, 3, 1)).toBe(1);
  });
});
