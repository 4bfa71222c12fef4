import { exactMoments } from "../solver/exact-moments.js";
import type { PeopleOptions } from "../table/types.js";
import { splitOf } from "./settle-parties.js";
import type { ClusterOptions } from "./types.js";

/**
 * How columns are to be measured for a clustering: where rows are split, by whole sums that do not depend on who holds
 * which rows, as sites of a federation do.
 */
export function measureFor({
  splitBy,
  algorithm = "f3km",
  ...options
}: Pick<ClusterOptions, "split" | "algorithm"> & Pick<PeopleOptions, "splitBy">): Pick<PeopleOptions, "measure"> {
  return splitOf(options, algorithm, splitBy !== undefined) === "rows" ? { measure: exactMoments } : {};
}
