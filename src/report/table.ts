/** A column of a table of text: its title, the text in each row, and "right" for numbers. */
export type PrintedColumn<Row> = readonly [title: string, text: (row: Row) => string, align?: "right"];

/** Rows below each other, under the titles of the columns and a line. */
export function textTable<Row>(rows: readonly Row[], columns: readonly PrintedColumn<Row>[]): string {
  const cells = columns.map(([title, text]) => [title, ...rows.map(text)]);
  const widths = cells.map((column) => Math.max(...column.map(widthOf)));
  const line = (at: number) =>
    columns
      .map(([, , align], j) => pad(cells[j][at], widths[j], align))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("  ");
  return [line(0), rule, ...rows.map((_, i) => line(i + 1))].join("\n");
}

/** Names and values below each other. */
export function textPairs(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => widthOf(name)));
  return pairs.map(([name, value]) => `${pad(name, width)}  ${value}`).join("\n");
}

function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + space : space + text;
}

/** Letters, not UTF-16 units: group names come in every script. */
function widthOf(text: string): number {
  return [...text].length;
}
