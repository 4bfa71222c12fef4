// Slow: each case of the property is a whole run.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExplicitBounds } from "../constraints/bounds.js";
import { boundsFromDelta } from "../constraints/bounds.js";
import { isFeasible } from "../constraints/feasibility/index.js";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import type { MoietyError } from "../errors.js";
import { meaningfulSize } from "../metrics/index.js";
import type { People } from "../table/types.js";
import { sizesOf, worstExcess } from "../testing/check.js";
import { Draws } from "../testing/draws.js";
import { drawCodes, drawColumns, landscapes, peopleOf } from "../testing/people.js";
import { cluster } from "./cluster.js";
import type { ClusterOptions } from "./types.js";

/** Each case is a run, and every `npm test` draws others. MOIETY_CASES asks for more of them. */
const cases = Number(process.env.MOIETY_CASES ?? 100);

interface Request {
  readonly people: People;
  readonly options: ClusterOptions;
}

const requests = fc
  .record({
    n: fc.oneof(fc.integer({ min: 8, max: 40 }), fc.integer({ min: 8, max: 300 })),
    dims: fc.integer({ min: 1, max: 3 }),
    landscape: fc.constantFrom(...landscapes),
    groups: fc.array(fc.integer({ min: 2, max: 5 }), { minLength: 1, maxLength: 3 }),
    k: fc.integer({ min: 1, max: 8 }),
    delta: fc.constantFrom(0, 0, 0.05, 0.1, 0.2, 0.2, 0.5, 0.9),
    tolerance: fc.constantFrom(0, 0.5, 1, 1, 2),
    minSize: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constantFrom("meaningful", undefined)),
    explicit: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined, freq: 3 }),
    block: fc.constantFrom(0.25, 1, 7),
    seed: fc.integer({ min: 0, max: 1_000_000 }),
  })
  .map(({ n, dims, landscape, groups, explicit, seed, minSize, ...others }) => {
    const draws = new Draws(seed);
    const codes = groups.map((count) => drawCodes(n, count, draws));
    const people = peopleOf(drawColumns(landscape, n, dims, codes[0], draws), codes);
    const options = { ...others, ...(minSize === undefined ? {} : { minSize }) };
    const bounds = explicit === undefined ? {} : { bounds: explicitBounds(people, explicit / 100, draws) };
    return { people, options: { ...options, ...bounds, seed, algorithm: "f3km", threads: 1 } } satisfies Request;
  });

/** Bounds on some groups of the first attribute, within so much of their share. */
function explicitBounds(people: People, width: number, draws: Draws): ExplicitBounds {
  const { name, groups, codes } = people.attributes[0];
  const { counts } = boundsFromDelta({ name, groups, codes }, 0);
  const entries = groups.flatMap((group, l) => {
    if (draws.next() < 0.3) return [];
    const share = counts[l] / people.n;
    const min = Math.max(0, share - width * draws.next());
    const max = Math.min(1, share + width * draws.next());
    return [[group, draws.next() < 0.5 ? { min, max } : draws.next() < 0.5 ? { min } : { max }]];
  });
  return { [name]: Object.fromEntries(entries) };
}

describe("fair means fair", () => {
  it("for every feasible input: within the tolerance, exactly k clusters, none below the minimum size", async () => {
    await fc.assert(
      fc.asyncProperty(requests, async ({ people, options }: Request) => {
        const { k, delta = 0.2, tolerance = 1 } = options;
        const { n, attributes } = people;
        const bounds = resolveBounds(attributes, { delta, bounds: options.bounds });
        const meaningful = meaningfulSize(bounds, n, k, tolerance);
        const minSize = options.minSize === "meaningful" ? meaningful : (options.minSize ?? 2);
        let clustering: Awaited<ReturnType<typeof cluster>>;
        try {
          clustering = await cluster(people, options);
        } catch (error) {
          expect((error as MoietyError).code, String(error)).toBe("infeasible");
          // Rounding share * size up or down is a flow problem, which has a solution for any sizes.
          const always = tolerance >= 1 && people.attributes.length === 1 && !options.bounds;
          expect(always && people.n >= k * minSize, (error as Error).message).toBe(false);
          return;
        }
        const { labels, result } = clustering;
        expect(labels.length).toBe(people.n);
        expect(labels.every((label) => label < k)).toBe(true);
        const kept = worstExcess(people, bounds, labels, k) <= tolerance + 1e-8;
        const large = Math.min(...sizesOf(labels, k)) >= minSize;
        expect(result.fair).toBe(kept && large);
        expect({ kept, large }).toEqual({ kept: true, large: true });
        if (options.minSize === "meaningful") expect(result.verdict).not.toBe("fair-without-meaning");
        if (options.minSize !== undefined) return;
        // Left to itself, a run asks for as much as means something, if that can be had.
        const request = { n, k, bounds, tolerance, attributes, sizes: { min: Math.max(2, meaningful), max: n } };
        const means = result.verdict !== "fair-without-meaning";
        if (await isFeasible(request)) expect(means).toBe(true);
        const from = means
          ? { minSizeFrom: "meaningful", minSize: Math.max(2, meaningful) }
          : { minSizeFrom: "fallback" };
        expect(result).toMatchObject(from);
        expect(Math.min(...sizesOf(labels, k))).toBeGreaterThanOrEqual(result.minSize);
      }),
      { numRuns: cases },
    );
  });
});
