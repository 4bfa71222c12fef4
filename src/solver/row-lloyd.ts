import { joined } from "../kernels/wide-sums.js";
import { meansOf } from "../parties/kmeans.js";
import { SumRefused } from "../parties/questions.js";
import { place, totals } from "../parties/row-questions.js";
import type { RowGroup, RowRun } from "./row-run.js";
import { rowTuning } from "./row-tuning.js";

export interface RowLloydOptions {
  /** A cell's sums are asked for when so many people have come or gone since the last time, and so many are there. */
  readonly least: number;
  /** The most sums that are given away: rounds times candidates. */
  readonly releases: number;
}

/** How far a descent goes. */
export interface RowDescent {
  /** Rounds at most, with those before. */
  readonly rounds: number;
  readonly onRound?: (round: number, best: number) => void;
}

/** A descent that goes on beside something else, with the best set alone. */
export interface DescentBeside extends RowDescent {
  readonly group: RowGroup;
  /** Asked before every round. */
  readonly isWanted: () => boolean;
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
export class RowLloyd {
  rounds = 0;
  /** No centre was left to move. */
  converged = false;
  private best: { readonly centres: Float64Array; readonly cost: number };
  private alive: readonly Candidate[];
  private readonly ended = new Map<number, Candidate>();
  private left: number;
  private present = Number.POSITIVE_INFINITY;

  constructor(
    private readonly run: RowRun,
    starts: readonly Float64Array[],
    private readonly options: RowLloydOptions,
  ) {
    this.best = { centres: starts[0], cost: Number.POSITIVE_INFINITY };
    this.left = options.releases;
    this.alive = starts.map((centres, number) => ({ number, centres, means: centres, cost: this.best.cost }));
  }

  get found(): RowCentres {
    return { ...this.best, rounds: this.rounds, converged: this.converged };
  }

  /** The best set of centres that goes on, nearer to rest than any that people were asked about; and what its people cost before that step. */
  get leading(): Pick<RowCentres, "centres" | "cost"> {
    const [first] = this.alive;
    return this.converged || this.best.cost < first.cost ? this.best : first;
  }

  /** Parties may change between rounds. */
  async descend({ rounds, onRound }: RowDescent): Promise<void> {
    const { group } = this.run;
    while (this.mayGoOn(rounds)) {
      await this.round(group, rowTuning.stride, onRound);
      if (!this.converged) group.allowChangeOfParties(this.alive[0].centres);
    }
  }

  /** Centres are means, of which each round tells what they cost: it may end at any time. */
  async descendBeside({ group, rounds, onRound, isWanted }: DescentBeside): Promise<void> {
    this.alive = this.alive.slice(0, 1);
    try {
      while (this.mayGoOn(rounds) && isWanted()) await this.round(group, 1, onRound);
    } catch (error) {
      if (!(error instanceof SumRefused)) throw error;
    }
  }

  private mayGoOn(rounds: number): boolean {
    return !this.converged && this.left > 0 && this.rounds < rounds;
  }

  private async round(group: RowGroup, stride: number, onRound: RowDescent["onRound"]): Promise<void> {
    const { k, columns } = this.run;
    this.rounds++;
    const { moved, people, cost } = await this.place(this.alive, group);
    onRound?.(this.rounds, this.best.cost);
    const moving = this.alive.flatMap((candidate, index) => {
      const due = Uint8Array.from({ length: k }, (_, m) =>
        Math.min(moved[index * k + m], people[index * k + m]) >= this.options.least ? 1 : 0,
      );
      return due.includes(1) ? [{ ...candidate, cost: cost[index], due }] : [];
    });
    this.converged = moving.length === 0;
    if (this.converged) return;
    // What may still be given away goes to the most promising ones.
    const chosen = moving.sort((a, b) => a.cost - b.cost || a.number - b.number).slice(0, this.left);
    this.left -= chosen.length;
    const given = await group.ask(totals, {
      numbers: Uint32Array.from(chosen, ({ number }) => number),
      due: Uint8Array.from(chosen.flatMap(({ due }) => Array.from(due))),
      columns,
    });
    this.alive = chosen.map(({ centres, number, cost, due, means }, index): Candidate => {
      const found = meansOf(
        {
          counts: given.counts.subarray(index * k, (index + 1) * k),
          sums: given.sums.subarray(index * k * columns, (index + 1) * k * columns),
        },
        means,
      );
      const next = centres.map((value, at) =>
        due[Math.floor(at / columns)] === 1 ? Math.round(value + stride * (found[at] - value)) : value,
      );
      return { number, centres: next, means: found, cost };
    });
    for (const candidate of this.alive) this.ended.set(candidate.number, candidate);
  }

  /** The centres lie beyond the means, on purpose; at the end the means may be better. */
  async settle(): Promise<void> {
    const { ended, alive, converged, run } = this;
    if (ended.size === 0 || run.group.changed) return;
    const means = Array.from(ended.values(), (candidate) => ({ ...candidate, centres: candidate.means }));
    await this.place([...(converged ? [] : alive), ...means], run.group).catch((error: unknown) => {
      if (!(error instanceof SumRefused)) throw error;
    });
  }

  private async place(candidates: readonly Pick<Candidate, "number" | "centres">[], group: RowGroup) {
    const placed = await group.ask(place, {
      numbers: Uint32Array.from(candidates, ({ number }) => number),
      centres: candidates.map(({ centres }) => centres),
      cells: this.run.k,
    });
    // Squared distances of fewer people are no better.
    if (group.size < this.present) this.best = { ...this.best, cost: Number.POSITIVE_INFINITY };
    this.present = group.size;
    const cost = candidates.map((_, index) => joined(placed.cost, index));
    candidates.forEach(({ centres }, index) => {
      if (cost[index] < this.best.cost) this.best = { centres, cost: cost[index] };
    });
    return { ...placed, cost };
  }
}
