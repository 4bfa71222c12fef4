import { resolveBounds } from "../constraints/resolve-bounds.js";
import { openLanes } from "../kernels/lanes.js";
import { splitColumns } from "../parties/split.js";
import { Assigner } from "../solver/assigner.js";
import type { Decider } from "../solver/decider.js";
import { localDecider } from "../solver/local-deciders.js";
import type { People } from "../table/types.js";

/** An assigner of in-process parties on this thread, without limits or with those of a delta and a smallest size. */
export async function assignerOf(
  people: People,
  k: number,
  {
    parties = 1,
    delta,
    smallest = 1,
    wrap = (decider) => decider,
  }: {
    readonly parties?: number;
    readonly delta?: number;
    readonly smallest?: number;
    readonly wrap?: (decider: Decider) => Decider;
  } = {},
): Promise<Assigner> {
  const bounds = resolveBounds(people.attributes, { delta: delta ?? 0 });
  const promises = { bounds, tolerance: 1, sizes: { min: smallest, max: people.n } };
  const split = splitColumns(people, parties, openLanes(1), delta === undefined ? undefined : promises);
  return Assigner.open(wrap(localDecider(split)), k);
}
