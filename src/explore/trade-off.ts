import { costsOf } from "../algorithms/price-of-fairness.js";
import { placeOf } from "../algorithms/sweep-types.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { defined } from "../defined.js";
import { asKeys } from "../errors.js";
import type { Language } from "../report/language.js";
import type { People } from "../table/types.js";
import type { Following } from "./exploration.js";
import type { TradeOffView } from "./questions.js";
import { partsView } from "./sections.js";

/** Values of delta that are tried, and how far k goes around the one asked for. */
const deltas = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5];
const reach = 4;

/** What each delta, or each number of clusters, costs. */
export async function tradeOff(
  people: People,
  { k, delta, ...options }: ClusterOptions,
  along: "delta" | "k",
  language: Language,
  { onProgress, signal }: Following,
): Promise<TradeOffView> {
  const [{ sweep }, { sweepParts }] = await Promise.all([
    import("../algorithms/sweep.js"),
    import("../report/sweep-page.js"),
  ]);
  const from = Math.max(2, k - reach);
  const ks = along === "k" ? Array.from({ length: 2 * reach + 1 }, (_, at) => from + at) : [k];
  const asked =
    along === "delta"
      ? { delta: [...new Set([...deltas, delta ?? 0])].filter((each) => each > 0).sort((a, b) => a - b) }
      : defined({ delta: delta === undefined ? undefined : [delta] });
  const values = along === "delta" ? (asked.delta?.length ?? 1) : ks.length;
  const { result } = await sweep(people, {
    ...options,
    k: ks,
    ...asked,
    ...defined({ signal }),
    clock: () => performance.now(),
    onValue: ({ done }) => onProgress?.({ phase: "sweep", part: done / values }),
  });
  return {
    ...partsView(sweepParts({ ...result, warnings: result.warnings.map(asKeys) }, { language }), "sweep-"),
    values: result.points.map((point) => ({
      place: placeOf(point),
      k: point.k,
      delta: point.delta,
      feasible: point.feasible,
      price: point.feasible ? point.price : null,
      sse: point.feasible ? costsOf(point).cost : null,
    })),
  };
}
