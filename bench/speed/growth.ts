import { figure, seedsOf } from "../figure.js";
import type { Sheet } from "../types.js";
import type { Whole } from "./tasks.js";
import { ratioOf, remarkOn, secondsOf, store, type Workshop, wholeRun } from "./workshop.js";

/** What the goal of 5 seconds is about. */
const fullSize = 5_000_000;

/** A whole fair run with its seeding (k 3, delta 0.2): its time, its memory, and how the time grows. */
export async function growth(shop: Workshop, n: number, tenth: number): Promise<Sheet> {
  const { seeds } = shop.bench.options;
  const many = await store(shop, n);
  const fewer = await store(shop, tenth);
  const large: Whole[] = [];
  const small: Whole[] = [];
  for (const seed of seedsOf(seeds)) {
    shop.bench.say(`a whole fair run over a tenth of the people, seed ${seed} of ${seeds}`);
    small.push(await wholeRun(shop, fewer, { k: 3, seed }));
    shop.bench.say(`a whole fair run over ${n.toLocaleString("en-US")} people, seed ${seed} of ${seeds}`);
    large.push(await wholeRun(shop, many, { k: 3, seed }));
  }
  const bytes = 4 * many.n * many.d;
  const peaks = large.map(({ peak }) => peak);
  const ours = secondsOf(large);
  const theirs = secondsOf(small);
  return {
    title: `Whole fair runs over ${n.toLocaleString("en-US")} x ${many.d}, k 3, delta 0.2`,
    lines: [
      {
        at: { work: "to convergence, seeding included" },
        figures: { ours: secondsOf(large, n === fullSize ? 5 : undefined) },
        ...remarkOn(large),
      },
      {
        at: { work: "growth from a tenth of the people" },
        figures: { ours, against: theirs, ratio: ratioOf(ours, theirs, 11) },
      },
      {
        at: { work: "peak memory, against the data in f32" },
        figures: {
          ours: figure(peaks, "B"),
          against: figure([bytes], "B"),
          ratio: figure(
            peaks.map((peak) => peak / bytes),
            "x",
            { goal: { atMost: 2.5 } },
          ),
        },
      },
    ],
    notes: [],
  };
}
