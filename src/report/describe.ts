import type { DescribedColumn, TableDescription } from "../table/index.js";
import { formatCount, formatNumber, formatSeconds, formatShare } from "./format.js";
import { textTable } from "./table.js";

export interface DescribeResult extends Omit<TableDescription, "suggestion"> {
  /** A command that runs as it is; null where there is nothing to cluster by. */
  readonly suggestion: string | null;
  readonly seconds: { readonly read: number; readonly total: number };
}

/** More columns, groups and predictors than these are in the JSON alone. */
const most = { columns: 60, lists: 15, groups: 12, predictors: 8 };

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
  const shown = columns.slice(0, most.columns);
  const cells = (cell: (column: DescribedColumn) => string) => shown.map(cell);
  const table = textTable([
    { title: "column", cells: cells(({ name }) => name) },
    { title: "kind", cells: cells(({ kind }) => kind) },
    { title: "missing", cells: cells(({ missing }) => formatNumber(missing)), align: "right" },
    { title: "distinct", cells: cells(({ distinct }) => formatNumber(distinct)), align: "right" },
    { title: "role", cells: cells(({ role }) => role) },
    { title: "why", cells: cells(({ why }) => why) },
  ]);
  const more = columns.length - shown.length;
  return more > 0 ? `${table}\n… and ${formatCount(more, "column", "columns")} more: see --json` : table;
}

function groupsSection(columns: readonly DescribedColumn[]): string[] {
  const withGroups = columns.filter(({ groups }) => groups !== undefined);
  if (withGroups.length === 0) return [];
  const line = ({ name, groups = {} }: DescribedColumn) => {
    const all = Object.entries(groups);
    const shown = all.slice(0, most.groups).map(([group, people]) => `${group} ${formatNumber(people)}`);
    const more = all.length - shown.length;
    return `  ${name}: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  };
  const heading = (title: string, part: readonly DescribedColumn[]) => {
    const more = part.length > most.lists ? [`  … and ${part.length - most.lists} more: see --json`] : [];
    return part.length === 0 ? [] : [[title, ...part.slice(0, most.lists).map(line), ...more].join("\n")];
  };
  return [
    ...heading(
      "Groups of the suggested protected columns, with their sizes:",
      withGroups.filter(({ role }) => role === "protect"),
    ),
    ...heading(
      "Other columns with few values, which could be protected or categorical:",
      withGroups.filter(({ role }) => role !== "protect"),
    ),
  ];
}

function predictorsSection({ predictors, judgedBy, rows }: DescribeResult): string[] {
  if (predictors.length === 0) return [];
  const shown = predictors.slice(0, most.predictors);
  const sample = judgedBy < rows ? `, judged by ${formatNumber(judgedBy)} rows` : "";
  const title = `Proxies for groups: the part of the uncertainty about a group that a column removes${sample}`;
  const lines = shown.map(({ column, of, share }) => `  ${column} explains ${formatShare(share)} of ${of}`);
  const more = predictors.length - shown.length;
  return [[`${title}:`, ...lines, ...(more > 0 ? [`  … and ${more} more: see --json`] : [])].join("\n")];
}

function suggestionSection({ suggestion, columns }: DescribeResult): string[] {
  if (suggestion === null)
    return ["There is nothing to cluster by: no numeric column that varies, and no text column with few values."];
  const nothing = columns.some(({ role }) => role === "protect")
    ? []
    : ["No column is named like a protected attribute: name yours with --protect."];
  return [...nothing, `To begin with:\n\n  $ ${suggestion}`];
}
