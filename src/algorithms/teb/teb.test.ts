// Slow: dozens of whole runs.
import { describe, expect, it } from "vitest";
import { resolveBounds } from "../../constraints/resolve-bounds.js";
import { generateTable, preparePeople } from "../../table/index.js";
import type { People } from "../../table/types.js";
import { plainSse, sizesOf, worstExcess } from "../../testing/check.js";
import { Draws } from "../../testing/draws.js";
import { drawCodes, drawColumns, landscapes, peopleOf, tiedPeople } from "../../testing/people.js";
import { cluster } from "../cluster.js";
import { sweep } from "../sweep.js";

const loss = (sizes: readonly number[], n: number) =>
  sizes.reduce((sum, size) => sum + (size - n / sizes.length) ** 2, 0);

/** The least of something over all labelings of a handful of people. */
function least(people: People, k: number, value: (labels: readonly number[]) => number): number {
  let best = Number.POSITIVE_INFINITY;
  const labels = new Array<number>(people.n).fill(0);
  for (let number = 0; number < k ** (people.n - 1); number++) {
    for (let i = 1, rest = number; i < people.n; i++, rest = Math.floor(rest / k)) labels[i] = rest % k;
    if (Math.min(...sizesOf(labels, k)) > 0) best = Math.min(best, value(labels));
  }
  return best;
}

describe("even sizes as a promise", () => {
  it.each(landscapes)("hold among %s", async (landscape) => {
    for (let seed = 1; seed <= 6; seed++) {
      const draws = new Draws(seed);
      const n = draws.between(20, 160);
      const k = draws.between(2, 7);
      const people = peopleOf(drawColumns(landscape, n, 2, [], draws));
      const { labels, result } = await cluster(people, { k, balance: "hard", seed, threads: 1 });
      const sizes = sizesOf(labels, k);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      expect(result).toMatchObject({ algorithm: "teb", sizesKept: true, fair: null, eta: null, objective: null });
    }
  });

  it("hold together with fairness, or the run says which does not", async () => {
    for (let seed = 1; seed <= 4; seed++) {
      const draws = new Draws(seed);
      const codes = [drawCodes(90, 2, draws), drawCodes(90, 3, draws)];
      const people = peopleOf(drawColumns("apart", 90, 2, codes[0], draws), codes);
      const { labels, result } = await cluster(people, { k: 4, balance: "hard", delta: 0.3, seed, threads: 1 });
      const sizes = sizesOf(labels, 4);
      const bounds = resolveBounds(people.attributes, { delta: 0.3 });
      expect(result.sizesKept).toBe(Math.max(...sizes) - Math.min(...sizes) <= 1);
      expect(result.fair).toBe(worstExcess(people, bounds, labels, 4) <= 1 + 1e-8 && result.sizesKept === true);
      expect(result).toMatchObject({ algorithm: "f3km", fair: true, sizesKept: true });
    }
  });

  it("come at the least SSE among a handful of people nearly always", async () => {
    let reached = 0;
    for (let seed = 1; seed <= 30; seed++) {
      const draws = new Draws(seed);
      const [n, k] = [draws.between(6, 8), draws.between(2, 3)];
      const people = peopleOf(drawColumns(landscapes[seed % landscapes.length], n, 2, [], draws));
      const value = (labels: readonly number[]) => {
        const sizes = sizesOf(labels, k);
        const even = Math.max(...sizes) - Math.min(...sizes) <= 1;
        return even ? plainSse(people.dimensions, labels, k) : Number.POSITIVE_INFINITY;
      };
      const best = least(people, k, value);
      const { result } = await cluster(people, { k, balance: "hard", seed, starts: 5, threads: 1 });
      expect(result.sizesKept).toBe(true);
      expect(result.sse).toBeGreaterThanOrEqual(best * (1 - 1e-3) - 1e-9);
      if (result.sse <= best * (1 + 1e-3) + 1e-9) reached++;
    }
    expect(reached).toBeGreaterThanOrEqual(25);
  });

  it("are refused beside fairness exactly where no clustering has both", async () => {
    let refused = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const draws = new Draws(seed);
      const [n, k] = [draws.between(5, 8), draws.between(2, 3)];
      const codes = [drawCodes(n, 2, draws), drawCodes(n, 3, draws)].slice(seed % 2);
      const people = peopleOf(drawColumns(landscapes[seed % landscapes.length], n, 2, codes[0], draws), codes);
      const [delta, tolerance] = [[0, 0.2, 0.5][seed % 3], [0, 0.5, 1][draws.below(3)]];
      const bounds = resolveBounds(people.attributes, { delta });
      const both = (labels: readonly number[]) => {
        const sizes = sizesOf(labels, k);
        const even = Math.max(...sizes) - Math.min(...sizes) <= 1;
        return even && worstExcess(people, bounds, labels, k) <= tolerance + 1e-9 ? 0 : 1;
      };
      const possible = least(people, k, both) === 0;
      const asked = { k, balance: "hard", delta, tolerance, minSize: 1, seed, threads: 1 } as const;
      const outcome = await cluster(people, asked).catch((error: unknown) => error);
      if (possible) expect(outcome).toMatchObject({ result: { fair: true, sizesKept: true } });
      else expect(outcome).toMatchObject({ code: "infeasible" });
      if (!possible) refused++;
    }
    expect(refused).toBeGreaterThan(5);
    expect(refused).toBeLessThan(55);
  });

  it("keep other limits too", async () => {
    const people = tiedPeople(400, 3, 0, 5);
    const { result } = await cluster(people, {
      k: 6,
      algorithm: "teb",
      balance: 1,
      minSize: 50,
      maxSize: 90,
      threads: 1,
    });
    expect(Math.min(...result.sizes)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...result.sizes)).toBeLessThanOrEqual(90);
    expect(result).toMatchObject({ sizesKept: true, minSize: 50, maxSize: 90, eta: 1 });
  });
});

it("limits of sizes alone are all that is asked: no degree of evenness comes with them", async () => {
  const draws = new Draws(4);
  // Heaps of 140, 40, 10 and 10 people.
  const heaps = draws.list(200, (i) => (i < 140 ? 0 : i < 180 ? 6 : i < 190 ? 12 : 18) + 0.5 * draws.normal());
  const people = peopleOf([heaps]);
  const asked = { algorithm: "teb", k: 4, seed: 1, threads: 1 } as const;
  const { result } = await cluster(people, { ...asked, minSize: 10 });
  expect(result).toMatchObject({ eta: null, objective: null, sizesKept: true });
  expect([...result.sizes].sort((a, b) => a - b)).toEqual([10, 10, 40, 140]);
  const even = (await cluster(people, { ...asked, minSize: 10, balance: 0.8 })).result;
  expect(even.eta).toBe(0.8);
  expect(result.sse).toBeLessThan(even.sse);
  expect((await cluster(people, asked)).result.eta).toBe(0.8);
});

describe("eta", () => {
  it("leads to the least objective among a handful of people nearly always", async () => {
    let [reached, instances] = [0, 0];
    for (let seed = 1; seed <= 40; seed++) {
      const draws = new Draws(seed);
      const people = peopleOf(drawColumns("spread", 8, 2, [], draws));
      const k = draws.between(2, 3);
      const eta = [0.5, 0.8, 0.95][seed % 3];
      const objective = (labels: ArrayLike<number>) =>
        eta * plainSse(people.dimensions, labels, k) + (1 - eta) * loss(sizesOf(labels, k), 8);
      const best = least(people, k, objective);
      const { labels, result } = await cluster(people, { k, balance: eta, seed, starts: 5, threads: 1 });
      expect(result.objective).toBeCloseTo(objective(labels), 6);
      expect(result.objective!).toBeGreaterThanOrEqual(best * (1 - 1e-3));
      instances++;
      if (result.objective! <= best * (1 + 1e-3)) reached++;
    }
    expect(reached / instances).toBeGreaterThan(0.8);
  });

  it("makes sizes the more even the smaller it is, and 1 asks for nothing", async () => {
    const people = tiedPeople(600, 3, 0, 2);
    const losses: number[] = [];
    for (const balance of [1, 0.999, 0.99, 0.5]) {
      const { result } = await cluster(people, { k: 5, balance, threads: 1 });
      losses.push(result.evenness.balanceLoss);
    }
    for (let i = 1; i < losses.length; i++) expect(losses[i]).toBeLessThanOrEqual(losses[i - 1] * 1.05 + 1);
    expect(losses.at(-1)!).toBeLessThan(losses[0] / 10);
  });

  it("is served by prices at least as well as by the other rules", async () => {
    const people = tiedPeople(700, 4, 0, 3);
    // Rules are compared from the same start: better centres would be found for each of them apart.
    const by = async (rule: "prices" | "sequential" | "gbco") =>
      (await cluster(people, { k: 6, balance: 0.9, rule, threads: 1, effort: "quick" })).result.objective!;
    const prices = await by("prices");
    expect(prices).toBeLessThanOrEqual((await by("sequential")) * 1.001);
    expect(prices).toBeLessThanOrEqual((await by("gbco")) * 1.001);
  });

  it.each([
    ["sequential", 1000],
    ["sequential", 40],
    ["gbco", 1],
  ] as const)("by %s in blocks of %s ends where nobody gains by moving alone", async (rule, block) => {
    for (let seed = 1; seed <= 4; seed++) {
      const draws = new Draws(seed);
      const people = peopleOf(drawColumns(landscapes[seed], 120, 3, [], draws));
      const [k, eta] = [4, 0.9];
      const asked = { k, balance: eta, rule, block, seed, threads: 1, maxIterations: 1000 };
      const { labels, result } = await cluster(people, asked);
      expect(result.converged).toBe(true);
      const objective = () => eta * plainSse(people.dimensions, labels, k) + (1 - eta) * loss(sizesOf(labels, k), 120);
      const sizes = sizesOf(labels, k);
      let gained = 0;
      for (let i = 0; i < people.n; i++) {
        const own = labels[i];
        if (sizes[own] === 1) continue;
        for (let m = 0; m < k; m++) {
          labels[i] = m;
          gained = Math.max(gained, result.objective! - objective());
        }
        labels[i] = own;
      }
      // The weights n/(n+1) and n/(n-1) are rounded.
      expect(gained).toBeLessThan((2e-3 * result.sse) / people.n + 1e-6);
    }
  });

  it("by sequential sizes does not creep in small blocks: they end about where one of everybody does", async () => {
    const table = generateTable("people", { n: 2000, seed: 3 });
    const people = preparePeople(table, { features: ["age", "income", "balance", "visits"] });
    const asked = { k: 8, balance: 0.5, rule: "sequential", maxIterations: 100, threads: 1, effort: "quick" } as const;
    const whole = await cluster(people, { ...asked, block: 2000 });
    for (const block of [0.25, 100]) {
      const { result } = await cluster(people, { ...asked, block });
      expect(result.converged).toBe(true);
      expect(result.objective!).toBeLessThan(whole.result.objective! * 1.01);
      expect(result.iterations).toBeLessThan(2 * whole.result.iterations);
    }
  });

  it("has all rules end alike among blurred blobs, and above k-means in SSE alone", async () => {
    const table = generateTable("blobs", { n: 3000, d: 30, k: 10, sd: 11.5, seed: 4 });
    const people = preparePeople(table, {});
    const lloyd = await cluster(people, { k: 10, algorithm: "lloyd" });
    const objectives: number[] = [];
    for (const rule of ["prices", "sequential", "gbco"] as const) {
      const { result } = await cluster(people, { k: 10, balance: 0.8, rule });
      expect(result.converged).toBe(true);
      expect(result.sse).toBeGreaterThan(lloyd.result.sse);
      expect(result.objective!).toBeLessThan(0.8 * lloyd.result.sse + 0.2 * lloyd.result.evenness.balanceLoss);
      objectives.push(result.objective!);
    }
    expect(Math.max(...objectives)).toBeLessThan(Math.min(...objectives) * 1.003);
  });

  it("can be weighed beside fairness", async () => {
    const people = tiedPeople(500, 3, 2, 4);
    const free = await cluster(people, { k: 4, threads: 1 });
    const even = await cluster(people, { k: 4, balance: 0.8, threads: 1 });
    expect(even.result).toMatchObject({ algorithm: "f3km", fair: true, eta: 0.8 });
    expect(even.result.evenness.balanceLoss).toBeLessThan(free.result.evenness.balanceLoss / 10 + 10);
  });
});

it("can be swept over k", async () => {
  const people = tiedPeople(200, 2, 0, 6);
  const { result } = await sweep(people, { k: [2, 4], balance: "hard", threads: 1 });
  for (const point of result.points) {
    expect(point.feasible && Math.max(...point.sizes) - Math.min(...point.sizes)).toBeLessThanOrEqual(1);
    expect(point.feasible && point.price).toBeGreaterThanOrEqual(0);
  }
});

it("can be swept over the balance, which costs less the less it asks for", async () => {
  const people = tiedPeople(200, 2, 1, 6);
  const asked = { k: [3], balance: [0.999, "hard", 0.5], threads: 1 } as const;
  const plain = await sweep({ ...people, attributes: [] }, asked);
  const fair = await sweep(people, { ...asked, delta: [0.3, 0.1] });
  for (const { result } of [plain, fair]) {
    expect([...new Set(result.points.map(({ eta }) => eta))]).toEqual(["hard", 0.5, 0.999]);
    const [hard, , loose] = result.points.filter(({ delta }) => delta === null || delta === 0.3);
    expect(hard).toMatchObject({ feasible: true, evenness: { entropy: expect.closeTo(1, 3) } });
    expect(loose.feasible && hard.feasible && loose.sse <= hard.sse * 1.001).toBe(true);
  }
  expect(fair.result.points).toHaveLength(6);
  expect(fair.result.points.every((point) => point.feasible && point.fair)).toBe(true);
  expect(fair.result.algorithm).toBe("f3km");
});

it("keeps limits of sizes where no method is named, and asks for no more evenness than they do", async () => {
  const people = tiedPeople(60, 2, 0, 1);
  const { result } = await cluster(people, { k: 3, threads: 1, maxSize: 30 });
  expect(result).toMatchObject({ algorithm: "teb", sizesKept: true });
  expect(Math.max(...result.sizes)).toBeLessThanOrEqual(30);
  const named = await cluster(people, { k: 3, threads: 1, maxSize: 30, algorithm: "teb" });
  expect(named.result.sse).toBe(result.sse);
  for (const sizes of [
    { maxSize: 30 },
    { balance: "hard" },
    { capacity: [{ max: 30 }, { max: 30 }, { max: 30 }] },
  ] as const) {
    const rows = await cluster(people, { k: 3, threads: 1, split: "rows", parties: 3, ...sizes });
    expect(rows.result).toMatchObject({ algorithm: "f3km", sizesKept: true });
  }
});

it.each([
  [{ algorithm: "lloyd", balance: 0.8 }, /`balance` does nothing with lloyd: use f3km, teb, dp-fair, fcfc or bcls/],
  [{ algorithm: "cdkm", balance: "hard" }, /cdkm promises no even sizes: use f3km or teb/],
  [{ algorithm: "fcfc", balance: "hard" }, /fcfc promises no even sizes: use f3km or teb/],
  [{ balance: 0 }, /balance is 0: give a number above 0 and up to 1/],
  [{ balance: 0.8, algorithm: "f3km", solver: "admm" }, /admm does not balance sizes/],
  [{ algorithm: "teb", rule: "gbco", balance: "hard" }, /gbco cannot promise even sizes/],
  [{ algorithm: "lloyd", rule: "gbco" }, /`rule` does nothing with lloyd: use teb/],
  [{ balance: "hard", minSize: 20 }, /minimum size/],
  [{ balance: 0.8, minSize: 20 }, /minimum size of 20 in each of k=4 clusters needs 80 people/],
  [{ balance: 0.8, split: "rows" }, /a degree of `balance` does nothing where rows are split/],
] as const)("refuses %j", async (options, message) => {
  await expect(cluster(tiedPeople(60, 2, 0, 1), { k: 4, threads: 1, ...options })).rejects.toThrow(message);
});
