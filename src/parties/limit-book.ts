import { addToGroups, type Changes, excessChanges, totalExcess } from "../constraints/limits.js";
import { type PriceSteps, Prices } from "../constraints/prices.js";
import { SizePrices } from "../constraints/size-prices.js";
import { combine, type LimitStatus, type ScoringRule } from "./column-party.js";
import { type Constraint, type ConstraintState, type OffsetTables, PricedConstraint } from "./priced-constraint.js";

export interface BookOptions {
  readonly k: number;
  readonly constraints: readonly Constraint[];
  /** Of each constraint: the group of each pattern, or the kind of atoms. */
  readonly groups: readonly ArrayLike<number>[];
  readonly patterns: number;
  /** One unit of squared distance, in score units. */
  readonly scoreUnit: number;
  /** The largest distance in score units: offsets are kept below it, except walls. */
  readonly most: number;
  /** What the heaviest person counts for; default 1. */
  readonly heaviest?: number;
}

/**
 * The limits of some constraints and their prices, from the counts of patterns in clusters. A holder of columns has a book for its own
 * attributes; where rows are split, one book covers everybody.
 */
export class LimitBook {
  /** People in each cluster. */
  readonly sizes: Float64Array;
  private readonly priced: readonly PricedConstraint[];
  /** The last offsets for joining and for keeping: a move changes those of few clusters. */
  private readonly last: { joining?: PatternTable; keeping?: PatternTable } = {};

  constructor(private readonly options: BookOptions) {
    const { k, constraints, scoreUnit, most, heaviest } = options;
    this.sizes = new Float64Array(k);
    this.priced = constraints.map(
      (constraint) => new PricedConstraint(constraint, k, this.sizes, scoreUnit, most, heaviest),
    );
  }

  /** One unit of squared distance, in score units. */
  get scoreUnit(): number {
    return this.options.scoreUnit;
  }

  /** Takes the counts of an assignment, [patterns][k]. */
  enter(counts: ArrayLike<number>): void {
    const { k, patterns, groups } = this.options;
    this.sizes.fill(0);
    for (const { tally } of this.priced) tally.counts.fill(0);
    // Where patterns are many most cells are empty: this follows every move of a repair.
    for (let pattern = 0, cell = 0; pattern < patterns; pattern++) {
      for (let m = 0; m < k; m++, cell++) {
        const count = counts[cell];
        if (count === 0) continue;
        this.sizes[m] += count;
        for (let index = 0; index < this.priced.length; index++) {
          const { tally, constraint } = this.priced[index];
          addToGroups(constraint.limits, tally.counts, k, groups[index][pattern], count, m);
        }
      }
    }
  }

  status(): LimitStatus {
    return combine(this.priced.map((priced) => priced.status()));
  }

  /** People beyond the limits, tolerance forgiven, all together; not rounded. */
  get excess(): number {
    return this.priced.reduce((total, { constraint, tally }) => total + totalExcess(constraint.limits, tally), 0);
  }

  /** The cost of all excess at the present prices plus `unit`: ranks assignments that do not keep all limits yet. */
  penalty(unit: number): number {
    return this.priced.reduce((total, { constraint, tally, prices }) => {
      return total + totalExcess(constraint.limits, tally) * (prices.maxPrice() + unit);
    }, 0);
  }

  /** What the Lagrangian at the present prices adds to the cost of these clusters, in score units; undefined where offsets were clamped. */
  lagrangian(): number | undefined {
    const { joining } = this.offsets({ kind: "priced", unit: 0 });
    if (joining.some((offset) => Math.abs(offset) >= this.options.most)) return undefined;
    return this.priced.reduce((total, { prices, tally }) => total + prices.lagrangian(tally), 0);
  }

  /** Offsets are whole numbers, each at most half a unit from what prices say: for so many constraints. */
  get constraints(): number {
    return this.priced.length;
  }

  /** How the excess changes when a person of each pattern joins or leaves each cluster: [patterns][k]. */
  changes(): { joining: Float64Array; leaving: Float64Array } {
    const tables = this.priced.map(({ constraint, tally }) => excessChanges(constraint.limits, tally));
    return {
      joining: this.byPattern(tables.map(({ joining }) => joining)),
      leaving: this.byPattern(tables.map(({ leaving }) => leaving)),
    };
  }

  /** What joining or keeping a cluster costs a person of each pattern under a rule: two tables [patterns][k], and so many empty lines. */
  offsets(rule: ScoringRule, lines = 0): OffsetTables {
    const tables = this.priced.map((priced) => priced.offsets(rule));
    const following = (name: keyof OffsetTables) => {
      const byGroup = tables.map((table) => table?.[name]);
      const byPattern = this.byPattern(byGroup, lines, this.last[name]);
      this.last[name] = { byGroup, byPattern };
      return byPattern;
    };
    return { joining: following("joining"), keeping: following("keeping") };
  }

  /** How each of the moves changes the people beyond the limits when all happen, in whole `peopleSteps`. */
  judge(moves: (constraint: Constraint) => Changes, count: number): Float64Array {
    const total = new Float64Array(count);
    for (const priced of this.priced) {
      const changes = priced.judge(moves(priced.constraint));
      for (let i = 0; i < total.length; i++) total[i] += changes[i];
    }
    return total;
  }

  /** Which of the moves keep all limits, see `permitMoves`. */
  permit(moves: (constraint: Constraint) => Changes, count: number): boolean[] {
    const verdicts = this.priced.map((priced) => priced.permit(moves(priced.constraint)));
    return Array.from({ length: count }, (_, index) => verdicts.every((verdict) => verdict[index]));
  }

  /** Begins a search for prices from the present ones, see `Prices`. */
  restartPrices(step: number, reserve: number, how?: PriceSteps): void {
    for (const { prices } of this.priced) prices.restart(step, reserve, how);
  }

  /** Whether a step of the search needs to know who moved. */
  get needsFlows(): boolean {
    return this.priced.some(({ prices }) => prices.needsFlows);
  }

  /** One step of the search. `flows` [groups][k][k] counts the people of a constraint who moved between clusters since the step before. */
  adjustPrices(flows: (constraint: Constraint) => Float64Array | undefined = () => undefined): void {
    for (const { prices, tally, constraint } of this.priced) {
      prices.adjust(tally, prices.needsFlows ? flows(constraint) : undefined);
    }
  }

  insist(how: "more" | "alike"): void {
    for (const priced of this.priced) priced.insist(how);
  }

  /** Undefined where sizes have no prices of their own. */
  get sizePrices(): Float64Array | undefined {
    return this.priced.find(({ prices }) => prices instanceof SizePrices)?.prices.values;
  }

  get prices(): Float64Array[] {
    return this.priced.map(({ prices }) => prices.values.slice());
  }

  /** What a person of each group pays in each cluster, by attribute: [groups][k], in units of squared distance. */
  get groupPrices(): { readonly attribute: string; readonly prices: number[][] }[] {
    const { k, scoreUnit } = this.options;
    return this.priced.flatMap(({ constraint: { bounds }, prices }) => {
      if (!bounds) return [];
      const table = prices.groupOffsets();
      const row = (group: number) => Array.from(table.subarray(group * k, (group + 1) * k), (each) => each / scoreUnit);
      return [{ attribute: bounds.attribute, prices: bounds.groups.map((_, group) => row(group)) }];
    });
  }

  setPrices(values: readonly Float64Array[]): void {
    this.priced.forEach(({ prices }, index) => {
      prices.values.set(values[index]);
    });
  }

  /** Takes over the prices that a sample ended with; `factor` times as many people are here. */
  inherit(sample: LimitBook, factor: number): void {
    this.setPrices(sample.prices);
    this.priced.forEach(({ prices }, index) => {
      const learnt = sample.priced[index].prices;
      if (prices instanceof SizePrices && learnt instanceof SizePrices) prices.learn(learnt, factor);
      if (prices instanceof Prices && learnt instanceof Prices) prices.learn(learnt, factor);
    });
  }

  startAdmm(rho: number): void {
    for (const priced of this.priced) priced.startAdmm(rho);
  }

  stepAdmm(raise: number): void {
    for (const priced of this.priced) priced.stepAdmm(raise);
  }

  save(): readonly ConstraintState[] {
    return this.priced.map((priced) => priced.save());
  }

  restore(states: readonly ConstraintState[]): void {
    this.priced.forEach((priced, index) => {
      priced.restore(states[index]);
    });
  }

  /** Tables by group, [groups][k], added up for each pattern; and so many empty lines. What is known from the last ones is copied. */
  private byPattern(tables: readonly (Float64Array | undefined)[], lines = 0, last?: PatternTable): Float64Array {
    const { k, patterns, groups } = this.options;
    const length = (patterns + lines) * k;
    const changed = last?.byPattern.length === length ? changedColumns(last.byGroup, tables, k) : undefined;
    const some = changed && 2 * changed.length < k ? changed : undefined;
    const total = some ? last!.byPattern.slice() : new Float64Array(length);
    const columns = some ? some.length : k;
    for (let pattern = 0, line = 0; pattern < patterns; pattern++, line += k) {
      for (let at = 0; some && at < columns; at++) total[line + some[at]] = 0;
      for (let index = 0; index < tables.length; index++) {
        const table = tables[index];
        if (!table) continue;
        const from = groups[index][pattern] * k;
        if (some) for (let at = 0; at < columns; at++) total[line + some[at]] += table[from + some[at]];
        else for (let m = 0; m < k; m++) total[line + m] += table[from + m];
      }
    }
    return total;
  }
}

/** Tables of constraints by group, and their sum by pattern. */
interface PatternTable {
  readonly byGroup: readonly (Float64Array | undefined)[];
  readonly byPattern: Float64Array;
}

/** The columns in which tables of k columns differ from others; undefined where some are missing. */
function changedColumns(
  before: readonly (Float64Array | undefined)[],
  after: readonly (Float64Array | undefined)[],
  k: number,
): number[] | undefined {
  const differs = new Uint8Array(k);
  for (let index = 0; index < after.length; index++) {
    const [one, other] = [before[index], after[index]];
    if (one === other) continue;
    if (!one || !other) return undefined;
    for (let from = 0; from < one.length; from += k) {
      for (let m = 0; m < k; m++) if (one[from + m] !== other[from + m]) differs[m] = 1;
    }
  }
  return Array.from(differs.keys()).filter((m) => differs[m] === 1);
}
