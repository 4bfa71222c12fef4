import { exactMoments } from "../solver/exact-moments.js";
import type { PeopleOptions } from "../table/types.js";
import type { ClusterOptions } from "./types.js";

/**
 * How columns are to be measured for a clustering: where rows are split, by whole sums that do not depend on who holds
 * which rows, as sites of a federation do.
 */
export function measureFor({
  split,
  splitBy,
  algorithm = "f3km",
}: Pick<ClusterOptions, "split" | "algorithm"> & Pick<PeopleOptions, "splitBy">): Pick<PeopleOptions, "measure"> {
  const rows = split ?? (splitBy !== undefined || ["fkm", "fkm-plus", "kfed"].includes(algorithm) ? "rows" : "columns");
  return rows === "rows" ? { measure: exactMoments } : {};
}
