import fc from "fast-check";
import type { Bounds } from "../bounds.js";
import { countPatterns, type Requirements } from "../feasibility/index.js";

/** Requests small enough for brute force: at most 8 people, 3 clusters, 2 attributes; from delta or explicit. */
export function smallRequests(): fc.Arbitrary<Requirements> {
  const share = fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10);
  return fc
    .record({
      n: fc.integer({ min: 1, max: 8 }),
      k: fc.integer({ min: 1, max: 3 }),
      min: fc.integer({ min: 0, max: 3 }),
      span: fc.integer({ min: -1, max: 8 }),
      tolerance: fc.constantFrom(0, 0, 0.5, 1),
      attributes: fc.array(
        fc.record({
          draws: fc.array(fc.nat(2), { minLength: 8, maxLength: 8 }),
          delta: fc.option(fc.constantFrom(0, 0.1, 0.2, 0.5)),
          limits: fc.array(fc.tuple(share, share), { minLength: 3, maxLength: 3 }),
        }),
        { minLength: 1, maxLength: 2 },
      ),
    })
    .map(({ n, k, min, span, tolerance, attributes }) => {
      const coded = attributes.map(({ draws }, a) => {
        const present = [...new Set(draws.slice(0, n))].sort();
        const groups = present.map((code) => `group ${code}`);
        return {
          name: `attribute ${a}`,
          groups,
          codes: Uint16Array.from(draws.slice(0, n), (c) => present.indexOf(c)),
        };
      });
      const bounds = coded.map(({ name, groups, codes }, a): Bounds => {
        const counts = groups.map((_, l) => codes.filter((code) => code === l).length);
        const { delta, limits } = attributes[a];
        return {
          attribute: name,
          groups,
          counts,
          lower: counts.map((c, l) => (delta === null ? Math.min(...limits[l]) : (c / n) * (1 - delta))),
          upper: counts.map((c, l) => (delta === null ? Math.max(...limits[l]) : Math.min(1, c / n / (1 - delta)))),
        };
      });
      return { n, k, sizes: { min, max: min + span }, bounds, tolerance, patterns: countPatterns(coded, n) };
    });
}

/** Visits every way to split the patterns over the clusters, until the visitor says that it has seen enough. */
export function bruteForceCounts(request: Requirements, visit: (counts: Int32Array) => boolean): boolean {
  const { k, patterns } = request;
  const counts = new Int32Array(patterns.counts.length * k);
  const fill = (cell: number, left: number): boolean => {
    if (cell === counts.length) return visit(counts);
    const p = Math.floor(cell / k);
    if (cell % k === k - 1) {
      counts[cell] = left;
      return fill(cell + 1, p + 1 < patterns.counts.length ? patterns.counts[p + 1] : 0);
    }
    for (let people = 0; people <= left; people++) {
      counts[cell] = people;
      if (fill(cell + 1, left - people)) return true;
    }
    return false;
  };
  return fill(0, patterns.counts[0]);
}
