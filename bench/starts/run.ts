import { readFile, writeFile } from "node:fs/promises";
import { cluster } from "../../src/algorithms/cluster.js";
import type { ClusterOptions } from "../../src/algorithms/types.js";
import type { People } from "../../src/table/types.js";
import { datasets } from "../datasets.js";
import { figure, seedsOf } from "../figure.js";
import { shapes } from "../shapes.js";
import type { Bench, Line, Sheet } from "../types.js";
import { constrainedSse } from "./constrained.js";

/**
 * The lowest known cost of each request, and of how many recorded starts it is: a few dozen more were made before the file was. The goals are meant
 * against 200 or more. `MOIETY_RECORD=1` writes down every lower cost that a run finds, and counts its starts.
 */
const file = new URL("../../../bench/starts/lowest.json", import.meta.url);
const methods: Readonly<Record<string, Omit<ClusterOptions, "k">>> = {
  lloyd: { algorithm: "lloyd" },
  fair: { algorithm: "f3km", minSize: 2 },
  even: { algorithm: "teb", balance: "hard" },
  "fair and even": { algorithm: "f3km", minSize: 2, balance: 0.8 },
};
const efforts = ["quick", "normal", "best"] as const;
/** Of each public dataset, chosen evenly: so few that many starts are affordable. */
const rows = 2000;
/** More than half of the people are somebody's copy. */
const copies = 0.5;
const goals = { quick: undefined, normal: 1.005, best: 1.002 } as const;
const goalOfCopies = 1.03;
/** Of the time of quick. */
const mostTime = 2;

interface Lowest {
  readonly cost: number;
  readonly starts: number;
}

/** How far one run ends above the lowest known cost, and the processor time that it takes, by effort; even clusters beside k-means-constrained. */
export async function starts(bench: Bench): Promise<Sheet[]> {
  const { quick, seeds } = bench.options;
  const lowest = JSON.parse(await readFile(file, "utf8")) as Record<string, Lowest>;
  const people = [
    ...shapes.map(({ name, people: draw }) => ({ name, load: async (): Promise<People> => draw() })),
    ...datasets(bench.options, rows).map(({ name, load }) => ({ name, load: () => load(quick ? undefined : rows) })),
  ];
  const lines: Line[] = [];
  for (const { name, load } of quick ? people.slice(0, 1) : people) {
    const drawn = await load();
    const duplicated = 1 - differentPeople(drawn) / drawn.n > copies;
    for (const [method, options] of Object.entries(methods)) {
      for (const k of quick ? [4] : [4, 8, 16, 32, 64]) {
        if (bench.signal.aborted) return [sheetOf(lines)];
        bench.say(`${method}: ${name}, k=${k}`);
        const key = `${method}: ${name}, k=${k}`;
        const found = new Map<string, { costs: number[]; seconds: number }>();
        for (const effort of efforts) {
          const before = process.cpuUsage();
          const costs: number[] = [];
          for (const seed of seedsOf(seeds)) {
            const { result } = await cluster(drawn, { ...options, k, effort, seed, threads: 1, signal: bench.signal });
            costs.push(
              result.fair === false && method.startsWith("fair")
                ? Number.POSITIVE_INFINITY
                : (result.objective ?? result.sse),
            );
          }
          const { user, system } = process.cpuUsage(before);
          found.set(effort, { costs, seconds: (user + system) / 1e6 / seeds });
        }
        const all = [...found.values()].flatMap(({ costs }) => costs);
        const known = lowest[key] ?? { cost: Number.POSITIVE_INFINITY, starts: 0 };
        const cost = Math.min(known.cost, ...all);
        lowest[key] = { cost: Number(cost.toPrecision(9)), starts: known.starts + all.length };
        const peer =
          method === "even" && !quick ? await constrainedSse(drawn, k, seedsOf(seeds), bench.signal) : undefined;
        const quickest = found.get("quick")!.seconds;
        // Of nothing, everything is as good.
        const above = (each: number) => (cost < 1e-9 ? 1 : each / cost);
        for (const [effort, { costs, seconds }] of found) {
          const atMost = duplicated && effort !== "quick" ? goalOfCopies : goals[effort as (typeof efforts)[number]];
          const beside =
            typeof peer === "object"
              ? {
                  "k-means-constrained": Number((peer.map(above).reduce((sum, each) => sum + each) / seeds).toFixed(4)),
                }
              : undefined;
          lines.push({
            at: { method, data: name, k, effort },
            figures: {
              "of the lowest SSE": figure(costs.map(above), "x", {
                ...(atMost === undefined ? {} : { goal: { atMost } }),
                ...(beside ? { beside } : {}),
              }),
              "processor time": figure([seconds], "s"),
              "of quick's": figure(
                [seconds / quickest],
                "x",
                effort === "normal" ? { goal: { atMost: mostTime } } : {},
              ),
            },
            remark: [
              `${lowest[key].starts} starts known`,
              ...(duplicated ? ["mostly copies"] : []),
              ...(typeof peer === "string" ? [peer] : []),
            ].join(", "),
          });
        }
      }
    }
  }
  if (process.env.MOIETY_RECORD === "1" && !quick) {
    const entries = Object.entries(lowest).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
    await writeFile(file, `{\n${entries.join(",\n")}\n}\n`);
  }
  return [sheetOf(lines)];
}

function differentPeople({ n, dimensions }: People): number {
  return new Set(Array.from({ length: n }, (_, i) => dimensions.map((column) => column[i]).join())).size;
}

function sheetOf(lines: readonly Line[]): Sheet {
  const percent = (ratio: number) => `${(100 * (ratio - 1)).toFixed(2)}%`;
  const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
  const notes = Object.keys(methods).flatMap((method) =>
    efforts.flatMap((effort) => {
      const own = lines.filter(({ at }) => at.effort === effort && at.method === method);
      if (own.length === 0) return [];
      const means = own.map(({ figures }) => figures["of the lowest SSE"].mean);
      const ratios = own.map(({ figures }) => figures["of quick's"].mean);
      const seconds = sum(own.map(({ figures }) => figures["processor time"].mean));
      const missed = own.filter(({ figures }) => figures["of the lowest SSE"].met === false).length;
      return [
        `${method}, ${effort}: on average ${percent(sum(means) / means.length)} above the lowest known, at most ${percent(Math.max(...means))}, beyond the goal in ${missed} of ${own.length}; ${seconds.toFixed(1)} s for one run of each, ${(sum(ratios) / ratios.length).toFixed(2)} times quick's on average, at most ${Math.max(...ratios).toFixed(2)}.`,
      ];
    }),
  );
  return { title: "What one run ends with, against the lowest SSE that is known", lines, notes };
}
