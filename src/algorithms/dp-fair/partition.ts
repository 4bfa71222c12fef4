import type { Bridge } from "./bridging.js";
import type { FairForm } from "./fair-plan.js";
import { type CellBalance, mergeCells } from "./merging.js";
import { CellSearch } from "./refining.js";

/** The largest noise, as a part of a mean cell, with which local search still helps. */
const mostNoise = 0.2;
/** A cluster has at least so many deviations of the noise on a count, so that its counts mean something. */
const deviationsPerCluster = 20;

/**
 * The cluster of each cell. Several mergers are tried, with more and less weight on fairness and on even sizes; each is
 * refined, and the one of least cost is kept. All of it uses one draw of noise, so it costs no privacy.
 */
export function partition(
  balance: CellBalance,
  bridges: readonly Bridge[],
  k: number,
  { lambda, smallest, refine }: Extract<FairForm, { kind: "paper" }>,
  deviation: number,
): Uint16Array {
  const { sizes, cells } = balance.census;
  const people = sizes.reduce((sum, size) => sum + size, 0);
  const isNoisy = deviation > (mostNoise * people) / cells;
  const searches = refine === "on" || (refine === "auto" && !isNoisy);
  const known = Math.max(smallest, Math.min((deviationsPerCluster * deviation) / people, 0.5 / k));
  const tries = searches
    ? [known, Math.max(known, 0.5 / k)].flatMap((share) => [lambda, lambda / 10].map((weight) => ({ share, weight })))
    : [{ share: known, weight: lambda }];
  let best: { owner: Uint16Array; cost: number } | undefined;
  for (const { share, weight } of tries) {
    const merged = mergeCells(balance, bridges, k, { lambda: weight, smallest: share });
    const one = searches
      ? new CellSearch(balance, bridges, merged, k, { lambda, smallest: known }).run()
      : { owner: merged, cost: 0 };
    if (!best || one.cost < best.cost) best = one;
  }
  return best!.owner;
}
