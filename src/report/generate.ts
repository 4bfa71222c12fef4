import { formatNumber } from "./format.js";

export interface GenerateResult {
  readonly kind: string;
  readonly seed: number;
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly kind: "numeric" | "text" }[];
  readonly output: string;
}

/** More names than this say less. */
const fewNames = 20;

export function generateReport({ kind, seed, rows, columns, output }: GenerateResult): string {
  return [
    `${formatNumber(rows)} rows of ${kind}, seed ${seed}`,
    `  numeric: ${names(columns, "numeric")}`,
    `  text:    ${names(columns, "text")}`,
    `Wrote ${output}.`,
  ].join("\n");
}

function names(columns: GenerateResult["columns"], wanted: "numeric" | "text"): string {
  const found = columns.filter(({ kind }) => kind === wanted).map(({ name }) => name);
  if (found.length === 0) return "none";
  const more = found.length - fewNames;
  return more > 0 ? `${found.slice(0, fewNames).join(", ")} and ${more} more` : found.join(", ");
}
