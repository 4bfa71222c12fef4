import type { Classification } from "../metrics/index.js";
import { formatPeople } from "./format.js";
import { textPairs } from "./table.js";
import { groupsTable, points } from "./train.js";

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
      pair("demographic parity difference", "dpd"),
      pair("equal opportunity difference", "eod"),
      pair("accuracy parity difference", "apd"),
      pair("says yes", "positiveRate"),
    ]),
    groupsTable(result),
    "In points, with 95% intervals.",
  ].join("\n\n");
}
