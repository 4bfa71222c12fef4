import { assign } from "../../src/algorithms/assign.js";
import { cluster } from "../../src/algorithms/cluster.js";
import { type Model, toModel } from "../../src/algorithms/model.js";
import { generateTable } from "../../src/table/generate.js";
import { preparePeople } from "../../src/table/people.js";
import type { Table } from "../../src/table/types.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Line, Sheet } from "../types.js";

const protect = ["sex", "ethnicity"];

/** Orders in which newcomers come: by chance, by income, and one group after another, which is the worst for those who come last. */
const orders: Readonly<Record<string, (table: Table) => Uint32Array>> = {
  random: ({ rows }) => Uint32Array.from({ length: rows }, (_, row) => row),
  sorted: (table) => sortedBy(table, "income"),
  adversarial: (table) => sortedBy(table, "sex"),
};

function sortedBy({ rows, columns }: Table, name: string): Uint32Array {
  const column = columns.find((each) => each.name === name)!;
  const key = column.kind === "numeric" ? column.values : column.codes;
  return Uint32Array.from({ length: rows }, (_, row) => row).sort((a, b) => key[a] - key[b] || a - b);
}

function inOrder(table: Table, order: Uint32Array): Table {
  const columns = table.columns.map((column) =>
    column.kind === "numeric"
      ? { ...column, values: Float64Array.from(order, (row) => column.values[row]) }
      : { ...column, codes: Int32Array.from(order, (row) => column.codes[row]) },
  );
  return { ...table, columns };
}

/** People who come later, as one batch and one at a time. */
export async function newcomers(bench: Bench): Promise<Sheet> {
  const { quick, seeds, n: most = 20_000 } = bench.options;
  const n = quick ? 1000 : most;
  const lines: Line[] = [];
  const figures = new Map<string, Record<string, number[]>>();
  const note = (how: string, values: Record<string, number>) => {
    const known = figures.get(how) ?? {};
    for (const [name, value] of Object.entries(values)) known[name] = [...(known[name] ?? []), value];
    figures.set(how, known);
  };
  for (const seed of seedsOf(seeds)) {
    if (bench.signal.aborted) break;
    bench.say(`newcomers, seed ${seed}`);
    const people = preparePeople(generateTable("people", { n, seed }), { protect });
    const model: Model = toModel(people, await cluster(people, { k: 6, seed }));
    const fresh = generateTable("people", { n, seed: seed + 1000 });
    const { result: batch } = await assign(model, fresh);
    note("nearest centres", {
      "people beyond": batch.nearestViolation,
      "SSE of the batch's": batch.nearestSse / batch.sse,
    });
    note("one batch", { "people beyond": batch.maxViolation, "SSE of the batch's": 1, gap: batch.gap ?? Number.NaN });
    for (const [order, sort] of Object.entries(orders)) {
      const began = performance.now();
      const { result } = await assign(model, inOrder(fresh, sort(fresh)), { online: true, together: false });
      note(`one at a time, ${order}`, {
        "people beyond": result.maxViolation,
        "placed beyond": result.beyond?.people ?? 0,
        "SSE of the batch's": result.sse / batch.sse,
        "microseconds each": ((performance.now() - began) * 1000) / n,
      });
    }
  }
  for (const [how, values] of figures) {
    const units: Record<string, string> = { "SSE of the batch's": "x", gap: "" };
    const entries = Object.entries(values).map(([name, each]) => [name, figure(each, units[name] ?? "")]);
    lines.push({ at: { newcomers: how }, figures: Object.fromEntries(entries) });
  }
  return {
    title: `${n} newcomers in the 6 fair clusters of as many people, tolerance 1 person`,
    lines,
    notes: [
      "People beyond: of the worst group in the worst cluster, when all have come. Placed beyond: those for whom no cluster was within its limits when they came.",
    ],
  };
}
