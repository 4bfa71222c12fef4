import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { unfairExamples } from "../learning/testing/examples.js";
import type { Table } from "../table/index.js";
import { MemoryFederation } from "./testing/in-memory.js";
import { workplace } from "./testing/sites.js";

const names = ["p0", "p1", "p2", "p3"];

function people(n: number, seed: number): Table {
  const { features, labels, groups } = unfairExamples(n, seed);
  const numeric = (name: string, j: number) => ({
    kind: "numeric" as const,
    name,
    values: Float64Array.from({ length: n }, (_, i) => features[i * 4 + j]),
    missing: 0,
    notFinite: 0,
  });
  const text = (name: string, levels: string[], codes: Uint8Array) => ({
    kind: "text" as const,
    name,
    codes: Int32Array.from(codes),
    levels,
    missing: 0,
  });
  return {
    rows: n,
    columns: [numeric("a", 0), numeric("b", 1), text("sex", ["F", "M"], groups), text("hired", ["no", "yes"], labels)],
  };
}

const policy = `approval: automatic
analysts: [alice]
algorithms: [ffalm-global, fairfed]
features: [a, b]
protect: [sex]
learn: [hired]
minimum: { parties: 3 }
`;
const card = (algorithm: string) => `algorithm: ${algorithm}
split: rows
groups: { sex: [F, M] }
train: { label: hired, classes: ["no", "yes"], fairness: dp, rounds: 15, rate: 0.2 }
parties:
${names.map((name) => `  ${name}: { features: [a, b], protect: [sex] }`).join("\n")}
`;

const federation = new MemoryFederation(
  Object.fromEntries(names.map((name, i) => [name, { table: people(300, 10 * i + 1), policy }])),
);
const folder = workplace();
beforeAll(() => federation.start(join(folder, "kits")));

describe("a training that sites leave", () => {
  it("goes on with the others, and says so; and takes one in again that is back", async () => {
    // For each sum a site seals a letter to each of three others: it hangs up in the middle of the training.
    federation.leaveAfter("p3", 3 * 50);
    const without = await federation.train(card("ffalm-global"));
    expect(federation.logs.join("\n")).toContain("going on with p0, p1, p2");
    expect(without.training.absences).toEqual([{ party: "p3", from: expect.any(Number), to: null }]);
    expect(without.training.warnings.join()).toMatch(/p3 left in round \d+ and did not come back: the rest was learnt/);
    expect(without.training.trained + without.training.n).toBe(900);
    expect(without.training.rounds).toBe(15);
    expect(without.training.accuracy).toBeGreaterThan(0.7);
    expect(Object.keys(without.training.sites).sort()).toEqual(["p0", "p1", "p2"]);

    federation.leaveAfter("p3", 3 * 50, true);
    await federation.join("p3");
    const again = await federation.train(card("fairfed"));
    expect(again.training.trained + again.training.n).toBe(1200);
    expect(again.training.epochs).toBeGreaterThan(1);
    expect(again.training.curve.length).toBe(16);
    expect(Object.keys(again.training.sites).sort()).toEqual(names);
  });
});
