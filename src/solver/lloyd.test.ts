import { describe, expect, it } from "vitest";
import type { LocalColumns } from "../parties/local-columns.js";
import { assignerOf } from "../testing/assigned.js";
import { plainSse, sizesOf } from "../testing/check.js";
import { Draws } from "../testing/draws.js";
import { drawColumns, landscapes, peopleOf } from "../testing/people.js";
import type { Assigner } from "./assigner.js";
import { blockDescent } from "./block-descent.js";
import { lloyd } from "./lloyd.js";
import { seedCentres } from "./seeding.js";

function drawPeople(landscape: (typeof landscapes)[number], seed: number) {
  const draws = new Draws(seed);
  return peopleOf(drawColumns(landscape, draws.between(10, 300), draws.between(1, 3), [], draws));
}

function centresOf({ columns }: Assigner): Float64Array {
  return (columns as LocalColumns).scaledCentres();
}

async function place(assigner: Assigner, rows: readonly number[]): Promise<void> {
  for (const [cluster, row] of rows.entries()) await assigner.columns.place(cluster, row);
}

describe("Lloyd", () => {
  it.each(landscapes)(
    "ends with everybody at the nearest centre and every centre at its mean: %s",
    async (landscape) => {
      for (let seed = 1; seed <= 10; seed++) {
        const people = drawPeople(landscape, seed);
        const assigner = await assignerOf(people, 4);
        await seedCentres(assigner, { init: "kmeans++", seed });
        const { converged } = await lloyd(assigner, 200);
        expect(converged).toBe(true);
        const labels = await assigner.labelsNow();
        const step = 2 ** -assigner.grid.bits;
        const dims = people.dimensions.length;
        const centres = centresOf(assigner);
        const snapped = people.dimensions.map((column) =>
          Array.from(column, (value) => Math.round(value / step) * step),
        );
        const sizes = sizesOf(labels, 4);
        for (let j = 0; j < dims; j++) {
          const sums = [0, 0, 0, 0];
          labels.forEach((label, i) => {
            sums[label] += snapped[j][i];
          });
          sizes.forEach((size, m) => {
            if (size > 0) expect(Math.abs(centres[m * dims + j] - sums[m] / size)).toBeLessThanOrEqual(step * 0.5001);
          });
        }
        labels.forEach((label, i) => {
          const distances = [0, 1, 2, 3].map((m) =>
            snapped.reduce((sum, column, j) => sum + (column[i] - centres[m * dims + j]) ** 2, 0),
          );
          // Whole multiples of a power of two: these sums are exact.
          expect(label).toBe(distances.indexOf(Math.min(...distances)));
        });
      }
    },
  );

  it.each(landscapes)("never raises the SSE from pass to pass: %s", async (landscape) => {
    for (let seed = 1; seed <= 10; seed++) {
      const assigner = await assignerOf(drawPeople(landscape, seed), 5);
      await seedCentres(assigner, { init: "random", seed });
      const seen: number[] = [];
      await lloyd(assigner, 100, async () => {
        seen.push(await assigner.sse());
      });
      // Centres are rounded to the grid, which may cost as much as it is fine.
      const slack = assigner.n * 4 ** -assigner.grid.bits + 1e-6 * seen[0];
      for (let pass = 1; pass < seen.length; pass++) expect(seen[pass]).toBeLessThanOrEqual(seen[pass - 1] + slack);
    }
  });

  it("refills clusters that begin empty, as long as people differ", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const draws = new Draws(seed);
      const people = peopleOf([[...draws.list(40, () => draws.below(30)), 0, 10, 20, 30]]);
      const assigner = await assignerOf(people, 4);
      // All centres on one person: three clusters get nobody.
      await place(assigner, [7, 7, 7, 7]);
      await lloyd(assigner, 100);
      expect(Math.min(...sizesOf(await assigner.labelsNow(), 4))).toBeGreaterThan(0);
    }
  });

  it("leaves clusters empty when there are fewer different people than clusters", async () => {
    const assigner = await assignerOf(peopleOf([[1, 1, 1, 5, 5]]), 4);
    await place(assigner, [0, 1, 2, 3]);
    const { converged } = await lloyd(assigner, 100);
    expect(converged).toBe(true);
    expect(await assigner.sse()).toBe(0);
  });

  it("says the SSE of its clusters, to the precision of the grid", async () => {
    for (const landscape of landscapes) {
      const people = drawPeople(landscape, 3);
      const assigner = await assignerOf(people, 3);
      await seedCentres(assigner, { init: "kmeans++", seed: 1 });
      await lloyd(assigner, 50);
      const plain = plainSse(people.dimensions, await assigner.labelsNow(), 3);
      // Snapping moves each coordinate by half a step at most, and a norm by no more than what is moved.
      const moved = 2 ** -assigner.grid.bits * 0.5 * Math.sqrt(people.n * people.dimensions.length);
      expect(Math.abs(Math.sqrt(await assigner.sse()) - Math.sqrt(plain))).toBeLessThanOrEqual(moved + 1e-3);
    }
  });
});

describe("descent in blocks", () => {
  it.each([1, 10, 1000])("of %i never ends above the clusters that it began with", async (block) => {
    for (const landscape of landscapes) {
      for (let seed = 1; seed <= 4; seed++) {
        const assigner = await assignerOf(drawPeople(landscape, seed), 4);
        await seedCentres(assigner, { init: "random", seed });
        await lloyd(assigner, 100);
        const before = await assigner.sse();
        await blockDescent(assigner, block, 100);
        const slack = assigner.n * 4 ** -assigner.grid.bits;
        expect(await assigner.sse()).toBeLessThanOrEqual(before + slack);
      }
    }
  });

  it("of one person ends where no single move lowers the SSE", async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const draws = new Draws(seed);
      const people = peopleOf([draws.list(40, () => draws.normal()), draws.list(40, () => draws.normal())]);
      const assigner = await assignerOf(people, 4);
      await seedCentres(assigner, { init: "random", seed });
      await lloyd(assigner, 100);
      await blockDescent(assigner, 1, 100);
      const labels = await assigner.labelsNow();
      const sizes = sizesOf(labels, 4);
      const least = plainSse(people.dimensions, labels, 4);
      labels.forEach((own, i) => {
        if (sizes[own] === 1) return;
        for (let m = 0; m < 4; m++) {
          const moved = labels.with(i, m);
          expect(plainSse(people.dimensions, moved, 4)).toBeGreaterThanOrEqual(least * (1 - 1e-2));
        }
      });
    }
  });
});
