import { expect, it } from "vitest";
import { readTable } from "../../table/disk/index.js";
import { preparePeople } from "../../table/index.js";
import { dataFile, describeData } from "../../testing/data.js";
import { cluster } from "../cluster.js";

describeData("adult, k=10, eta 0.8", () => {
  const features = ["age", "education-num", "capital-gain", "hours-per-week"];
  const load = async () =>
    preparePeople(await readTable(dataFile("adult.csv.gz"), { columns: features }), { features });

  // The references: of sequential counts, and of the authors' code.
  it.each([
    ["prices", 54_586],
    ["sequential", 54_586],
    ["gbco", 55_218],
  ] as const)("by %s comes to rest below the reference", async (rule, reference) => {
    const { result } = await cluster(await load(), { k: 10, balance: 0.8, rule });
    expect(result.objective!).toBeLessThanOrEqual(reference);
    expect(result.converged).toBe(true);
  });
});
