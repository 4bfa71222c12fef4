import type { Classification } from "../metrics/index.js";
import { formatPeople } from "./format.js";
import { textPairs } from "./table.js";
import { differenceLines, groupsTable, points } from "./train.js";

/** Measures of a classifier's answers, for the terminal. */
export function answersEvaluation(
  result: Classification & { readonly label: { readonly positive: string }; readonly protected: string },
): string {
  const { intervals } = result;
  const pair = (title: string, key: keyof typeof intervals): [string, string] => {
    const { value, low, high } = intervals[key];
    return [title, value === null ? "–" : `${points(value)} (${points(low)} to ${points(high)})`];
  };
  return [
    `${formatPeople(result.n)}; yes is '${result.label.positive}', groups are those of ${result.protected}`,
    textPairs([
      pair("accuracy", "accuracy"),
      pair("AUC", "auc"),
      pair("DPD", "dpd"),
      pair("EOD", "eod"),
      pair("APD", "apd"),
      pair("says yes", "positiveRate"),
    ]),
    [
      "In points, with 95% intervals. Differences are the group with the most less the one with the least:",
      ...differenceLines(),
    ].join("\n"),
    groupsTable(result),
  ].join("\n\n");
}
