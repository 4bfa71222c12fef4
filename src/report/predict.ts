import type { ClassNames } from "../learning/classes.js";
import type { FairnessMeasures } from "../metrics/index.js";
import type { ColumnsUsed } from "../table/index.js";
import { columnLines } from "./columns.js";
import { formatCount, formatList, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { clusterSharesTable, sizesTable } from "./shares.js";
import { verdictSentences } from "./verdict.js";

/** The clusters of new people, or the answers of a classifier about them. */
export type PredictFacts = ColumnsUsed & { readonly algorithm: string; readonly n: number } & (
    | ({ readonly k: number; readonly sizes: readonly number[] } & Partial<FairnessMeasures>)
    | {
        readonly net: string;
        readonly label: { readonly column: string } & ClassNames;
        readonly positives: number;
        readonly positiveRate: number;
      }
    | {
        readonly net: string;
        readonly label: { readonly column: string } & ClassNames;
        /** Of more than two classes: how many people get each. */
        readonly answers: Readonly<Record<string, number>>;
      }
  );

/** Sizes; and where groups were given, how far they are from their bounds. */
function clusterLines(result: PredictFacts & { readonly sizes: readonly number[] }): string[] {
  const elsewhere = "--json has all of them";
  if (!isJudged(result)) return [sizesTable(result.sizes, result.n, elsewhere)];
  const advice = result.fair ? [] : ["`moiety assign` places people within the bounds of the model."];
  return [clusterSharesTable(result, elsewhere), "", ...verdictSentences(result, ""), ...advice];
}

function isJudged<Result extends object>(result: Result): result is Result & FairnessMeasures {
  return "bounds" in result;
}

/** Who gets which answer; of two classes, who gets a yes. */
function answersIn(result: Extract<PredictFacts, { readonly net: string }>): string[] {
  const { label, n } = result;
  const said = (name: string, people: number, share: number, whom: string) =>
    `'${name}' for ${formatNumber(people)}${whom} (${formatShare(share)})`;
  if (!("answers" in result)) {
    return "positive" in label ? [said(label.positive, result.positives, result.positiveRate, " of them")] : [];
  }
  return Object.entries(result.answers).map(([name, people]) => said(name, people, n === 0 ? 0 : people / n, ""));
}

export function predictReport(
  result: PredictFacts & { readonly seconds: { readonly read: number; readonly total: number } },
  files: readonly string[],
): string {
  const { algorithm, n, seconds } = result;
  const people = formatPeople(n);
  const [title, findings] =
    "sizes" in result
      ? [
          `${people} in ${formatCount(result.k, "cluster", "clusters")}, each by the nearest centre of the ${algorithm} model`,
          ["", ...clusterLines(result)],
        ]
      : [
          `${people}, each with an answer of the ${algorithm} model (${result.net})`,
          [`${result.label.column} is ${formatList(answersIn(result))}.`],
        ];
  return [
    title,
    ...columnLines(result),
    ...findings,
    "",
    `${formatSeconds(seconds.total)} in all, of which ${formatSeconds(seconds.read)} reading.`,
    `Wrote ${formatList(files)}.`,
  ].join("\n");
}
