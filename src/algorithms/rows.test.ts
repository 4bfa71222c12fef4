// Slow: each case of the property is a whole run over parties.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import type { MoietyError } from "../errors.js";
import type { People } from "../table/types.js";
import { sizesOf, worstExcess } from "../testing/check.js";
import { Draws } from "../testing/draws.js";
import { drawCodes, drawColumns, landscapes, peopleOf, tiedPeople } from "../testing/people.js";
import { cluster } from "./cluster.js";
import { sweep } from "./sweep.js";
import type { ClusterOptions } from "./types.js";

const rows = { split: "rows", threads: 1 } as const;

/** The same people, held by parties of these sizes in turn. */
function heldBy(people: People, sizes: readonly number[]): People {
  const codes = Uint16Array.from(sizes.flatMap((size, party) => new Array<number>(size).fill(party)));
  return { ...people, holders: { name: "hospital", groups: sizes.map(String), codes } };
}

describe("fair with rows split", () => {
  it("costs what it costs in one place where nearly all people are in the same spot", async () => {
    for (const index of [3, 7, 11]) {
      const draws = new Draws(100 + index);
      const codes = [drawCodes(160, 3, draws), drawCodes(160, 2, draws)];
      const people = peopleOf(drawColumns("flat", 160, 3, codes[0], draws), codes);
      const asked = { k: 3, seed: 1, threads: 1 } as const;
      const [split, alone] = [await cluster(people, { ...asked, ...rows, parties: 3 }), await cluster(people, asked)];
      expect(split.result.sse).toBeLessThanOrEqual(1.001 * alone.result.sse);
    }
  });

  it("for every feasible input: within the tolerance over all parties, exactly k clusters of the minimum size", async () => {
    const requests = fc.record({
      n: fc.oneof(fc.integer({ min: 8, max: 30 }), fc.integer({ min: 8, max: 200 })),
      dims: fc.integer({ min: 1, max: 3 }),
      landscape: fc.constantFrom(...landscapes),
      groups: fc.array(fc.integer({ min: 2, max: 4 }), { minLength: 1, maxLength: 2 }),
      k: fc.integer({ min: 1, max: 6 }),
      delta: fc.constantFrom(0, 0.05, 0.2, 0.2, 0.5),
      tolerance: fc.constantFrom(0, 0.5, 1, 1, 2),
      minSize: fc.integer({ min: 1, max: 3 }),
      parties: fc.integer({ min: 1, max: 6 }),
      seed: fc.integer({ min: 0, max: 1_000_000 }),
    });
    await fc.assert(
      fc.asyncProperty(requests, async ({ n, dims, landscape, groups, ...options }) => {
        const draws = new Draws(options.seed);
        const codes = groups.map((count) => drawCodes(n, count, draws));
        const people = peopleOf(drawColumns(landscape, n, dims, codes[0], draws), codes);
        const { k, delta, tolerance, minSize } = options;
        let clustering: Awaited<ReturnType<typeof cluster>>;
        try {
          clustering = await cluster(people, { ...rows, ...options, algorithm: "f3km", maxIterations: 4 });
        } catch (error) {
          expect((error as MoietyError).code, String(error)).toBe("infeasible");
          return;
        }
        const { labels, result } = clustering;
        const bounds = resolveBounds(people.attributes, { delta });
        expect(result.fair).toBe(true);
        expect(worstExcess(people, bounds, labels, k)).toBeLessThanOrEqual(tolerance + 1e-8);
        expect(Math.min(...sizesOf(labels, k))).toBeGreaterThanOrEqual(minSize);
      }),
      { numRuns: Number(process.env.MOIETY_CASES ?? 60) },
    );
  });

  it("does not depend on who holds whom, from given centres", async () => {
    const people = tiedPeople(400, 3, 2, 4);
    const from = [0, 150, 300].map((row) => Float64Array.from(people.dimensions, (column) => column[row]));
    const asked: ClusterOptions = { ...rows, k: 3, from, algorithm: "f3km" };
    const one = await cluster(people, { ...asked, parties: 1 });
    for (const other of [
      await cluster(people, { ...asked, parties: 5 }),
      await cluster(heldBy(people, [1, 3, 250, 146]), asked),
    ]) {
      expect(Array.from(other.labels)).toEqual(Array.from(one.labels));
      expect(other.centres).toEqual(one.centres);
      expect(other.result.simplifiedSilhouette).toBe(one.result.simplifiedSilhouette);
    }
  });
});

describe("fkm-plus", () => {
  it.each([1, 5])("does not depend on who holds whom, from given centres, minimum count %i", async (minCount) => {
    const people = { ...tiedPeople(500, 3, 0, 6), attributes: [] };
    const from = [0, 99, 300, 450].map((row) => Float64Array.from(people.dimensions, (column) => column[row]));
    const asked: ClusterOptions = { ...rows, k: 4, from, minCount, algorithm: "fkm-plus" };
    const one = await cluster(people, { ...asked, parties: 1 });
    const five = await cluster(people, { ...asked, parties: 5 });
    const uneven = await cluster(heldBy(people, [1, 2, 400, 97]), asked);
    expect(five.labels).toEqual(one.labels);
    expect(uneven.labels).toEqual(one.labels);
  });
});

describe("a sweep over split rows", () => {
  it("has prices over clusters without promises, and all algorithms can be swept", async () => {
    const people = tiedPeople(200, 2, 1, 3);
    const asked = { ...rows, parties: 3, k: [2, 3], maxIterations: 3 } as const;
    const { result } = await sweep(people, { ...asked, delta: [0.1, 0.3] });
    expect(result.points.length).toBe(4);
    for (const point of result.points) expect(point.feasible && point.fair && point.price! >= 0).toBe(true);
    for (const algorithm of ["fkm", "fkm-plus", "kfed"] as const) {
      const swept = await sweep({ ...people, attributes: [] }, { ...asked, algorithm });
      expect(swept.result.points.every(({ feasible }) => feasible)).toBe(true);
    }
  });
});

describe.each(["fkm", "fkm-plus", "kfed", "f3km"] as const)("%s where parties are small", (algorithm) => {
  const draws = new Draws(2);
  const people = peopleOf(drawColumns("spread", 60, 2, [], draws));

  it.each([
    ["one person here and there", [1, 1, 1, 57]],
    ["fewer people than clusters", [3, 4, 2, 51]],
    ["nobody with enough people", new Array<number>(60).fill(1)],
    ["all clusters below the minimum count", [6, 6, 6, 6, 6, 6, 6, 6, 6, 6]],
  ])("%s: everybody gets a cluster, and it is said", async (_, sizes) => {
    const masked = algorithm === "fkm-plus" || algorithm === "f3km";
    for (const protection of masked ? (["means", "masked"] as const) : (["means"] as const)) {
      const { labels, result } = await cluster(heldBy(people, sizes), { k: 8, algorithm, protection, threads: 1 });
      expect(labels.length).toBe(60);
      expect(labels.every((label) => label < 8)).toBe(true);
      expect(Number.isFinite(result.sse)).toBe(true);
      expect(result.parties?.sizes).toEqual(sizes);
      // Where only sums over all parties are seen, a small party is nothing to speak of.
      const said = /parties (sent|had)|local cluster/;
      expect(result.warnings.some((warning) => said.test(warning))).toBe(protection === "means");
    }
  });

  it("one party and one cluster are nothing special", async () => {
    const { result } = await cluster(people, { ...rows, k: 1, parties: 1, algorithm });
    expect(result.sizes).toEqual([60]);
    expect(result.simplifiedSilhouette).toBeNull();
  });
});
