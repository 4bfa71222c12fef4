import { formatNumber } from "./format.js";
import { textTable } from "./table.js";

export interface AlignResult {
  readonly id: string;
  /** Ids that all sources hold. */
  readonly common: number;
  readonly sources: readonly { readonly source: string; readonly ids: number; readonly duplicates: number }[];
  readonly seconds: { readonly total: number };
}

/** Counts only: no id is ever printed. */
export function alignReport({ common, sources, seconds }: AlignResult, output: string): string {
  const column = (title: string, pick: (source: AlignResult["sources"][number]) => number) => ({
    title,
    cells: sources.map((source) => formatNumber(pick(source))),
    align: "right" as const,
  });
  return [
    textTable([
      { title: "source", cells: sources.map(({ source }) => source) },
      column("different ids", ({ ids }) => ids),
      column("repeated", ({ duplicates }) => duplicates),
      column("not common", ({ ids }) => ids - common),
    ]),
    "",
    `${formatNumber(common)} are common to all. ${seconds.total} s in all. Wrote ${output}.`,
  ].join("\n");
}
