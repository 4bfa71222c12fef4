import { datasets } from "../datasets.js";
import { figure, seedsOf } from "../figure.js";
import { observation } from "../observation.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";
import { bestLloydSse, lloydSse, type Method, run } from "./runs.js";

const curves: readonly { readonly name: string; readonly method: Method; readonly block?: number }[] = [
  { name: "Fair-LP", method: "Fair-LP" },
  { name: "F3KM-500", method: "F3KM", block: 500 },
  { name: "F3KM-5000", method: "F3KM", block: 5000 },
  // The paper's own solver.
  { name: "F3KM-500, admm", method: "F3KM, admm", block: 500 },
];
const deltas = [0.2, 0.4, 0.6, 0.8];
/** The text does not name the figure's values of k. */
const ks = [4, 8];

/** Section 5.2.2: relative error to Lloyd against delta, of whole datasets. */
export async function figure8(bench: Bench): Promise<Sheet[]> {
  const { seeds, quick } = bench.options;
  const lines: Line[] = [];
  for (const { name, load } of datasets(bench.options, 20_000)) {
    const people = await load();
    const reference = lloydSse(bench, people);
    for (const k of quick ? [4] : ks) {
      const best = await bestLloydSse(bench, people, k);
      for (const delta of quick ? [0.2, 0.8] : deltas) {
        const figures: Record<string, Figure> = {};
        for (const { name: curve, method, block } of curves) {
          const values: number[] = [];
          const sses: number[] = [];
          for (const seed of seedsOf(seeds)) {
            bench.say(`${name}, k ${k}, delta ${delta}, ${curve}, seed ${seed} of ${seeds}`);
            const { sse } = await run(bench, people, method, { k, delta, seed, ...(block ? { block } : {}) });
            values.push(sse / (await reference(k, seed)));
            sses.push(sse);
          }
          figures[curve] = figure(values, "");
          figures[`${curve}, to the best`] = figure(
            sses.map((sse) => sse / best),
            "",
          );
        }
        lines.push({ at: { data: name, k, delta }, figures });
      }
    }
  }
  return [
    {
      title: "Relative error to Lloyd against delta: to one start, as in the paper, and to the best of ten",
      lines,
      notes: notesOn(lines),
    },
  ];
}

/** The paper's observations, in its order. */
function notesOn(lines: readonly Line[]): string[] {
  const error = ({ figures }: Line, curve: string) => figures[curve].mean;
  const notAbove = (a: number, b: number) => a <= b * (1 + 1e-6);
  const steps = lines.slice(1).flatMap((line, at) => {
    const before = lines[at];
    return line.at.data === before.at.data && line.at.k === before.at.k ? [[before, line] as const] : [];
  });
  const fewer = lines.flatMap((line) => {
    const more = lines.find(({ at }) => at.data === line.at.data && at.delta === line.at.delta && at.k > line.at.k);
    return more ? [[line, more] as const] : [];
  });
  const larger = lines.filter(({ figures }) => figures["F3KM-5000"].mean > figures["Fair-LP"].mean * (1 + 1e-6));
  return [
    observation(
      "a larger delta does not raise the error",
      steps.flatMap(([tight, loose]) => curves.map(({ name }) => notAbove(error(loose, name), error(tight, name)))),
    ),
    ...(fewer.length > 0
      ? [
          observation(
            "a smaller k has no larger error",
            fewer.flatMap(([few, many]) => curves.map(({ name }) => notAbove(error(few, name), error(many, name)))),
          ),
        ]
      : []),
    observation(
      "F3KM-500 is often not above Fair-LP",
      lines.map((line) => notAbove(error(line, "F3KM-500"), error(line, "Fair-LP"))),
    ),
    `F3KM-5000 is above Fair-LP in ${larger.length} of ${lines.length} places; the paper has some, such as Recruitment.`,
  ];
}
