import { describe, expect, it } from "vitest";
import { seededBytes } from "../testing/seeded.js";
import { chanceOf, chanceOfAtLeast } from "./chances.js";
import {
  colludersAmong,
  commitmentToDraw,
  failureChance,
  failureChances,
  fewestPresent,
  mostInPairs,
  neighbourhoodFor,
  Ring,
} from "./ring.js";

const random = seededBytes(5);
const names = (count: number) => Array.from({ length: count }, (_, at) => `p${String(at).padStart(4, "0")}`);
const ringOf = (count: number, epoch = 0) =>
  new Ring({ job: "job", epoch, sites: count }, new Map(names(count).map((id) => [id, random(32)])));

describe("chances", () => {
  it("are those of counting all draws", () => {
    // Of 9, of which 4 are marked, 5 are drawn: all 126 draws.
    const hits = [0, 0, 0, 0, 0, 0];
    for (let draw = 0; draw < 512; draw++) {
      const bits = draw.toString(2).padStart(9, "0");
      if ([...bits].filter((bit) => bit === "1").length === 5)
        hits[[...bits.slice(0, 4)].filter((b) => b === "1").length]++;
    }
    for (const [each, count] of hits.entries()) expect(chanceOf(9, 4, 5, each)).toBeCloseTo(count / 126, 12);
    expect(chanceOfAtLeast(9, 4, 5, 3)).toBeCloseTo((hits[3] + hits[4]) / 126, 12);
    expect(chanceOfAtLeast(9, 4, 5, 5)).toBe(0);
  });
});

describe("neighbourhoods", () => {
  it.each([65, 100, 200, 333, 500])(
    "of %i sites fail with a chance of at most 2^-40, and no smaller ones do",
    (sites) => {
      for (const present of [sites, fewestPresent(sites)]) {
        const chosen = neighbourhoodFor(sites, present);
        const { half, threshold } = chosen;
        const { privacy, opening } = failureChances(sites, present, chosen);
        expect(privacy + opening).toBeLessThanOrEqual(failureChance);
        // More honest sites have opened a sum than another list of a quorum can lack.
        const [colluders, holders] = [colludersAmong(sites), 2 * half + 1];
        const openers = Math.ceil(((fewestPresent(sites) - colluders) * threshold) / holders) - colluders;
        expect(openers).toBeGreaterThan(sites - fewestPresent(sites));
        expect(holders).toBeLessThan(present);
        for (let fewer = 1; fewer < half; fewer++) {
          for (let dense = 1; dense <= 2 * fewer; dense++) {
            const smaller = failureChances(sites, present, { half: fewer, threshold: 1, dense });
            expect(smaller.privacy + smaller.opening).toBeGreaterThan(failureChance);
          }
        }
      }
    },
  );

  it("are those of docs/explanation/security.md", () => {
    const table = [65, 100, 200, 500].map((sites) => {
      const { half, threshold } = neighbourhoodFor(sites, sites);
      return [sites, 2 * half, threshold];
    });
    expect(table).toEqual([
      [65, 10, 5],
      [100, 16, 7],
      [200, 30, 14],
      [500, 46, 23],
    ]);
  });

  it("grow with the logarithm where sites are many", () => {
    const degree = (sites: number) => 2 * neighbourhoodFor(sites, sites).half;
    expect(degree(4000) / degree(2000)).toBeLessThan(1.2);
    expect(degree(500)).toBeLessThan(500 / 10);
    expect(mostInPairs).toBe(64);
  });

  it("have the chances that simulated rings show", () => {
    // Chances that can be seen in a few hundred rings: the expected number of bad places, and pairs of stretches, is the bound itself.
    const [sites, half] = [100, 6];
    const rings = 200;
    const holders = 2 * half + 1;
    const seen = { colluding: 0, gaps: 0, lost: 0 };
    const most = { colluding: 3, gaps: 5, lost: 5 };
    for (let each = 0; each < rings; each++) {
      const ring = ringOf(sites, each);
      const [first] = names(sites);
      const order: string[] = [];
      // Round the ring, by the first one of each neighbourhood.
      for (let id = first; order.length < sites; id = ring.around(id)[ring.neighbourhood.half + 1]) order.push(id);
      const bad = (count: number) => order.map((id) => Number(id.slice(1)) < count);
      const [colluders, leavers] = [bad(colludersAmong(sites)), bad(sites - fewestPresent(sites))];
      const among = (marks: readonly boolean[], from: number, length: number) =>
        Array.from({ length }, (_, at) => marks[(from + at) % sites]).filter(Boolean).length;
      const inStretch = (marks: readonly boolean[]) => order.map((_, from) => among(marks, from, half));
      const [colluding, leaving] = [inStretch(colluders), inStretch(leavers)];
      for (let one = 0; one < sites; one++) {
        if (among(leavers, one, holders) >= most.lost) seen.lost++;
        for (let other = one + half; other <= Math.min(sites - 1, one + sites - half); other++) {
          if (colluding[one] + colluding[other] >= most.colluding) seen.colluding++;
          if (leaving[one] + leaving[other] >= most.gaps) seen.gaps++;
        }
      }
    }
    const { privacy } = failureChances(sites, sites, { half, threshold: 1, dense: most.colluding });
    const { opening } = failureChances(sites, sites, {
      half,
      threshold: holders - most.lost + 1,
      dense: 2 * half - most.gaps + 1,
    });
    expect(Math.abs(seen.colluding / rings / privacy - 1)).toBeLessThan(0.3);
    expect(Math.abs((seen.gaps + seen.lost) / rings / opening - 1)).toBeLessThan(0.3);
  });
});

describe("a ring", () => {
  it("is the same for all who know all draws, and another for another draw, job or epoch", () => {
    const draws = new Map(names(70).map((id) => [id, random(32)]));
    const at = { job: "job", epoch: 0, sites: 70 };
    const ring = new Ring(at, draws);
    const again = new Ring(at, new Map([...draws].reverse()));
    expect(again.digest).toBe(ring.digest);
    expect(again.around("p0003")).toEqual(ring.around("p0003"));
    const others = [
      new Ring({ ...at, epoch: 1 }, draws),
      new Ring({ ...at, job: "other" }, draws),
      new Ring(at, new Map([...draws, ["p0000", random(32)]])),
    ];
    for (const other of others) expect(other.around("p0003")).not.toEqual(ring.around("p0003"));
  });

  it("has neighbours on both sides, each of whom has the other", () => {
    const ring = ringOf(100);
    const { half } = ring.neighbourhood;
    for (const id of names(100)) {
      const around = ring.around(id);
      expect(new Set(around).size).toBe(2 * half + 1);
      expect(around[half]).toBe(id);
      for (const other of around) expect(ring.around(other)).toContain(id);
      expect(ring.witnesses(id).length).toBeGreaterThanOrEqual(2 * half);
    }
    expect(() => ring.around("stranger")).toThrow(/not on the ring/);
  });

  it("has every place equally often", () => {
    const neighbours = new Map<string, number>();
    for (let epoch = 0; epoch < 300; epoch++) {
      const ring = ringOf(65, epoch);
      const next = ring.around("p0000")[ring.neighbourhood.half + 1];
      neighbours.set(next, (neighbours.get(next) ?? 0) + 1);
    }
    // 64 others, 300 draws: about 4.7 each.
    expect(neighbours.size).toBeGreaterThan(55);
    expect(Math.max(...neighbours.values())).toBeLessThan(16);
  });

  it("comes from draws that nobody can change after a commitment", () => {
    const draw = random(32);
    expect(commitmentToDraw(draw)).toEqual(commitmentToDraw(draw));
    expect(commitmentToDraw(random(32))).not.toEqual(commitmentToDraw(draw));
  });
});
