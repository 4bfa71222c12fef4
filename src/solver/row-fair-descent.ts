import type { Requirements } from "../constraints/feasibility/index.js";
import { MoietyError } from "../errors.js";
import { costAround } from "../parties/cost-around.js";
import { meansOf } from "../parties/kmeans.js";
import type { LimitBook } from "../parties/limit-book.js";
import {
  type Answer,
  type AnswerFields,
  type AskedQuestion,
  type Leaves,
  type Question,
  SumRefused,
} from "../parties/questions.js";
import type { ClusterSums } from "../parties/row-people.js";
import { assign, below, gather, recall, remember, settle, transfer } from "../parties/row-questions.js";
import type { RowSite } from "../parties/row-site.js";
import { bookOf, keepLimits, type PricedAtoms, type PricedPeople, searchOffsets } from "./priced-assignment.js";
import { pricesOf } from "./row-counts.js";
import { type Look, lookAt, type NextCentres, standIns } from "./row-look.js";
import { costOf, nextTo, type RowGroup, type RowRun, totalOf } from "./row-run.js";
import { rowEffort, rowTuning } from "./row-tuning.js";
import { tuning } from "./tuning.js";

export interface RowFairRun {
  readonly request: Requirements & { readonly atoms?: PricedAtoms };
  readonly maxPasses: number;
  /** What everybody's squared distances to the nearest of the first centres add up to, about. */
  readonly cost: number;
  /** How near people are to other clusters is not asked of patterns with fewer people. */
  readonly least: number;
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

/** What a round ends with, and the centres of the next one. */
type FairRound = Pick<RowFairResult, "centres" | "cost" | "sizes" | "excess"> & { readonly violation: number };

/**
 * Clusters of people whose rows several parties hold, so that all limits hold over all parties together, at the least
 * squared distances. The coordinator sees sums of whole numbers over all parties and nothing else, so that nothing depends on
 * who holds which rows.
 *
 * A question may take a round trip between institutions, so prices are searched on paper: each question tells how many people of
 * each pattern are how near to each other cluster, and what would follow from other prices, or at the next centres, is found
 * among people who stand for everybody. Rounds of one question bring prices and centres nearly to rest. Then whoever is
 * still beyond the limits is moved, exactly, at the centres of a few rounds: the best of these clusters are the result.
 */
export async function fairDescentOnRows(whole: RowRun, start: Float64Array, fair: RowFairRun): Promise<RowFairResult> {
  const { group, ...run } = whole;
  const descent = new FairDescent({ ...run, group: new WholeGroup(group) }, fair);
  const effort = rowEffort(run.n);
  const enough = tuning.convergence.rounds;
  let centres = start;
  let passes = 0;
  const pass = async (round: Promise<FairRound>) => {
    const found = await round.catch((error: unknown) => {
      if (error instanceof PartyLeft) group.allowChangeOfParties(nextTo(centres));
      throw error;
    });
    fair.onPass(++passes, found.cost, found.violation);
    group.allowChangeOfParties(found.centres === centres ? nextTo(centres) : found.centres);
    centres = found.centres;
    return found;
  };
  const exact = Math.min(effort.exact, fair.maxPasses);
  const most = fair.centresStay ? effort.rounds : Math.min(effort.rounds, fair.maxPasses - exact);
  // More rounds than these do not lower the SSE.
  const hasEnough = most === effort.rounds;
  let before = Number.POSITIVE_INFINITY;
  let idle = 0;
  while (passes < most && idle < enough) {
    const { cost, excess } = await pass(descent.round(centres, passes));
    const rests =
      excess <= tuning.search.misplaced * totalOf(whole) && Math.abs(before - cost) <= rowTuning.restless * cost;
    idle = rests ? idle + 1 : 0;
    before = cost;
  }
  let best: FairRound | undefined;
  for (let turn = 0; turn < exact; turn++) {
    const found = await pass(descent.exactly(centres, turn));
    if (best && (found.excess > best.excess || (found.excess === best.excess && found.cost >= best.cost))) continue;
    best = found;
    await group.ask(remember, { slot: "best" });
  }
  await group.ask(recall, { slot: "best" });
  const { violation: _, ...result } = best!;
  return { ...result, passes, converged: hasEnough || idle >= enough };
}

/** Prices on their way. */
class FairDescent {
  private readonly book: LimitBook;
  private offsets: Float64Array;
  private unit: number;
  /** Rounds since the centres moved. */
  private still = 0;

  constructor(
    private readonly run: RowRun,
    private readonly fair: RowFairRun,
  ) {
    this.book = bookOf(fair.request);
    this.offsets = new Float64Array(run.patterns.counts.length * run.k);
    this.unit = this.unitAt(fair.cost);
  }

  /** One question. The centres wait while many people are beyond the limits: means would follow them. */
  async round(centres: Float64Array, rounds: number): Promise<FairRound> {
    const { run, fair } = this;
    const [{ look, others }, status] = await this.look(centres, [this.sums]);
    const totals = sumsIn(others[0]);
    const cost = this.costOf(totals, centres);
    const settled = status.excess <= rowTuning.settled * totalOf(run) || ++this.still >= rowTuning.mostStill;
    const means = meansOf(totals, centres);
    let next = centres;
    if (settled && !fair.centresStay) {
      this.still = 0;
      const stride = rounds < rowTuning.longStrides ? rowTuning.stride : 1;
      next = centres.map((value, at) => Math.round(value + stride * (means[at] - value)));
    }
    await this.search(look, rounds === 0 ? "first" : "later", 0, { centres: next, means });
    this.unit = this.unitAt(costOf(run, totals));
    return { ...status, centres: next, cost, sizes: totals.counts };
  }

  /**
   * Prices are searched on until few people are beyond the limits, who are moved. The next centres are the means. Sums are asked for
   * once: what they were before people moved would show who did.
   */
  async exactly(centres: Float64Array, turn: number): Promise<FairRound> {
    const { run, fair, book } = this;
    const { usual, most } = rowTuning.looks;
    let [{ look }] = await this.look(centres);
    for (let looks = 1; looks < most; looks++) {
      if (looks >= usual && book.excess <= tuning.search.misplaced * totalOf(run)) break;
      await this.search(look, "later", turn);
      [{ look }] = await this.look(centres);
    }
    const { offsets, unit, inClusters: counts } = look;
    const people = pricedRows(run);
    const how = { unit, known: pricesOf(look, people), signal: run.group.signal };
    book.enter((await keepLimits(people, { offsets, counts }, fair.request, book, how)) ?? counts);
    const status = this.status();
    const totals = sumsIn(await run.group.ask(gather, this.sums.request));
    const means = meansOf(totals, centres);
    const next = fair.centresStay ? centres : means;
    book.enter(counts);
    await this.search(look, "later", turn, { centres: next, means });
    return { ...status, centres: next, cost: this.costOf(totals, centres), sizes: totals.counts };
  }

  /** In which prices and gaps are measured: the mean squared distance, or some part of the spread where that is next to nothing. */
  private unitAt(cost: number): number {
    const { run } = this;
    const variance = run.spread.deviation.reduce((sum, deviation) => sum + deviation ** 2, 0);
    return Math.max(1, rowTuning.leastUnit * variance, cost / totalOf(run));
  }

  private get sums() {
    const { k, columns } = this.run;
    return { question: gather, request: { clusters: k, columns } };
  }

  private status(): Pick<FairRound, "excess" | "violation"> {
    return { excess: this.book.excess, violation: this.book.status().violation };
  }

  private costOf(totals: ClusterSums, centres: Float64Array): number {
    return this.fair.centresStay ? costAround(this.run, totals, centres) : costOf(this.run, totals);
  }

  private async look(centres: Float64Array, also: readonly AskedQuestion<RowSite>[] = []) {
    const { offsets, unit, fair } = this;
    const seen = await lookAt({ ...this.run, least: fair.least }, { centres, offsets, unit }, also);
    this.book.enter(seen.look.inClusters);
    return [seen, this.status()] as const;
  }

  /** The prices that do best among people who stand for everybody, at the same centres or the next ones. */
  private async search(look: Look, which: "first" | "later", turn: number, next?: NextCentres): Promise<void> {
    const { run, book, unit } = this;
    const people = standIns(run, look, next);
    const { step, toleranceReserve, misplaced, patience } = tuning.search;
    const [best] = await searchOffsets({ assign: async (offsets) => people.assign(offsets) }, book, {
      unit,
      step: step[which] * unit,
      reserve: toleranceReserve[turn % toleranceReserve.length],
      queries: rowTuning.queries,
      patience,
      unplaced: misplaced * totalOf(run),
      returned: 1,
    });
    book.setPrices(best.prices);
    this.offsets = best.offsets;
  }
}

function sumsIn({ counts, sums }: Readonly<Record<string, Float64Array>>): ClusterSums {
  return { counts, sums };
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

  ask<Request, What extends Leaves, Field extends string>(
    question: Question<RowSite, Request, What, Field>,
    request: Request,
  ): Promise<Answer<What, Field>> {
    return this.answerOfAll(this.group.ask(question, request), question.leaves);
  }

  askAll(asked: readonly AskedQuestion<RowSite>[]): Promise<readonly AnswerFields<string>[]> {
    return this.answerOfAll(this.group.askAll(asked));
  }

  private async answerOfAll<T>(answer: Promise<T>, leaves: Leaves = "sum"): Promise<T> {
    const found = await answer.catch((error: unknown) => {
      if (error instanceof SumRefused && this.changed) throw new PartyLeft("failed", "somebody has left");
      throw error;
    });
    if (leaves !== "nothing" && this.changed) throw new PartyLeft("failed", "somebody has left");
    return found;
  }
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
