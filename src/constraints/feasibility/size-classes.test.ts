// Slow: integer programs against the search of all cases.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bruteForceCounts, smallRequests } from "../testing/brute-force.js";
import { checkFeasible } from "./check.js";
import { findClasses } from "./decide.js";
import { meetsRequest, type Requirements } from "./request.js";
import { sizeConflict } from "./size-conflicts.js";
import { splitClasses } from "./split-classes.js";

const effort = { work: 1e8, columns: 5000 };

/** One attribute of two groups, bounds from delta, no tolerance. */
function exactly(counts: readonly [number, number], k: number, delta: number): Requirements {
  const n = counts[0] + counts[1];
  const lower = counts.map((count) => (count / n) * (1 - delta));
  const upper = counts.map((count) => Math.min(1, count / n / (1 - delta)));
  const bounds = [{ attribute: "sex", groups: ["F", "M"], counts, lower, upper }];
  return { n, k, sizes: { min: 2, max: n }, bounds, tolerance: 0, patterns: { codes: [[0, 1]], counts } };
}

describe("classes of clusters of one size", () => {
  it("exist, and can be split into clusters, exactly where brute force finds a way", async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(smallRequests(), async (request) => {
        fc.pre(sizeConflict(request) === null);
        const classes = await findClasses(request, effort, undefined);
        const feasible = bruteForceCounts(request, (counts) => meetsRequest(counts, request));
        expect(classes).not.toBe("undecided");
        expect(classes === "none").toBe(!feasible);
        if (typeof classes === "string") return;
        found++;
        const counts = await splitClasses(classes, request);
        expect(counts !== null && meetsRequest(counts, request)).toBe(true);
      }),
      { numRuns: 300 },
    );
    expect(found).toBeGreaterThan(30);
  });

  it("are found where equal sizes will not do", async () => {
    // One of them is enough for up to 1769 people, and two need 2265: the mean is 1628, and 23 of them are for 20 clusters.
    await expect(checkFeasible(exactly([23, 32_538], 20, 0.2))).resolves.toBe(true);
    // In clusters of about 108 people three sizes in ten have no whole number within a hundredth of the share.
    await expect(checkFeasible(exactly([10_771, 21_790], 300, 0.01))).resolves.toBe(true);
    // 39 and 32,561 have no common divisor: only a cluster of everybody has exactly this share.
    await expect(checkFeasible(exactly([39, 32_522], 20, 0))).rejects.toMatchObject({ code: "infeasible" });
  });
});
