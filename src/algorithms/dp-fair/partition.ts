import type { Bridge } from "./bridging.js";
import type { FairPlan } from "./fair-plan.js";
import { type CellBalance, mergeCells } from "./merging.js";
import { refine } from "./refining.js";

/** Beyond this part of a mean cell, noise leads a local search astray. */
const mostNoise = 0.2;
/** Clusters are kept so large that the noise on their counts is small against them. */
const deviationsPerCluster = 20;

/**
 * The cells' clusters for each k. Several mergers are tried, with more and less weight on fairness and on even sizes, each is
 * refined, and the best by what is known counts. All this works on one draw of noise, and so costs no privacy.
 */
export function partitions(
  balance: CellBalance,
  bridges: readonly Bridge[],
  ks: readonly number[],
  { lambda, smallest, refine: refining, census }: Pick<FairPlan, "lambda" | "smallest" | "refine" | "census">,
): Uint16Array[] {
  const { sizes, cells } = balance.census;
  const people = sizes.reduce((sum, size) => sum + size, 0);
  const isNoisy = census.deviation > (mostNoise * people) / cells;
  const searches = refining === "on" || (refining === "auto" && !isNoisy);
  return ks.map((k) => {
    const known = Math.max(smallest, Math.min((deviationsPerCluster * census.deviation) / people, 0.5 / k));
    const tries = searches
      ? [known, Math.max(known, 0.5 / k)].flatMap((share) => [lambda, lambda / 10].map((weight) => ({ share, weight })))
      : [{ share: known, weight: lambda }];
    let best: { owner: Uint16Array; cost: number } | undefined;
    for (const { share, weight } of tries) {
      const merged = mergeCells(balance, bridges, k, { lambda: weight, smallest: share });
      const one = searches ? refine(balance, bridges, merged, k, lambda, known) : { owner: merged, cost: 0 };
      if (!best || one.cost < best.cost) best = one;
    }
    return best!.owner;
  });
}
