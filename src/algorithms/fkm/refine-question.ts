import * as z from "zod";
import { meansOf } from "../../parties/kmeans.js";
import { pickPoints } from "../../parties/points.js";
import { count, float64s, questionsTo } from "../../parties/questions.js";
import type { RowSite } from "../../parties/row-site.js";
import { dropSmall } from "../../parties/row-summary.js";
import { fieldsOf, maySendMeans, ownMeans } from "../row-start.js";

/** FKM's round at a party, unmasked: one Lloyd step from the centres that are nearest to any of its people. */
export const refine = questionsTo<RowSite>().question({
  name: "refine",
  request: z.strictObject({ centres: float64s, least: count, clusters: count, columns: count }),
  leaves: "own",
  shape: ({ clusters, columns }) => ({ means: clusters * columns, counts: clusters, withheld: 1, cost: 1 }),
  guard: (site, { centres, least, clusters, columns }) =>
    maySendMeans(site, least) &&
    clusters === site.terms!.k &&
    columns === site.columns &&
    centres.length === clusters * columns,
  once: ({ opened }, { centres }) => [[Float64Array.of(opened), centres]],
  answer: async ({ points }, { centres, least, columns }) => {
    const global = await points.nearest(centres, centres.length / columns);
    const used = Array.from(global.counts.keys()).filter((m) => global.counts[m] > 0);
    const sums = pickPoints(global.sums, columns, used);
    const counts = Float64Array.from(used, (m) => global.counts[m]);
    const means = meansOf({ sums, counts }, pickPoints(centres, columns, used));
    const moved = await points.nearest(means, used.length);
    return fieldsOf({ ...dropSmall({ ...moved, means }, least), cost: global.cost });
  },
  journal: ownMeans,
  passes: 1,
});
