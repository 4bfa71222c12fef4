import { exactMoments } from "../solver/exact-moments.js";
import type { PeopleOptions } from "../table/types.js";
import { methodOf } from "./catalogue.js";
import { splitOf } from "./settle-parties.js";
import type { ClusterOptions } from "./types.js";

/** How means and deviations of columns are computed: where rows are split, by exact sums, as in a federation. */
export function measureFor({
  splitBy,
  algorithm,
  ...options
}: Pick<ClusterOptions, "split" | "algorithm"> & Pick<PeopleOptions, "splitBy">): Pick<PeopleOptions, "measure"> {
  return splitOf(options, algorithm === undefined ? undefined : methodOf(algorithm), splitBy !== undefined) === "rows"
    ? { measure: exactMoments }
    : {};
}
