import type { ClusterResult } from "./types.js";

/** A reference below this part of the cost counts as 0. */
const rounding = 1e-12;

/**
 * How much more the clusters cost than without promises, as a fraction. Null where nothing was promised, and where the cost without
 * promises is 0.
 */
export function priceOf({ sse, unconstrainedSse }: Pick<ClusterResult, "sse" | "unconstrainedSse">): number | null {
  if (unconstrainedSse === null) return null;
  if (sse <= unconstrainedSse) return 0;
  if (unconstrainedSse <= rounding * sse) return null;
  return sse / unconstrainedSse - 1;
}
