import { rowTuning } from "../src/solver/row-tuning.js";
import { tuning } from "../src/solver/tuning.js";
import { figure } from "./figure.js";
import { casesOf, type Family, familyOf, run } from "./quality.js";
import type { Bench, Line, Sheet } from "./types.js";

/** A number of a file of tuning, and how it is changed. */
interface Knob {
  readonly family: Family;
  readonly path: string;
  readonly value: number;
  readonly set: (value: number) => void;
}

/** Every number inside a tree of them. */
function knobsOf(tree: object, family: Family, path: string = family): Knob[] {
  return Object.entries(tree).flatMap(([name, value]: [string, unknown]) => {
    const here = `${path}.${name}`;
    if (typeof value === "object" && value !== null) return knobsOf(value, family, here);
    const set = (changed: number) => void Object.assign(tree, { [name]: changed });
    return [{ family, path: here, value: value as number, set }];
  });
}

/** What is whole stays whole, and at least 1. */
function scaled(value: number, factor: number): number {
  return Number.isInteger(value) && value > 0 ? Math.max(1, Math.round(value * factor)) : value * factor;
}

/**
 * What every tuned number is worth: mean SSE and time with it halved and doubled, as ratios to those with it as it is. One
 * that changes neither does nothing, and can go.
 */
export async function ablation(bench: Bench): Promise<Sheet[]> {
  const { quick } = bench.options;
  const all = casesOf(bench.options);
  const knobs = [...knobsOf(tuning, "columns"), ...knobsOf(rowTuning, "rows")].filter(({ value }) => value !== 0);
  await run(all);
  const noise: number[] = [];
  const baseOf = async (family: Family) => {
    const cases = all.filter((each) => familyOf(each) === family);
    const bases = [await run(cases), await run(cases)];
    noise.push(bases[1].seconds / bases[0].seconds);
    return { cases, costs: bases[0].costs, seconds: Math.min(...bases.map((each) => each.seconds)) };
  };
  const bases = { columns: await baseOf("columns"), rows: await baseOf("rows") };
  const lines: Line[] = [];
  for (const { family, path, value, set } of quick ? knobs.slice(0, 2) : knobs) {
    const { cases, costs: before, seconds } = bases[family];
    const line: Record<string, Line["figures"][string]> = {};
    for (const [name, factor] of [
      ["halved", 0.5],
      ["doubled", 2],
    ] as const) {
      bench.say(`${path} ${name}`);
      if (bench.signal.aborted) break;
      const changed = scaled(value, factor);
      if (changed === value) continue;
      set(changed);
      try {
        const { costs, seconds: took } = await run(cases);
        const change = costs.reduce((sum, cost, at) => sum + cost / before[at], 0) / costs.length - 1;
        line[`SSE ${name}`] = figure([100 * change], "%");
        line[`time ${name}`] = figure([took / seconds], "x");
      } finally {
        set(value);
      }
    }
    lines.push({ at: { number: path, value }, figures: line });
  }
  const small = lines.filter(({ figures }) =>
    Object.entries(figures).every(([name, { mean }]) =>
      name.startsWith("SSE") ? Math.abs(mean) < 0.01 : Math.abs(mean - 1) < 0.05,
    ),
  );
  const title = `Each of ${knobs.length} tuned numbers halved and doubled: mean change over ${all.length} requests`;
  return [
    {
      title,
      lines,
      notes: [
        `The same twice took ${noise.map((ratio) => ratio.toFixed(3)).join(" and ")} times as long: smaller changes of time mean nothing.`,
        `${small.length} numbers change the SSE by less than 0.01% and the time by less than 5% either way.`,
      ],
    },
  ];
}
