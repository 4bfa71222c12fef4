/** A column of a table of text: numbers stand to the right, words to the left. */
export interface PrintedColumn {
  readonly title: string;
  readonly cells: readonly string[];
  readonly align?: "left" | "right";
}

/** Columns side by side, under their titles and a line. */
export function textTable(columns: readonly PrintedColumn[]): string {
  const widths = columns.map(({ title, cells }) => Math.max(...[title, ...cells].map((cell) => widthOf(cell))));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, j) => pad(text, widths[j], columns[j].align ?? "left"))
      .join("  ")
      .trimEnd();
  const rows = columns[0].cells.map((_, i) => line(columns.map(({ cells }) => cells[i])));
  return [line(columns.map(({ title }) => title)), widths.map((width) => "─".repeat(width)).join("  "), ...rows].join(
    "\n",
  );
}

/** Names and values below each other. */
export function textPairs(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => widthOf(name)));
  return pairs.map(([name, value]) => `${pad(name, width, "left")}  ${value}`).join("\n");
}

function pad(text: string, width: number, align: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + space : space + text;
}

/** Letters, not UTF-16 units: group names come in every script. */
function widthOf(text: string): number {
  return [...text].length;
}
