import { randomFillSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { adjustedRandIndex } from "../../metrics/index.js";
import type { Release } from "../../privacy/accounting/ledger.js";
import { guarantee } from "../../privacy/accounting/loss.js";
import { generateTable, preparePeople, type TextColumn } from "../../table/index.js";
import { cluster } from "../cluster.js";
import { parseModel, predict, toModel } from "../model.js";
import { sweep } from "../sweep.js";
import type { ClusterOptions } from "../types.js";

const noise = { secret: true, fill: (bytes: Uint8Array) => void randomFillSync(bytes) };
const table = generateTable("grid", { n: 8000, seed: 1, sd: 0.8 });
const truth = (table.columns.find(({ name }) => name === "cluster") as TextColumn).codes;
const box = { x: [-12, 12], y: [-12, 12] } as const;
const people = preparePeople(table, { features: ["x", "y"], box });
const asked: ClusterOptions = { algorithm: "fkm-plus", k: 16, epsilon: 4, threads: 1, noise };

describe("private k-means", () => {
  it.each([1, 4])("finds the clusters where noise is small against them, with rows on %i parties", async (parties) => {
    const { labels, result } = await cluster(people, { ...asked, parties });
    expect(adjustedRandIndex(truth, labels)).toBeGreaterThan(0.8);
    expect(result.privacy).toMatchObject({ mode: "all", epsilon: 4, delta: 1e-5, randomness: "operating system" });
    const sizes = result.privacy!.released.sizes;
    expect(Math.abs(sizes.reduce((sum, size) => sum + size, 0) - 8000)).toBeLessThan(400);
    expect(sizes).not.toEqual(result.sizes);
  });

  it("spends what it promises, once, about whole persons", async () => {
    const releases: Release[] = [];
    const ledger = {
      spend: async (release: Release) => {
        releases.push(release);
        return { dataset: "d", budget: null, spent: { attribute: release.loss, person: release.loss }, releases: [] };
      },
    };
    await cluster(people, { ...asked, epsilon: 1, deltaDp: 1e-6, parties: 3, ledger });
    expect(releases).toHaveLength(1);
    expect(releases[0].neighbours).toBe("person");
    expect(guarantee(releases[0].loss, 1e-6).epsilon).toBeCloseTo(1, 9);
  });

  it("labels newcomers as it labelled its people, from a model without counts", async () => {
    const clustering = await cluster(people, asked);
    const model = parseModel(JSON.parse(JSON.stringify(toModel(people, clustering))));
    expect(model.provenance).toMatchObject({ n: null, sse: null });
    expect([...(await predict(model, table)).labels]).toEqual([...clustering.labels]);
  });

  it.each<[string, Partial<ClusterOptions>, RegExp]>([
    ["an epsilon of 0", { epsilon: 0 }, /epsilon is 0/],
    ["attributes", { private: "attribute" }, /looks at no protected attribute/],
    ["several starts", { starts: 2 }, /one start/],
    ["a lambda", { lambda: 1 }, /`lambda` does nothing with fkm-plus: use dp-fair/],
    ["too few components", { components: 3 }, /3 components cannot say where k=16/],
  ])("refuses %s", async (_, options, message) => {
    await expect(cluster(people, { ...asked, ...options })).rejects.toThrow(message);
  });

  it("refuses bounds from the data, sweeps, and noise that covers everybody", async () => {
    const bare = preparePeople(table, { features: ["x", "y"] });
    await expect(cluster(bare, asked)).rejects.toThrow(/every feature with `box`/);
    await expect(sweep(people, { algorithm: "fkm-plus", epsilon: 1, k: [2, 3], noise })).rejects.toThrow(
      /spend for each k/,
    );
    const few = preparePeople(generateTable("grid", { n: 60, seed: 1 }), { features: ["x", "y"], box });
    await expect(cluster(few, { ...asked, epsilon: 0.05 })).rejects.toMatchObject({ code: "infeasible" });
  });

  it("without noise is the exact method, and promises nothing", async () => {
    const { result } = await cluster(people, { ...asked, epsilon: Number.POSITIVE_INFINITY });
    expect(result.privacy).toBeUndefined();
  });
});
