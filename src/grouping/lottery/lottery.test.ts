import { describe, expect, it } from "vitest";
import type { ExplicitBounds } from "../../constraints/bounds.js";
import { LinearProgram, solveProgram } from "../../kernels/programs.js";
import { Draws } from "../../testing/draws.js";
import { peopleOf } from "../../testing/people.js";
import { fairLottery, PanelColumns } from "./leximin.js";
import { chancesOf, drawPanel, lottery } from "./lottery.js";
import { poolOf } from "./quotas.js";

const nameOf = (code: number) => `g${code}`;
const poolPeople = (codes: readonly (readonly number[])[]) => peopleOf([codes[0]], codes, nameOf);

/** All panels that keep the quotas, person by person. */
function allPanels(codes: readonly (readonly number[])[], seats: number, quotas: ExplicitBounds): number[][] {
  const n = codes[0].length;
  const found: number[][] = [];
  for (let mask = 0; mask < 2 ** n; mask++) {
    const panel = Array.from({ length: n }, (_, i) => i).filter((i) => (mask >> i) & 1);
    if (panel.length !== seats) continue;
    const kept = codes.every((list, a) =>
      Object.entries(quotas[`attribute ${a}`] ?? {}).every(([group, { min = 0, max = seats }]) => {
        const members = panel.filter((i) => nameOf(list[i]) === group).length;
        return members >= min && members <= max;
      }),
    );
    if (kept) found.push(panel);
  }
  return found;
}

/** The largest least chance of a person, over all distributions of these panels. */
async function bestLeast(panels: readonly number[][], n: number): Promise<number> {
  const program = new LinearProgram();
  for (const _ of panels) program.addColumn(0, 0, 1, false);
  const least = program.addColumn(-1, -1, 1, false);
  for (let i = 0; i < n; i++) {
    panels.forEach((panel, j) => {
      if (panel.includes(i)) program.addEntry(j, 1);
    });
    program.addEntry(least, -1);
    program.closeRow(0, Number.POSITIVE_INFINITY);
  }
  panels.forEach((_, j) => void program.addEntry(j, 1));
  program.closeRow(1, 1);
  return (await solveProgram(program, { relaxed: true })).values[least];
}

const draws = new Draws(5);

/** Small pools with quotas that some panel keeps. */
function* smallPools(count: number) {
  for (let made = 0; made < count; ) {
    const n = draws.between(6, 10);
    const seats = draws.between(2, n - 2);
    const codes = Array.from({ length: draws.between(1, 3) }, () => draws.list(n, () => draws.below(2)));
    const quotas = Object.fromEntries(
      codes.map((list, a) => {
        const own = [...new Set(list)].map((code) => {
          const min = draws.below(2);
          return [nameOf(code), { min, max: Math.min(seats, min + draws.between(1, 2)) }];
        });
        return [`attribute ${a}`, Object.fromEntries(own)];
      }),
    );
    const panels = allPanels(codes, seats, quotas);
    if (panels.length === 0) continue;
    made++;
    yield { n, seats, codes, quotas, panels };
  }
}

describe("lottery", () => {
  it("gives everybody the largest least chance, with a certificate, in pools whose panels can all be looked at", async () => {
    for (const { n, seats, codes, quotas, panels } of smallPools(25)) {
      const { chances, panel, result } = await lottery(poolPeople(codes), { seats, quotas, seed: 1 });
      const best = await bestLeast(panels, n);
      expect(result.leastChance).toBeCloseTo(best, 6);
      expect(result.bound).toBeCloseTo(best, 6);
      expect(Math.min(...chances)).toBeCloseTo(result.leastChance, 9);
      expect(chances.reduce((sum, each) => sum + each, 0)).toBeCloseTo(seats, 6);
      expect(panels.map(String)).toContain(String(Array.from(panel)));
      // Nobody needs to trust the program: the weights show it, panel by panel.
      const total = result.certificate.reduce((sum, { weight }) => sum + weight, 0);
      expect(total).toBeCloseTo(1, 6);
      for (const each of panels) {
        const value = result.certificate.reduce((sum, { groups, people, weight }) => {
          const own = each.filter((i) => codes.every((list, a) => groups[`attribute ${a}`] === nameOf(list[i])));
          return sum + (weight * own.length) / people;
        }, 0);
        expect(value).toBeLessThanOrEqual(result.bound + 1e-6);
      }
    }
  });

  it("has the same chances by column generation, which leximin has alone", async () => {
    for (const { seats, codes, quotas } of smallPools(12)) {
      const people = poolPeople(codes);
      const { chances, result } = await lottery(people, { seats, quotas, seed: 1 });
      expect(result.leximin).toBe(true);
      const pool = poolOf(people, seats, quotas);
      const found = await new PanelColumns(pool, [], {}).leximin();
      const others = chancesOf(pool, found);
      expect(found.leximin).toBe(true);
      chances.forEach((chance, i) => {
        expect(others[pool.kindOf[i]]).toBeCloseTo(chance, 5);
      });
    }
  });

  it("gives those who are alike in all quotas the same chance, and raises all chances that can be", async () => {
    // Two of three must be of the rarer group of four: its members have a half each, the other eight an eighth.
    const codes = [Array.from({ length: 12 }, (_, i) => (i < 4 ? 0 : 1))];
    const quotas = { "attribute 0": { g0: { min: 2, max: 2 } } };
    const { chances, result } = await lottery(poolPeople(codes), { seats: 3, quotas, seed: 4 });
    chances.forEach((chance, i) => {
      expect(chance).toBeCloseTo(i < 4 ? 0.5 : 0.125, 9);
    });
    expect(result.withoutChance).toBe(0);
    expect(result.quotas["attribute 0"].g0).toMatchObject({ min: 2, max: 2, pool: 4, drawn: 2 });
  });

  it("draws everybody as often as their chance says", async () => {
    const codes = [
      [0, 0, 0, 1, 1, 1, 1, 1],
      [0, 1, 0, 1, 0, 1, 0, 0],
    ];
    const quotas = { "attribute 0": { g0: { min: 1, max: 1 } }, "attribute 1": { g1: { min: 1 } } };
    const pool = poolOf(poolPeople(codes), 3, quotas);
    const found = await fairLottery(pool, {});
    const chances = chancesOf(pool, found);
    const drawn = new Array<number>(8).fill(0);
    const times = 4000;
    for (let time = 0; time < times; time++) {
      for (const i of drawPanel(pool, found, () => draws.next())) drawn[i]++;
    }
    drawn.forEach((count, i) => {
      const chance = chances[pool.kindOf[i]];
      const deviation = Math.sqrt(times * chance * (1 - chance));
      expect(Math.abs(count - times * chance)).toBeLessThan(4.5 * deviation);
    });
  });

  it("says who can be in no panel, and takes shares of the seats", async () => {
    const codes = [[0, 0, 0, 0, 1, 1]];
    const { chances, result } = await lottery(poolPeople(codes), {
      seats: 4,
      quotas: { "attribute 0": { g0: { min: 0.99 } } },
      seed: 1,
    });
    expect(Array.from(chances).map((chance) => Math.round(chance * 1e6) / 1e6)).toEqual([1, 1, 1, 1, 0, 0]);
    expect(result).toMatchObject({ withoutChance: 2, leastChance: expect.closeTo(0, 9) });
    expect(result.quotas["attribute 0"].g0.min).toBe(4);
  });

  it("refuses quotas that no panel keeps, with those that need to change least", async () => {
    const people = poolPeople([[0, 0, 1, 1, 1, 1, 1]]);
    const fails = (seats: number, quotas: ExplicitBounds) =>
      expect(lottery(people, { seats, quotas, seed: 1 })).rejects;
    await fails(4, { "attribute 0": { g0: { min: 3 } } }).toThrow("a min of 2 or less for attribute 0 g0");
    await fails(6, { "attribute 0": { g1: { max: 3 } } }).toThrow("a max of 4 or more for attribute 0 g1");
    await fails(8, { "attribute 0": { g0: { min: 1 } } }).toThrow("from 1 to the 7 people");
    await fails(4, { "attribute 0": { g5: { min: 1 } } }).toThrow("unknown group");
    await fails(4, { other: { g0: { min: 1 } } }).toThrow("unknown attribute");
    await fails(4, { "attribute 0": { g0: { min: 1.5 } } }).toThrow("whole number of people");
    await fails(4, {}).toThrow("no quotas");
  });
});
