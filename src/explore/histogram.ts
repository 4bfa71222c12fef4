import type { Column } from "../table/types.js";
import type { ColumnView } from "./questions.js";

/** Bars of a histogram that is a thumb wide. */
const bars = 16;

/** How the numbers of a column are spread; undefined where it has none. */
export function histogramOf(column: Column): ColumnView["histogram"] {
  if (column.kind !== "numeric") return undefined;
  const { values } = column;
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (!Number.isFinite(value)) continue;
    if (value < from) from = value;
    if (value > to) to = value;
  }
  if (!(from < to)) return undefined;
  const counts = new Array<number>(bars).fill(0);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isFinite(value)) counts[Math.min(bars - 1, Math.floor((bars * (value - from)) / (to - from)))]++;
  }
  return { counts, from, to };
}
