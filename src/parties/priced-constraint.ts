import { Admm, type AdmmState } from "../constraints/admm.js";
import { type Bounds, shrinkSizes } from "../constraints/bounds.js";
import { unevenChanges, unevenCost } from "../constraints/evenness-cost.js";
import {
  addBroken,
  type Changes,
  type ClusterTally,
  excessChanges,
  judgeMoves,
  type Limits,
  permitMoves,
  shrinkLimit,
  totalExcess,
  worstViolation,
} from "../constraints/limits.js";
import { Prices } from "../constraints/prices.js";
import { type SizeGoal, type SizePriceState, SizePrices } from "../constraints/size-prices.js";
import { type LimitStatus, peopleSteps, type ScoringRule } from "./column-party.js";

/** Limits over one grouping of the people: by a protected attribute, which has bounds, or all together, for sizes. */
export interface Constraint {
  readonly limits: Limits;
  /** The group of each person, or the kind of each atom; absent where all are one group (sizes). */
  readonly codes?: Uint16Array;
  readonly bounds?: Bounds;
  /** Where sizes are to be even, or where only sizes are promised. */
  readonly sizeGoal?: SizeGoal;
}

/** What a search for prices has reached, for a checkpoint. */
export interface ConstraintState {
  readonly prices: SizePriceState;
  readonly insistence?: Float64Array;
  readonly admm?: AdmmState;
}

/** The same constraint for a sample: limits of sizes shrink in proportion, a tolerance does not. */
export function sampleConstraint(constraint: Constraint, rows: Uint32Array, part: number): Constraint {
  const { codes, limits } = constraint;
  const list = limits.list.map((limit) => shrinkLimit(limit, part));
  if (codes) {
    return { ...constraint, limits: { ...limits, list }, codes: Uint16Array.from(rows, (row) => codes[row]) };
  }
  return {
    limits: { ...limits, list },
    ...(constraint.sizeGoal ? { sizeGoal: sampleGoal(constraint.sizeGoal, part) } : {}),
  };
}

/** The cost of uneven sizes is quadratic in the sizes; in a sample it must shrink in proportion, as the SSE does. */
function sampleGoal({ sizes, evenness, ...goal }: SizeGoal, part: number): SizeGoal {
  return {
    sizes: shrinkSizes(sizes, part),
    ...(evenness ? { evenness: { rho: evenness.rho / part, even: evenness.even * part } } : {}),
    ...goal,
  };
}

/** An offset above any score: no argmin chooses that cluster. */
export const wall = 2 ** 54;

function isNoWall(value: number): boolean {
  return Math.abs(value) < wall;
}

/** As `some`, which is many times slower on such tables. */
function hasAny(values: Float64Array, is: (value: number) => boolean): boolean {
  for (const value of values) if (is(value)) return true;
  return false;
}

export interface OffsetTables {
  readonly joining: Float64Array;
  readonly keeping: Float64Array;
}

/** A constraint during a clustering: its prices, the multipliers of ADMM, and the offsets that follow from them. */
export class PricedConstraint {
  readonly prices: Prices | SizePrices;
  private admm: Admm | undefined;
  /** How much each limit counts in a repair, [limits][k]; all alike where absent. */
  private insistence: Float64Array | undefined;
  /** Counts [groups][k] and sizes [k]; the owner updates them as people move. */
  readonly tally: ClusterTally;
  /** Of one person: what changes of the excess are whole multiples of. */
  private readonly steps: number;

  constructor(
    readonly constraint: Constraint,
    private readonly k: number,
    sizes: Float64Array,
    /** One unit of squared distance, in score units. */
    private readonly scoreUnit: number,
    /** The largest distance in score units: offsets are kept below it, except walls. */
    private readonly most: number,
    /** What the heaviest person counts for. */
    heaviest = 1,
  ) {
    const { limits, sizeGoal } = constraint;
    this.steps = peopleSteps(heaviest);
    this.prices = sizeGoal ? new SizePrices(k, sizeGoal, scoreUnit) : new Prices(limits, k);
    this.tally = { counts: new Float64Array(constraint.limits.groups * k), sizes };
  }

  /** What joining or keeping a cluster costs a person of each group under a rule: two tables [groups][k]. */
  offsets(rule: ScoringRule): OffsetTables | undefined {
    const tables = this.within(this.limitOffsets(rule));
    const { sizeGoal, limits } = this.constraint;
    const evenness = sizeGoal?.evenness;
    if (!evenness || rule.kind === "nearest" || rule.kind === "descent" || rule.kind === "priced") return tables;
    const { joining, keeping } = this.within(
      unevenChanges(evenness, this.tally.sizes, this.scoreUnit, limits.atoms?.typical[0]),
    );
    return {
      joining: joining.map((change, m) => change + (tables?.joining[m] ?? 0)),
      keeping: keeping.map((change, m) => change + (tables?.keeping[m] ?? 0)),
    };
  }

  /**
   * Clamps offsets to the largest distance: beyond that an offset decides alone, however large it is, and sums of offsets must stay
   * bounded. Only differences between a group's clusters matter, so offsets that would be clamped are first counted from the lowest.
   */
  private within<Tables extends OffsetTables | undefined>(tables: Tables): Tables {
    const { k, most } = this;
    const beyond = (value: number) => Math.abs(value) > most && isNoWall(value);
    if (!tables || !(hasAny(tables.joining, beyond) || hasAny(tables.keeping, beyond))) return tables;
    const { joining, keeping } = tables;
    const bases = new Float64Array(joining.length / k);
    for (let group = 0; group < bases.length; group++) {
      const line = [joining, keeping].map((table) => table.subarray(group * k, (group + 1) * k).filter(isNoWall));
      const leaves = line.some((values) => values.some(beyond));
      if (leaves && line[0].length > 0) bases[group] = line[0].reduce((least, value) => Math.min(least, value));
    }
    const cut = (value: number, at: number) => {
      if (!isNoWall(value)) return value;
      return Math.max(-most, Math.min(most, value - bases[Math.floor(at / k)]));
    };
    const joined = joining.map(cut);
    return { joining: joined, keeping: joining === keeping ? joined : keeping.map(cut) } as Tables;
  }

  private limitOffsets(rule: ScoringRule): OffsetTables | undefined {
    switch (rule.kind) {
      case "nearest":
      case "descent":
      case "even":
        return undefined;
      case "priced": {
        const table = this.prices.offsets();
        return { joining: table, keeping: table };
      }
      case "repair":
      case "trade": {
        const priced = rule.kind === "repair" && !this.constraint.sizeGoal?.evenness;
        const table = priced ? this.prices.offsets() : undefined;
        const insistence = rule.kind === "repair" ? this.insistence : undefined;
        const { joining, leaving } = excessChanges(this.constraint.limits, this.tally, insistence);
        // In place, and in a loop: this follows every move of a repair.
        for (let at = 0; at < joining.length; at++) {
          const price = table ? table[at] : 0;
          joining[at] = price + Math.round(rule.pressure * joining[at]);
          leaving[at] = price - Math.round(rule.pressure * leaving[at]);
        }
        return { joining, keeping: leaving };
      }
      case "polish": {
        const { joining, leaving } = excessChanges(this.constraint.limits, this.tally);
        return {
          joining: joining.map((change) => (change > 0 ? wall : 0)),
          keeping: leaving.map((change) => (change > 0 ? -wall : 0)),
        };
      }
      case "admm":
        return this.admm?.offsets(this.tally);
    }
  }

  status(): LimitStatus {
    const { limits } = this.constraint;
    // `violation` is about groups only, not about sizes.
    const violation = this.constraint.bounds ? worstViolation(limits, this.tally) : 0;
    // Rounded, so that sums over parties are exact.
    const excess = Math.round(totalExcess(limits, this.tally) * this.steps) / this.steps;
    const maxPrice = this.prices.maxPrice();
    const evenness = this.constraint.sizeGoal?.evenness;
    const balanceLoss = evenness ? unevenCost(evenness, this.tally.sizes) : 0;
    const penalty = Math.round(excess * maxPrice);
    return { violation, excess, penalty, maxPrice, misplaced: this.prices.misplaced(this.tally), balanceLoss };
  }

  judge(moves: Changes): Float64Array {
    const changes = judgeMoves(this.constraint.limits, this.tally, moves);
    return changes.map((people) => Math.round(people * this.steps));
  }

  permit(moves: Changes): boolean[] {
    return permitMoves(this.constraint.limits, this.tally, moves);
  }

  /** What stays broken counts for more and more, so that moves which are stuck between limits come free (the breakout method). */
  insist(how: "more" | "alike"): void {
    const { limits } = this.constraint;
    if (how === "alike") this.insistence = undefined;
    else {
      this.insistence ??= new Float64Array(limits.list.length * this.k).fill(1);
      addBroken(limits, this.tally, this.insistence);
    }
  }

  save(): ConstraintState {
    const { prices, admm, insistence } = this;
    return {
      prices: prices.save(),
      ...(insistence ? { insistence: insistence.slice() } : {}),
      ...(admm ? { admm: admm.save() } : {}),
    };
  }

  restore({ prices, admm, insistence }: ConstraintState): void {
    this.prices.restore(prices);
    this.insistence = insistence?.slice();
    if (!admm) return;
    this.startAdmm(admm.rho);
    this.admm?.restore(admm);
  }

  startAdmm(rho: number): void {
    if (this.constraint.bounds) this.admm = new Admm(this.constraint.bounds, this.k, rho, this.tally);
  }

  stepAdmm(raise: number): void {
    this.admm?.step(this.tally);
    this.admm?.raise(raise);
  }
}
