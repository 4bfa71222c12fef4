// Slow: every method on threads and parties, a few hundred runs.
import { beforeAll, describe, expect, it, vi } from "vitest";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import type * as lanes from "../kernels/lanes.js";
import { evaluate } from "../metrics/index.js";
import type { People } from "../table/types.js";
import { plainSse, sizesOf, worstExcess } from "../testing/check.js";
import { methods } from "../testing/methods.js";
import { tiedPeople } from "../testing/people.js";
import { algorithms } from "./catalogue.js";
import { cluster } from "./cluster.js";
import type { PeopleClustering, Progress } from "./types.js";

// Small work stays on one thread; here it must go over all of them.
vi.mock("../kernels/lanes.js", async (original) => {
  const real = await original<typeof lanes>();
  return { ...real, openLanes: (threads: number) => real.openLanes(threads) };
});

/** Everything that a run may depend on; what went over the wire and how long it took it may not. */
function essence({ labels, centres, gridBits, result }: PeopleClustering) {
  const { communication: _, seconds: __, ...rest } = result;
  return { labels: Array.from(labels), centres: centres.map((centre) => Array.from(centre)), gridBits, rest };
}

/** The same people with the groups of each attribute in the opposite order. */
function reversedGroups(people: People): People {
  const attributes = people.attributes.map(({ name, groups, codes }) => ({
    name,
    groups: [...groups].reverse(),
    codes: codes.map((code) => groups.length - 1 - code),
  }));
  return { ...people, attributes };
}

it("covers every algorithm of the catalogue", () => {
  const covered = new Set(methods.map(([, { algorithm }]) => algorithm));
  // dp-fair has one start, and noise: what of this it can keep is in its own run.test.ts, threads and parties too.
  // Those of other notions than shares need everybody in one place, and are in notions.test.ts.
  const others = ["fair-lloyd", "fair-radius", "dp-fair"];
  expect(algorithms.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual(others);
});

describe.each(methods)("%s", (_, options) => {
  const people = tiedPeople(530, 4, 2, 1);
  const asked = { k: 4, seed: 3, threads: 1, ...options };
  const alone = cluster(people, asked);
  const seen: Progress[] = [];
  const twoStarts = () => cluster(people, { ...asked, starts: 2, onProgress: (progress) => seen.push(progress) });
  let two: ReturnType<typeof twoStarts>;
  beforeAll(() => {
    two = twoStarts();
  });

  it.each([2, 4])("gives the same result on %i threads", async (threads) => {
    expect(essence(await cluster(people, { ...asked, threads }))).toEqual(essence(await alone));
  });

  it.each([2, 3, 4, 5, 6])("gives the same result with the columns on %i parties", async (parties) => {
    // What rows split may depend on is in rows.test.ts.
    if (asked.split === "rows") return;
    expect(essence(await cluster(people, { ...asked, parties }))).toEqual(essence(await alone));
  });

  it("gives the same result with both, and again", async () => {
    const both = await cluster(people, { ...asked, threads: 2, parties: 3, starts: 2 });
    expect(essence(both)).toEqual(essence(await two));
    expect(essence(await cluster(people, asked))).toEqual(essence(await alone));
  });

  it("labels everybody 0 to k-1 and says truly what it made", async () => {
    for (const seed of [1, 2, 3]) {
      const { labels, centres, result } = await (seed === asked.seed ? alone : cluster(people, { ...asked, seed }));
      const bounds = resolveBounds(people.attributes, { delta: 0.2 });
      expect(labels.length).toBe(people.n);
      expect(labels.every((label) => label < 4)).toBe(true);
      expect(result.sizes).toEqual(sizesOf(labels, 4));
      expect(result.sizes.reduce((sum, size) => sum + size, 0)).toBe(people.n);
      expect(result.sse).toBeCloseTo(plainSse(people.dimensions, labels, 4), 6);
      expect(result.maxViolation).toBeCloseTo(worstExcess(people, bounds, labels, 4), 6);
      const seen = evaluate({ people, labels, k: 4, bounds, tolerance: 1 });
      const { sizes, balance, groups, maxViolation, evenness } = seen;
      expect(result).toMatchObject({ sizes, balance, groups, maxViolation, evenness, n: 530, d: 4, k: 4, seed });
      expect(result.sse).toBeCloseTo(seen.sse, 6);
      if (result.fair) expect(seen.fair).toBe(true);
      expect(centres.map((centre) => centre.length)).toEqual([4, 4, 4, 4]);
    }
  });

  it("does not care what groups are called", async () => {
    const attributes = people.attributes.map((attribute) => ({
      ...attribute,
      groups: attribute.groups.map((_, l) => `other ${9 - l}`),
    }));
    const renamed = await cluster({ ...people, attributes }, asked);
    expect(Array.from(renamed.labels)).toEqual(Array.from((await alone).labels));
    const reversed = await cluster(reversedGroups(people), asked);
    expect(reversed.result.sse).toBeCloseTo((await alone).result.sse, 6);
    expect(reversed.result.maxViolation).toBeCloseTo((await alone).result.maxViolation, 6);
  });

  it("keeps the best of several starts", async () => {
    const [one, several] = [(await alone).result, (await cluster(people, { ...asked, starts: 4 })).result];
    if (one.fair !== false) expect(several.fair).toBe(one.fair);
    if (one.fair === several.fair && one.fair !== false) {
      expect(several.objective ?? several.sse).toBeLessThanOrEqual((one.objective ?? one.sse) + 1e-6);
    }
  });

  it("reports progress, pass by pass", async () => {
    await two;
    expect(seen.length).toBeGreaterThan(1);
    expect([...new Set(seen.map(({ start }) => start))]).toEqual([0, 1]);
    for (const { pass, starts, sse, violation } of seen) {
      expect(pass).toBeGreaterThanOrEqual(1);
      expect(starts).toBe(2);
      expect(sse).toBeGreaterThan(0);
      expect(violation).toBeGreaterThanOrEqual(0);
    }
  });

  it.each([1, 2])("stops when it is told to, on %i threads", async (threads) => {
    const early = AbortSignal.abort();
    await expect(cluster(people, { ...asked, threads, signal: early })).rejects.toMatchObject({ code: "cancelled" });
    const controller = new AbortController();
    const late = cluster(people, {
      ...asked,
      threads,
      signal: controller.signal,
      starts: 1000,
      onProgress: () => controller.abort(),
    });
    await expect(late).rejects.toMatchObject({ code: "cancelled" });
  });
});
