import { describe, expect, it } from "vitest";
import { excess } from "../constraints/bounds.js";
import type { Links, People } from "../table/types.js";
import { Draws } from "../testing/draws.js";
import { peopleOf } from "../testing/people.js";
import { group } from "./group.js";
import type { TeamOptions } from "./types.js";

/** Every way to divide n people into teams of these sizes, the names of teams apart. */
function* partitions(n: number, sizes: readonly number[]): Generator<number[]> {
  const labels = new Array<number>(n).fill(0);
  const room = [...sizes];
  function* place(i: number): Generator<number[]> {
    if (i === n) {
      yield [...labels];
      return;
    }
    const empty = new Set<number>();
    for (let t = 0; t < room.length; t++) {
      if (room[t] === 0) continue;
      // Of empty teams of one size the first is as good as any.
      if (room[t] === sizes[t]) {
        if (empty.has(sizes[t])) continue;
        empty.add(sizes[t]);
      }
      room[t]--;
      labels[i] = t;
      yield* place(i + 1);
      room[t]++;
    }
  }
  yield* place(0);
}

/** The objective, written as the definition says. */
function apartness(columns: readonly (readonly number[])[], labels: ArrayLike<number>, k: number): number {
  return columns.reduce((total, column) => {
    const mean = column.reduce((sum, x) => sum + x, 0) / column.length;
    for (let t = 0; t < k; t++) {
      const own = column.filter((_, i) => labels[i] === t);
      if (own.length > 0) total += own.length * (own.reduce((sum, x) => sum + x, 0) / own.length - mean) ** 2;
    }
    return total;
  }, 0);
}

/** The columns of k-plus: each one with its squared distances, which have its own deviation. */
function withSquares(columns: readonly (readonly number[])[]): number[][] {
  return columns.flatMap((column) => {
    const centred = (values: readonly number[]) => {
      const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
      return values.map((x) => x - mean);
    };
    const deviation = (values: readonly number[]) =>
      Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);
    const own = centred(column);
    const squares = centred(own.map((x) => x * x));
    const scale = deviation(own) / deviation(squares);
    return [own, squares.map((x) => x * scale)];
  });
}

/** Links as a column says them; -1 is nobody's. */
function links(codes: ArrayLike<number>): Links {
  let count = Math.max(...Array.from(codes)) + 1;
  return { column: "link", codes: Int32Array.from(codes, (code) => (code < 0 ? count++ : code)), count };
}

const draws = new Draws(3);
const columnsOf = (n: number, d: number) => Array.from({ length: d }, () => draws.list(n, () => draws.normal()));

describe("group", () => {
  it("finds the best of all teams where all can be looked at", async () => {
    for (const [n, k, d] of [
      [6, 2, 1],
      [8, 2, 2],
      [9, 3, 2],
      [10, 3, 1],
      [10, 5, 2],
    ]) {
      for (const alike of ["means", "spread"] as const) {
        const columns = columnsOf(n, d);
        const { labels, result } = await group(peopleOf(columns), { teams: k, alike });
        const judged = alike === "means" ? columns : withSquares(columns);
        const sizes = Array.from({ length: k }, (_, t) => Math.floor(n / k) + (t < n % k ? 1 : 0));
        let best = Number.POSITIVE_INFINITY;
        for (const each of partitions(n, sizes)) best = Math.min(best, apartness(judged, each, k));
        expect(result.objective).toBeCloseTo(apartness(judged, labels, k), 9);
        expect(result.objective).toBeLessThanOrEqual(best * (1 + 1e-9) + 1e-12);
      }
    }
  });

  it("finds the best of all teams that keep bounds and links", async () => {
    for (let trial = 0; trial < 6; trial++) {
      const [n, k] = [9, 3];
      const columns = columnsOf(n, 2);
      const codes = draws.list(n, (i) => (i < 4 ? 0 : 1));
      const together = links([0, -1, -1, -1, 0, -1, -1, -1, -1]);
      const apart = links([-1, 5, 5, -1, -1, -1, -1, 5, -1]);
      const asked: TeamOptions = { teams: k, alike: "means", delta: 0, tolerance: 0.7 };
      const { labels, result } = await group({ ...peopleOf(columns, [codes]), together, apart }, asked);
      const keeps = (each: ArrayLike<number>) => {
        if (each[0] !== each[4] || new Set([each[1], each[2], each[7]]).size < 3) return false;
        return [0, 1, 2].every((t) => {
          const first = codes.filter((code, i) => code === 0 && each[i] === t).length;
          return excess(first, 3, 4 / 9, 4 / 9) <= 0.7;
        });
      };
      let best = Number.POSITIVE_INFINITY;
      for (const each of partitions(n, [3, 3, 3])) if (keeps(each)) best = Math.min(best, apartness(columns, each, k));
      expect(keeps(labels)).toBe(true);
      expect(result.fair).toBe(true);
      expect(result.objective).toBeLessThanOrEqual(best * (1 + 1e-9));
    }
  });

  it("has the random teams' differences as an average over all teams", async () => {
    const columns = columnsOf(7, 2);
    const { result } = await group(peopleOf(columns), { teams: 3, alike: "means" });
    // Teams of the same size that only change names count as often as each other.
    const all = Array.from(partitions(7, [3, 2, 2]), (each) => apartness(columns, each, 3));
    expect(result.randomObjective).toBeCloseTo(all.reduce((sum, value) => sum + value, 0) / all.length, 9);
  });

  it("keeps sizes, bounds and links in larger requests, and is more alike than chance", async () => {
    for (const [n, size] of [
      [203, 5],
      [300, 12],
      [4000, 4],
    ]) {
      const columns = columnsOf(n, 2);
      const codes = [draws.list(n, () => (draws.next() < 0.4 ? 1 : 0)), draws.list(n, () => draws.below(3))];
      // Some couples, and some who must not meet.
      const together = Int32Array.from({ length: n }, (_, i) => (i < n / 10 ? Math.floor(i / 2) : -1));
      const apart = Int32Array.from({ length: n }, (_, i) => (i >= n / 2 && i < (2 * n) / 3 ? Math.floor(i / 3) : -1));
      const people = { ...peopleOf(columns, codes), together: links(together), apart: links(apart) };
      const { labels, result } = await group(people, { size });
      expect(Math.max(...result.sizes) - Math.min(...result.sizes)).toBeLessThanOrEqual(1);
      expect(result.fair).toBe(true);
      const meet = (codes: Int32Array) => {
        const teams = new Map<number, number[]>();
        codes.forEach((link, i) => {
          if (link >= 0) teams.set(link, [...(teams.get(link) ?? []), labels[i]]);
        });
        return [...teams.values()];
      };
      for (const teams of meet(together)) expect(new Set(teams).size).toBe(1);
      for (const teams of meet(apart)) expect(new Set(teams).size).toBe(teams.length);
      expect(result.objective).toBeLessThan(result.randomObjective / 4);
      for (const { spread } of result.dimensions) expect(spread).toBeLessThan(result.randomSpread / 2);
    }
  });

  it("never goes back, and has the same teams for the same seed", async () => {
    const people = peopleOf(columnsOf(3200, 2), [draws.list(3200, () => draws.below(3))]);
    const seen: number[] = [];
    const first = await group(people, {
      size: 5,
      onProgress: ({ phase, value }) => {
        if (phase === "exchanges") seen.push(value);
      },
    });
    expect(seen.length).toBeGreaterThan(1);
    const usual = first.result.objective / first.result.randomObjective;
    for (const value of seen) expect(usual).toBeLessThanOrEqual(value + 1e-9);
    expect((await group(people, { size: 5 })).labels).toEqual(first.labels);
    expect((await group(people, { size: 5, seed: 2 })).labels).not.toEqual(first.labels);
  });

  it("keeps the capacity of each team", async () => {
    const capacity = [{ min: 3, max: 3 }, { min: 10, max: 20 }, { max: 30 }, { min: 5 }];
    const { result } = await group(peopleOf(columnsOf(50, 2)), { capacity });
    expect(result.sizesKept).toBe(true);
    expect(result.sizes.reduce((sum, size) => sum + size, 0)).toBe(50);
    expect(result.sizes[0]).toBe(3);
  });

  it("finds teams where dealing and exchanges do not, by programs", async () => {
    // Three attributes whose bounds leave little: the program has the last word.
    const codes = [0, 1, 2].map((bit) => Array.from({ length: 24 }, (_, i) => (i >> bit) & 1));
    const { result } = await group(peopleOf(columnsOf(24, 1), codes), { teams: 4, delta: 0, tolerance: 0 });
    expect(result.maxViolation).toBe(0);
  });

  it("refuses what cannot be met, with the nearest that can", async () => {
    const people = peopleOf(columnsOf(12, 1), [draws.list(12, (i) => (i < 5 ? 0 : 1))]);
    const fails = (asked: TeamOptions, more: Partial<People> = {}) =>
      expect(group({ ...people, ...more }, asked)).rejects;
    await fails({ teams: 3, delta: 0, tolerance: 0.2 }).toThrow(
      /3 teams of 4 to 4 people.*a tolerance of 0\.7 or more/,
    );
    await fails({ capacity: [{ max: 4 }, { max: 4 }] }).toThrow(/the teams have room for 8 people, but there are 12/);
    const same = links(Array.from({ length: 12 }, (_, i) => (i < 5 ? 0 : -1)));
    await fails({ teams: 3 }, { together: same }).toThrow(
      /5 people must share a team, and no team has room for more than 4/,
    );
    await fails({ teams: 3 }, { apart: same }).toThrow(
      /5 people must be in different teams, and there are 3: use 5 teams/,
    );
    await fails({ teams: 2 }, { together: same, apart: same }).toThrow(/two people must share a team and must not/);
    // Four of a group who are together make a team of their own, whatever is tried.
    const four = links(Array.from({ length: 12 }, (_, i) => (i < 4 ? 0 : -1)));
    await fails({ teams: 3 }, { together: four }).toThrow(/no 3 teams keep all promises.*use a tolerance of 2 or more/);
    await fails({ teams: 3, size: 4 }).toThrow(/two ways/);
    await fails({}).toThrow(/nothing says how large/);
    await fails({ teams: 13 }).toThrow(/give 1 to 12 teams/);
  });
});
