import { z } from "zod";
import { meansOf } from "../../parties/kmeans.js";
import { count, float64s, questionsTo } from "../../parties/questions.js";
import type { RowSite } from "../../parties/row-site.js";
import { dropSmall } from "../../parties/row-summary.js";
import { fieldsOf, ownMeans, tellsMeans } from "../row-start.js";

/** FKM's round: one Lloyd step from those of the centres that somebody at the party is nearest to, in the open. */
export const refine = questionsTo<RowSite>().question({
  name: "refine",
  request: z.strictObject({ centres: float64s, least: count, clusters: count, columns: count }),
  leaves: "own",
  shape: ({ clusters, columns }) => ({ means: clusters * columns, counts: clusters, withheld: 1, cost: 1 }),
  guard: (site, { centres, least, clusters, columns }) =>
    tellsMeans(site, least) &&
    clusters === site.terms!.k &&
    columns === site.columns &&
    centres.length === clusters * columns,
  once: ({ opened }, { centres }) => [[Float64Array.of(opened), centres]],
  answer: async ({ points }, { centres, least, columns }) => {
    const global = await points.nearest(centres, centres.length / columns);
    const used = Array.from(global.counts.keys()).filter((m) => global.counts[m] > 0);
    const kept = Float64Array.from(used.flatMap((m) => Array.from(centres.subarray(m * columns, (m + 1) * columns))));
    const sums = Float64Array.from(
      used.flatMap((m) => Array.from(global.sums.subarray(m * columns, (m + 1) * columns))),
    );
    const means = meansOf({ sums, counts: Float64Array.from(used, (m) => global.counts[m]) }, kept);
    const moved = await points.nearest(means, used.length);
    return fieldsOf({ ...dropSmall(means, moved.counts, least), cost: global.cost });
  },
  journal: ownMeans,
  passes: 1,
});
