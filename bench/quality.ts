import { cluster } from "../src/algorithms/cluster.js";
import type { ClusterOptions } from "../src/algorithms/types.js";
import { generateTable } from "../src/table/generate.js";
import { preparePeople } from "../src/table/people.js";
import type { People } from "../src/table/types.js";
import { figure, seedsOf } from "./figure.js";
import { judgedMethods, shapes } from "./shapes.js";
import type { Bench, Line, Sheet } from "./types.js";

/** A file of tuning: that of the solver for columns, or for rows. */
export type Family = "columns" | "rows";

/** One request that is timed and judged. */
interface Case {
  readonly name: string;
  readonly people: People;
  readonly options: ClusterOptions;
}

/** All shapes under all methods, and people enough for samples of them. */
export function casesOf({ quick, seeds, n: most = 200_000 }: Bench["options"]): Case[] {
  const small = shapes.flatMap(({ name, k, people }) => {
    const drawn = people();
    return judgedMethods.flatMap(([method, options]) =>
      seedsOf(seeds).map(
        (seed): Case => ({ name: `${method}: ${name}`, people: drawn, options: { ...options, k, seed, threads: 1 } }),
      ),
    );
  });
  if (quick) return small.slice(0, 3);
  const large = [12_000, 40_000, 200_000]
    .filter((n) => n <= most)
    .flatMap((n) => {
      const people = preparePeople(generateTable("people", { n, seed: n }), { protect: ["sex", "ethnicity"] });
      return [
        { k: 8, minSize: 2 },
        // In between, many clusters take longer than all other requests together.
        ...(n === 40_000 ? [] : [{ k: 30, minSize: 2, delta: 0.1 }]),
        { k: 8, algorithm: "teb", balance: "hard" } as const,
      ].map(
        (options): Case => ({
          name: `${n} people, k=${options.k}${"balance" in options ? ", even" : ""}`,
          people,
          options: { ...options, seed: 1, threads: 1 },
        }),
      );
    });
  return [...small, ...large];
}

export function familyOf({ options }: Case): Family {
  return options.split ?? "columns";
}

/** The cost of each case, and the processor's seconds that all of them took. */
export async function run(
  cases: readonly Case[],
): Promise<{ readonly costs: readonly number[]; readonly seconds: number }> {
  const before = process.cpuUsage();
  const costs: number[] = [];
  for (const { people, options } of cases) {
    const { sse, objective, fair } = (await cluster(people, options)).result;
    // A request that was fair and is not any more counts as a tenth worse.
    costs.push((objective ?? sse) * (fair === false ? 1.1 : 1));
  }
  const { user, system } = process.cpuUsage(before);
  return { costs, seconds: (user + system) / 1e6 };
}

/** SSE and time of every request, to be compared with those of another version: `moiety bench compare before.json after.json`. */
export async function quality(bench: Bench): Promise<Sheet[]> {
  const groups = new Map<string, Case[]>();
  for (const each of casesOf(bench.options)) groups.set(each.name, [...(groups.get(each.name) ?? []), each]);
  const lines: Line[] = [];
  for (const [name, cases] of groups) {
    bench.say(name);
    if (bench.signal.aborted) break;
    const { costs, seconds } = await run(cases);
    lines.push({
      at: { request: name },
      figures: { SSE: figure(costs, ""), "processor time": figure([seconds], "s") },
    });
  }
  return [{ title: "What one run ends with, and takes on one thread", lines, notes: [] }];
}
