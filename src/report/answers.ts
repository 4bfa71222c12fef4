import { type ClassNames, classesOf } from "../learning/classes.js";
import type { Classification } from "../metrics/index.js";
import { formatPeople } from "./format.js";
import { textPairs } from "./table.js";
import { attributeLines, classLines, classNames, differenceLines, groupsTable, points } from "./train.js";

/** What there is only where one class is the yes. */
const ofYes: readonly string[] = ["auc", "positiveRate"];

/** Measures of a classifier's answers, for the terminal. */
export function answersEvaluation(
  result: Classification & { readonly label: ClassNames; readonly protected: string },
): string {
  const { intervals } = result;
  const titles = { accuracy: "accuracy", auc: "AUC", dpd: "DPD", eod: "EOD", apd: "APD", positiveRate: "says yes" };
  const known = Object.entries(titles).filter(([key]) => result.perClass === undefined || !ofYes.includes(key));
  const pairs = known.map(([key, title]) => {
    const { value, low, high } = intervals[key as keyof typeof titles];
    return [title, value === null ? "–" : `${points(value)} (${points(low)} to ${points(high)})`] as const;
  });
  return [
    `${formatPeople(result.n)}; ${"positive" in result.label ? `yes is '${result.label.positive}'` : classNames(result.label.classes)}, groups are those of ${result.protected}`,
    textPairs(pairs),
    [
      "In points, with 95% intervals. Differences are the group with the most less the one with the least:",
      ...differenceLines(classesOf(result.label).length),
    ].join("\n"),
    ...[...attributeLines(result), ...classLines(result)].filter((line) => line !== ""),
    groupsTable(result),
  ].join("\n\n");
}
