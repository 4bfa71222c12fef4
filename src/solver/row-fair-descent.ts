import type { Requirements } from "../constraints/feasibility/index.js";
import { MoietyError } from "../errors.js";
import { joined } from "../kernels/wide-sums.js";
import { costAround } from "../parties/cost-around.js";
import { meansOf } from "../parties/kmeans.js";
import type { LimitBook } from "../parties/limit-book.js";
import { type Answer, type Leaves, type Question, SumRefused } from "../parties/questions.js";
import { assign, below, gather, measure, recall, remember, settle, transfer } from "../parties/row-questions.js";
import type { RowSite } from "../parties/row-site.js";
import {
  applyOffsets,
  bookOf,
  type PricedAtoms,
  type PricedPeople,
  searchOffsets,
  type TriedOffsets,
} from "./priced-assignment.js";
import { costOf, nextTo, type RowGroup, type RowRun, totalOf } from "./row-run.js";
import { rowEffort } from "./row-tuning.js";
import { tuning } from "./tuning.js";

export interface RowFairRun {
  readonly request: Requirements & { readonly atoms?: PricedAtoms };
  readonly maxPasses: number;
  /** Whether the centres are given and stay: costs are distances to them. */
  readonly centresStay?: boolean;
  readonly onPass: (pass: number, cost: number, violation: number) => void;
}

export interface RowFairResult {
  readonly centres: Float64Array;
  readonly cost: number;
  /** People in each cluster. */
  readonly sizes: Float64Array;
  readonly excess: number;
  readonly passes: number;
  readonly converged: boolean;
}

/**
 * Clusters of people whose rows several parties hold, so that all limits hold over all parties together, at the least
 * squared distances: from centres, rounds of prices, exact counts and means. The coordinator sees sums of whole numbers
 * over all parties and nothing else, so that nothing depends on who holds which rows.
 */
export async function fairDescentOnRows(whole: RowRun, start: Float64Array, fair: RowFairRun): Promise<RowFairResult> {
  const run = { ...whole, group: new WholeGroup(whole.group) };
  const { group } = run;
  const { request } = fair;
  const effort = rowEffort(run.n);
  const { convergence } = effort;
  const book = bookOf(request);
  let centres = start;
  let best: Pick<RowFairResult, "centres" | "cost" | "sizes" | "excess"> | undefined;
  let passes = 0;
  let idle = 0;
  let found: typeof best;
  const pass = async () => {
    const { tried, people } = await searchPrices(run, centres, book, passes, effort);
    for (const query of tried) {
      const unit = Math.max(1, query.cost / totalOf(run));
      book.enter((await applyOffsets(people, query, request, book, unit, group.signal)) ?? query.counts);
      const { excess } = book;
      const totals = await group.ask(gather, { clusters: run.k, columns: run.columns });
      const cost = fair.centresStay ? costAround(run, totals, centres) : costOf(run, totals);
      if (found && (excess > found.excess || (excess === found.excess && cost >= found.cost))) continue;
      found = { centres: fair.centresStay ? centres : meansOf(totals, centres), cost, sizes: totals.counts, excess };
      await group.ask(remember, { slot: "query" });
    }
  };
  while (passes < fair.maxPasses && idle < convergence.rounds) {
    found = undefined;
    await pass().catch((error: unknown) => {
      if (error instanceof PartyLeft) group.allowChangeOfParties(found?.centres ?? nextTo(centres));
      throw error;
    });
    centres = found!.centres;
    passes++;
    const nearer = !best || found!.excess < best.excess;
    const cheaper = best?.excess === found!.excess && found!.cost < best.cost;
    idle = nearer || (cheaper && found!.cost < best!.cost * (1 - convergence.gain)) ? 0 : idle + 1;
    if (nearer || cheaper) {
      best = found;
      await group.ask(recall, { slot: "query" });
      await group.ask(remember, { slot: "best" });
    }
    fair.onPass(passes, found!.cost, book.status().violation);
    group.allowChangeOfParties(centres);
  }
  await group.ask(recall, { slot: "best" });
  return { ...best!, passes, converged: idle >= convergence.rounds };
}

class PartyLeft extends MoietyError {}

/** A group whose counts must fit together: what follows when somebody leaves is not worth asking for. */
class WholeGroup implements RowGroup {
  constructor(private readonly group: RowGroup) {}

  get size(): number {
    return this.group.size;
  }

  get signal(): AbortSignal | undefined {
    return this.group.signal;
  }

  get changed(): boolean {
    return this.group.changed;
  }

  allowChangeOfParties(centres: Float64Array): void {
    this.group.allowChangeOfParties(centres);
  }

  async ask<Request, What extends Leaves, Field extends string>(
    question: Question<RowSite, Request, What, Field>,
    request: Request,
  ): Promise<Answer<What, Field>> {
    const answer = await this.group.ask(question, request).catch((error: unknown) => {
      if (error instanceof SumRefused && this.group.changed) throw new PartyLeft("failed", "somebody has left");
      throw error;
    });
    if (question.leaves !== "nothing" && this.group.changed) throw new PartyLeft("failed", "somebody has left");
    return answer;
  }
}

/** The queries of a search for prices at fixed centres that promise most. */
async function searchPrices(
  run: RowRun,
  centres: Float64Array,
  book: LimitBook,
  pass: number,
  effort: ReturnType<typeof rowEffort>,
): Promise<{ readonly tried: readonly TriedOffsets[]; readonly people: PricedPeople }> {
  const { group, patterns, k } = run;
  const total = totalOf(run);
  await group.ask(measure, { centres, jitter: 0 });
  const people = pricedRows(run);
  const { cost } = await people.assign(new Float64Array(patterns.counts.length * k));
  const unit = Math.max(1, joined(cost) / total);
  await group.ask(measure, { centres, jitter: Math.floor(unit / 1000) });
  const which = pass === 0 ? "first" : "later";
  const { step, toleranceReserve, misplaced, patience } = tuning.search;
  const tried = await searchOffsets(people, book, {
    unit,
    step: step[which] * unit,
    reserve: toleranceReserve[pass % toleranceReserve.length],
    queries: effort.queries[which],
    patience,
    unplaced: misplaced * total,
    returned: effort.carriedOut,
  });
  return { tried, people };
}

/** What several parties answer together. */
export function pricedRows({ group, k, box, n }: Pick<RowRun, "group" | "k" | "box" | "n">): PricedPeople {
  // Centres are means, and jitter is a small part of a squared distance.
  const across = box.most.reduce((sum, most, j) => sum + (most - box.least[j]) ** 2, 0);
  return {
    k,
    persons: n,
    farthest: Math.min(2 ** 52, 4 * across + 2 ** 20),
    assign: (offsets) => group.ask(assign, { offsets }),
    settle: async (offsets) => {
      await group.ask(settle, { offsets });
    },
    below: async (thresholds) => (await group.ask(below, thresholds)).counts,
    transfer: async (thresholds) => {
      await group.ask(transfer, thresholds);
    },
  };
}
