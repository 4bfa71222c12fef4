import { figure, seedsOf } from "../figure.js";
import type { Sheet } from "../types.js";
import type { Answers, Whole } from "./tasks.js";
import { perform, ratioOf, remarkOn, secondsOf, store, type Workshop, wholeRun } from "./workshop.js";

/** A whole fair run of ours against a whole unfair one of JavaScript's usual package, from the same start. */
export async function againstMlKmeans(shop: Workshop, n: number): Promise<Sheet> {
  const { seeds, threads } = shop.bench.options;
  const file = await store(shop, n);
  const k = 3;
  const ours: Whole[] = [];
  const theirs: Answers["ml-kmeans"][] = [];
  for (const seed of seedsOf(seeds)) {
    shop.bench.say(`against ml-kmeans, seed ${seed} of ${seeds}`);
    const other = await perform(shop, { kind: "ml-kmeans", path: file.path, k, threads });
    theirs.push(other);
    ours.push(await wholeRun(shop, file, { k, seed, from: other.from }));
  }
  const mine = secondsOf(ours);
  const other = secondsOf(theirs);
  const cost = figure(
    ours.map(({ sse }, index) => sse / theirs[index].sse),
    "x",
  );
  const figures = { ours: mine, against: other, ratio: ratioOf(mine, other), "SSE ratio": cost };
  return {
    title: `Against the unfair Lloyd of ml-kmeans, ${n.toLocaleString("en-US")} x ${file.d}`,
    lines: [{ at: { work: "whole run", k }, figures, ...remarkOn(ours) }],
    notes: [],
  };
}
