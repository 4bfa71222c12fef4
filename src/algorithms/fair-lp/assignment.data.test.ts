import { expect, it } from "vitest";
import { boundsFromDelta } from "../../constraints/bounds.js";
import { readTable } from "../../table/disk/index.js";
import { preparePeople } from "../../table/index.js";
import { worstExcess } from "../../testing/check.js";
import { dataFile, describeData } from "../../testing/data.js";
import { fairAssignment } from "./assignment.js";

describeData("the bank data", () => {
  it("is assigned fairly, near the lower bound", async () => {
    const table = await readTable(dataFile("bank.csv.gz"));
    const features = ["age", "balance", "duration"];
    const people = preparePeople(table, { features, protect: ["marital", "default"] });
    const { n, dimensions, attributes } = people;
    const bounds = attributes.map((attribute) => boundsFromDelta(attribute, 0.2));
    // About the centres of a good clustering: the young, the old, the rich and the long calls.
    const centres = [
      [-0.75, -0.15, -0.25],
      [0.95, -0.05, -0.25],
      [0.35, 4.2, -0.1],
      [0, -0.1, 2.4],
    ];
    const k = centres.length;
    const costs = Float64Array.from({ length: n * k }, (_, at) =>
      dimensions.reduce((sum, values, d) => sum + (values[Math.floor(at / k)] - centres[at % k][d]) ** 2, 0),
    );
    const { labels, lowerBound } = await fairAssignment(costs, k, attributes, bounds);
    expect(worstExcess(people, bounds, labels, k)).toBeLessThanOrEqual(3);
    const cost = labels.reduce((sum, label, i) => sum + costs[i * k + label], 0);
    expect(Math.abs(cost / lowerBound - 1)).toBeLessThan(0.005);
    const nearest = Array.from({ length: n }, (_, i) => Math.min(...costs.subarray(i * k, (i + 1) * k)));
    expect(lowerBound).toBeGreaterThan(nearest.reduce((sum, value) => sum + value, 0));
  });
});
