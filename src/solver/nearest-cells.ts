import { publicGrid } from "../parties/grid.js";
import type { Decider } from "./decider.js";

/**
 * Everybody's cell: that of the nearest centre, of the first among equals. Coordinates, and centres, which `place` gives to each holder of columns,
 * are whole multiples of 2^-bits in [-1, 1]: so a person's cell depends on nobody else.
 */
export async function nearestCells(
  decider: Decider,
  cells: number,
  { bits, columns }: { readonly bits: number; readonly columns: number },
  place: () => void,
): Promise<Uint16Array> {
  const { columns: people } = decider;
  await people.open({ k: cells, grid: publicGrid(bits, columns) });
  place();
  await people.prepare({ kind: "nearest" });
  await decider.assign({ from: 0, to: people.rows }, false);
  return people.labels();
}
