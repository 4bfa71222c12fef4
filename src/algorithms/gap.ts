import type { LocalColumns } from "../parties/local-columns.js";
import type { Assigner } from "../solver/assigner.js";
import { affordablePasses, tuning } from "../solver/tuning.js";

/**
 * How far the clusters are above a certified lower bound of every assignment to the same centres that keeps all limits, as a
 * part of it. For any prices, the cheapest assignment at these prices costs no more than the cheapest one that keeps the limits
 * (the Lagrangian bound); a few steps of a search look for prices with a high bound. It says nothing about other centres.
 */
export async function gapOf(
  assigner: Assigner,
  parties: readonly LocalColumns[],
  /** What every assignment costs beside. */
  constant = 0,
): Promise<number | null> {
  const { convergence, search } = tuning;
  const { queries, step, patience } = search;
  const lagrangian = () => Promise.all(parties.map((party) => party.lagrangian()));
  const sumOf = (parts: Awaited<ReturnType<typeof lagrangian>>) => parts.reduce((sum, { around }) => sum + around, 0);
  const { balanceLoss, excess } = await assigner.limitStatus();
  if (excess > 0) return null;
  const cost = sumOf(await lagrangian()) + balanceLoss;
  const unit = await assigner.unit();
  await assigner.remember("answer");
  await assigner.columns.measure("rough");
  await assigner.columns.restartPrices(step.first * unit, 0);
  let bound = Number.NEGATIVE_INFINITY;
  const most = affordablePasses(assigner, queries.first * patience);
  for (let query = 0; query < most && bound < cost * (1 - convergence.rough); query++) {
    await assigner.prepare({ kind: "priced", unit: 0 });
    await assigner.assign(assigner.everyone);
    const parts = await lagrangian();
    if (parts.every(({ priced }) => priced !== undefined)) {
      bound = Math.max(bound, sumOf(parts) + parts.reduce((sum, { priced }) => sum + priced!, 0));
    }
    await assigner.columns.adjustPrices();
  }
  await assigner.recall("answer");
  return bound > 0 ? Math.max(0, (cost + constant) / (bound + constant) - 1) : null;
}
