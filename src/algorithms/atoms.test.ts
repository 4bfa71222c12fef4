// Slow: it makes some dozen fair clusterings.
import { describe, expect, it } from "vitest";
import { openLanes } from "../kernels/lanes.js";
import { evaluate, measureFairness, sse } from "../metrics/index.js";
import { splitColumns } from "../parties/split.js";
import { Assigner } from "../solver/assigner.js";
import { localDecider } from "../solver/local-deciders.js";
import { preparePeople } from "../table/index.js";
import type { People, Table } from "../table/types.js";
import { Draws } from "../testing/draws.js";
import { copied, peopleOf, weighed } from "../testing/people.js";
import { atomsOf } from "./atoms.js";
import { cluster } from "./cluster.js";
import { settle } from "./settings.js";

async function forSeeds(count: number, holds: (draws: Draws) => Promise<void>): Promise<void> {
  for (let seed = 1; seed <= count; seed++) await holds(new Draws(seed));
}

/** People drawn at random: two columns, one attribute of three groups. */
function drawPeople(n: number, draws: Draws): People {
  const codes = draws.list(n, (i) => (i < 3 ? i : draws.below(3)));
  const columns = [0, 1].map(() => draws.list(n, (i) => codes[i] + draws.normal()));
  return peopleOf(columns, [codes]);
}

/** Everything that a solver reads off clusters, at given labels. */
async function statistics(people: People, labels: Uint16Array, k: number, parties: number) {
  const settings = await settle(people, { k, tolerance: 1, minSize: 2 });
  const split = splitColumns(atomsOf(people)?.solved ?? people, parties, openLanes(1), settings);
  const assigner = await Assigner.open(localDecider(split), k);
  await assigner.adopt(assigner.everyone, labels);
  await assigner.recentre();
  return {
    sse: await assigner.sse(),
    sizes: await assigner.columns.sizes(),
    status: await assigner.limitStatus(),
    centres: split.map((party) => party.scaledCentres()),
  };
}

describe("weights", () => {
  it("of 2 are two copies at given labels: sums, costs, counts, sizes and violations", async () => {
    await forSeeds(12, async (draws) => {
      const parties = draws.between(1, 2);
      const [n, k] = [draws.between(8, 40), 3];
      const people = drawPeople(n, draws);
      const times = draws.list(n, () => draws.between(1, 4));
      const labels = Uint16Array.from(draws.list(n, (i) => (i < k ? i : draws.below(k))));
      const { copies, source } = copied(people, times);
      const copiedLabels = Uint16Array.from(source, (i) => labels[i]);
      const own = await statistics(weighed(people, times), labels, k, parties);
      const others = await statistics(copies, copiedLabels, k, parties);
      expect(own.sizes).toEqual(others.sizes);
      expect(own.centres).toEqual(others.centres);
      expect(own.sse).toBe(others.sse);
      expect(own.status).toMatchObject({ violation: others.status.violation, excess: others.status.excess });
      const bounds = (await settle(copies, { k, tolerance: 1 })).bounds;
      const asked = { k, bounds, tolerance: 1 };
      const measured = measureFairness({ people: weighed(people, times), labels, ...asked });
      expect(measured).toEqual(measureFairness({ people: copies, labels: copiedLabels, ...asked }));
      const cost = sse(people.dimensions, labels, k, Float64Array.from(times));
      expect(cost).toBeCloseTo(sse(copies.dimensions, copiedLabels, k), 9);
    });
  });

  it("scale columns as copies do, and stay exact on their grid", () => {
    const values = [1, 2, 4, 8, 16, 3];
    const numeric = (name: string, list: readonly number[]) => {
      return { kind: "numeric" as const, name, values: Float64Array.from(list), missing: 0, notFinite: 0 };
    };
    const times = [1, 2, 1, 3, 1, 2];
    const table: Table = { rows: 6, columns: [numeric("x", values), numeric("w", times)] };
    const copies = times.flatMap((count, i) => new Array<number>(count).fill(values[i]));
    const own = preparePeople(table, { features: ["x"], weights: "w" });
    const others = preparePeople({ rows: copies.length, columns: [numeric("x", copies)] }, { features: ["x"] });
    expect(own.encodings[0]).toMatchObject({ column: "x" });
    for (const key of ["shift", "scale"] as const) {
      const scales = [own, others].map(({ encodings: [each] }) => (each?.kind === "numeric" ? each[key] : Number.NaN));
      expect(scales[0]).toBeCloseTo(scales[1]!, 12);
    }
    const decimal = preparePeople(
      { ...table, columns: [table.columns[0]!, numeric("w", [0.1, 0.2, 0.3, 1.7, 2, 3])] },
      { weights: "w" },
    );
    const { values: snapped, unit, total } = decimal.weights!;
    expect(snapped.every((weight) => Number.isInteger(weight / unit))).toBe(true);
    expect([...snapped].reverse().reduce((sum, weight) => sum + weight, 0)).toBe(total);
    expect(total).toBeCloseTo(7.3, 6);
  });

  it("are refused where they are not above 0", () => {
    const numeric = (name: string, list: readonly number[]) => {
      return { kind: "numeric" as const, name, values: Float64Array.from(list), missing: 0, notFinite: 0 };
    };
    const table: Table = { rows: 3, columns: [numeric("x", [1, 2, 3]), numeric("w", [1, 0, -2])] };
    expect(() => preparePeople(table, { weights: "w" })).toThrow("column 'w' is 0 or less in 2 of 3 rows");
  });

  it("give the same labels for any number of parties and threads, and a fair result within the largest of them", async () => {
    const draws = new Draws(7);
    const people = weighed(
      drawPeople(200, draws),
      draws.list(200, () => draws.between(1, 12) / 4),
      0.25,
    );
    const one = await cluster(people, { k: 4, threads: 1 });
    const { result } = one;
    expect(result).toMatchObject({
      fair: true,
      tolerance: 3,
      atoms: { count: 200, largest: 3, feasible: "witnessed" },
    });
    expect(result.sizes.reduce((a, b) => a + b, 0)).toBe(people.weights!.total);
    for (const other of [{ parties: 2 }, { threads: 3 }]) {
      expect((await cluster(people, { k: 4, ...other })).labels).toEqual(one.labels);
    }
    const measured = evaluate({
      people,
      labels: one.labels,
      bounds: (await settle(people, { k: 4 })).bounds,
      tolerance: 3,
    });
    expect(measured).toMatchObject({
      sse: result.sse,
      sizes: result.sizes,
      maxViolation: result.maxViolation,
      fair: true,
    });
  });

  it("may be shares of one, as surveys have them", async () => {
    const draws = new Draws(9);
    const people = drawPeople(200, draws);
    const whole = draws.list(200, () => draws.between(1, 4));
    const shares = weighed(
      people,
      whole.map((weight) => weight / 4096),
      1 / 4096,
    );
    const own = await cluster(weighed(people, whole), { k: 4 });
    const { result } = await cluster(shares, { k: 4 });
    expect([result.fair, result.tolerance]).toEqual([true, 4 / 4096]);
    expect(4096 * result.sse).toBeLessThan(1.02 * own.result.sse);
    const free = await cluster({ ...shares, attributes: [] }, { k: 4 });
    expect(free.result.warnings).toEqual([]);
  });

  it.each(["lloyd", "cdkm", "teb"] as const)("work with %s", async (algorithm) => {
    const draws = new Draws(11);
    const { attributes: _, ...plain } = drawPeople(120, draws);
    const people = weighed(
      { ...plain, attributes: [] },
      draws.list(120, () => draws.between(1, 5)),
    );
    const { labels, result } = await cluster(people, {
      k: 3,
      algorithm,
      ...(algorithm === "teb" ? { minSize: 100 } : {}),
    });
    expect(result.sse).toBe(sse(people.dimensions, labels, 3, people.weights!.values));
    if (algorithm === "teb") expect(Math.min(...result.sizes)).toBeGreaterThanOrEqual(100);
  });
});

describe("households", () => {
  const housed = (people: People, codes: readonly number[]): People => {
    return { ...people, together: { column: "home", codes: Int32Array.from(codes), count: Math.max(...codes) + 1 } };
  };

  it("share a cluster, and promises are kept in people", async () => {
    await forSeeds(4, async (draws) => {
      const n = 300;
      let home = 0;
      const codes = draws.list(n, (i) => (i === 0 || draws.below(3) > 0 ? home : ++home));
      const plain = drawPeople(n, draws);
      const people = housed(
        draws.below(2)
          ? plain
          : weighed(
              plain,
              draws.list(n, () => draws.between(1, 3)),
            ),
        codes,
      );
      const { labels, result } = await cluster(people, { k: 3, parties: draws.between(1, 2) });
      const weights = people.weights?.values ?? new Float64Array(n).fill(1);
      const heaviest = Math.max(
        ...Array.from({ length: home + 1 }, (_, h) =>
          codes.reduce((sum, each, i) => sum + (each === h ? weights[i] : 0), 0),
        ),
      );
      expect(result.atoms).toMatchObject({ count: home + 1, largest: heaviest });
      expect(result.tolerance).toBe(heaviest);
      expect(codes.every((each, i) => i === 0 || each !== codes[i - 1] || labels[i] === labels[i - 1])).toBe(true);
      expect(result.sse).toBe(sse(people.dimensions, labels, 3, people.weights?.values));
      expect(result.unconstrainedSse!).toBeLessThanOrEqual(result.sse);
      const { bounds, tolerance } = await settle(people, { k: 3 });
      const measured = measureFairness({ people, labels, k: 3, bounds, tolerance });
      expect(measured.maxViolation).toBe(result.maxViolation);
      expect(result.fair).toBe(true);
    });
  });

  it("contracted by hand and as the solver sees them have the same excess and costs", async () => {
    await forSeeds(10, async (draws) => {
      const [n, k] = [30, 3];
      const codes = draws.list(n, (i) => Math.floor(i / 3));
      const people = housed(drawPeople(n, draws), codes);
      const labels = Uint16Array.from(draws.list(10, () => draws.below(k)));
      const atoms = atomsOf(people)!;
      const settings = await settle(people, { k, tolerance: 1, minSize: 2 });
      const [party] = splitColumns(atoms.solved, 1, openLanes(1), settings);
      const assigner = await Assigner.open(localDecider([party!]), k);
      await assigner.adopt(assigner.everyone, labels);
      const expanded = atoms.expand(labels);
      const { excess, violation } = await assigner.limitStatus();
      const [plain] = splitColumns({ ...people, attributes: people.attributes }, 1, openLanes(1), settings);
      const single = await Assigner.open(localDecider([plain!]), k);
      await single.adopt(single.everyone, expanded);
      expect(await single.limitStatus()).toMatchObject({ excess, violation });
      expect((await assigner.sse()) + atoms.scatter).toBeCloseTo(sse(people.dimensions, expanded, k), 1);
    });
  });
});

describe("people apart", () => {
  const kept = (people: People, codes: readonly number[]): People => {
    return { ...people, apart: { column: "family", codes: Int32Array.from(codes), count: Math.max(...codes) + 1 } };
  };
  const areApart = (codes: readonly number[], labels: Uint16Array) => {
    return codes.every((code, i) => codes.every((other, j) => j <= i || code !== other || labels[i] !== labels[j]));
  };

  it("go where brute force finds the least cost at given centres, whatever they weigh", async () => {
    await forSeeds(12, async (draws) => {
      const [n, k] = [6, 3];
      const codes = [0, 0, 0, 1, 1, 2];
      const { attributes: _, ...plain } = drawPeople(n, draws);
      const loose = { ...plain, attributes: [] };
      const people = kept(
        draws.below(2)
          ? weighed(
              loose,
              draws.list(n, () => draws.between(1, 4)),
            )
          : loose,
        codes,
      );
      const seats = draws.list(k, () => 0).map(() => Float64Array.of(draws.normal(), draws.normal()));
      const { labels } = await cluster(people, { k, seats, algorithm: "f3km" });
      const cost = (chosen: ArrayLike<number>) =>
        codes.reduce((sum, _code, i) => {
          const distance = people.dimensions.reduce((d, x, j) => d + (x[i] - seats[chosen[i]]![j]!) ** 2, 0);
          return sum + (people.weights?.values[i] ?? 1) * distance;
        }, 0);
      let least = Number.POSITIVE_INFINITY;
      for (let code = 0; code < k ** n; code++) {
        const chosen = Uint16Array.from({ length: n }, (_, i) => Math.floor(code / k ** i) % k);
        if (areApart(codes, chosen)) least = Math.min(least, cost(chosen));
      }
      expect(areApart(codes, labels)).toBe(true);
      expect(cost(labels)).toBeLessThan(least * 1.001);
    });
  });

  it("stay apart in fair and in even clusters, with households too", async () => {
    await forSeeds(3, async (draws) => {
      const n = 150;
      const codes = draws.list(n, (i) => Math.floor(i / 3));
      const people = kept(drawPeople(n, draws), codes);
      const fair = await cluster(people, { k: 4 });
      expect([fair.result.fair, areApart(codes, fair.labels)]).toEqual([true, true]);
      expect(fair.result.apart).toEqual({ column: "family", values: 50 });
      const even = await cluster({ ...people, attributes: [] }, { k: 4, balance: "hard", parties: 2 });
      expect([even.result.sizesKept, areApart(codes, even.labels)]).toEqual([true, true]);
      const together = { column: "home", codes: Int32Array.from(codes, (_, i) => (i < 3 ? i : i % 30)), count: 30 };
      await expect(cluster({ ...people, together }, { k: 4 })).rejects.toThrow(
        /belong together by 'home' have different values of 'family'/,
      );
    });
  });

  it("are refused where more share a value than there are clusters, by number and not by name", async () => {
    const people = kept(
      drawPeople(20, new Draws(1)),
      new Array<number>(20).fill(0).map((_, i) => (i < 5 ? 0 : i)),
    );
    await expect(cluster(people, { k: 4 })).rejects.toThrow(
      "up to 5 people have the same value of 'family' and cannot all be apart in k=4 clusters",
    );
  });
});
