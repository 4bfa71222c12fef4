import { describe, expect, it } from "vitest";
import { seededNoise } from "../../privacy/noise/chance.js";
import { generateTable, preparePeople } from "../../table/index.js";
import { assign } from "../assign.js";
import { cluster } from "../cluster.js";
import { type Model, parseModel, predict, toModel } from "../model.js";
import type { ClusterOptions } from "../types.js";

const table = generateTable("twomoon", { n: 400, seed: 1 });
const boxed = preparePeople(table, { protect: ["group"], box: { x: [-1.5, 2.5], y: [-1, 1.5] } });
const asked: ClusterOptions = { algorithm: "dp-fair", k: 3, epsilon: 1, lambda: 10, threads: 1, labelling: "density" };

/** The cell of each person whose log density, over 1, x and its products, is the highest. */
function densest({ densities, clusters, gridBits }: Model): number[] {
  const steps = 2 ** gridBits;
  const snapped = boxed.dimensions.map((values) =>
    Float32Array.from(values, (value) => Math.round(Math.max(-1, Math.min(1, value)) * steps) / steps),
  );
  return Array.from({ length: boxed.n }, (_, i) => {
    const [x, y] = snapped.map((values) => values[i]);
    const terms = [1, x, y, x * x, x * y, y * y];
    const heights = densities!.map((theta) => theta.reduce((sum, weight, at) => sum + weight * terms[at], 0));
    return clusters![heights.indexOf(Math.max(...heights))];
  });
}

describe("labelling by the highest density", () => {
  it("puts everybody in the cell whose density is the highest, newcomers too, for any number of parties", async () => {
    const one = await cluster(boxed, { ...asked, epsilon: Number.POSITIVE_INFINITY });
    const three = await cluster(boxed, { ...asked, epsilon: Number.POSITIVE_INFINITY, parties: 3 });
    expect([...three.labels]).toEqual([...one.labels]);
    const model = parseModel(JSON.parse(JSON.stringify(toModel(boxed, one))));
    expect(model.formatVersion).toBe(3);
    expect([...one.labels]).toEqual(densest(model));
    expect([...(await predict(model, table)).labels]).toEqual([...one.labels]);
    const nearest = await cluster(boxed, { ...asked, epsilon: Number.POSITIVE_INFINITY, labelling: "nearest" });
    expect([...nearest.labels]).not.toEqual([...one.labels]);
    expect(toModel(boxed, nearest)).not.toHaveProperty("densities");
  });

  it("counts groups in these cells, with noise, in both forms of privacy", async () => {
    for (const about of ["attribute", "all"] as const) {
      const found = await cluster(boxed, { ...asked, private: about, epsilon: 1000, noise: seededNoise(1) });
      const { sizes } = found.result.privacy!.released;
      // So little noise that the released sizes are those of the clusters but for a few people.
      sizes.forEach((size, m) => {
        expect(Math.abs(size - found.result.sizes[m])).toBeLessThan(3);
      });
    }
  });

  it("is of the paper's form alone, and of no costs for newcomers", async () => {
    const { lambda: _, ...tight } = asked;
    await expect(cluster(boxed, tight)).rejects.toThrow(/labelling` belongs to the paper's form/);
    const model = toModel(boxed, await cluster(boxed, { ...asked, epsilon: Number.POSITIVE_INFINITY }));
    await expect(assign(model, table)).rejects.toThrow(/decided by densities.*use predict/);
    const broken = { ...model, densities: model.densities!.slice(1) };
    expect(() => parseModel(broken)).toThrow(/densities that do not fit its cells/);
  });
});
