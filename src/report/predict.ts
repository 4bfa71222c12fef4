import type { ColumnsUsed } from "../table/index.js";
import { columnLines } from "./columns.js";
import { formatCount, formatList, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { sizesTable } from "./shares.js";

/** The clusters of new people, or the answers of a classifier about them. */
export type PredictFacts = ColumnsUsed & { readonly algorithm: string; readonly n: number } & (
    | { readonly k: number; readonly sizes: readonly number[] }
    | {
        readonly net: string;
        readonly label: { readonly column: string; readonly positive: string };
        readonly positives: number;
        readonly positiveRate: number;
      }
  );

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
          ["", sizesTable(result.sizes, n, "--json has all of them")],
        ]
      : [
          `${people}, each with an answer of the ${algorithm} model (${result.net})`,
          [
            `${result.label.column} is '${result.label.positive}' for ${formatNumber(result.positives)} of them (${formatShare(result.positiveRate)}).`,
          ],
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
