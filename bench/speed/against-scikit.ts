import { figure, seedsOf } from "../figure.js";
import type { Figure, Line, Sheet } from "../types.js";
import type { PeopleFile } from "./people-file.js";
import { findScikit, runScikit, type Scikit, type ScikitTimes } from "./scikit.js";
import type { Answers, Whole } from "./tasks.js";
import { perform, ratioOf, remarkOn, secondsOf, store, type Workshop, wholeRun } from "./workshop.js";

/** At most so many times scikit-learn's, by k; with AVX-512, where it is fastest. */
const goals = [
  { k: 3, pass: 1.5, whole: 1.5 },
  { k: 10, pass: 1, whole: 1.5 },
] as const;

interface Times {
  readonly pass: Answers["pass"];
  readonly whole: Whole;
  readonly theirs?: ScikitTimes;
}

/** Ours, which is fair, against scikit-learn's Lloyd, which is not: on the same people, from the same start. */
export async function againstScikit(shop: Workshop, n: number): Promise<Sheet> {
  const { seeds, threads } = shop.bench.options;
  const file = await store(shop, n);
  const scikit = await findScikit(shop.bench.signal);
  const lines: Line[] = [];
  for (const goal of goals) {
    const times: Times[] = [];
    for (const seed of seedsOf(seeds)) {
      shop.bench.say(`k ${goal.k} against scikit-learn, seed ${seed} of ${seeds}`);
      times.push(await timesOf(shop, file, goal.k, seed, scikit));
    }
    lines.push(...linesOf(goal, times, typeof scikit === "string" ? scikit : undefined));
  }
  const whom = typeof scikit === "string" ? "scikit-learn" : `scikit-learn ${scikit.version}`;
  return {
    title: `Against the unfair Lloyd of ${whom}, ${n.toLocaleString("en-US")} x ${file.d}, ${threads} threads`,
    lines,
    notes: [],
  };
}

async function timesOf(
  shop: Workshop,
  file: PeopleFile,
  k: number,
  seed: number,
  scikit: Scikit | string,
): Promise<Times> {
  const { threads, quick } = shop.bench.options;
  const repeats = quick ? 1 : 5;
  const task = { ...file, k, seed, threads, repeats };
  const theirs = typeof scikit === "string" ? undefined : await runScikit(scikit, shop.folder, task, shop.bench.signal);
  const start = theirs ? { from: theirs.start } : {};
  const pass = await perform(shop, { kind: "pass", path: file.path, k, threads, repeats, ...start });
  const whole = await wholeRun(shop, file, { k, seed, ...start });
  return { pass, whole, ...(theirs ? { theirs } : {}) };
}

function linesOf(goal: (typeof goals)[number], times: readonly Times[], absent: string | undefined): Line[] {
  const seconds = (pick: (time: Times) => number) => figure(times.map(pick), "s");
  const dense = { at: { work: "dense pass", k: goal.k }, ours: seconds(({ pass }) => pass.dense), atMost: goal.pass };
  const first = { at: { work: "first pass", k: goal.k }, ours: seconds(({ pass }) => pass.first) };
  const entire = { work: "whole run", k: goal.k };
  const whole = secondsOf(times.map(({ whole }) => whole));
  if (absent !== undefined) {
    return [
      ...[dense, first].map(({ at, ours }) => ({ at, figures: { ours }, remark: absent })),
      { at: entire, figures: { ours: whole }, remark: absent },
    ];
  }
  const theirPasses = times.flatMap(({ theirs }) => theirs!.pass ?? []);
  const theirWhole = seconds(({ theirs }) => theirs!.whole);
  const cost = figure(
    times.map(({ whole, theirs }) => whole.sse / theirs!.sse),
    "x",
  );
  return [
    passLine(dense, theirPasses),
    passLine(first, theirPasses),
    {
      at: entire,
      figures: { ours: whole, against: theirWhole, ratio: ratioOf(whole, theirWhole, goal.whole), "SSE ratio": cost },
      ...remarkOn(times.map(({ whole }) => whole)),
    },
  ];
}

/** Their pass is the same every time: it takes all sums anew. */
function passLine(
  { at, ours, atMost }: { readonly at: Line["at"]; readonly ours: Figure; readonly atMost?: number },
  theirs: readonly number[],
): Line {
  if (theirs.length < ours.values.length) {
    return { at, figures: { ours }, remark: "this scikit-learn does not show its pass" };
  }
  const against = figure(theirs, "s");
  return { at, figures: { ours, against, ratio: ratioOf(ours, against, atMost) } };
}
