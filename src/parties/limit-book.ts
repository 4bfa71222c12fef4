import { type Changes, excessChanges, totalExcess } from "../constraints/limits.js";
import { SizePrices } from "../constraints/size-prices.js";
import { combine, type LimitStatus, type ScoringRule } from "./column-party.js";
import { type Charge, Holding, type HoldingState, type OffsetTables } from "./holding.js";

export interface BookOptions {
  readonly k: number;
  readonly charges: readonly Charge[];
  /** Of each charge: the group of each combination of groups ("pattern"). */
  readonly groups: readonly ArrayLike<number>[];
  readonly patterns: number;
  /** One unit of squared distance, in score units. */
  readonly scoreUnit: number;
  /** No distance counts more, and no offset but a wall may. */
  readonly most: number;
}

/**
 * All limits that somebody answers for, and their prices, from the counts of patterns in clusters: of one holder of columns,
 * or of everybody whose rows are split.
 */
export class LimitBook {
  /** People in each cluster. */
  readonly sizes: Float64Array;
  private readonly holdings: readonly Holding[];

  constructor(private readonly options: BookOptions) {
    const { k, charges, scoreUnit, most } = options;
    this.sizes = new Float64Array(k);
    this.holdings = charges.map((charge) => new Holding(charge, k, this.sizes, scoreUnit, most));
  }

  /** One unit of squared distance, in score units. */
  get scoreUnit(): number {
    return this.options.scoreUnit;
  }

  /** Takes in the counts of an assignment, [patterns][k]. */
  enter(counts: ArrayLike<number>): void {
    const { k, patterns, groups } = this.options;
    this.sizes.fill(0);
    for (const { tally } of this.holdings) tally.counts.fill(0);
    for (let pattern = 0; pattern < patterns; pattern++) {
      for (let m = 0; m < k; m++) {
        const count = counts[pattern * k + m];
        this.sizes[m] += count;
        this.holdings.forEach(({ tally }, index) => {
          tally.counts[groups[index][pattern] * k + m] += count;
        });
      }
    }
  }

  status(): LimitStatus {
    return combine(this.holdings.map((holding) => holding.status()));
  }

  /** People beyond the limits, tolerance forgiven, all together; not rounded. */
  get excess(): number {
    return this.holdings.reduce((total, { charge, tally }) => total + totalExcess(charge.limits, tally), 0);
  }

  /** What the people beyond the limits would cost at the present prices and a little more: ranks unfinished assignments. */
  penalty(unit: number): number {
    return this.holdings.reduce((total, { charge, tally, prices }) => {
      return total + totalExcess(charge.limits, tally) * (prices.maxPrice() + unit);
    }, 0);
  }

  /** How the excess changes when a person of each pattern joins or leaves each cluster: [patterns][k]. */
  changes(): { joining: Float64Array; leaving: Float64Array } {
    const tables = this.holdings.map(({ charge, tally }) => excessChanges(charge.limits, tally));
    return {
      joining: this.byPattern(tables.map(({ joining }) => joining)),
      leaving: this.byPattern(tables.map(({ leaving }) => leaving)),
    };
  }

  /** What joining or keeping a cluster costs a person of each pattern under a rule: two tables [patterns][k]. */
  offsets(rule: ScoringRule): OffsetTables {
    const tables = this.holdings.map((holding) => holding.offsets(rule));
    return {
      joining: this.byPattern(tables.map((table) => table?.joining)),
      keeping: this.byPattern(tables.map((table) => table?.keeping)),
    };
  }

  /** How each of the moves changes the people beyond the limits when all happen, in whole `peopleSteps`. */
  judge(moves: (charge: Charge) => Changes, count: number): Float64Array {
    const total = new Float64Array(count);
    for (const holding of this.holdings) {
      const changes = holding.judge(moves(holding.charge));
      for (let i = 0; i < total.length; i++) total[i] += changes[i];
    }
    return total;
  }

  /** Which of the moves keep all limits, see `permitMoves`. */
  permit(moves: (charge: Charge) => Changes, count: number): boolean[] {
    const verdicts = this.holdings.map((holding) => holding.permit(moves(holding.charge)));
    return Array.from({ length: count }, (_, index) => verdicts.every((verdict) => verdict[index]));
  }

  /** A new search for prices from the present ones, see `Prices`. */
  restartPrices(step: number, reserve: number): void {
    for (const { prices } of this.holdings) prices.restart(step, reserve);
  }

  /** One step of it. `flows` [k][k] says who moved from which cluster to which since the step before, where it is asked for. */
  adjustPrices(flows: () => Float64Array | undefined = () => undefined): void {
    for (const { prices, tally } of this.holdings) {
      prices.adjust(tally, prices instanceof SizePrices && prices.needsFlows ? flows() : undefined);
    }
  }

  /** The prices of sizes, where they have some. */
  get sizePrices(): Float64Array | undefined {
    return this.holdings.find(({ prices }) => prices instanceof SizePrices)?.prices.values;
  }

  get prices(): Float64Array[] {
    return this.holdings.map(({ prices }) => prices.values.slice());
  }

  setPrices(values: readonly Float64Array[]): void {
    this.holdings.forEach(({ prices }, index) => {
      prices.values.set(values[index]);
    });
  }

  /** Takes over the prices of a book over a sample, of which there are so many times as many people here. */
  inherit(sample: LimitBook, factor: number): void {
    this.setPrices(sample.prices);
    this.holdings.forEach(({ prices }, index) => {
      const learnt = sample.holdings[index].prices;
      if (prices instanceof SizePrices && learnt instanceof SizePrices) prices.learn(learnt, factor);
    });
  }

  startAdmm(rho: number): void {
    for (const holding of this.holdings) holding.startAdmm(rho);
  }

  stepAdmm(raise: number): void {
    for (const holding of this.holdings) holding.stepAdmm(raise);
  }

  save(): readonly HoldingState[] {
    return this.holdings.map((holding) => holding.save());
  }

  restore(states: readonly HoldingState[]): void {
    this.holdings.forEach((holding, index) => {
      holding.restore(states[index]);
    });
  }

  /** Tables by group, [groups][k], added up for each pattern. */
  private byPattern(tables: readonly (Float64Array | undefined)[]): Float64Array {
    const { k, patterns, groups } = this.options;
    const total = new Float64Array(patterns * k);
    tables.forEach((table, index) => {
      if (!table) return;
      for (let pattern = 0; pattern < patterns; pattern++) {
        for (let m = 0; m < k; m++) total[pattern * k + m] += table[groups[index][pattern] * k + m];
      }
    });
    return total;
  }
}
