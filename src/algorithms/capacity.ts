import type { SizeLimits } from "../constraints/bounds.js";
import { refuse, whole } from "./settle-parties.js";
import type { ClusterOptions } from "./types.js";

/** The sizes of each cluster: whole numbers, or weights, from `least` where nothing is said, and up to everybody. */
export function capacityLimits(
  capacity: NonNullable<ClusterOptions["capacity"]>,
  k: number,
  n: number,
  least: 0 | 1,
  size: typeof whole = whole,
): SizeLimits {
  refuse(capacity.length !== k, `\`capacity\` has ${capacity.length} sizes: give one for each of k=${k} clusters`);
  const each = capacity.map((asked) => {
    const min = asked.min === undefined ? least : size("the smallest size of a cluster", asked.min, 0);
    // Everybody's weight need not be a whole number.
    const max = asked.max === undefined ? Math.max(n, min) : size("the largest size of a cluster", asked.max, 0);
    return { min, max };
  });
  return { min: Math.min(...each.map(({ min }) => min)), max: Math.max(...each.map(({ max }) => max)), each };
}
