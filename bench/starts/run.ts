import type { People } from "../../src/table/types.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Line, Sheet } from "../types.js";
import { casesOf, costOf, lowestKnown, methodNames } from "./cases.js";
import { constrainedSse } from "./constrained.js";

const efforts = ["quick", "normal", "best"] as const;
/** More than half of the people are somebody's copy. */
const copies = 0.5;
const goals = { quick: undefined, normal: 1.005, best: 1.002 } as const;
const goalOfCopies = 1.03;
/** Of the time of quick. */
const mostTime = 2;

/** How far one run ends above the lowest known cost, and the processor time that it takes, by effort; even clusters beside k-means-constrained. */
export async function starts(bench: Bench): Promise<Sheet[]> {
  const { quick, seeds } = bench.options;
  const lowest = await lowestKnown();
  const lines: Line[] = [];
  for (const each of casesOf(bench)) {
    if (bench.signal.aborted) return [sheetOf(lines)];
    const { key, method, data, k } = each;
    bench.say(key);
    const people = await each.people();
    const duplicated = 1 - differentPeople(people) / people.n > copies;
    const found = new Map<string, { costs: number[]; seconds: number }>();
    for (const effort of efforts) {
      const before = process.cpuUsage();
      const costs: number[] = [];
      for (const seed of seedsOf(seeds)) costs.push(await costOf(each, effort, seed, bench.signal));
      const { user, system } = process.cpuUsage(before);
      found.set(effort, { costs, seconds: (user + system) / 1e6 / seeds });
    }
    const all = [...found.values()].flatMap(({ costs }) => costs);
    const known = lowest[key] ?? { cost: Number.POSITIVE_INFINITY, starts: 0 };
    const cost = Math.min(known.cost, ...all);
    const peer =
      method === "even" && !quick ? await constrainedSse(people, k, seedsOf(seeds), bench.signal) : undefined;
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
        at: { method, data, k, effort },
        figures: {
          "of the lowest SSE": figure(costs.map(above), "x", {
            ...(atMost === undefined ? {} : { goal: { atMost } }),
            ...(beside ? { beside } : {}),
          }),
          "processor time": figure([seconds], "s"),
          "of quick's": figure([seconds / quickest], "x", effort === "normal" ? { goal: { atMost: mostTime } } : {}),
        },
        remark: [
          `${known.starts} recorded starts`,
          ...(duplicated ? ["mostly copies"] : []),
          ...(typeof peer === "string" ? [peer] : []),
        ].join(", "),
      });
    }
  }
  return [sheetOf(lines)];
}

function differentPeople({ n, dimensions }: People): number {
  return new Set(Array.from({ length: n }, (_, i) => dimensions.map((column) => column[i]).join())).size;
}

function sheetOf(lines: readonly Line[]): Sheet {
  const percent = (ratio: number) => `${(100 * (ratio - 1)).toFixed(2)}%`;
  const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
  const notes = methodNames.flatMap((method) =>
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
