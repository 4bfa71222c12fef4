import { joined } from "../kernels/wide-sums.js";
import { meansOf } from "../parties/kmeans.js";
import { SumRefused } from "../parties/questions.js";
import { place, totals } from "../parties/row-questions.js";
import type { RowRun } from "./row-run.js";
import { rowTuning } from "./row-tuning.js";

export interface RowLloyd {
  /** A cell's sums are asked for when so many people have come or gone since the last time, and so many are there. */
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

interface Candidate {
  readonly number: number;
  readonly centres: Float64Array;
  /** The means of the sums that were given away last. */
  readonly means: Float64Array;
  readonly cost: number;
}

/**
 * Exact Lloyd over rows that several parties hold, from several sets of centres at once; the set with the least summed
 * squared distances wins. Two questions make a round: by how many people each cell's sums would differ from the last
 * ones, and then the sums of those cells where that is enough. Only sums over all parties are seen, so that nothing
 * depends on who holds which rows.
 */
export async function lloydOnRows(
  run: RowRun,
  starts: readonly Float64Array[],
  options: RowLloyd,
): Promise<RowCentres> {
  const { group, k, columns } = run;
  let best = { centres: starts[0], cost: Number.POSITIVE_INFINITY };
  let present = group.size;
  const placeAll = async (candidates: readonly Pick<Candidate, "number" | "centres">[]) => {
    const placed = await group.ask(place, {
      numbers: Uint32Array.from(candidates, ({ number }) => number),
      centres: candidates.map(({ centres }) => centres),
      cells: k,
    });
    // Squared distances of fewer people are no better.
    if (group.size < present) best = { ...best, cost: Number.POSITIVE_INFINITY };
    present = group.size;
    const cost = candidates.map((_, index) => joined(placed.cost, index));
    candidates.forEach(({ centres }, index) => {
      if (cost[index] < best.cost) best = { centres, cost: cost[index] };
    });
    return { ...placed, cost };
  };
  let left = options.releases;
  let alive = starts.map((centres, number): Candidate => ({ number, centres, means: centres, cost: best.cost }));
  const ended = new Map<number, Candidate>();
  let rounds = 0;
  let converged = false;
  while (!converged && left > 0 && rounds < options.rounds) {
    rounds++;
    const { moved, people, cost } = await placeAll(alive);
    options.onRound?.(rounds, best.cost);
    const moving = alive.flatMap((candidate, index) => {
      const due = Uint8Array.from({ length: k }, (_, m) =>
        Math.min(moved[index * k + m], people[index * k + m]) >= options.least ? 1 : 0,
      );
      return due.includes(1) ? [{ ...candidate, cost: cost[index], due }] : [];
    });
    converged = moving.length === 0;
    if (converged) break;
    // What may still be given away goes to the most promising ones.
    const chosen = moving.sort((a, b) => a.cost - b.cost || a.number - b.number).slice(0, left);
    left -= chosen.length;
    const given = await group.ask(totals, {
      numbers: Uint32Array.from(chosen, ({ number }) => number),
      due: Uint8Array.from(chosen.flatMap(({ due }) => Array.from(due))),
      columns,
    });
    alive = chosen.map(({ centres, number, cost, due, means }, index): Candidate => {
      const found = meansOf(
        {
          counts: given.counts.subarray(index * k, (index + 1) * k),
          sums: given.sums.subarray(index * k * columns, (index + 1) * k * columns),
        },
        means,
      );
      const next = centres.map((value, at) =>
        due[Math.floor(at / columns)] === 1 ? Math.round(value + rowTuning.stride * (found[at] - value)) : value,
      );
      return { number, centres: next, means: found, cost };
    });
    for (const candidate of alive) ended.set(candidate.number, candidate);
    group.allowChangeOfParties(alive[0].centres);
  }
  // The centres lie beyond the means, on purpose; at the end the means may be better.
  if (ended.size > 0 && !group.changed) {
    const means = Array.from(ended.values(), (candidate) => ({ ...candidate, centres: candidate.means }));
    await placeAll([...(converged ? [] : alive), ...means]).catch((error: unknown) => {
      if (!(error instanceof SumRefused)) throw error;
    });
  }
  return { ...best, rounds, converged };
}
