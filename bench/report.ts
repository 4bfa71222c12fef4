import { formatNumber, formatSeconds } from "../src/report/format.js";
import { type PrintedColumn, textPairs, textTable } from "../src/report/table.js";
import type { BenchComparison } from "./compare.js";
import type { Benchmark, BenchResult, Figure, Goal, Line, Sheet } from "./types.js";

export function benchmarksReport(benchmarks: readonly Omit<Benchmark, "load">[]): string {
  return textTable(benchmarks, [
    ["name", ({ name }) => name],
    ["what it measures", ({ summary }) => summary],
    ["beside", ({ paper }) => paper],
  ]);
}

/** A run for the terminal: what others have, or the goal, stands beside each of our figures. */
export function benchReport(result: BenchResult, file: string): string {
  const { benchmark, version, machine, options, seconds, sheets } = result;
  const { seeds, threads, quick } = options;
  const judged = sheets.flatMap(({ lines }) => lines.flatMap(({ figures }) => Object.values(figures)));
  const goals = judged.filter(({ met }) => met !== undefined);
  return [
    `${benchmark} by moiety ${version}: ${seeds} ${seeds === 1 ? "seed" : "seeds"}, ${threads} threads, ${machine.processor}, ${machine.cores} cores, Node ${machine.node}, ${machine.kernels ?? "plain"} kernels`,
    ...(quick ? ["A quick run: it shows that all works, and measures little."] : []),
    ...sheets.flatMap((sheet) => ["", sheetText(sheet)]),
    "",
    ...(goals.length > 0 ? [`${goals.filter(({ met }) => met).length} of ${goals.length} goals are met.`] : []),
    `${formatSeconds(seconds)} in all. Wrote ${file}.`,
  ].join("\n");
}

function sheetText({ title, lines, notes }: Sheet): string {
  return [
    title,
    "",
    ...(lines.length > 0 ? [textTable(lines, columnsOf(lines))] : []),
    ...(notes.length > 0 ? ["", ...notes] : []),
  ].join("\n");
}

/** A run as a part of a page in Markdown. */
export function benchPage({ benchmark, made, machine, options, seconds, sheets }: BenchResult): string {
  const { seeds, quick } = options;
  const many = `${seeds} ${seeds === 1 ? "seed" : "seeds"}${quick ? ", a quick run that measures little" : ""}`;
  const how = `Printed by \`moiety bench ${benchmark}\` on ${made.slice(0, 10)}: ${many}, ${machine.processor}, ${machine.cores} cores, Node ${machine.node}, ${formatSeconds(seconds)} in all.`;
  return [how, ...sheets.map(sheetMarkdown)].join("\n\n");
}

function sheetMarkdown({ title, lines, notes }: Sheet): string {
  const columns = columnsOf(lines);
  const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const table = [
    row(columns.map(([heading]) => heading)),
    row(columns.map(([, , align]) => (align === "right" ? "--:" : "---"))),
    ...lines.map((line) => row(columns.map(([, text]) => text(line)))),
  ];
  return [`### ${title}`, table.join("\n"), ...notes].join("\n\n");
}

function columnsOf(lines: readonly Line[]): PrintedColumn<Line>[] {
  const places = keysOf(lines.map(({ at }) => at)).map((key): PrintedColumn<Line> => {
    const text = ({ at }: Line) => (typeof at[key] === "number" ? formatNumber(at[key]) : (at[key] ?? ""));
    return lines.every(({ at }) => typeof at[key] === "number") ? [key, text, "right"] : [key, text];
  });
  const figures = keysOf(lines.map(({ figures }) => figures)).flatMap((name) => figureColumns(name, lines));
  const remarked = lines.some(({ remark = "" }) => remark !== "");
  const remarks: PrintedColumn<Line>[] = remarked ? [["", ({ remark = "" }) => remark]] : [];
  return [...places, ...figures, ...remarks];
}

/** The figure with its spread, what others have beside it, the goal, and whether it is met. */
function figureColumns(name: string, lines: readonly Line[]): PrintedColumn<Line>[] {
  const cell =
    (text: (figure: Figure) => string) =>
    ({ figures }: Line) =>
      figures[name] ? text(figures[name]) : "";
  const columns: PrintedColumn<Line>[] = [[name, cell(figureText), "right"]];
  for (const key of keysOf(lines.map(({ figures }) => figures[name]?.beside ?? {}))) {
    const text = ({ beside = {}, unit }: Figure) => {
      const value = beside[key];
      return typeof value === "number" ? valueText(value, unit) : (value ?? "");
    };
    columns.push([key, cell(text), "right"]);
  }
  if (lines.some(({ figures }) => figures[name]?.goal)) {
    columns.push(
      ["goal", cell(({ goal, unit }) => (goal ? goalText(goal, unit) : "")), "right"],
      ["", cell(({ met }) => (met === undefined ? "" : met ? "ok" : "miss"))],
    );
  }
  return columns;
}

function figureText({ values, mean, sd, unit }: Figure): string {
  if (values.length < 2) return valueText(mean, unit);
  const { scale, name, digits, places: fixed } = measures(mean, unit);
  const whole = values.every(Number.isInteger) && sd === 0;
  const places = fixed ?? (whole ? 0 : decimals(mean / scale, digits));
  return `${rounded(mean / scale, places)} ± ${rounded(sd / scale, places)}${name}`;
}

function valueText(value: number, unit: string): string {
  const { scale, name, digits, places } = measures(value, unit);
  const own = Number.isInteger(value / scale) ? 0 : decimals(value / scale, digits);
  return `${rounded(value / scale, places ?? own)}${name}`;
}

/** Times vary from run to run, so that three digits are enough of them; of sums of squares they are not. */
function measures(value: number, unit: string): { scale: number; name: string; digits: number; places?: number } {
  if (unit === "s") return { scale: 1, name: " s", digits: 3 };
  if (unit === "x") return { scale: 1, name: " x", digits: 3 };
  if (unit === "B")
    return value < 1e9 ? { scale: 1e6, name: " MB", digits: 3 } : { scale: 1e9, name: " GB", digits: 3 };
  // Shares of people, in hundredths: all with the same decimals, so that they can be compared at a glance.
  if (unit === "points") return { scale: 1, name: "", digits: 3, places: 2 };
  return { scale: 1, name: "", digits: 5 };
}

/** Decimals that leave a number so many digits, and never more than four. */
function decimals(value: number, digits: number): number {
  if (value === 0) return 0;
  return Math.min(4, Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value)))));
}

function rounded(value: number, places: number): string {
  return value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
}

function goalText({ atMost, atLeast }: Goal, unit: string): string {
  return atMost === undefined ? `≥ ${valueText(atLeast!, unit)}` : `≤ ${valueText(atMost, unit)}`;
}

/** Two runs beside each other. */
export function comparisonReport({ benchmark, comparisons, differences }: BenchComparison): string {
  const sheets = [...new Set(comparisons.map(({ sheet }) => sheet))];
  const tables = sheets.flatMap((title) => {
    const lines = comparisons.filter(({ sheet }) => sheet === title);
    const place = (at: Record<string, unknown>) => Object.entries(at).map(([name, value]) => `${name} ${value}`);
    const text = textTable(lines, [
      ["", ({ at }) => place(at).join(", ")],
      ["", ({ figure }) => figure],
      ["before", ({ before, unit }) => valueText(before, unit), "right"],
      ["after", ({ after, unit }) => valueText(after, unit), "right"],
      ["after / before", ({ ratio }) => (ratio === null ? "" : valueText(ratio, "x")), "right"],
    ]);
    return ["", title, "", text];
  });
  const different = differences.map(
    (line) => /^([^:]*): (.*)$/.exec(line)?.slice(1, 3) as [string, string] | undefined,
  );
  const pairs = different.filter((pair) => pair !== undefined);
  const others = differences.filter((_, index) => different[index] === undefined);
  return [
    `${benchmark}: ${comparisons.length} figures in both runs`,
    ...tables,
    ...(differences.length > 0 ? ["", "The two runs differ:"] : []),
    ...(pairs.length > 0 ? [textPairs(pairs)] : []),
    ...others,
  ].join("\n");
}

function keysOf(objects: readonly object[]): string[] {
  return [...new Set(objects.flatMap((object) => Object.keys(object)))];
}
