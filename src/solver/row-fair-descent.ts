import { meetsRequest, nearestFeasibleCounts, type Requirements } from "../constraints/feasibility/index.js";
import { fairLimits, sizeLimits } from "../constraints/limits.js";
import { MoietyError } from "../errors.js";
import { meansOf } from "../parties/kmeans.js";
import { LimitBook } from "../parties/limit-book.js";
import { type Answer, type Leaves, type Question, Unopened } from "../parties/questions.js";
import { assign, gather, measure, recall, remember, settle } from "../parties/row-questions.js";
import type { RowSite } from "../parties/row-site.js";
import { priceMoves, repairCounts, transfersTo } from "./row-counts.js";
import { beside, costOf, type RowGroup, type RowRun } from "./row-run.js";
import { makeTransfers } from "./row-transfers.js";
import { rowTuning } from "./row-tuning.js";

export interface RowFairRun {
  readonly request: Requirements;
  readonly maxPasses: number;
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

interface SearchEffort {
  /** Of the first search, and of the later ones. */
  readonly queries: { readonly first: number; readonly later: number };
  /** A search goes on, up to so many times as long, while more people are beyond the limits. */
  readonly patience: number;
  /** Queries of a search that are carried out and compared by what they really cost. */
  readonly carriedOut: number;
  /** When a round is not better by this part for so many rounds, it is enough. */
  readonly convergence: { readonly gain: number; readonly rounds: number };
}

/** An assignment that was tried, and what came of it: nobody is asked the same twice. */
interface Query {
  readonly offsets: Float64Array;
  readonly counts: Float64Array;
  readonly cost: number;
  /** Squared distances plus what is beyond the limits, at its price. */
  readonly merit: number;
}

/**
 * Clusters of people whose rows several parties hold, so that all limits hold over all parties together, at the least
 * squared distances: from centres, rounds of prices, exact counts and means. The coordinator sees sums of whole numbers
 * over all parties and nothing else, so that nothing depends on who holds which rows.
 */
export async function fairOnRows(whole: RowRun, start: Float64Array, fair: RowFairRun): Promise<RowFairResult> {
  const run = { ...whole, group: new WholeGroup(whole.group) };
  const { group } = run;
  const { request } = fair;
  const care = run.n > rowTuning.manyPeople ? rowTuning.many : rowTuning.few;
  const { convergence } = care;
  const book = bookOf(request);
  let centres = start;
  let best: Pick<RowFairResult, "centres" | "cost" | "sizes" | "excess"> | undefined;
  let passes = 0;
  let idle = 0;
  let found: typeof best;
  const pass = async () => {
    for (const query of await searchPrices(run, centres, book, passes, care)) {
      const excess = await carryOut(run, query, request, book);
      const totals = await group.ask(gather, { clusters: run.k, columns: run.columns });
      const cost = costOf(run, totals);
      if (found && (excess > found.excess || (excess === found.excess && cost >= found.cost))) continue;
      found = { centres: meansOf(totals, centres), cost, sizes: totals.counts, excess };
      await group.ask(remember, { slot: "query" });
    }
  };
  while (passes < fair.maxPasses && idle < convergence.rounds) {
    found = undefined;
    await pass().catch((error: unknown) => {
      if (error instanceof Departure) group.rest(found?.centres ?? beside(centres));
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
    group.rest(centres);
  }
  await group.ask(recall, { slot: "best" });
  return { ...best!, passes, converged: idle >= convergence.rounds };
}

/** Everybody's limits, of all parties together: distances here need no bound. */
function bookOf({ k, patterns, bounds, tolerance, sizes }: Requirements): LimitBook {
  const everybody = new Uint16Array(patterns.counts.length);
  return new LimitBook({
    k,
    charges: [
      ...bounds.map((each) => ({ limits: fairLimits(each, tolerance), bounds: each })),
      { limits: sizeLimits(sizes) },
    ],
    groups: [...bounds.map((_, attribute) => patterns.codes[attribute]), everybody],
    patterns: patterns.counts.length,
    scoreUnit: 1,
    most: Number.POSITIVE_INFINITY,
  });
}

class Departure extends MoietyError {}

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

  rest(centres: Float64Array): void {
    this.group.rest(centres);
  }

  async ask<Request, What extends Leaves, Field extends string>(
    question: Question<RowSite, Request, What, Field>,
    request: Request,
  ): Promise<Answer<What, Field>> {
    const answer = await this.group.ask(question, request).catch((error: unknown) => {
      if (error instanceof Unopened && this.group.changed) throw new Departure("failed", "somebody has left");
      throw error;
    });
    if (question.leaves !== "nothing" && this.group.changed) throw new Departure("failed", "somebody has left");
    return answer;
  }
}

/** The queries of a search for prices at fixed centres that promise most. */
async function searchPrices(
  run: RowRun,
  centres: Float64Array,
  book: LimitBook,
  pass: number,
  care: SearchEffort,
): Promise<Query[]> {
  const { group, n, patterns, k } = run;
  await group.ask(measure, { centres, jitter: 0 });
  const nothing = new Float64Array(patterns.counts.length * k);
  const unit = Math.max(1, (await group.ask(assign, { offsets: nothing })).cost[0] / n);
  await group.ask(measure, { centres, jitter: Math.floor(unit / 1000) });
  const which = pass === 0 ? "first" : "later";
  const queries = care.queries[which];
  const { step, toleranceReserve, unplaced } = rowTuning.search;
  book.restartPrices(step[which] * unit, toleranceReserve[pass % toleranceReserve.length]);
  const found: Query[] = [];
  for (let query = 0; query < (book.excess > unplaced * n ? care.patience : 1) * queries; query++) {
    const offsets = book.offsets({ kind: "priced", unit }).joining;
    const { counts, cost } = await group.ask(assign, { offsets });
    book.enter(counts);
    // Whole: of queries that come to the same the first one counts, in whatever order groups were added up.
    const merit = Math.round(cost[0] + book.penalty(unit));
    const tried = { offsets, merit, counts, cost: cost[0] };
    if (query === 0 && book.excess === 0 && book.status().maxPrice === 0) return [tried];
    if (query >= queries / 2) found.push(tried);
    book.adjustPrices();
  }
  return found.sort((a, b) => a.merit - b.merit).slice(0, care.carriedOut);
}

/** Assigns by these offsets and moves the fewest and cheapest people until all limits hold. Returns what is beyond them. */
async function carryOut(run: RowRun, query: Query, request: Requirements, book: LimitBook): Promise<number> {
  const { group, k, n } = run;
  const { offsets, cost } = query;
  const counts = query.counts.slice();
  await group.ask(settle, { offsets });
  const current = Int32Array.from(counts);
  if (!meetsRequest(current, request)) {
    const nextCost = await priceMoves(run, current, offsets, Math.max(1, cost / n));
    const target =
      repairCounts(current, k, book, nextCost) ??
      (await nearestFeasibleCounts(current, request, (...move) => nextCost(...move, 0), group.signal));
    if (target) {
      await makeTransfers(run, transfersTo(current, target, k, nextCost));
      counts.set(target);
    }
  }
  book.enter(counts);
  return book.excess;
}
