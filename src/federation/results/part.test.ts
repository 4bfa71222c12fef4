import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { suppress } from "./part.js";

const tables = fc
  .tuple(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 2, max: 5 }))
  .chain(([groups, k]) =>
    fc.array(fc.array(fc.nat(30), { minLength: k, maxLength: k }), { minLength: groups, maxLength: groups }),
  );

describe("shares of few people", () => {
  it("are left out, and no line gives one away by subtraction", () => {
    fc.assert(
      fc.property(tables, (counts) => {
        const hidden = suppress(counts, 5);
        counts.forEach((clusters, l) => {
          clusters.forEach((count, m) => {
            if (count > 0 && count < 5) expect(hidden[l][m]).toBe(true);
          });
        });
        const lines = [
          ...counts.map((clusters, l) => clusters.map((count, m) => ({ count, gone: hidden[l][m] }))),
          ...counts[0].map((_, m) => counts.map((clusters, l) => ({ count: clusters[m], gone: hidden[l][m] }))),
        ];
        for (const line of lines) {
          const shown = line.filter(({ gone, count }) => !gone && count > 0);
          // A lone gap stays only where nothing else could be hidden with it.
          if (line.filter(({ gone }) => gone).length === 1) expect(shown.length).toBe(0);
        }
      }),
    );
    expect(
      suppress(
        [
          [10, 20],
          [30, 40],
        ],
        5,
      ).flat(),
    ).toEqual([false, false, false, false]);
  });
});
