import { cluster } from "../src/algorithms/cluster.js";
import { programTuning } from "../src/constraints/feasibility/tuning.js";
import { rowTuning } from "../src/solver/row-tuning.js";
import { tuning } from "../src/solver/tuning.js";
import { figure } from "./figure.js";
import { casesOf, type Family, familyOf, run } from "./quality.js";
import { decided, refusedRequests } from "./requests/tight.js";
import { peopleOfManyGroups } from "./shapes.js";
import type { Bench, Line, Sheet } from "./types.js";

/** A tree of tuned numbers, and the requests that show what they are worth. */
interface Tuned {
  readonly name: string;
  readonly numbers: object;
  /** The cost of each request, and the processor's seconds that all of them took. */
  readonly run: () => Promise<{ readonly costs: readonly number[]; readonly seconds: number }>;
}

/** A number of such a tree, and how it is changed. */
interface Knob {
  readonly tuned: Tuned;
  readonly path: string;
  readonly value: number;
  readonly set: (value: number) => void;
}

/** Every number inside a tree of them. */
function knobsOf(tuned: Tuned, tree: object = tuned.numbers, path: string = tuned.name): Knob[] {
  return Object.entries(tree).flatMap(([name, value]: [string, unknown]) => {
    const here = `${path}.${name}`;
    if (typeof value === "object" && value !== null) return knobsOf(tuned, value, here);
    const set = (changed: number) => void Object.assign(tree, { [name]: changed });
    return [{ tuned, path: here, value: value as number, set }];
  });
}

/** What is whole stays whole, and at least 1. */
function scaled(value: number, factor: number): number {
  return Number.isInteger(value) && value > 0 ? Math.max(1, Math.round(value * factor)) : value * factor;
}

/** What every tuned number of the solvers is worth. One that changes neither SSE nor time does nothing, and can go. */
export async function ablation(bench: Bench): Promise<Sheet[]> {
  const all = casesOf(bench.options);
  await run(all);
  const over = (name: Family, numbers: object): Tuned => {
    const cases = all.filter((each) => familyOf(each) === name);
    return { name, numbers, run: () => run(cases) };
  };
  return [await ablate(bench, [over("columns", tuning), over("rows", rowTuning)], "SSE", `${all.length} requests`)];
}

/** What the numbers of the integer programs are worth: to refusals and their advice, and to clusters that only the last resort finds. */
export async function ablationOfPrograms(bench: Bench): Promise<Sheet[]> {
  const refused = bench.options.quick ? refusedRequests.slice(0, 1) : refusedRequests;
  const clustered = bench.options.quick ? [] : [[454, [2, 5, 6, 7], { k: 20, delta: 0.05, tolerance: 0.5 }] as const];
  const requests = async () => {
    const before = process.cpuUsage();
    const costs: number[] = [];
    for (const request of refused) {
      const { verdict, advice } = await decided(request);
      // Advice is dear where it is far from what was asked for, and where there is less of it.
      const { delta = 1, tolerance = request[0] } = advice;
      costs.push(verdict === "undecided" ? 2 : 1 + delta + tolerance);
    }
    for (const [n, groups, options] of clustered) {
      const { result } = await cluster(peopleOfManyGroups(n, groups), { ...options, seed: 1, threads: 1 });
      costs.push(result.sse * (result.fair === false ? 1.1 : 1));
    }
    const { user, system } = process.cpuUsage(before);
    return { costs, seconds: (user + system) / 1e6 };
  };
  const tuned = { name: "programs", numbers: programTuning, run: requests };
  return [await ablate(bench, [tuned], "cost", `${refused.length} refusals and ${clustered.length} tight request`)];
}

/** Mean cost and time with every number halved and doubled, as ratios to those with it as it is. */
async function ablate(bench: Bench, trees: readonly Tuned[], cost: string, over: string): Promise<Sheet> {
  const knobs = trees.flatMap((tuned) => knobsOf(tuned)).filter(({ value }) => value !== 0);
  const noise: number[] = [];
  const bases = new Map<Tuned, Awaited<ReturnType<Tuned["run"]>>>();
  for (const tuned of trees) {
    const [first, second] = [await tuned.run(), await tuned.run()];
    noise.push(second.seconds / first.seconds);
    bases.set(tuned, { costs: first.costs, seconds: Math.min(first.seconds, second.seconds) });
  }
  const lines: Line[] = [];
  for (const { tuned, path, value, set } of bench.options.quick ? knobs.slice(0, 2) : knobs) {
    const { costs: before, seconds } = bases.get(tuned)!;
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
        const { costs, seconds: took } = await tuned.run();
        const change = costs.reduce((sum, each, at) => sum + each / before[at], 0) / costs.length - 1;
        line[`${cost} ${name}`] = figure([100 * change], "%");
        line[`time ${name}`] = figure([took / seconds], "x");
      } finally {
        set(value);
      }
    }
    lines.push({ at: { number: path, value }, figures: line });
  }
  const small = lines.filter(({ figures }) =>
    Object.entries(figures).every(([name, { mean }]) =>
      name.startsWith(cost) ? Math.abs(mean) < 0.01 : Math.abs(mean - 1) < 0.05,
    ),
  );
  return {
    title: `Each of ${knobs.length} tuned numbers halved and doubled: mean change over ${over}`,
    lines,
    notes: [
      `The same twice took ${noise.map((ratio) => ratio.toFixed(3)).join(" and ")} times as long: smaller changes of time mean nothing.`,
      `${small.length} numbers change the ${cost} by less than 0.01% and the time by less than 5% either way.`,
    ],
  };
}
