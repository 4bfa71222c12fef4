import { datasets } from "../datasets.js";
import { figure, seedsOf } from "../figure.js";
import { observation } from "../observation.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";
import { type Method, run } from "./runs.js";

/** The curves of Figure 7. The text names neither its values of k nor its points. */
const curves: readonly { readonly name: string; readonly method: Method; readonly block?: number }[] = [
  { name: "Lloyd", method: "Lloyd" },
  { name: "CDKM", method: "CDKM" },
  { name: "Fair-LP", method: "Fair-LP" },
  { name: "F3KM-200", method: "F3KM", block: 200 },
  { name: "F3KM-500", method: "F3KM", block: 500 },
  { name: "F3KM-1000", method: "F3KM", block: 1000 },
  // The paper's own solver.
  { name: "F3KM-500, admm", method: "F3KM, admm", block: 500 },
];
const ks = [2, 4, 6, 8, 10];

/** Section 5.2.1: SSE against k of 1000 people of each dataset; delta = 0.5, n_b = 200, 500, 1000. */
export async function figure7(bench: Bench): Promise<Sheet[]> {
  const { seeds, quick } = bench.options;
  const lines: Line[] = [];
  for (const { name, load } of datasets(bench.options, 1000)) {
    const people = await load(quick ? 300 : 1000);
    for (const k of quick ? [2, 4] : ks) {
      const figures: Record<string, Figure> = {};
      for (const { name: curve, method, block } of curves) {
        const values: number[] = [];
        for (const seed of seedsOf(seeds)) {
          bench.say(`${name}, k ${k}, ${curve}, seed ${seed} of ${seeds}`);
          const { sse } = await run(bench, people, method, { k, delta: 0.5, seed, ...(block ? { block } : {}) });
          values.push(sse);
        }
        figures[curve] = figure(values, "");
      }
      lines.push({ at: { data: name, k }, figures });
    }
  }
  return [{ title: "SSE against k, 1000 people of each dataset (delta 0.5)", lines, notes: notesOn(lines) }];
}

/** The paper's observations, in its order. */
function notesOn(lines: readonly Line[]): string[] {
  const sse = ({ figures }: Line, curve: string) => figures[curve].mean;
  // Means of runs that end alike differ by rounding alone.
  const above = (a: number, b: number) => a > b * (1 + 1e-6);
  const steps = lines
    .slice(1)
    .flatMap((line, at) => (line.at.data === lines[at].at.data ? [[lines[at], line] as const] : []));
  return [
    observation(
      "the SSE of every method falls as k grows",
      steps.flatMap(([less, more]) => curves.map(({ name }) => sse(more, name) < sse(less, name))),
    ),
    observation(
      "CDKM is not above Lloyd",
      lines.map((line) => !above(sse(line, "CDKM"), sse(line, "Lloyd"))),
    ),
    observation(
      "F3KM-200 is not above Fair-LP",
      lines.map((line) => !above(sse(line, "F3KM-200"), sse(line, "Fair-LP"))),
    ),
    observation(
      "a smaller n_b is not above a larger one",
      lines.map((line) => !above(sse(line, "F3KM-200"), sse(line, "F3KM-1000"))),
    ),
    observation("F3KM is below Lloyd in certain scenarios", [
      lines.some((line) => above(sse(line, "Lloyd"), sse(line, "F3KM-200"))),
    ]),
  ];
}
