// Slow: a distinguisher needs thousands of draws.
import { randomFillSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openLanes } from "../../kernels/lanes.js";
import { privateGridBits, privateUnit, snapped, sumsInCells } from "../../parties/mixture-site.js";
import { Chance, seededNoise } from "../../privacy/noise/chance.js";
import { alone } from "../../privacy/noise/noise-shares.js";
import { provenLoss } from "../../privacy/testing/distinguisher.js";
import { generateTable, type PeopleOptions, preparePeople } from "../../table/index.js";
import { chiSquareLimit } from "../../testing/statistics.js";
import { cluster } from "../cluster.js";
import { parseModel, predict, toModel } from "../model.js";
import type { ClusterOptions, PeopleClustering } from "../types.js";
import { planFair } from "./dp-fair.js";
import { NoisyParties } from "./noisy-parties.js";
import { columnsIn } from "./space.js";

const operatingSystem = { secret: true, fill: (bytes: Uint8Array) => void randomFillSync(bytes) };
const box = { age: [15, 95], hours: [0, 80], income: [0, 150_000], visits: [0, 40] } as const;
const tableOf = (n: number) => generateTable("people", { n, seed: 3 });
const reading = { features: Object.keys(box), protect: ["sex"], box };
const peopleOf = (n: number) => preparePeople(tableOf(n), reading);
const asked: ClusterOptions = {
  ...{ algorithm: "dp-fair", k: 3, private: "all", epsilon: 4, split: "columns", threads: 1 },
  ...{ components: 8, noise: seededNoise(1) },
};
/** A source of noise is used up. */
const again = (options: Partial<ClusterOptions> = {}) => ({ ...asked, noise: seededNoise(1), ...options });

function essence({ labels, centres, cells, result }: PeopleClustering) {
  const { communication: _, seconds: __, ...rest } = result;
  return { labels: [...labels], centres, cells, rest };
}

describe("private clusters of columns that parties of one process hold", () => {
  it("are the same whoever holds which columns, on any number of threads", async () => {
    const people = peopleOf(3000);
    const one = essence(await cluster(people, again({ parties: 1 })));
    expect(one.rest.privacy).toMatchObject({ mode: "all", delta: 1e-5, epsilon: 4 });
    expect(new Set(one.labels).size).toBe(3);
    for (const [parties, threads] of [
      [2, 1],
      [3, 2],
      [4, 1],
    ]) {
      expect(essence(await cluster(people, again({ parties, threads })))).toEqual(one);
    }
    expect(essence(await cluster(people, again({ noise: seededNoise(2) })))).not.toEqual(one);
  });

  it("are those of the model that is released, for people in training as for newcomers", async () => {
    const table = tableOf(3000);
    const people = preparePeople(table, reading);
    const clustering = await cluster(people, again({ noise: operatingSystem, parties: 3 }));
    const model = parseModel(JSON.parse(JSON.stringify(toModel(people, clustering))));
    const columns = table.columns.filter(({ name }) => name !== "sex");
    const { labels } = await predict(model, { ...table, columns });
    expect([...labels]).toEqual([...clustering.labels]);
  });

  it("are nearly as tight as those of whole rows where there is no noise", async () => {
    const people = peopleOf(3000);
    const sse = async (split: "rows" | "columns") =>
      (await cluster(people, again({ split, epsilon: Number.POSITIVE_INFINITY, components: 16 }))).result.sse;
    expect(await sse("columns")).toBeLessThan(1.1 * (await sse("rows")));
  });

  it("are refused in one line where noise would leave nothing of them, and where the whole form needs rows", async () => {
    const few = again({ epsilon: 1, components: 16 });
    await expect(cluster(peopleOf(500), few)).rejects.toMatchObject({
      code: "infeasible",
      message: expect.stringMatching(/^about \d+ people are too few for epsilon 1: .* they would say nothing; use /),
    });
    await expect(cluster(peopleOf(500), again({ lambda: 10 }))).rejects.toThrow(/densities over all columns in one/);
    await expect(cluster(peopleOf(500), { ...asked, private: "attribute" })).rejects.toThrow(
      /`private: attribute` is not for columns split over parties, since .*: use `split: rows`/,
    );
  });
});

const planned = (dims: number, epsilon = 1) =>
  planFair(
    {
      ...{ n: 1000, dimensions: { length: dims }, attributes: [{ name: "sex", groups: ["F", "M"] }] },
      ...{ publicBounds: true, split: "columns" },
    },
    [3],
    { epsilon, private: "all", components: 4 },
    alone,
  );

describe("the noise of a round", () => {
  const { terms, costs } = planned(6);
  const noise = terms.noiseAt(0)!;

  it("is what the whole budget pays for, whoever asks how often", () => {
    const [rounds, census] = costs.parts;
    expect(rounds.what).toMatch(/centres of cells, 7 rounds/);
    // Of the loss of a round, a fifth is for counts and the rest for sums: what one person may change is 1 and the root of all columns.
    const rho = rounds.loss.rho / 7;
    if (noise.kind !== "gaussian") throw new Error("not Gaussian");
    const deviations = noise.variances.map((variance) => Math.sqrt(Number(variance)) * privateUnit);
    expect(deviations).toHaveLength(2);
    expect(deviations[0]).toBeCloseTo(Math.sqrt(1 / (2 * 0.2 * rho)), 6);
    expect(deviations[1]).toBeCloseTo(Math.sqrt(6 / (2 * 0.8 * rho)), 6);
    expect(costs.loss.rho).toBeCloseTo(rounds.loss.rho + census.loss.rho, 12);
    expect(terms.noiseAt(7)).toBeUndefined();
  });

  it("is on every number once, each by its owner: of the spread that was planned", () => {
    const chance = new Chance(operatingSystem);
    const cells = Uint16Array.of();
    const parts = [
      { columns: [[], []], from: 0, counts: true },
      { columns: [[]], from: 2, counts: false },
      { columns: [[], [], []], from: 3, counts: false },
    ];
    const draws = 60;
    const count = 5;
    const squares = [0, 0];
    for (let draw = 0; draw < draws; draw++) {
      const [a, b, c] = parts.map((part) => sumsInCells(cells, count, 6, part, noise, chance));
      for (let at = 0; at < a.length; at++) {
        const own = [a[at], b[at], c[at]].filter((value) => value !== 0);
        // Others say nothing of it; that noise of this spread is 0 is less likely than one in a million.
        expect(own).toHaveLength(1);
        const part = at % 7 === 0 ? 0 : 1;
        if (noise.kind === "gaussian") squares[part] += own[0] ** 2 / Number(noise.variances[part]);
      }
    }
    // Sums of squares of normal draws: less likely than one in a million beyond these limits, on either side.
    [draws * count, draws * count * 6].forEach((degrees, part) => {
      expect(squares[part]).toBeLessThan(chiSquareLimit(degrees));
      expect(squares[part]).toBeGreaterThan(2 * degrees - chiSquareLimit(degrees));
    });
  });

  it("hides one more person, of whom every site holds a part; and a distinguisher finds out where there is too little of it", () => {
    const chance = new Chance(operatingSystem);
    const epsilon = 1;
    const own = planned(6, epsilon).terms.noiseAt(0)!;
    const little = planned(1, 60).terms.noiseAt(0)!;
    const [nobody, somebody] = [[], [1]];
    const told = (values: readonly number[], from: typeof own) => () => {
      const cells = Uint16Array.from(values, () => 0);
      const columns = Array.from({ length: 6 }, () => values);
      const sums = sumsInCells(cells, 1, 6, { columns, from: 0, counts: true }, from, chance);
      return Math.round(sums.reduce((sum, value) => sum + value, 0) * privateUnit * 4);
    };
    const delta = 1e-5;
    expect(provenLoss(told(nobody, own), told(somebody, own), 2000, delta)).toBeLessThanOrEqual(epsilon);
    expect(provenLoss(told(nobody, little), told(somebody, little), 2000, delta)).toBeGreaterThan(epsilon);
  });
});

describe("people with categories", () => {
  const table = tableOf(300);
  const levels = ["job", "housing"].map((column) => {
    const { encodings } = preparePeople(table, { features: ["age"], categorical: [column], protect: ["sex"] });
    const [encoding] = encodings.filter(({ kind }) => kind === "categorical");
    return [column, encoding.kind === "categorical" ? encoding.levels : []] as const;
  });
  const boxes = { age: [30, 60], hours: [0, 80], ...Object.fromEntries(levels) } as NonNullable<PeopleOptions["box"]>;
  const people = preparePeople(table, {
    ...{ features: ["age", "hours"], categorical: ["job", "housing"], protect: ["sex"], box: boxes },
  });

  it("are no longer than their columns are many, also where they are outside the box, and so are their products", () => {
    expect(columnsIn(people)).toBe(4);
    const columns = people.dimensions.map((column) => snapped(column, privateGridBits));
    expect(columns.length).toBeGreaterThan(10);
    for (let row = 0; row < people.n; row++) {
      const x = columns.map((column) => column[row]);
      const products = x.flatMap((a, i) => x.slice(i).map((b) => a * b));
      expect(x.reduce((sum, value) => sum + value ** 2, 0)).toBeLessThanOrEqual(4);
      expect(products.reduce((sum, value) => sum + value ** 2, 0)).toBeLessThanOrEqual((4 * 5) / 2);
    }
    expect(Math.max(...people.dimensions[0])).toBeGreaterThan(1);
  });

  it("have noise for as many columns, and are refused where somebody is in two categories at once", async () => {
    const dims = people.dimensions.length;
    const sized = (columns?: number) => {
      const noise = planFair(
        { ...people, ...(columns ? { columns } : {}) },
        [3],
        { epsilon: 1, private: "all" },
        alone,
      ).terms.noiseAt(0);
      return noise?.kind === "gaussian" ? noise.variances.map(Number) : [];
    };
    const [all, few] = [sized(), sized(4)];
    expect(few[0]).toBe(all[0]);
    expect(few[1] / all[1]).toBeCloseTo(4 / dims, 6);
    expect(few[2] / all[2]).toBeCloseTo((4 * 5) / (dims * (dims + 1)), 6);
    const everywhere = {
      ...people,
      dimensions: people.dimensions.map((column) => Float64Array.from(column, (x) => x || 0.1)),
    };
    await expect(cluster(everywhere, again())).rejects.toThrow(/somebody is in several categories of 'job' at once/);
    // Where nobody knows what the dimensions are of, each counts.
    expect(columnsIn({ ...people, encodings: [] })).toBe(dims);
  });
});

describe("what is released", () => {
  const people = peopleOf(2000);

  /** Everything by the plan, from these noisy numbers. */
  async function from(numbers: readonly Float64Array[]) {
    const planFor = planFair(
      { ...people, split: "columns" },
      [3],
      { epsilon: 4, private: "all", components: 8 },
      alone,
    );
    const left = [...numbers];
    const next = async () => left.shift()!.slice();
    return planFor.solveColumns!({ sums: next, census: next }, { seed: 1, maxIterations: 50 });
  }

  it("is a function of noisy numbers, as many as the plan says: no person is looked at beside them", async () => {
    const noisy: Float64Array[] = [];
    const plan = planFair({ ...people, split: "columns" }, [3], { epsilon: 4, private: "all", components: 8 }, alone);
    const columns = new NoisyParties(people, 2, openLanes(1), plan.terms, new Chance(seededNoise(5)));
    const kept = async (numbers: Promise<Float64Array>) => {
      noisy.push((await numbers).slice());
      return numbers;
    };
    const solution = await plan.solveColumns!(
      {
        sums: (centres, round) => kept(columns.sums(centres, round)),
        census: (centres) => kept(columns.census(centres)),
      },
      { seed: 1, maxIterations: 50 },
    );
    // One for everybody, one for each doubling, four more; and the census.
    expect(noisy).toHaveLength(1 + 3 + 4 + 1);
    expect(await from(noisy)).toEqual(solution);
  });
});

describe("the promise of whole runs", () => {
  const few = peopleOf(200);
  const one = (values: ArrayLike<number>, more: number) => Float64Array.from([...Array.from(values), more]);
  /** The same people and one more, in a corner of the box. */
  const more = {
    ...few,
    n: few.n + 1,
    dimensions: few.dimensions.map((column) => one(column, 1)),
    attributes: few.attributes.map((each) => ({ ...each, codes: Uint16Array.from([...each.codes, 0]) })),
  };
  const lanes = openLanes(1);
  const chance = new Chance(operatingSystem);

  /** What an attacker makes of a run: how many people there seem to be, and where they are. */
  async function seen(who: typeof few, epsilon: number, times: number): Promise<() => number> {
    const values: number[] = [];
    for (let run = 0; run < times; run++) {
      const plan = planFair({ ...who, split: "columns" }, [1], { epsilon, private: "all", components: 2 }, alone);
      const columns = new NoisyParties(who, 2, lanes, plan.terms, chance);
      try {
        const { clusterings, centres } = await plan.solveColumns!(columns, { seed: 1, maxIterations: 1 });
        const mean = centres.reduce((sum, value) => sum + value, 0) / centres.length;
        values.push(Math.round(2 * (clusterings[0].released.sizes[0] + 20 * mean)));
      } catch (error) {
        // A refusal is something to be seen too.
        expect(error).toMatchObject({ code: "infeasible" });
        values.push(-1000);
      }
    }
    return () => values.pop()!;
  }

  it("is kept, and found out when the noise is too small", async () => {
    const [times, epsilon, delta] = [800, 2.5, 1e-5];
    const loss = async (used: number) =>
      provenLoss(await seen(few, used, times), await seen(more, used, times), times, delta);
    expect(await loss(epsilon)).toBeLessThanOrEqual(epsilon);
    // Sabotage: the noise of epsilon 300 under a promise of 2.5.
    expect(await loss(300)).toBeGreaterThan(epsilon);
  });
});
