import type { Classification } from "../metrics/index.js";
import { formatPeople } from "./format.js";
import { textPairs } from "./table.js";
import { attributeLines, differenceLines, groupsTable, points } from "./train.js";

/** Measures of a classifier's answers, for the terminal. */
export function answersEvaluation(
  result: Classification & { readonly label: { readonly positive: string }; readonly protected: string },
): string {
  const { intervals } = result;
  const titles = { accuracy: "accuracy", auc: "AUC", dpd: "DPD", eod: "EOD", apd: "APD", positiveRate: "says yes" };
  const pairs = Object.entries(titles).map(([key, title]) => {
    const { value, low, high } = intervals[key as keyof typeof titles];
    return [title, value === null ? "–" : `${points(value)} (${points(low)} to ${points(high)})`] as const;
  });
  return [
    `${formatPeople(result.n)}; yes is '${result.label.positive}', groups are those of ${result.protected}`,
    textPairs(pairs),
    [
      "In points, with 95% intervals. Differences are the group with the most less the one with the least:",
      ...differenceLines(),
    ].join("\n"),
    ...attributeLines(result).filter((line) => line !== ""),
    groupsTable(result),
  ].join("\n\n");
}
