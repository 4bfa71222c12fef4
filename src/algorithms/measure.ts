import { exactMoments } from "../solver/exact-moments.js";
import type { PeopleOptions } from "../table/types.js";
import { methodOf } from "./catalogue.js";
import { splitOf } from "./settle-parties.js";
import type { ClusterOptions } from "./types.js";

/**
 * How columns are to be measured for a clustering: where rows are split, by whole sums that do not depend on who holds
 * which rows, as sites of a federation do.
 */
export function measureFor({
  splitBy,
  algorithm,
  ...options
}: Pick<ClusterOptions, "split" | "algorithm"> & Pick<PeopleOptions, "splitBy">): Pick<PeopleOptions, "measure"> {
  return splitOf(options, algorithm === undefined ? undefined : methodOf(algorithm), splitBy !== undefined) === "rows"
    ? { measure: exactMoments }
    : {};
}
