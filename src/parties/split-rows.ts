import type { Lane } from "../kernels/lanes.js";
import type { People } from "../table/types.js";
import { MemoryRows } from "./memory-rows.js";
import type { Patterns } from "./patterns.js";
import { RowSite } from "./row-site.js";

/** The people of each party, ascending. */
export type RowSplit = readonly Uint32Array[];

/** By the holders that the table names; else in stretches. */
export function splitOfRows({ n, holders }: Pick<People, "n" | "holders">, parties: number): RowSplit {
  return holders ? byCode(holders.codes, holders.groups.length) : stretches(n, parties);
}

/** Stretches of people in the table's order, whose lengths differ by one at most. */
export function stretches(n: number, parties: number): RowSplit {
  return Array.from({ length: parties }, (_, party) => {
    const from = Math.floor((party * n) / parties);
    const to = Math.floor(((party + 1) * n) / parties);
    return Uint32Array.from({ length: to - from }, (_, i) => from + i);
  });
}

/** Person i belongs to party `codes[i]`. */
export function byCode(codes: ArrayLike<number>, parties: number): RowSplit {
  const rows: number[][] = Array.from({ length: parties }, () => []);
  for (let i = 0; i < codes.length; i++) rows[codes[i]].push(i);
  return rows.map((list) => Uint32Array.from(list));
}

/** What each party knows of its own people, put together in the table's order. */
export function atTheirRows(split: RowSplit, n: number, valuesOf: (party: number) => Uint16Array): Uint16Array {
  const all = new Uint16Array(n);
  split.forEach((rows, party) => {
    const values = valuesOf(party);
    rows.forEach((row, i) => {
      all[row] = values[i];
    });
  });
  return all;
}

/** Splits one table over in-process parties. A person's number is that of the whole table. */
export function splitRows(
  people: Pick<People, "dimensions" | "weights">,
  split: RowSplit,
  patterns: Pick<Patterns, "codes" | "count">,
  lanes: readonly Lane[],
): RowSite<MemoryRows>[] {
  return split.map((rows, number) => {
    const dimensions = people.dimensions.map((column) => {
      const part = column instanceof Float32Array ? new Float32Array(rows.length) : new Float64Array(rows.length);
      for (let i = 0; i < rows.length; i++) part[i] = column[rows[i]];
      return part;
    });
    const codes = Uint16Array.from(rows, (row) => patterns.codes[row]);
    const { weights } = people;
    const own = weights && Float64Array.from(rows, (row) => weights.values[row] / weights.unit);
    const held = new MemoryRows(lanes, dimensions, { codes, count: patterns.count }, own);
    const site = new RowSite(held, { number, lanes });
    const occurring = Uint32Array.from({ length: patterns.count }, (_, pattern) => pattern);
    site.enrol({ persons: Float64Array.from(rows), occurring });
    return site;
  });
}
