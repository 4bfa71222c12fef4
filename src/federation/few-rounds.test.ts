// Slow: a federation of eight thousand people.
import { expect, it } from "vitest";
import { Simulation } from "../entries/federation.js";
import { cluster, generateTable, preparePeople } from "../index.js";

it("clusters with few round trips and bytes, where most questions are about a sample, as one process does", async () => {
  const [n, k] = [8200, 3];
  const census = generateTable("census", { n, seed: 1 });
  const features = census.columns.filter(({ kind }) => kind === "numeric").map(({ name }) => name);
  const [sex, age] = census.columns.filter(({ kind }) => kind === "text").map(({ name }) => name);
  const held = { a: features.slice(0, 3), b: [...features.slice(3, 6), sex], c: [...features.slice(6, 9), age] };
  const policy = `approval: automatic
analysts: [alice]
algorithms: [f3km]
features: [${features}]
protect: [${sex}, ${age}]
protection: blinded
labels: [parties, analyst]
`;
  const federation = await Simulation.open(
    Object.fromEntries(
      Object.entries(held).map(([name, names]) => {
        const columns = census.columns.filter((column) => names.includes(column.name));
        return [name, { table: { rows: n, columns }, policy }];
      }),
    ),
  );
  const parties = Object.entries(held).map(([name, names]) => {
    const [numbers, groups] = [names.slice(0, 3), names.slice(3)];
    return `  ${name}: { features: [${numbers}]${groups.length > 0 ? `, protect: [${groups}]` : ""} }\n`;
  });
  const { result, labels } = await federation.run(`k: ${k}\nlabels: [parties, analyst]\nparties:\n${parties.join("")}`);
  await federation.close();
  const people = preparePeople(census, { features: features.slice(0, 9), protect: [sex, age] });
  const alone = await cluster(people, { k, effort: "lean", minSize: 2 });
  expect(labels?.clusters).toEqual([...alone.labels]);
  expect(alone.result.fair).toBe(true);
  const { rounds, bytesUp } = result.communication!;
  expect(rounds).toBeLessThanOrEqual(200);
  expect(bytesUp).toBeLessThanOrEqual(3 * 80 * 8 * n * (k - 1));
});
