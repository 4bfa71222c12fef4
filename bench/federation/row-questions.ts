import { cluster } from "../../src/algorithms/cluster.js";
import { generateTable, preparePeople } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Line, Sheet } from "../types.js";

/** Two attributes each. A census is hard: its columns tell the groups. */
const kinds = [
  { kind: "people", protect: ["sex", "ethnicity"] },
  { kind: "census", protect: undefined },
] as const;
const sizes = [1000, 10_000];
const clusters = [3, 5, 10];
/** Questions that fair clusters of split rows may take: in the middle, and at most. */
const goals = { median: 40, most: 80 };

/** How many questions fair clusters take where three parties hold the rows. What is asked does not depend on who holds whom. */
export async function rowQuestions({ options, say, signal }: Bench): Promise<Sheet> {
  const lines: Line[] = [];
  const all: number[] = [];
  for (const { kind, protect } of kinds) {
    for (const n of options.quick ? [200] : sizes) {
      const table = generateTable(kind, { n, seed: 1 });
      const named = table.columns.filter((column) => column.kind !== "numeric").map(({ name }) => name);
      const features = table.columns.filter((column) => column.kind === "numeric").map(({ name }) => name);
      const people = preparePeople(table, { features: features.slice(0, 24), protect: protect ?? named.slice(0, 2) });
      for (const k of options.quick ? [3] : clusters) {
        say(`rows split: ${kind}, ${n.toLocaleString("en-US")} people, k ${k}`);
        const asked: number[] = [];
        const sse: number[] = [];
        let unfair = 0;
        for (const seed of seedsOf(options.seeds)) {
          const { result } = await cluster(people, { k, seed, minSize: 2, split: "rows", parties: 3, threads: 1 });
          asked.push(result.communication.rounds);
          sse.push(result.sse);
          if (!result.fair) unfair++;
          signal.throwIfAborted();
        }
        all.push(...asked);
        lines.push({
          at: { people: kind, n, k },
          figures: { questions: figure(asked, ""), SSE: figure(sse, "") },
          ...(unfair > 0 ? { remark: "not fair" } : {}),
        });
      }
    }
  }
  const median = [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];
  lines.push({
    at: { people: "all", n: "", k: "" },
    figures: {
      questions: figure([median], "", { goal: { atMost: goals.median } }),
      "at most": figure([Math.max(...all)], "", { goal: { atMost: goals.most } }),
    },
  });
  return {
    title: "Questions to three parties that hold rows, two attributes, delta 0.2",
    lines,
    notes: [
      "The last line is the median and the most of all runs. A question is a sum over all parties; what they are only told goes with the next one.",
    ],
  };
}
