import { describe, expect, it } from "vitest";
import type { Assigner } from "../solver/assigner.js";
import { assignerOf } from "../testing/assigned.js";
import { plainSse, sizesOf } from "../testing/check.js";
import { Draws } from "../testing/draws.js";
import { drawCodes, drawColumns, landscapes, peopleOf } from "../testing/people.js";
import type { ScoringRule } from "./column-party.js";
import type { LocalColumns } from "./local-columns.js";
import { columnsOf } from "./split.js";
import { SplitColumns } from "./split-columns.js";

const unit = 2 ** 20;
const rules: readonly ScoringRule[] = [
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
function partiesOf({ columns }: Assigner): readonly LocalColumns[] {
  return columns instanceof SplitColumns ? columns.parties : [columns as LocalColumns];
}

async function begin(assigner: Assigner, seed: number): Promise<void> {
  const draws = new Draws(seed);
  for (let m = 0; m < assigner.k; m++) {
    const row = draws.below(assigner.n);
    await assigner.columns.place(m, row);
  }
  await assigner.prepare({ kind: "nearest" });
  await assigner.assign(assigner.everyone);
  await assigner.recentre();
  await assigner.columns.restartPrices(unit / 7, 0.25);
  for (let step = 0; step < 3; step++) await assigner.columns.adjustPrices();
  await assigner.columns.startAdmm(unit * 100);
  await assigner.columns.stepAdmm(1.5);
}

describe("columns on several parties", () => {
  it.each(landscapes)("add up to exactly what one party has, under every rule: %s", async (landscape) => {
    for (let seed = 1; seed <= 4; seed++) {
      const people = drawPeople(landscape, new Draws(seed));
      const one = await assignerOf(people, 4, { delta: 0.1, smallest: 2 });
      await begin(one, seed);
      for (const parties of [2, 3, 6]) {
        const several = await assignerOf(people, 4, { parties, delta: 0.1, smallest: 2 });
        await begin(several, seed);
        expect(await several.labelsNow()).toEqual(await one.labelsNow());
        expect(await several.sse()).toBe(await one.sse());
        for (const rule of rules) {
          await one.prepare(rule);
          await several.prepare(rule);
          const seen = await several.scores(several.everyone);
          const expected = await one.scores(one.everyone);
          const differ = seen.findIndex((score, at) =>
            Math.abs(expected[at]) < exact ? score !== expected[at] : Math.abs(score) < exact,
          );
          expect(differ, `${rule.kind}, ${parties} parties`).toBe(-1);
          if (rule.kind === "polish") continue;
          expect(await several.bestMoves()).toEqual(await one.bestMoves());
        }
        expect(await several.propose(several.everyone)).toEqual(await one.propose(one.everyone));
        const status = await several.limitStatus();
        const alone = await one.limitStatus();
        expect(status.violation).toBe(alone.violation);
        expect(status.excess).toBeCloseTo(alone.excess, 9);
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
      const assigner = await assignerOf(people, 3, { delta: 0.2 });
      await begin(assigner, seed);
      for (let round = 0; round < 4; round++) {
        const rows = [...new Set(draws.list([5, 100][round % 2], () => draws.below(people.n)))];
        const to = Uint16Array.from(rows, () => draws.below(3));
        await assigner.apply({ rows: Uint32Array.from(rows), to });
        const labels = await assigner.labelsNow();
        rows.forEach((row, index) => {
          expect(labels[row]).toBe(to[index]);
        });
        expect(Array.from(await assigner.columns.sizes())).toEqual(sizesOf(labels, 3));
        const slack = 2 ** -assigner.grid.bits * Math.sqrt(people.n * people.dimensions.length);
        const plain = plainSse(people.dimensions, labels, 3);
        expect(Math.abs(Math.sqrt(await assigner.sse()) - Math.sqrt(plain))).toBeLessThan(slack + 1e-3);
      }
    }
  });

  it("gives back clusters and centres that it was told to remember", async () => {
    const people = drawPeople("apart", new Draws(4));
    for (const parties of [1, 3]) {
      const assigner = await assignerOf(people, 4, { parties, delta: 0.2 });
      await begin(assigner, 4);
      const state = async () => ({
        labels: await assigner.labelsNow(),
        sse: await assigner.sse(),
        centres: partiesOf(assigner).map((party) => party.scaledCentres()),
        status: await assigner.limitStatus(),
      });
      const before = await state();
      await assigner.remember("here");
      await assigner.adopt(assigner.everyone, new Uint16Array(people.n).fill(1));
      await assigner.recentre();
      await assigner.columns.adjustPrices();
      expect(await state()).not.toEqual(before);
      await assigner.recall("here");
      expect(await state()).toEqual(before);
    }
  });

  it("lets pinned people leave under no rule, until they are unpinned", async () => {
    const people = drawPeople("spread", new Draws(9));
    for (const parties of [1, 2]) {
      const assigner = await assignerOf(people, 3, { parties, delta: 0.2 });
      await begin(assigner, 9);
      // Everybody in one wrong cluster would like to leave.
      await assigner.adopt(assigner.everyone, new Uint16Array(people.n).fill(2));
      for (const row of [0, 5, 6]) await assigner.columns.pin(row);
      await assigner.prepare({ kind: "nearest" });
      const { rows } = await assigner.propose(assigner.everyone);
      expect(rows.length).toBeGreaterThan(0);
      for (const row of [0, 5, 6]) expect(rows.includes(row)).toBe(false);
      const moves = await assigner.bestMoves();
      for (const { row } of moves) expect([0, 5, 6].includes(row)).toBe(false);
      await assigner.columns.unpin();
      await assigner.prepare({ kind: "nearest" });
      expect(Array.from(await assigner.columns.sizes())).toEqual([0, 0, people.n]);
      const free = (await assigner.propose(assigner.everyone)).rows;
      expect(free.length).toBeGreaterThanOrEqual(rows.length);
    }
  });
});
