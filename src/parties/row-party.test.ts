import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refine } from "../algorithms/fkm/refine-question.js";
import { summarise } from "../algorithms/row-start.js";
import { countPatterns, numberPeople } from "../constraints/feasibility/index.js";
import { openLanes } from "../kernels/lanes.js";
import { simplifiedSilhouette } from "../metrics/index.js";
import { exactMoments } from "../solver/exact-moments.js";
import { pricedRows } from "../solver/row-fair-descent.js";
import { assignToNearest, openRows, rowSilhouette, scalingFrom, surveyColumns } from "../solver/row-run.js";
import { makeTransfers } from "../solver/row-transfers.js";
import { preparePeople } from "../table/index.js";
import type { People } from "../table/types.js";
import { Draws } from "../testing/draws.js";
import { drawCodes, drawColumns, landscapes, peopleOf, tableOfPeople } from "../testing/people.js";
import { findReach } from "./column-reach.js";
import { LocalGroup } from "./local-group.js";
import { assign, gather, measure, place, rescale, totals as totalsOf } from "./row-questions.js";
import { byCode, type RowSplit, splitRows, stretches } from "./split-rows.js";

function drawPeople(landscape: (typeof landscapes)[number], draws: Draws): People {
  const n = draws.between(30, 300);
  const codes = [2, 3].map((groups) => drawCodes(n, groups, draws));
  return peopleOf(drawColumns(landscape, n, draws.between(1, 4), codes[0], draws), codes);
}

/** One party, several with stretches, and several with anybody. */
function splits(n: number, draws: Draws): RowSplit[] {
  const anyhow = draws.list(n, (i) => (i < 5 ? i : draws.below(5)));
  return [stretches(n, 1), stretches(n, 5), byCode(anyhow, 5)];
}

function held(people: People, split: RowSplit) {
  const patterns = countPatterns(people.attributes, people.n);
  const codes = Uint16Array.from(numberPeople(people.attributes, patterns, people.n));
  const parties = splitRows(people, split, { codes, count: patterns.counts.length }, openLanes(1));
  return { parties, group: new LocalGroup(parties), codes, patterns };
}

async function open(people: People, split: RowSplit, k: number) {
  const { parties, group, codes, patterns } = held(people, split);
  const run = await openRows(group, people.dimensions.length, k, patterns);
  const labels = () => {
    const all = new Uint16Array(people.n);
    split.forEach((rows, party) => {
      rows.forEach((row, i) => {
        all[row] = parties[party].labels[i];
      });
    });
    return Array.from(all);
  };
  return { run, group, labels, codes, patterns };
}

describe("parties that hold rows", () => {
  it.each(landscapes)("add up to the same whole numbers, whoever holds whom: %s", async (landscape) => {
    for (let seed = 1; seed <= 3; seed++) {
      const draws = new Draws(seed);
      const people = drawPeople(landscape, draws);
      const k = 4;
      const answers = [];
      for (const split of splits(people.n, draws)) {
        const { run, group, labels, patterns } = await open(people, split, k);
        const chance = new Draws(seed);
        const centres = () =>
          Float64Array.from({ length: k * run.columns }, (_, at) =>
            Math.round(
              run.box.least[at % run.columns] +
                chance.next() * (run.box.most[at % run.columns] - run.box.least[at % run.columns]),
            ),
          );
        const candidates = { numbers: Uint32Array.of(0, 7), centres: [centres(), centres()], cells: k };
        const placed = await group.ask(place, candidates);
        const due = Uint8Array.from({ length: 2 * k }, () => 1);
        const totals = await group.ask(totalsOf, { numbers: candidates.numbers, due, columns: run.columns });
        await group.ask(measure, { centres: candidates.centres[0], jitter: 1000 });
        const offsets = Float64Array.from({ length: patterns.counts.length * k }, () => chance.below(1e6));
        const census = await group.ask(assign, { offsets });
        const gathered = await group.ask(gather, { clusters: run.k, columns: run.columns });
        await group.ask(measure, { centres: candidates.centres[0], jitter: 0 });
        const silhouette = await rowSilhouette(run, gathered.counts);
        answers.push({ grid: run.grid, box: run.box, n: run.n, squares: run.squares, placed, totals, census });
        answers[answers.length - 1] = { ...answers[answers.length - 1], ...{ gathered, silhouette, labels: labels() } };
        for (const numbers of [placed.moved, placed.cost, totals.sums, totals.counts, census.counts, census.cost]) {
          expect(numbers.every(Number.isSafeInteger)).toBe(true);
        }
        expect(totals.counts.reduce((sum, count) => sum + count, 0)).toBe(2 * people.n);
      }
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[2]).toEqual(answers[0]);
    }
  });

  it("move exactly as many people as told, the cheapest, also among duplicates", async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const draws = new Draws(seed);
      const people = drawPeople(draws.next() < 0.5 ? "duplicates" : "spread", draws);
      const ends = [];
      for (const split of splits(people.n, new Draws(seed))) {
        const { run, group, labels, codes } = await open(people, split, 3);
        const centres = Float64Array.from(
          { length: 3 * run.columns },
          (_, at) => run.box.most[at % run.columns] * (at % 2),
        );
        // Without any jitter there are whole crowds at the same gap.
        await group.ask(measure, { centres, jitter: seed % 2 });
        const { counts } = await group.ask(assign, { offsets: new Float64Array(run.patterns.counts.length * 3) });
        const before = labels();
        const chance = new Draws(seed + 100);
        const transfers = Array.from(counts.keys()).flatMap((cell) =>
          [1, 2]
            .filter(() => cell % 3 === 0 && counts[cell] > 3)
            .map((to) => ({ move: cell * 3 + to, people: chance.between(1, Math.floor(counts[cell] / 3)) })),
        );
        await makeTransfers(pricedRows(run), transfers);
        const after = labels();
        for (const { move, people: told } of transfers) {
          const [pattern, from, to] = [Math.floor(move / 9), Math.floor(move / 3) % 3, move % 3];
          const gone = after.filter((label, i) => codes[i] === pattern && before[i] === from && label === to);
          expect(gone.length).toBe(told);
        }
        ends.push(after);
      }
      expect(ends[1]).toEqual(ends[0]);
      expect(ends[2]).toEqual(ends[0]);
    }
  });

  it("tell nothing of clusters of their own with fewer people than the minimum count", async () => {
    const people = drawPeople("spread", new Draws(3));
    const { run, group } = await open(people, stretches(people.n, 4), 6);
    const centres = Float64Array.from(
      { length: 6 * run.columns },
      (_, at) => run.box.least[at % run.columns] * (at / 9),
    );
    for (const least of [1, 5, 20]) {
      for (const method of ["step", "k-means", "seeds", "spectral"] as const) {
        for (const small of ["drop", "merge"] as const) {
          const request = { clusters: 12, peopleEach: 1, least, small, method, starts: 2, seed: 1 };
          for (const { counts } of await group.ask(summarise, { ...request, columns: run.columns })) {
            expect(counts.every((count) => count >= least)).toBe(true);
          }
        }
      }
      for (const { counts } of await group.ask(refine, { centres, least, clusters: 6, columns: run.columns })) {
        expect(counts.every((count) => count >= least)).toBe(true);
      }
    }
  });

  it("say by how many people a cell's sums would change, however they came and went", async () => {
    const people = drawPeople("spread", new Draws(8));
    const { run, group } = await open(people, stretches(people.n, 3), 3);
    const draws = new Draws(1);
    let given = new Map<number, Set<number>>();
    for (let round = 0; round < 30; round++) {
      const centres = Float64Array.from({ length: 3 * run.columns }, () => draws.between(-3000, 3000));
      const { moved } = await group.ask(place, { numbers: Uint32Array.of(0), centres: [centres], cells: 3 });
      await assignToNearest(run, centres);
      const { counts } = await group.ask(gather, { clusters: run.k, columns: run.columns });
      const members = new Map<number, Set<number>>();
      const distances = (i: number, m: number) =>
        people.dimensions.reduce(
          (sum, column, j) => sum + (Math.round(column[i] * 2 ** run.grid.bits) - centres[m * run.columns + j]) ** 2,
          0,
        );
      for (let i = 0; i < people.n; i++) {
        const all = [0, 1, 2].map((m) => distances(i, m));
        const label = all.indexOf(Math.min(...all));
        members.set(label, (members.get(label) ?? new Set()).add(i));
      }
      const due = Uint8Array.from([0, 1, 2], () => draws.below(2));
      for (const m of [0, 1, 2]) {
        const now = members.get(m) ?? new Set<number>();
        const then = given.get(m) ?? new Set<number>();
        expect(counts[m]).toBe(now.size);
        const changed = [...now].filter((i) => !then.has(i)).length + [...then].filter((i) => !now.has(i)).length;
        expect(moved[m]).toBe(changed);
        if (due[m] === 1) given = new Map(given).set(m, now);
      }
      await group.ask(totalsOf, { numbers: Uint32Array.of(0), due, columns: run.columns });
    }
  });

  it.each(["standard", "minmax", "none"] as const)(
    "agree on the scaling of one table, from sums alone: %s",
    async (scale) => {
      const draws = new Draws(5);
      const columns = [
        draws.list(200, (i) => (i % 7 === 0 ? Number.NaN : 5000 + 30 * draws.normal())),
        draws.list(200, (i) => (i < 2 ? 1e6 : draws.next())),
        // Far from 0, and missing at all but one of the parties.
        draws.list(200, (i) => (i < 150 ? Number.NaN : 1e7 + draws.next())),
      ];
      const people = peopleOf(columns);
      const whole = preparePeople(tableOfPeople(people), { scale, missing: "mean", measure: exactMoments });
      for (const split of splits(200, draws)) {
        const { parties, group } = held(people, split);
        const agreed = scalingFrom(await surveyColumns(group, 3), scale);
        whole.encodings.forEach((encoding, j) => {
          const { shift, scale: width, mean } = agreed;
          expect(encoding).toMatchObject({ shift: shift[j], scale: width[j], mean: mean[j] });
        });
        await group.ask(rescale, { ...agreed, kept: Float64Array.of(1, 0, 1) });
        expect(parties.map(({ columns: left }) => left)).toEqual(split.map(() => 2));
        const reach = await findReach(group, 2);
        const [first, , third] = whole.dimensions;
        expect([...reach.least]).toEqual([Math.min(...first), Math.min(...third)]);
        expect([...reach.most]).toEqual([Math.max(...first), Math.max(...third)]);
      }
    },
  );

  it("find the simplified silhouette of the whole without moving anybody", async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const people = drawPeople("apart", new Draws(seed));
      const { run, group, labels } = await open(people, stretches(people.n, 4), 3);
      const centres = Float64Array.from({ length: 3 * run.columns }, (_, at) =>
        Math.round(run.box.least[at % run.columns] * (1 - at / 9) + (run.box.most[at % run.columns] * at) / 9),
      );
      await assignToNearest(run, centres);
      const { sums, counts } = await group.ask(gather, { clusters: run.k, columns: run.columns });
      const means = centres.map((value, at) => {
        const count = counts[Math.floor(at / run.columns)];
        return count > 0 ? Math.round(sums[at] / count) : value;
      });
      const expected = simplifiedSilhouette(people.dimensions, Uint16Array.from(labels()), 3);
      await group.ask(measure, { centres: means, jitter: 0 });
      const seen = await rowSilhouette(run, counts);
      if (expected === null) expect(seen).toBeNull();
      else expect(seen).toBeCloseTo(expected, 2);
    }
  });
});

describe("a split", () => {
  it("deals everybody out once, in their order", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }), (n, parties) => {
        const split = stretches(n, Math.min(n, parties));
        expect(split.flatMap((rows) => Array.from(rows))).toEqual(Array.from({ length: n }, (_, i) => i));
        expect(Math.min(...split.map((rows) => rows.length))).toBeGreaterThan(0);
      }),
    );
  });
});
