import { describe, expect, it } from "vitest";
import type { Coordinator } from "../solver/coordinator.js";
import { plainSse, sizesOf } from "../testing/check.js";
import { coordinatorOf } from "../testing/coordinated.js";
import { Draws } from "../testing/draws.js";
import { drawCodes, drawColumns, landscapes, peopleOf } from "../testing/people.js";
import type { LocalColumns } from "./local.js";
import { columnsOf } from "./split.js";
import type { Rule } from "./types.js";

const unit = 2 ** 20;
const rules: readonly Rule[] = [
  { kind: "nearest" },
  { kind: "descent" },
  { kind: "priced", unit },
  { kind: "repair", unit, pressure: unit },
  { kind: "trade", pressure: unit },
  { kind: "admm" },
  { kind: "polish" },
];

/** Beyond this stand the walls that no argmin chooses. */
const exact = 2 ** 53;

function drawPeople(landscape: (typeof landscapes)[number], draws: Draws) {
  const n = draws.between(20, 400);
  const codes = [2, 3].map((groups) => drawCodes(n, groups, draws));
  return peopleOf(drawColumns(landscape, n, draws.between(1, 5), codes[0], draws), codes);
}

/** Clusters, prices and multipliers as in the middle of a run. */
async function begin(coordinator: Coordinator, seed: number): Promise<void> {
  const draws = new Draws(seed);
  for (let m = 0; m < coordinator.k; m++) {
    const row = draws.below(coordinator.n);
    await coordinator.all((party) => party.place(m, row));
  }
  await coordinator.prepare({ kind: "nearest" });
  await coordinator.assign(coordinator.everyone);
  await coordinator.recentre();
  await coordinator.all((party) => party.restartPrices(unit / 7, 0.25));
  for (let step = 0; step < 3; step++) await coordinator.all((party) => party.adjustPrices());
  await coordinator.all((party) => party.startAdmm(unit * 100));
  await coordinator.all((party) => party.stepAdmm(1.5));
}

describe("columns on several parties", () => {
  it.each(landscapes)("add up to exactly what one party has, under every rule: %s", async (landscape) => {
    for (let seed = 1; seed <= 4; seed++) {
      const people = drawPeople(landscape, new Draws(seed));
      const one = await coordinatorOf(people, 4, { delta: 0.1, smallest: 2 });
      await begin(one, seed);
      for (const parties of [2, 3, 6]) {
        const several = await coordinatorOf(people, 4, { parties, delta: 0.1, smallest: 2 });
        await begin(several, seed);
        expect(await several.labelsNow()).toEqual(await one.labelsNow());
        expect(await several.sse()).toBe(await one.sse());
        for (const rule of rules) {
          await one.prepare(rule);
          await several.prepare(rule);
          const seen = await several.totalScores(several.everyone);
          const expected = await one.totalScores(one.everyone);
          const differ = seen.findIndex((score, at) =>
            Math.abs(expected[at]) < exact ? score !== expected[at] : Math.abs(score) < exact,
          );
          expect(differ, `${rule.kind}, ${parties} parties`).toBe(-1);
          if (rule.kind === "polish") continue;
          expect(await several.bestMoves()).toEqual(await one.bestMoves());
        }
        expect(await several.propose(several.everyone)).toEqual(await one.propose(one.everyone));
        const standing = await several.standing();
        const alone = await one.standing();
        expect(standing.violation).toBe(alone.violation);
        expect(standing.excess).toBeCloseTo(alone.excess, 9);
      }
    }
  });

  it("are all dealt out, to whatever number of parties", () => {
    for (let parties = 1; parties <= 9; parties++) {
      for (let columns = 1; columns <= 7; columns++) {
        const parts = Array.from({ length: parties }, (_, party) => columnsOf(party, parties, columns));
        expect(parts[0].from).toBe(0);
        expect(parts[parties - 1].to).toBe(columns);
        for (let party = 1; party < parties; party++) expect(parts[party].from).toBe(parts[party - 1].to);
      }
    }
  });
});

describe("a party", () => {
  it("keeps sizes, means and SSE in step through many moves", async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const draws = new Draws(seed);
      const people = drawPeople("spread", draws);
      const coordinator = await coordinatorOf(people, 3, { delta: 0.2 });
      await begin(coordinator, seed);
      for (let round = 0; round < 4; round++) {
        const rows = [...new Set(draws.list([5, 100][round % 2], () => draws.below(people.n)))];
        const to = Uint16Array.from(rows, () => draws.below(3));
        await coordinator.apply({ rows: Uint32Array.from(rows), to });
        const labels = await coordinator.labelsNow();
        rows.forEach((row, index) => {
          expect(labels[row]).toBe(to[index]);
        });
        expect(Array.from(await coordinator.parties[0].sizes())).toEqual(sizesOf(labels, 3));
        const slack = 2 ** -coordinator.grid.bits * Math.sqrt(people.n * people.dimensions.length);
        const plain = plainSse(people.dimensions, labels, 3);
        expect(Math.abs(Math.sqrt(await coordinator.sse()) - Math.sqrt(plain))).toBeLessThan(slack + 1e-3);
      }
    }
  });

  it("gives back clusters and centres that it was told to remember", async () => {
    const people = drawPeople("apart", new Draws(4));
    for (const parties of [1, 3]) {
      const coordinator = await coordinatorOf(people, 4, { parties, delta: 0.2 });
      await begin(coordinator, 4);
      const state = async () => ({
        labels: await coordinator.labelsNow(),
        sse: await coordinator.sse(),
        centres: coordinator.parties.map((party) => (party as LocalColumns).scaledCentres()),
        standing: await coordinator.standing(),
      });
      const before = await state();
      await coordinator.remember("here");
      await coordinator.adopt(coordinator.everyone, new Uint16Array(people.n).fill(1));
      await coordinator.recentre();
      await coordinator.all((party) => party.adjustPrices());
      expect(await state()).not.toEqual(before);
      await coordinator.recall("here");
      expect(await state()).toEqual(before);
    }
  });

  it("lets pinned people leave under no rule, until they are unpinned", async () => {
    const people = drawPeople("spread", new Draws(9));
    for (const parties of [1, 2]) {
      const coordinator = await coordinatorOf(people, 3, { parties, delta: 0.2 });
      await begin(coordinator, 9);
      // Everybody in one wrong cluster would like to leave.
      await coordinator.adopt(coordinator.everyone, new Uint16Array(people.n).fill(2));
      for (const row of [0, 5, 6]) await coordinator.all((party) => party.pin(row));
      await coordinator.prepare({ kind: "nearest" });
      const { rows } = await coordinator.propose(coordinator.everyone);
      expect(rows.length).toBeGreaterThan(0);
      for (const row of [0, 5, 6]) expect(rows.includes(row)).toBe(false);
      const moves = await coordinator.bestMoves();
      for (const { row } of moves) expect([0, 5, 6].includes(row)).toBe(false);
      await coordinator.all((party) => party.unpin());
      await coordinator.prepare({ kind: "nearest" });
      expect(Array.from(await coordinator.parties[0].sizes())).toEqual([0, 0, people.n]);
      const free = (await coordinator.propose(coordinator.everyone)).rows;
      expect(free.length).toBeGreaterThanOrEqual(rows.length);
    }
  });
});
