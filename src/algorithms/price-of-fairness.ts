import type { ClusterResult } from "./types.js";

/** A reference below this part of the cost counts as 0. */
const rounding = 1e-12;

/**
 * How much more the clusters cost than without promises, as a fraction. Null where nothing was promised, and where the cost without
 * promises is 0.
 */
export function priceOf({ cost, unconstrained }: Pick<ClusterCosts, "cost" | "unconstrained">): number | null {
  if (unconstrained === null) return null;
  if (cost <= unconstrained) return 0;
  if (unconstrained <= rounding * cost) return null;
  return cost / unconstrained - 1;
}

/** What was minimised, but for uneven sizes. */
export interface ClusterCosts {
  readonly cost: number;
  /** The least that was found without promises; null when nothing was promised. */
  readonly unconstrained: number | null;
  /** At a minimum size of 2, where the default was larger; else null. */
  readonly atMinSize2: number | null;
}

type Costly = Pick<ClusterResult, "sse"> &
  Partial<Pick<ClusterResult, "unconstrainedSse" | "sseAtMinSize2" | "cost" | "unconstrainedCost" | "costAtMinSize2">>;

/** SSE, or the sum of distances. */
export function costsOf({ cost, unconstrainedCost, costAtMinSize2, ...squared }: Costly): ClusterCosts {
  if (cost !== undefined) {
    return { cost, unconstrained: unconstrainedCost ?? null, atMinSize2: costAtMinSize2 ?? null };
  }
  const { sse, unconstrainedSse, sseAtMinSize2 } = squared;
  return { cost: sse, unconstrained: unconstrainedSse ?? null, atMinSize2: sseAtMinSize2 ?? null };
}
