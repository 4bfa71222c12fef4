import { describe, expect, it } from "vitest";
import { refine } from "../algorithms/fkm/refine-question.js";
import { summarise } from "../algorithms/row-start.js";
import { countPatterns, numberPeople } from "../constraints/feasibility/index.js";
import { openLanes } from "../kernels/lanes.js";
import { joined } from "../kernels/wide-sums.js";
import { assignToNearest, openRows, type RowRun, rowSilhouette } from "../solver/row-run.js";
import type { People } from "../table/types.js";
import { Draws } from "../testing/draws.js";
import { copied, drawCodes, drawColumns, landscapes, peopleOf, weighed } from "../testing/people.js";
import { LocalGroup } from "./local-group.js";
import { assign, below, gather, measure, open, place, totals } from "./row-questions.js";
import { byCode, type RowSplit, splitRows, stretches } from "./split-rows.js";

const k = 3;

function drawPeople(landscape: (typeof landscapes)[number], draws: Draws): People {
  const n = draws.between(20, 60);
  const codes = drawCodes(n, 2, draws);
  return peopleOf(drawColumns(landscape, n, draws.between(1, 3), codes, draws), [codes]);
}

async function opened(people: People, split: RowSplit): Promise<RowRun> {
  const { weights } = people;
  const patterns = countPatterns(people.attributes, people.n);
  const codes = Uint16Array.from(numberPeople(people.attributes, patterns, people.n));
  const parties = splitRows(people, split, { codes, count: patterns.counts.length }, openLanes(1));
  const units = weights && { unit: weights.unit, total: weights.total / weights.unit, typical: 1, largest: 1 };
  return openRows(new LocalGroup(parties), people.dimensions.length, k, patterns, units ? { weights: units } : {});
}

/** Everything that is asked about weight, at the same centres. */
async function answers(run: RowRun, bits = run.grid.bits) {
  const { group, columns, patterns } = run;
  const { squares } = await group.ask(open, { k, bits });
  const centres = Float64Array.from({ length: k * columns }, (_, at) => {
    const part = Math.floor(at / columns) / (k - 1);
    return Math.round(run.box.least[at % columns] * (1 - part) + run.box.most[at % columns] * part);
  });
  const numbers = Uint32Array.of(4);
  const placed = await group.ask(place, { numbers, centres: [centres], cells: k });
  const due = new Uint8Array(k).fill(1);
  const sums = await group.ask(totals, { numbers, due, columns });
  await group.ask(measure, { centres, jitter: 0 });
  const census = await group.ask(assign, { offsets: new Float64Array(patterns.counts.length * k) });
  const again = await group.ask(assign, {
    offsets: Float64Array.from({ length: patterns.counts.length * k }, (_, cell) => 1e5 * (cell % 2)),
  });
  const moves = Uint32Array.from({ length: k }, (_, to) => to).filter((to) => to > 0);
  const gaps = Float64Array.from(moves, (to) => 1e6 * to);
  const counted = await group.ask(below, { moves, gaps, persons: gaps.map(() => Number.MAX_SAFE_INTEGER) });
  const gathered = await group.ask(gather, { clusters: k, columns });
  await group.ask(measure, { centres, jitter: 0 });
  const silhouette = await rowSilhouette(run, gathered.counts);
  const costs = [squares, placed.cost, census.cost, again.cost].map((parts) => joined(parts));
  return { costs, sums, counts: [census.counts, again.counts, counted.counts], gathered, silhouette, placed };
}

describe("people with weights whose rows are split", () => {
  it.each(landscapes)("are as many copies of them at the same centres: %s", async (landscape) => {
    for (let seed = 1; seed <= 4; seed++) {
      const draws = new Draws(seed);
      const people = drawPeople(landscape, draws);
      const times = draws.list(people.n, () => draws.between(1, 4));
      const { copies } = copied(people, times);
      const others = await opened(copies, stretches(copies.n, 2));
      // The copies' grid may be another one, by their variance.
      const run = { ...(await opened(weighed(people, times), stretches(people.n, 3))), box: others.box };
      const { placed: own, ...told } = await answers(run, others.grid.bits);
      const { placed: all, ...expected } = await answers(others);
      expect(told).toEqual(expected);
      expect(own.people.reduce((sum, count) => sum + count, 0)).toBe(people.n);
      expect(all.people).toEqual(expected.sums.counts);
    }
  });

  it.each(landscapes)("add up exactly, whoever holds whom, also in the finest units: %s", async (landscape) => {
    const draws = new Draws(11);
    const people = drawPeople(landscape, draws);
    const unit = 2 ** -20;
    const weights = draws.list(people.n, () => unit * Math.round((2 ** 32 / people.n) * draws.next() + 1));
    const heavy = weighed(people, weights, unit);
    const anyhow = draws.list(people.n, (i) => (i < 5 ? i : draws.below(5)));
    const found = [];
    for (const split of [stretches(people.n, 1), stretches(people.n, 5), byCode(anyhow, 5)]) {
      found.push(await answers(await opened(heavy, split)));
    }
    const [{ placed: _, ...one }, ...others] = found;
    for (const { placed: _parts, ...other } of others) expect(other).toEqual(one);
    const total = one!.gathered.counts.reduce((sum, count) => sum + count, 0);
    expect(total * unit).toBe(heavy.weights!.total);
  });

  it("count as people where few are to be protected, however heavy one is", async () => {
    const draws = new Draws(5);
    const people = drawPeople("spread", draws);
    const heavy = weighed(
      people,
      draws.list(people.n, (i) => (i % 10 === 0 ? 1000 : 1)),
    );
    const run = await opened(heavy, stretches(people.n, 2));
    const half = Math.ceil(people.n / 2);
    const request = { clusters: 8, peopleEach: 1, starts: 2, seed: 1, columns: run.columns, method: "step" as const };
    for (const small of ["drop", "merge"] as const) {
      for (const { counts, withheld } of await run.group.ask(summarise, { ...request, least: 6, small })) {
        // Clusters of at least six people each: no more than that many, whatever they weigh.
        expect(counts.length).toBeLessThanOrEqual(half / 6);
        if (small === "merge") expect(withheld[0]).toBe(0);
      }
    }
    const centres = new Float64Array(k * run.columns);
    for (let j = 0; j < run.columns; j++) centres[j] = run.box.most[j];
    const { sizes } = await assignToNearest(run, centres);
    const told = await run.group.ask(refine, { centres, least: people.n, clusters: k, columns: run.columns });
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(heavy.weights!.total);
    expect(told.every(({ counts }) => counts.length === 0)).toBe(true);
  });
});
