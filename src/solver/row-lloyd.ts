import { meansOf } from "../parties/kmeans.js";
import type { RowRun } from "./row-run.js";

export interface RowLloyd {
  /** A party gives nothing of a cell with fewer of its people; a centre stays until so many people have moved. */
  readonly least: number;
  readonly rounds: number;
  /** The most sums that are given away: rounds times candidates. */
  readonly releases: number;
  readonly onRound?: (round: number, best: number) => void;
}

export interface RowCentres {
  readonly centres: Float64Array;
  /** The squared distances of everybody to the nearest centre, in squared grid units. */
  readonly cost: number;
  readonly rounds: number;
  /** No centre was left to move. */
  readonly converged: boolean;
}

/**
 * Exact Lloyd over rows that several parties hold, from several sets of centres at once; the set with the least summed
 * squared distances wins. Two questions make a round: by how many people each cell's sums would differ from the last
 * ones, and then the sums of those cells where that is enough. Where a cell is smaller than that nothing is ever asked.
 */
export async function lloydOnRows(
  run: RowRun,
  starts: readonly Float64Array[],
  options: RowLloyd,
): Promise<RowCentres> {
  const { group, k, columns } = run;
  let best: { centres: Float64Array; cost: number } | undefined;
  let left = options.releases;
  let alive = starts.map((centres, number) => ({ centres, number, cost: Number.POSITIVE_INFINITY }));
  let rounds = 0;
  while (alive.length > 0 && rounds < options.rounds) {
    rounds++;
    const placed = await group.sum("place", {
      numbers: Uint32Array.from(alive, ({ number }) => number),
      centres: alive.map(({ centres }) => centres),
      least: options.least,
    });
    const dueOf = (index: number) =>
      Uint8Array.from({ length: k }, (_, m) => (placed.moved[index * k + m] >= options.least ? 1 : 0));
    const moving = alive.flatMap((candidate, index) => {
      const cost = placed.cost[index];
      if (!best || cost < best.cost) best = { centres: candidate.centres, cost };
      const due = dueOf(index);
      return due.includes(1) ? [{ ...candidate, cost, due }] : [];
    });
    options.onRound?.(rounds, best!.cost);
    // What may still be given away goes to the most promising ones.
    moving.sort((a, b) => a.cost - b.cost || a.number - b.number);
    const chosen = moving.slice(0, left);
    if (chosen.length === 0) return { ...best!, rounds, converged: moving.length === 0 };
    left -= chosen.length;
    const { counts, sums } = await group.sum("totals", {
      numbers: Uint32Array.from(chosen, ({ number }) => number),
      due: Uint8Array.from(chosen.flatMap(({ due }) => Array.from(due))),
      least: options.least,
    });
    alive = chosen.map(({ centres, number, cost }, index) => {
      const cells = [index * k, (index + 1) * k] as const;
      const totals = { counts: counts.subarray(...cells), sums: sums.subarray(cells[0] * columns, cells[1] * columns) };
      return { centres: meansOf(totals, centres), number, cost };
    });
  }
  return { ...best!, rounds, converged: false };
}
