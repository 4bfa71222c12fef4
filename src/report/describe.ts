import type { DescribedColumn, TableDescription } from "../table/index.js";
import { formatCount, formatNumber, formatSeconds, formatShare } from "./format.js";
import { textTable } from "./table.js";

export interface DescribeResult extends Omit<TableDescription, "suggestion"> {
  /** A command that runs as it is; null where there is nothing to cluster by. */
  readonly suggestion: string | null;
  readonly seconds: { readonly read: number; readonly total: number };
}

/** More columns, groups and predictors than these are in the JSON alone. */
const mostShown = { columns: 60, lists: 15, groups: 12, predictors: 8 };

/** A table for the terminal: its columns, the groups that could be protected, what gives them away, and what to do. */
export function describeReport(result: DescribeResult): string {
  const { rows, columns, seconds } = result;
  const sections = [
    `${formatCount(rows, "row", "rows")}, ${formatCount(columns.length, "column", "columns")}`,
    columnsTable(columns),
    ...groupsSection(columns),
    ...predictorsSection(result),
    `${formatSeconds(seconds.total)} in all, of which ${formatSeconds(seconds.read)} reading.`,
    ...suggestionSection(result),
  ];
  return sections.join("\n\n");
}

function columnsTable(columns: readonly DescribedColumn[]): string {
  const shown = columns.slice(0, mostShown.columns);
  const table = textTable(shown, [
    ["column", ({ name }) => name],
    ["kind", ({ kind }) => kind],
    ["missing", ({ missing }) => formatNumber(missing), "right"],
    ["distinct", ({ distinct }) => formatNumber(distinct), "right"],
    ["role", ({ role }) => role],
    ["why", ({ why }) => why],
  ]);
  const more = columns.length - shown.length;
  return more > 0 ? `${table}\n… and ${formatCount(more, "column", "columns")} more: see --json` : table;
}

/** Under a title as many lines as are shown, and how many more there are. */
function listed(title: string, lines: readonly string[], mostLines: number): string {
  const more = lines.length - mostLines;
  return [title, ...lines.slice(0, mostLines), ...(more > 0 ? [`  … and ${more} more: see --json`] : [])].join("\n");
}

function groupsSection(columns: readonly DescribedColumn[]): string[] {
  const line = ({ name, groups = {} }: DescribedColumn) => {
    const all = Object.entries(groups);
    const shown = all.slice(0, mostShown.groups).map(([group, people]) => `${group} ${formatNumber(people)}`);
    const more = all.length - shown.length;
    return `  ${name}: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  };
  const heading = (title: string, isSuggested: boolean) => {
    const part = columns.filter(({ groups, role }) => groups !== undefined && (role === "protect") === isSuggested);
    return part.length === 0 ? [] : [listed(title, part.map(line), mostShown.lists)];
  };
  return [
    ...heading("Groups of the suggested protected columns, with their sizes:", true),
    ...heading("Other columns with few values, which could be protected or categorical:", false),
  ];
}

function predictorsSection({ predictors, judgedBy, rows }: DescribeResult): string[] {
  if (predictors.length === 0) return [];
  const sample = judgedBy < rows ? `, judged by ${formatNumber(judgedBy)} rows` : "";
  const title = `Proxies for groups: the part of the uncertainty about a group that a column removes${sample}`;
  const lines = predictors.map(({ column, of, share }) => `  ${column} explains ${formatShare(share)} of ${of}`);
  return [listed(`${title}:`, lines, mostShown.predictors)];
}

function suggestionSection({ suggestion, columns }: DescribeResult): string[] {
  if (suggestion === null)
    return ["There is nothing to cluster by: no numeric column that varies, and no text column with few values."];
  const nothing = columns.some(({ role }) => role === "protect")
    ? []
    : ["No column is named like a protected attribute: name yours with --protect."];
  return [...nothing, `To begin with:\n\n  $ ${suggestion}`];
}
