import type { ClusterResult } from "./types.js";

/** A reference below this part of the cost is 0 but for rounding. */
const rounding = 1e-12;

/**
 * How much more the clusters cost than without promises, as a fraction. Null where nothing was promised, and where without
 * promises nobody would be away from their cluster's mean: of nothing there are no percentages.
 */
export function priceOf({ sse, unconstrainedSse }: Pick<ClusterResult, "sse" | "unconstrainedSse">): number | null {
  if (unconstrainedSse === null) return null;
  if (sse <= unconstrainedSse) return 0;
  if (unconstrainedSse <= rounding * sse) return null;
  return sse / unconstrainedSse - 1;
}
