import { resolveBounds } from "../constraints/resolve-bounds.js";
import { openLanes } from "../kernels/lanes.js";
import { splitColumns } from "../parties/split.js";
import type { ColumnParty } from "../parties/types.js";
import { Coordinator } from "../solver/coordinator.js";
import type { People } from "../table/types.js";

/** A coordinator of in-process parties on this thread, without limits or with those of a delta and a smallest size. */
export async function coordinatorOf(
  people: People,
  k: number,
  {
    parties = 1,
    delta,
    smallest = 1,
    wrap = (party) => party,
  }: {
    readonly parties?: number;
    readonly delta?: number;
    readonly smallest?: number;
    readonly wrap?: (party: ColumnParty) => ColumnParty;
  } = {},
): Promise<Coordinator> {
  const bounds = resolveBounds(people.attributes, { delta: delta ?? 0 });
  const promises = { bounds, tolerance: 1, sizes: { min: smallest, max: people.n } };
  const split = splitColumns(people, parties, openLanes(1), delta === undefined ? undefined : promises);
  return Coordinator.open(split.map(wrap), k);
}
