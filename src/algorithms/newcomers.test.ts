import { describe, expect, it } from "vitest";
import { seededNoise } from "../privacy/noise/chance.js";
import { generateTable } from "../table/generate.js";
import { preparePeople } from "../table/people.js";
import type { Table } from "../table/types.js";
import { assign } from "./assign.js";
import { cluster } from "./cluster.js";
import { type Model, parseModel, predict, toModel } from "./model.js";
import { update } from "./update.js";

const old = generateTable("people", { n: 12_000, seed: 5 });
const fresh = generateTable("people", { n: 1500, seed: 77 });
const protect = ["sex", "age:30,50"];

const models = new Map<string, Promise<Model>>();

function modelOf(options: Partial<Parameters<typeof cluster>[1]> = {}): Promise<Model> {
  const asked = JSON.stringify(options);
  const made = models.get(asked) ?? makeModel(options);
  models.set(asked, made);
  return made;
}

async function makeModel(options: Partial<Parameters<typeof cluster>[1]>): Promise<Model> {
  const people = preparePeople(old, { features: ["income", "hours", "tenure", "balance"], protect });
  const clustering = await cluster(people, { k: 4, ...options });
  // As it is after a file.
  return parseModel(JSON.parse(JSON.stringify(toModel(people, clustering))));
}

/** The same table with its rows in another order. */
function reordered({ columns, ...table }: Table, order: Uint32Array): Table {
  return {
    ...table,
    columns: columns.map((column) =>
      column.kind === "numeric"
        ? { ...column, values: Float64Array.from(order, (row) => column.values[row]) }
        : { ...column, codes: Int32Array.from(order, (row) => column.codes[row]) },
    ),
  };
}

function countsOf(labels: Uint16Array, codes: Uint16Array, groups: number, k: number): number[][] {
  const counts = Array.from({ length: groups }, () => new Array<number>(k).fill(0));
  labels.forEach((m, i) => void counts[codes[i]][m]++);
  return counts;
}

describe("a batch of newcomers", () => {
  it("is within the model's bounds, where the nearest centres are far beyond, and costs little more", async () => {
    const model = await modelOf();
    const { result, labels } = await assign(model, fresh);
    const { fairness } = await predict(model, fresh, { protect });
    expect(fairness).toMatchObject({ fair: false, maxViolation: result.nearestViolation });
    expect(fairness!.maxViolation).toBeGreaterThan(10);
    expect(result).toMatchObject({ fair: true, online: false, together: false, n: 1500 });
    expect(result.maxViolation).toBeLessThanOrEqual(1);
    expect(result.sse).toBeGreaterThanOrEqual(result.nearestSse);
    expect(result.gap).toBeLessThan(0.01);
    expect(labels).toHaveLength(1500);
  });

  it("is within them together with the people of the model, where asked", async () => {
    const model = await modelOf();
    const { result, model: updated, labels, people } = await assign(model, fresh, { together: true });
    expect(result).toMatchObject({ fair: true, together: true });
    model.promises!.attributes.forEach(({ name, counts, lower, upper }, at) => {
      const { groups, codes } = people.attributes[at];
      const own = countsOf(labels, codes, groups.length, 4);
      const sum = counts!.map((row, group) => row.map((count, m) => count + own[group][m]));
      expect(updated.promises!.attributes[at]).toMatchObject({ name, counts: sum });
      const sizes = sum[0].map((_, m) => sum.reduce((total, row) => total + row[m], 0));
      expect(updated.people).toEqual(sizes);
      for (const [group, row] of sum.entries()) {
        for (const [m, count] of row.entries()) {
          expect(count).toBeLessThanOrEqual(upper[group] * sizes[m] + 1 + 1e-6);
          expect(count).toBeGreaterThanOrEqual(lower[group] * sizes[m] - 1 - 1e-6);
        }
      }
    });
  });

  it("keeps sizes: even ones of its own, and the room that the people of the model leave", async () => {
    const even = await assign(await modelOf({ balance: "hard" }), fresh);
    expect(Math.max(...even.result.sizes) - Math.min(...even.result.sizes)).toBeLessThanOrEqual(1);
    const model = await modelOf({ maxSize: 3300 });
    const { model: updated } = await assign(model, fresh, { together: true }).catch((error: Error) => {
      expect(error.message).toMatch(/room for|sizes/);
      return { model: undefined };
    });
    expect(Math.max(...(updated?.people ?? [0]))).toBeLessThanOrEqual(3300);
  });

  it("is refused, with bounds that it can keep, where it cannot keep these", async () => {
    const [women] = [generateTable("people", { n: 300, seed: 3 })].map((table) => {
      const sex = table.columns.find(({ name }) => name === "sex")!;
      const rows = Uint32Array.from({ length: 300 }, (_, row) => row).filter(
        (row) => sex.kind === "text" && sex.levels[sex.codes[row]] === "F",
      );
      return { ...reordered(table, rows), rows: rows.length };
    });
    await expect(assign(await modelOf(), women)).rejects.toThrow(
      /sex.*use bounds of sex.* wider by|a max of 1 or more|a tolerance of/,
    );
  });

  it("may be smaller than the number of clusters", async () => {
    const few = { ...reordered(fresh, Uint32Array.of(3, 8)), rows: 2 };
    const { labels } = await assign(await modelOf(), few);
    expect(labels).toHaveLength(2);
  });

  it("has groups that the model knows, or is refused", async () => {
    const strange = {
      ...fresh,
      columns: fresh.columns.map((column) =>
        column.name === "sex" && column.kind === "text"
          ? { ...column, levels: column.levels.map((level) => `${level}?`) }
          : column,
      ),
    };
    const model = await modelOf();
    await expect(assign(model, strange)).rejects.toThrow(
      /the model has no bounds for 3 groups of 'sex' among the newcomers: it knows F, M, X/,
    );
    await expect(assign(model, fresh, { protect: ["region"] })).rejects.toThrow(
      /no bounds for an unknown attribute 'region'/,
    );
    const { promises: _, ...nothing } = model;
    await expect(assign(nothing, fresh)).rejects.toThrow(/promises nothing to groups/);
  });
});

describe("newcomers one at a time", () => {
  it.each(["as they come", "sorted", "one group after another"])(
    "are never beyond a bound while a cluster takes them within: %s",
    async (how) => {
      const model = await modelOf();
      const income = fresh.columns.find(({ name }) => name === "income")!;
      const sex = fresh.columns.find(({ name }) => name === "sex")!;
      const key = (row: number) => {
        if (how === "sorted" && income.kind === "numeric") return income.values[row];
        return how === "as they come" || sex.kind !== "text" ? row : sex.codes[row];
      };
      const table = reordered(
        fresh,
        Uint32Array.from({ length: 1500 }, (_, row) => row).sort((a, b) => key(a) - key(b)),
      );
      const { labels, people, result, excess } = await assign(model, table, { online: true });
      expect(result).toMatchObject({ online: true, together: true, gap: null });
      // Replayed by plain counting: whoever was placed beyond could be placed within nowhere.
      const held = model.promises!.attributes.map(({ counts, lower, upper }, at) => ({
        counts: counts!.map((row) => [...row]),
        lower,
        upper,
        codes: people.attributes[at].codes,
      }));
      const excessWith = (i: number, m: number) =>
        held.reduce((total, { counts, lower, upper, codes }) => {
          const size = counts.reduce((sum, row) => sum + row[m], 1);
          return counts.reduce((sum, row, group) => {
            const count = row[m] + (codes[i] === group ? 1 : 0);
            return (
              sum +
              Math.max(0, count - upper[group] * size - 1 - 1e-9) +
              Math.max(0, lower[group] * size - count - 1 - 1e-9)
            );
          }, total);
        }, 0);
      let beyond = 0;
      labels.forEach((m, i) => {
        expect(excess![i]).toBeCloseTo(excessWith(i, m), 6);
        if (excessWith(i, m) > 0) {
          beyond++;
          for (let other = 0; other < 4; other++) expect(excessWith(i, other)).toBeGreaterThan(0);
        }
        for (const { counts, codes } of held) counts[codes[i]][m]++;
      });
      expect(result.beyond!.people).toBe(beyond);
      expect(result.beyond!.people).toBeLessThan(1500);
    },
  );

  it("go on from a model that counts those before them", async () => {
    const model = await modelOf();
    const whole = await assign(model, fresh, { online: true });
    const halves = [0, 1].map((half) => {
      const rows = Uint32Array.from({ length: 750 }, (_, row) => row + 750 * half);
      return { ...reordered(fresh, rows), rows: 750 };
    });
    const first = await assign(model, halves[0], { online: true });
    const second = await assign(first.model, halves[1], { online: true });
    expect([...first.labels, ...second.labels]).toEqual([...whole.labels]);
    expect(second.model.people).toEqual(whole.model.people);
  });
});

describe("a model", () => {
  it("has no counts where a cell has fewer than five people, and then counts nobody in", async () => {
    const people = preparePeople(generateTable("people", { n: 150, seed: 1 }), {
      features: ["income"],
      protect: ["sex"],
    });
    const model = toModel(people, await cluster(people, { k: 3, delta: 0.8, minSize: 10 }));
    const [{ counts }] = model.promises!.attributes;
    expect(counts).toBeUndefined();
    await expect(assign(model, fresh, { together: true })).rejects.toThrow(/no counts of the people in its clusters/);
  });

  it("has no counts either where newcomers make them small", async () => {
    const counted = (model: Model) => [model.people, ...model.promises!.attributes.map(({ counts }) => counts)];
    const model = await modelOf();
    const few = { ...reordered(fresh, Uint32Array.of(0, 1, 2)), rows: 3 };
    const { model: gone, result } = await update(model, few, { forget: 1 });
    expect(counted(gone)).toEqual([undefined, undefined, undefined]);
    expect(result.warnings).toContainEqual(
      expect.stringMatching(/the new model has no counts, since some would be of/),
    );
    // A cell that nobody was in may be told; one that two newcomers are in may not.
    const empty = structuredClone(model);
    for (const { counts } of empty.promises!.attributes) counts![0][0] = 0;
    const online = await assign(empty, few, { online: true, together: false });
    const joined = online.model.promises!.attributes.map(({ counts }) => counts?.flat().filter((n) => n > 0 && n < 5));
    expect(joined.flat().filter((count) => count !== undefined)).toEqual([]);
  });

  it("of a private clustering takes newcomers within its noisy bounds, and counts none of them", async () => {
    const model = await modelOf({ k: 3, algorithm: "dp-fair", epsilon: 4, noise: seededNoise(1) });
    const nearest = await predict(model, fresh, { protect });
    const batch = await assign(model, fresh);
    expect(batch.result).toMatchObject({ fair: true, algorithm: "dp-fair" });
    expect(nearest.fairness!.maxViolation).toBe(batch.result.nearestViolation);
    expect(batch.result.nearestViolation).toBeGreaterThan(1);
    expect(batch.result.sse).toBeGreaterThan(batch.result.nearestSse);
    // Without bounds to keep, everybody goes where predict sends them, but for ties that its grid decides.
    const free = structuredClone(model);
    for (const attribute of free.promises!.attributes) {
      attribute.lower.fill(0);
      attribute.upper.fill(1);
    }
    const placed = await assign(free, fresh);
    expect(placed.labels.filter((m, i) => m !== nearest.labels[i]).length).toBeLessThan(5);
    expect(placed.result.sse / placed.result.nearestSse).toBeCloseTo(1, 4);
    for (const { model: after } of [batch, await assign(model, fresh, { online: true })]) expect(after).toEqual(model);
    await expect(update(model, fresh)).rejects.toThrow(/made of cells, which do not move/);
  });

  it("changes with newcomers: nothing is forgotten, or everything", async () => {
    const model = await modelOf();
    const kept = await update(model, fresh);
    expect(kept.result).toMatchObject({ fair: true, forget: 0, n: 1500 });
    expect(kept.model.people!.reduce((sum, count) => sum + count, 0)).toBe(13_500);
    const gone = await update(model, fresh, { forget: 1 });
    expect(gone.model.people!.reduce((sum, count) => sum + count, 0)).toBe(1500);
    expect(gone.result.sse).toBeLessThanOrEqual(kept.result.sse * 1.0001);
    // Its centres are the newcomers' means, to the last rounding.
    const means = gone.model.centres.map((centre) => centre.map(() => 0));
    const sizes = new Array<number>(4).fill(0);
    const { people } = await assign(gone.model, fresh);
    gone.labels.forEach((m, i) => {
      sizes[m]++;
      people.dimensions.forEach((column, j) => {
        means[m][j] += column[i];
      });
    });
    for (const [m, centre] of gone.model.centres.entries()) {
      for (const [j, value] of centre.entries()) expect(value).toBeCloseTo(means[m][j] / sizes[m], 9);
    }
    await expect(update(model, fresh, { forget: 2 })).rejects.toThrow(/forget is 2/);
  });
});

describe("newcomers with weights", () => {
  const weighing = (weight: (row: number) => number, people = fresh): Table => {
    const values = Float64Array.from({ length: people.rows }, (_, row) => weight(row));
    return {
      ...people,
      columns: [...people.columns, { kind: "numeric", name: "weight", values, missing: 0, notFinite: 0 }],
    };
  };

  it("of one are the newcomers without, and all of two are twice as many", async () => {
    const model = await modelOf();
    const alone = { online: true, together: false };
    const without = await assign(model, fresh, alone);
    const ones = weighing(() => 1);
    expect((await assign(model, ones, { ...alone, weights: "weight" })).labels).toEqual(without.labels);
    const twos = await assign(
      model,
      weighing(() => 2),
      { ...alone, weights: "weight", tolerance: 2 },
    );
    expect(twos.labels).toEqual(without.labels);
    expect(twos.result.sizes).toEqual(without.result.sizes.map((size) => 2 * size));
    expect(twos.result.sse).toBeCloseTo(2 * without.result.sse, 6);
    const batch = await assign(model, ones, { weights: "weight" });
    expect(batch.result.fair).toBe(true);
    expect(batch.result.sse / (await assign(model, fresh)).result.sse).toBeCloseTo(1, 2);
  });

  it("join within the bounds in weight, with a tolerance of the heaviest, and are counted by weight", async () => {
    const model = await modelOf();
    const table = weighing((row) => 1 + (row % 4) / 2);
    const { result, model: counted } = await assign(model, table, { weights: "weight" });
    expect(result).toMatchObject({ fair: true, tolerance: 2.5, weights: { column: "weight", total: 2625 } });
    const all = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
    expect(all(result.sizes)).toBe(2625);
    expect(all(counted.people!) - all(model.people!)).toBe(2625);
    const few = weighing((row) => 1 + (row % 4) / 2, generateTable("people", { n: 200, seed: 77 }));
    const moved = await update(model, few, { weights: "weight", forget: 0.5 });
    expect(Math.abs(all(moved.model.people!) - 12_000 / 2 - 350)).toBeLessThanOrEqual(4);
    const { sizes, groups } = moved.result;
    expect(moved.result.drift.sex.F.now).toBeCloseTo(all(groups.sex.F.map((share, m) => share * sizes[m])) / 350, 9);
  });

  it("a model in weight has counts where five of the heaviest would weigh as much, and none elsewhere", async () => {
    const made = async (heaviest: number) => {
      const weights = Float64Array.from({ length: old.rows }, (_, row) => (row === 0 ? heaviest : 1));
      const column = { kind: "numeric" as const, name: "weight", values: weights, missing: 0, notFinite: 0 };
      const table = { ...old, columns: [...old.columns, column] };
      const people = preparePeople(table, { features: ["income", "hours"], protect: ["sex"], weights: "weight" });
      return toModel(people, await cluster(people, { k: 3, tolerance: 3, maxIterations: 2 }));
    };
    expect((await made(2)).people!.reduce((sum, size) => sum + size, 0)).toBe(12_001);
    const dominated = await made(400);
    expect(dominated.promises!.attributes[0].counts).toBeUndefined();
  });
});
