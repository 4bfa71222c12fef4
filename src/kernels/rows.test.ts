// Slow: sequences of kernel calls against plain loops, on several threads.
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { Draws } from "../testing/draws.js";
import { byGap } from "./best-moves.js";
import { jitter } from "./jitter.js";
import { closeLanes, type Lane, openLanes } from "./lanes.js";
import { Rows, type Scoring } from "./rows.js";
import { nowhere, Plain, type PlainTable } from "./testing/plain.js";

const shapes = fc.record({
  // Around and beyond the tiles of 16 and the chunks of 256 that are dealt round the lanes.
  n: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 230, max: 1300 })),
  dims: fc.integer({ min: 0, max: 6 }),
  k: fc.integer({ min: 1, max: 6 }),
  patterns: fc.integer({ min: 1, max: 3 }),
  // The largest one outgrows sums in single precision every few tiles.
  span: fc.constantFrom<number>(2, 5, 1000, 300_000),
  offsets: fc.constantFrom<number>(0, 3, 100_000),
  jitter: fc.constantFrom<number>(0, 0, 2, 1000),
  // Under equal weights decisions are filtered by rough scores, and margins are kept from one call to the next.
  weights: fc.constantFrom<"equal" | "near" | "any">("equal", "equal", "near", "any"),
  manhattan: fc.boolean(),
  seed: fc.nat(1_000_000),
});

type Shape = typeof shapes extends fc.Arbitrary<infer T> ? T : never;

function drawTable(shape: Shape, draws: Draws): PlainTable {
  const { n, dims, k, patterns, span, manhattan } = shape;
  const whole = () => draws.between(-span, span);
  return {
    n,
    dims,
    k,
    patterns,
    columns: Array.from({ length: dims }, () => draws.list(n, whole)),
    codes: draws.list(n, () => draws.below(patterns)),
    centres: Array.from({ length: k }, () => draws.list(dims, whole)),
    manhattan,
    scoring: drawScoring(shape, draws),
  };
}

/** Higher than any score, as rules use it: joining may cost it, keeping may gain it. */
const wall = 2 ** 54;

function drawScoring({ k, patterns, offsets, jitter, weights: kind }: Shape, draws: Draws, walls = 0): Scoring {
  const table = (side: number) =>
    Float64Array.from(draws.list(patterns * k, () => (draws.below(12) ? draws.between(-offsets, offsets) : side)));
  const least = { equal: 512, near: 500, any: 0 }[kind];
  const weights = () => Float64Array.from(draws.list(k, () => draws.between(least, 512)));
  const offset = table(walls);
  const ownOffset = draws.below(2) && walls === 0 ? offset : table(-walls);
  return { weight: weights(), ownWeight: weights(), offset, ownOffset, jitter };
}

/** Sums with a wall are not exact, and need not be. */
const capped = (score: number) => Math.max(-(2 ** 53), Math.min(2 ** 53, score));

/** The same offsets but for a little: what a step of a price search does. */
function nudge(scoring: Scoring, draws: Draws): Scoring {
  const change = (table: Float64Array) =>
    table.map((value) => (draws.below(3) || Math.abs(value) === wall ? value : value + draws.between(-9, 9)));
  const offset = change(scoring.offset);
  return { ...scoring, offset, ownOffset: scoring.ownOffset === scoring.offset ? offset : change(scoring.ownOffset) };
}

async function load(lanes: readonly Lane[], table: PlainTable): Promise<Rows> {
  const rows = new Rows(lanes, table.n, table.dims);
  await rows.load(table.columns);
  await rows.snap(1);
  rows.begin(table.k, table.patterns, Uint16Array.from(table.codes), table.manhattan);
  rows.setCentres(Float64Array.from(table.centres.flat()));
  rows.setScoring(table.scoring);
  return rows;
}

function drawRange(n: number, draws: Draws) {
  const from = draws.below(n + 1);
  return { from, to: draws.between(from, n) };
}

describe.each([1, 2, 4])("rows over %i lanes", (threads) => {
  const lanes = openLanes(threads);
  afterAll(() => closeLanes(lanes));

  it("agree with plain loops in every kernel, exactly, through a sequence of calls", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const draws = new Draws(shape.seed);
        const table = drawTable(shape, draws);
        const plain = new Plain(table);
        const rows = await load(lanes, table);
        const sums = new Float64Array(table.k * table.dims);
        const counts = new Float64Array(table.patterns * table.k);
        const everyone = { from: 0, to: table.n };
        try {
          await rows.decide(everyone, false);
          plain.adopt(everyone, plain.choose(everyone, false));
          for (let step = 0; step < 12; step++) {
            const range = drawRange(table.n, draws);
            const ownFirst = draws.below(2) === 0;
            if (draws.below(3) === 0) await rows.measure("exact");
            if (draws.below(3) === 0) await rows.measure("rough");
            if (draws.below(3) === 0) rows.forget();
            if (draws.below(3) > 0) {
              table.scoring = draws.below(4)
                ? nudge(table.scoring, draws)
                : drawScoring(shape, draws, draws.below(2) * wall);
              rows.setScoring(table.scoring);
            }
            expect(Array.from(await rows.scores(range), capped)).toEqual(plain.scores(range).map(capped));
            // Asked of everybody, only what has changed is looked at.
            const ranges = draws.below(4) ? [everyone] : [{ from: 0, to: range.from }, range];
            const moves = ranges.flatMap((each) => plain.bestMoves(each));
            expect((await rows.bestMoves(ranges)).sort(byGap)).toEqual(moves.sort(byGap));
            const chosen = plain.choose(range, ownFirst);
            expect(Array.from(await rows.choose(range, ownFirst))).toEqual(chosen);
            expect(Array.from(rows.labels())).toEqual(plain.labels);
            if (draws.below(2) === 0) {
              expect(await rows.decide(range, ownFirst)).toBe(plain.adopt(range, chosen));
            } else {
              const given = chosen.map(() => draws.below(table.k));
              expect(await rows.adopt(range, Uint16Array.from(given))).toBe(plain.adopt(range, given));
            }
            expect(Array.from(rows.labels())).toEqual(plain.labels);
            expect(Array.from(rows.labels(range))).toEqual(plain.labels.slice(range.from, range.to));
            rows.collect(sums, counts);
            const after = plain.statistics();
            expect(Array.from(counts)).toEqual(after.counts);
            // Object.is tells 0 from -0; sums do not.
            expect(Array.from(sums, (sum) => sum + 0)).toEqual(after.sums.map((sum) => sum + 0));
            if (!table.manhattan) continue;
            const medians = plain.medians();
            const sizes = Array.from({ length: table.k }, (_, m) => plain.labels.filter((own) => own === m).length);
            expect(Array.from(await rows.medians(sizes))).toEqual(medians);
            const middle = (m: number) => medians.slice(m * table.dims, (m + 1) * table.dims);
            const total = plain.labels.reduce((sum, own, row) => sum + plain.distance(row, middle(own)), 0);
            expect(await rows.sumAround(Float64Array.from(medians))).toBe(total);
          }
          const row = draws.below(table.n);
          const point = Float64Array.from(draws.list(table.dims, () => draws.between(-50, 50)));
          const distances = table.columns.length === 0 ? 0 : plain.distance(row, point);
          expect((await rows.distancesTo(point))[row]).toBe(distances);
          expect(Array.from(rows.row(row))).toEqual(table.columns.map((column) => column[row]));
          expect(rows.labelsOf(Uint32Array.of(row))[0]).toBe(plain.labels[row]);
        } finally {
          rows.close();
        }
      }),
      { numRuns: 100 },
    );
  });

  it("survey and snap what was loaded, from arrays of any kind", async () => {
    const draws = new Draws(3);
    const n = 1000;
    const columns = [
      Float32Array.from({ length: n }, () => Math.fround(draws.between(-9000, 9000) / 1000)),
      Float64Array.from({ length: n }, () => draws.between(-50, 50) / 8),
      draws.list(n, () => draws.between(0, 3)),
    ];
    const rows = new Rows(lanes, n, 3);
    const survey = await rows.load(columns);
    columns.forEach((column, j) => {
      const values = Array.from(column);
      expect(survey[j].top).toBe(Math.max(...values.map(Math.abs)));
      expect(survey[j].sum).toBeCloseTo(
        values.reduce((a, b) => a + b, 0),
        6,
      );
      expect(survey[j].squares).toBeCloseTo(
        values.reduce((a, b) => a + b * b, 0),
        6,
      );
    });
    await rows.snap(1024);
    for (const row of [0, 255, 256, 999]) {
      rows.row(row).forEach((value, j) => {
        expect(Number.isInteger(value)).toBe(true);
        expect(Math.abs(value - columns[j][row] * 1024)).toBeLessThanOrEqual(0.5);
      });
    }
    rows.close();
  });

  it("agree with plain loops where people are many and dealt in larger chunks", async () => {
    const shape = {
      n: 41_003,
      dims: 5,
      k: 4,
      patterns: 3,
      span: 1000,
      offsets: 100_000,
      jitter: 1000,
      manhattan: false,
    };
    const table = drawTable({ ...shape, weights: "equal" as const, seed: 7 }, new Draws(7));
    const rows = await load(lanes, table);
    const plain = new Plain(table);
    const everyone = { from: 0, to: table.n };
    const sums = new Float64Array(table.k * table.dims);
    const counts = new Float64Array(table.patterns * table.k);
    for (const ownFirst of [false, true]) {
      const chosen = plain.choose(everyone, ownFirst);
      expect(await rows.decide(everyone, ownFirst)).toBe(plain.adopt(everyone, chosen));
      expect(Array.from(rows.labels())).toEqual(plain.labels);
      rows.collect(sums, counts);
      const after = plain.statistics();
      expect(Array.from(counts)).toEqual(after.counts);
      expect(Array.from(sums)).toEqual(after.sums);
      table.scoring = nudge(table.scoring, new Draws(9));
      rows.setScoring(table.scoring);
    }
    rows.close();
  });

  it("have nobody in any cluster at the beginning, and again after beginning anew", async () => {
    const table = drawTable(
      {
        n: 300,
        dims: 2,
        k: 3,
        patterns: 2,
        span: 9,
        offsets: 5,
        jitter: 0,
        weights: "any" as const,
        manhattan: false,
        seed: 1,
      },
      new Draws(1),
    );
    const rows = await load(lanes, table);
    const everyone = { from: 0, to: 300 };
    expect(rows.labels().every((label) => label === nowhere)).toBe(true);
    expect(await rows.decide(everyone, true)).toBe(300);
    rows.begin(5, 4);
    expect(rows.labels().every((label) => label === nowhere)).toBe(true);
    const counts = new Float64Array(20);
    rows.collect(new Float64Array(10), counts);
    expect(counts.every((count) => count === 0)).toBe(true);
    rows.close();
  });

  it("keep a pinned pattern apart and give it back", async () => {
    const table = drawTable(
      {
        n: 40,
        dims: 1,
        k: 2,
        patterns: 2,
        span: 9,
        offsets: 5,
        jitter: 0,
        weights: "equal" as const,
        manhattan: false,
        seed: 2,
      },
      new Draws(2),
    );
    const rows = await load(lanes, table);
    const changed = new Plain({ ...table, codes: table.codes.map((code, i) => (i === 17 ? 1 - code : code)) });
    rows.setPattern(17, 1 - table.codes[17]);
    const everyone = { from: 0, to: 40 };
    expect(Array.from(await rows.scores(everyone))).toEqual(changed.scores(everyone));
    rows.setPattern(17, table.codes[17]);
    expect(Array.from(await rows.scores(everyone))).toEqual(new Plain(table).scores(everyone));
    rows.close();
  });

  it("measure distances near the edge of what is exact", async () => {
    const edge = 2 ** 23 - 1;
    const table: PlainTable = {
      n: 17,
      dims: 2,
      k: 2,
      patterns: 1,
      columns: [Array.from({ length: 17 }, (_, i) => edge - i), Array.from({ length: 17 }, (_, i) => i - edge)],
      codes: new Array<number>(17).fill(0),
      centres: [
        [-edge, edge],
        [edge - 3, -edge],
      ],
      scoring: {
        weight: Float64Array.of(1, 1),
        ownWeight: Float64Array.of(1, 1),
        offset: new Float64Array(2),
        ownOffset: new Float64Array(2),
        jitter: 0,
      },
    };
    const rows = await load(lanes, table);
    expect(Array.from(await rows.scores({ from: 0, to: 17 }))).toEqual(new Plain(table).scores({ from: 0, to: 17 }));
    rows.close();
  });
});

describe("jitter", () => {
  it("is spread evenly over 0 to below the amplitude, whatever person and cluster", () => {
    const bins = new Array<number>(10).fill(0);
    for (let person = 0; person < 20_000; person++) {
      for (let cluster = 0; cluster < 5; cluster++) bins[jitter(person, cluster, 10)]++;
    }
    // Chi-square with 9 degrees of freedom: above 44.8 once in a million.
    expect(bins.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)).toBeLessThan(44.8);
  });
});
