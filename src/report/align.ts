import { formatNumber } from "./format.js";
import { textTable } from "./table.js";

export interface AlignResult {
  /** Ids that all sources hold. */
  readonly common: number;
  readonly sources: readonly { readonly source: string; readonly ids: number; readonly duplicates: number }[];
  readonly seconds: { readonly total: number };
}

/** Counts only: no id is ever printed. */
export function alignReport({ common, sources, seconds }: AlignResult, output: string): string {
  const table = textTable(sources, [
    ["source", ({ source }) => source],
    ["different ids", ({ ids }) => formatNumber(ids), "right"],
    ["repeated", ({ duplicates }) => formatNumber(duplicates), "right"],
    ["not common", ({ ids }) => formatNumber(ids - common), "right"],
  ]);
  return `${table}\n\n${formatNumber(common)} are common to all. ${seconds.total} s in all. Wrote ${output}.`;
}
