import { describe, expect, it } from "vitest";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { meaningfulSize } from "../metrics/index.js";
import { Draws } from "../testing/draws.js";
import { peopleOf } from "../testing/people.js";
import { cluster } from "./cluster.js";

/** A crowd, and a few people far away; one person in `every` is of a rare group. */
function crowd(n: number, every: number, far = 5) {
  const draws = new Draws(5);
  const codes = draws.list(n, (i) => (i % every === 7 ? 2 : i % 2));
  return peopleOf(
    [draws.list(n, (i) => (i < far ? 60 : 0) + draws.normal()), draws.list(n, () => draws.normal())],
    [codes],
  );
}

const asked = { k: 4, seed: 1, threads: 1 } as const;

describe("a fair run to which nobody gave a smallest size", () => {
  it("asks for clusters in which the bounds mean something, and says what that cost", async () => {
    const people = crowd(600, 20);
    const size = meaningfulSize(resolveBounds(people.attributes, { delta: 0.2 }), 600, 4, 1);
    const small = await cluster(people, { ...asked, minSize: 2 });
    expect(small.result).toMatchObject({ fair: true, verdict: "fair-without-meaning", minSizeFrom: "request" });
    expect(small.result.warnings.join()).toMatch(
      /covers whole bounds in cluster \d, of fewer than 26 people: use `minSize: meaningful`/,
    );
    const { labels, result } = await cluster(people, asked);
    expect(result).toMatchObject({
      verdict: "fair-to-rounding",
      minSize: size,
      minSizeFrom: "meaningful",
      sizesKept: null,
    });
    expect(Math.min(...result.sizes)).toBeGreaterThanOrEqual(size);
    expect(result.sseAtMinSize2).toBe(small.result.sse);
    expect(result.warnings).toEqual([]);
    const named = await cluster(people, { ...asked, minSize: "meaningful" });
    expect(Array.from(labels)).toEqual(Array.from(named.labels));
    expect(named.result).toMatchObject({
      minSize: size,
      minSizeFrom: "meaningful",
      sizesKept: true,
      sseAtMinSize2: null,
    });
  });

  it("keeps the labels of a smallest size of 2 where they mean something already, on rows too", async () => {
    const people = crowd(600, 20, 300);
    for (const split of ["columns", "rows"] as const) {
      const two = await cluster(people, { ...asked, split, k: 2, minSize: 2 });
      const { labels, result } = await cluster(people, { ...asked, split, k: 2 });
      expect(two.result.verdict).not.toBe("fair-without-meaning");
      expect(Array.from(labels)).toEqual(Array.from(two.labels));
      expect(result).toMatchObject({ minSizeFrom: "meaningful", sseAtMinSize2: result.sse });
    }
  });

  it("says plainly where such clusters are not to be had, and keeps to 2", async () => {
    const people = crowd(600, 20);
    // 70% may at most be 99.9% of a cluster: in fewer than 1,001 people one more is no more than the tolerance.
    const bounds = { "attribute 0": { "group 0": { max: 0.999 } } };
    const { result } = await cluster(people, { ...asked, bounds });
    expect(result).toMatchObject({
      fair: true,
      verdict: "fair-without-meaning",
      minSize: 2,
      minSizeFrom: "fallback",
      sseAtMinSize2: null,
      verdictDetails: { meaningfulSize: 1001 },
    });
    expect(result.warnings.join()).toMatch(
      /k=4 clusters as large as that were not found to be feasible: use a smaller k/,
    );
    await expect(cluster(people, { ...asked, bounds, minSize: "meaningful" })).rejects.toMatchObject({
      code: "infeasible",
      message: expect.stringMatching(
        /^a meaningful minimum size is 1001 people here, and a minimum size of 1001 in each of k=4 clusters needs 4004 people.*: use a minimum size of 150 or less/,
      ),
    });
  });

  it("leaves groups out that are too few for any cluster of average size", async () => {
    const people = crowd(600, 300);
    const { result } = await cluster(people, asked);
    expect(result.verdictDetails?.tooFew).toEqual([{ attribute: "attribute 0", group: "group 2" }]);
    expect(result).toMatchObject({ minSizeFrom: "meaningful", minSize: 3 });
    expect(result.verdict).not.toBe("fair-without-meaning");
  });
});

describe("a meaningful smallest size", () => {
  it("needs something that is protected", async () => {
    const people = { ...crowd(60, 20), attributes: [] };
    const refused = cluster(people, { ...asked, algorithm: "teb", minSize: "meaningful" });
    await expect(refused).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("give a number") });
  });

  it("is kept by teb, which looks at no groups", async () => {
    const { result } = await cluster(crowd(600, 20), { ...asked, algorithm: "teb", minSize: "meaningful" });
    expect(result).toMatchObject({ minSize: 26, sizesKept: true, eta: null });
  });

  it("is nobody's default where nothing is promised, nor that of the paper's method, which knows no sizes", async () => {
    const people = crowd(600, 20);
    const { result } = await cluster(people, { ...asked, algorithm: "lloyd" });
    expect(result).toMatchObject({ minSize: 1, minSizeFrom: "default" });
    const paper = await cluster(people, { ...asked, solver: "admm", maxIterations: 3 });
    expect(paper.result).toMatchObject({ minSize: 2, minSizeFrom: "default" });
  });
});
