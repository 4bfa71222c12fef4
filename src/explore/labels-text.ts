import { guarded } from "../table/spreadsheet.js";
import type { People } from "../table/types.js";

/** The cluster of each person, as `moiety cluster --labels labels.csv` writes it. */
export function labelsText({ sourceRows, ids }: Pick<People, "sourceRows" | "ids">, labels: Uint16Array): string {
  const numbers = ids === undefined ? sourceRows : ids.numbers;
  const lines = [`${cellOf(ids?.column ?? "row")},cluster\n`];
  labels.forEach((label, i) => {
    lines.push(`${numbers ? numbers[i] : cellOf(guarded(ids!.values[i]))},${label}\n`);
  });
  return lines.join("");
}

function cellOf(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
