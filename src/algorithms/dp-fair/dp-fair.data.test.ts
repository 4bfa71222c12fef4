import { randomFillSync } from "node:crypto";
import { expect, it } from "vitest";
import { readTable } from "../../table/disk/index.js";
import { type People, preparePeople } from "../../table/index.js";
import { paperBalance } from "../../testing/check.js";
import { dataFile, describeData } from "../../testing/data.js";
import { Draws } from "../../testing/draws.js";
import { cluster } from "../cluster.js";

const noise = { secret: true, fill: (bytes: Uint8Array) => void randomFillSync(bytes) };
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describeData("adult, 1,000 people, K=9", () => {
  it("has a balance of 0.8 without noise and of 0.65 at epsilon 1", async () => {
    const features = ["age", "final-weight", "education-num", "capital-gain", "hours-per-week"];
    const table = await readTable(dataFile("adult.csv.gz"), { columns: [...features, "sex"] });
    const everyone = preparePeople(table, { features, protect: ["sex"], scale: "minmax" });
    const [without, noisy]: number[][] = [[], []];
    for (const seed of [1, 2, 3, 4]) {
      const people = balancedSample(everyone, 1000, seed);
      const at = async (epsilon: number) =>
        paperBalance(
          people,
          (await cluster(people, { algorithm: "dp-fair", k: 9, lambda: 10, seed, epsilon, noise, threads: 1 })).labels,
          9,
        );
      without.push(await at(Number.POSITIVE_INFINITY));
      noisy.push(await at(1));
    }
    expect(mean(without)).toBeGreaterThanOrEqual(0.8);
    expect(mean(noisy)).toBeGreaterThanOrEqual(0.65);
  });
});

/** As many of each group, drawn at random. */
function balancedSample(people: People, n: number, seed: number): People {
  const draws = new Draws(seed);
  const [{ codes, groups }] = people.attributes;
  const rows = groups.flatMap((_, group) => {
    const members = [...codes.keys()].filter((i) => codes[i] === group);
    return draws.list(n / groups.length, (at) => {
      const other = at + draws.below(members.length - at);
      [members[at], members[other]] = [members[other], members[at]];
      return members[at];
    });
  });
  return {
    ...people,
    n,
    dimensions: people.dimensions.map((values) => Float64Array.from(rows, (row) => values[row])),
    attributes: people.attributes.map((attribute) => ({
      ...attribute,
      codes: Uint16Array.from(rows, (row) => attribute.codes[row]),
    })),
    sourceRows: Uint32Array.from(rows),
  };
}
