import type { Requirements } from "../constraints/feasibility/index.js";
import { cancelled, MoietyError } from "../errors.js";
import type { LimitBook } from "../parties/limit-book.js";
import type { Promises } from "../parties/split.js";
import { applyOffsets, bookOf, type PricedAtoms, searchOffsets } from "../solver/priced-assignment.js";
import { type BorderPlace, driftTo, inOneOrder, KnownScores, peopleWithin, pickPeople, standingAt } from "./border.js";
import { meanDistance, scoresOf } from "./sample.js";
import type { SampledPoints, ScanDecision, ScanMovers, ScannedPeople, ScannedScores, ScanWidths } from "./scanner.js";
import { scanTuning } from "./tuning.js";

/** What everybody is promised; `n` and the counts of patterns are in weight, where people have weights. */
export type ScanPromises = Requirements & Pick<Promises, "evenness"> & { readonly atoms?: PricedAtoms };

/** Where everybody goes, and how many of each pattern go where. */
export interface PricedRound {
  readonly decision: ScanDecision;
  readonly movers: ScanMovers;
  /** [patterns][k] */
  readonly counts: Float64Array;
  /** People beyond the limits, all together. */
  readonly excess: number;
  /** How many people were looked at one by one. */
  readonly border: number;
}

export interface PricingOptions {
  readonly people: ScannedPeople;
  readonly sample: SampledPoints;
  /** Hashes of everybody are below this. */
  readonly range: number;
  readonly promises: ScanPromises;
  /** One unit of squared distance, in squared grid units. */
  readonly scoreUnit: number;
  readonly signal: AbortSignal | undefined;
}

/** The scores of some people who stand for everybody, at centres around which the mean squared distance is this. */
interface SampledScores {
  readonly scores: ScannedScores;
  readonly unit: number;
}

/** The prices of a search that promise most, the people beyond the limits at these, and where the search ended. */
interface FoundPrices {
  readonly prices: readonly Float64Array[];
  readonly excess: number;
  readonly last: readonly Float64Array[];
}

/**
 * Exact counts at given centres, from scores of a sample, and of those of everybody whose cluster is in doubt. A round
 * begins with the prices of the one before.
 */
export class Pricing {
  private readonly book: LimitBook;
  private first = true;

  constructor(private readonly options: PricingOptions) {
    this.book = bookOf(options.promises, options.scoreUnit);
  }

  async round(centres: Float64Array): Promise<PricedRound> {
    const { people, promises, signal } = this.options;
    const { k } = promises;
    const { sampled, jitter } = await this.sample(centres);
    let offsets = this.offsets(sampled.unit);
    let widths = await this.widths(sampled, offsets);
    for (let look = 1; ; look++) {
      if (signal?.aborted) throw cancelled();
      const decision = { k, centres, offsets, jitter };
      const { counts, ...found } = await people.border(decision, widths);
      const border = inOneOrder(found, k);
      checkBorder(counts, border, promises);
      const known = new KnownScores(border, k, counts);
      const settled = await this.settle(known, offsets, widths, sampled.unit, look >= scanTuning.borders);
      if (settled) return { ...settled, decision: { ...decision, offsets: settled.offsets }, border: known.count };
      offsets = this.offsets(sampled.unit);
      const standing = standingAt(sampled.scores, k, offsets);
      const reach = widths.reach.map((width) => width * scanTuning.widen);
      widths = affordable({ reach, whole: wholeCells(standing, widths.whole.length) }, standing, 1, people.people);
    }
  }

  /** Prices that fit a sample: first those whose points are known, then more of them where everybody is many. */
  private async sample(centres: Float64Array): Promise<{ sampled: SampledScores; jitter: number }> {
    const { people, sample, promises, range } = this.options;
    const { k } = promises;
    const n = people.people;
    const unit = meanDistance(sample, scoresOf(sample, centres, k, 0), k);
    const jitter = Math.min(2 ** 31 - 1, Math.floor(unit * scanTuning.jitter));
    const few = { scores: this.standing(scoresOf(sample, centres, k, jitter)), unit };
    if (this.first) await this.searchLong(few);
    this.first = false;
    const { manyPeople, priceSample, priceShare, sampledScores } = scanTuning;
    const most = Math.min(priceSample, Math.floor(priceShare * n), Math.floor(sampledScores / k));
    const larger = n > manyPeople && most > sample.hashes.length;
    const below = Math.ceil((range * most) / n);
    const sampled = larger ? { scores: this.standing(await people.scores(below, { centres, jitter })), unit } : few;
    this.book.setPrices((await this.search(sampled, "again")).prices);
    return { sampled, jitter };
  }

  /** From nothing: a search that leaves people beyond the limits is followed by others, each from where the one before ended. */
  private async searchLong(few: SampledScores): Promise<void> {
    const enough = scanTuning.search.unplaced * this.options.promises.n;
    let best = await this.search(few, "first");
    let { last } = best;
    for (let turn = 1; turn < scanTuning.search.turns && best.excess > enough; turn++) {
      this.book.setPrices(last);
      const found = await this.search(few, "border");
      last = found.last;
      if (found.excess < best.excess) best = found;
    }
    this.book.setPrices(best.prices);
  }

  /**
   * People of a sample, each of whom counts for so many that every pattern has as many as among everybody: what prices have to
   * even out is how groups are spread over clusters, not how many of each a sample happens to have.
   */
  private standing(people: ScannedScores): ScannedScores {
    const { k, patterns: all } = this.options.promises;
    const { patterns, weights } = people;
    const weightAt = (i: number) => (weights ? weights[i] : 1);
    const sampled = new Float64Array(all.counts.length);
    patterns.forEach((pattern, i) => {
      sampled[pattern] += weightAt(i);
    });
    const standing = Float64Array.from(
      patterns,
      (pattern, i) => (weightAt(i) * all.counts[pattern]) / sampled[pattern],
    );
    return inOneOrder({ ...people, weights: standing }, k);
  }

  private offsets(unit: number): Float64Array {
    return this.book.offsets({ kind: "priced", unit }).joining;
  }

  /** The best prices among some of the people, from those that are known. */
  private async search({ scores, unit }: SampledScores, effort: "first" | "again" | "border"): Promise<FoundPrices> {
    const { promises, scoreUnit } = this.options;
    const { k, n, patterns } = promises;
    const book = bookOf(promises, scoreUnit);
    book.setPrices(this.book.prices);
    const { search } = scanTuning;
    const known = new KnownScores(scores, k, new Float64Array(patterns.counts.length * k));
    const [best] = await searchOffsets(known, book, {
      unit,
      queries: search[effort].queries,
      step: search[effort].step * unit,
      reserve: 0,
      patience: search.patience,
      unplaced: search.unplaced * n,
      returned: 1,
    });
    const last = book.prices;
    book.enter(best.counts);
    return { prices: best.prices, excess: book.excess, last };
  }

  /**
   * How wide the border of each pattern is to be. How far the prices of a sample are from everybody's is seen from those of its
   * two halves, which differ by twice as much.
   */
  private async widths(sampled: SampledScores, offsets: Float64Array): Promise<ScanWidths> {
    const { promises, people } = this.options;
    const { k } = promises;
    const { scores, unit } = sampled;
    const halves: Float64Array[] = [];
    for (const rest of [0, 1]) {
      const { prices } = await this.search({ scores: this.standing(everySecond(scores, k, rest)), unit }, "again");
      const book = bookOf(promises, this.options.scoreUnit);
      book.setPrices(prices);
      halves.push(book.offsets({ kind: "priced", unit }).joining);
    }
    const { halves: factor, least, fewest } = scanTuning.width;
    const standing = standingAt(scores, k, offsets);
    const whole = wholeCells(standing, offsets.length);
    const [one, other] = halves;
    const back = driftTo(other, one, k, whole);
    const apart = driftTo(one, other, k, whole).map((drift, cell) => Math.max(drift, back[cell]));
    const wanted = Math.max(fewest, Math.ceil((least * Math.sqrt(scores.hashes.length)) / offsets.length));
    const reach = nearestGaps(standing, offsets.length, wanted).map((nearest, cell) => {
      return Math.min(2 ** 50, Math.ceil(Math.max((factor / 2) * apart[cell], nearest)));
    });
    return affordable({ reach, whole }, standing, scanTuning.width.most, people.people);
  }

  /**
   * Prices at which all but a few of everybody are in their places, and single moves for those; undefined where they are not
   * to be had within the border. Counts are right only while offsets have changed by no more than it is wide.
   */
  private async settle(
    known: KnownScores,
    from: Float64Array,
    widths: ScanWidths,
    unit: number,
    last: boolean,
  ): Promise<(Pick<PricedRound, "counts" | "excess" | "movers"> & { readonly offsets: Float64Array }) | undefined> {
    const { promises, signal } = this.options;
    const { n, k } = promises;
    const { search } = scanTuning;
    const [best] = await searchOffsets(known, this.book, {
      unit,
      queries: search.border.queries,
      step: Math.max(1, search.border.step * unit),
      reserve: search.reserve,
      patience: search.patience,
      unplaced: 0,
      returned: 1,
      covers: (offsets) => driftTo(from, offsets, k, widths.whole).every((drift, cell) => drift <= widths.reach[cell]),
    });
    const next = this.book.prices;
    this.book.setPrices(best.prices);
    this.book.enter(best.counts);
    if (!last && this.book.excess > search.repaired * n) {
      this.book.setPrices(next);
      return undefined;
    }
    const counts = await applyOffsets(known, best, promises, this.book, unit, signal);
    if (!last && counts === undefined) return undefined;
    this.book.enter(counts ?? best.counts);
    const { excess } = this.book;
    return { offsets: best.offsets, movers: known.movers(best.offsets), counts: counts ?? best.counts, excess };
  }
}

function everySecond(people: ScannedScores, k: number, rest: number): ScannedScores {
  const chosen = Array.from(people.hashes.keys()).filter((i) => people.hashes[i] % 2 === rest);
  return pickPeople(people, chosen, k, people.scores);
}

/** Cells, pattern and cluster, of so few people that all of them can be looked at: far outliers, most often. */
function wholeCells({ k, patterns, best }: BorderPlace, cells: number): Uint8Array {
  const counts = new Uint32Array(cells);
  for (let i = 0; i < patterns.length; i++) counts[patterns[i] * k + best[i]]++;
  return Uint8Array.from(counts, (people) => (people <= scanTuning.wholeCell ? 1 : 0));
}

/** For each pattern and cluster: within which gap the nearest so many of the others are; infinity where there are fewer. */
function nearestGaps({ k, patterns, best, behind }: BorderPlace, cells: number, wanted: number): Float64Array {
  const gaps = Array.from({ length: cells }, (): number[] => []);
  for (let i = 0; i < patterns.length; i++) {
    for (let m = 0; m < k; m++) if (m !== best[i]) gaps[patterns[i] * k + m].push(behind[i * k + m]);
  }
  return Float64Array.from(gaps, (each) => {
    return Float64Array.from(each).sort()[wanted - 1] ?? Number.POSITIVE_INFINITY;
  });
}

/** The widths, or so much less that no larger share of the people is in the border, and that its scores can be held. */
function affordable(widths: ScanWidths, standing: BorderPlace, share: number, n: number): ScanWidths {
  const { k, patterns } = standing;
  const most = Math.min(share, scanTuning.borderScores / (k * n)) * patterns.length;
  let reach = widths.reach.map(Math.floor);
  for (let step = 1; step < 40 && peopleWithin(standing, { ...widths, reach }) > most; step++) {
    reach = widths.reach.map((width) => Math.floor(width * 0.8 ** step));
  }
  return { ...widths, reach };
}

/** Everybody is in the border or beyond it. */
function checkBorder(counts: Float64Array, { patterns, weights }: ScannedScores, promises: ScanPromises): void {
  const found = new Float64Array(promises.patterns.counts.length);
  counts.forEach((people, cell) => {
    found[Math.floor(cell / promises.k)] += people;
  });
  for (let i = 0; i < patterns.length; i++) found[patterns[i]] += weights ? weights[i] : 1;
  if (found.some((people, pattern) => people !== promises.patterns.counts[pattern])) {
    throw new MoietyError(
      "failed",
      "the people have changed while they were scanned: run again when nobody writes to them",
    );
  }
}
