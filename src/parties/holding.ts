import { Admm, type AdmmState } from "../constraints/admm.js";
import type { Bounds } from "../constraints/bounds.js";
import { unevenChanges, unevenCost } from "../constraints/evenness-cost.js";
import {
  type Changes,
  type ClusterTally,
  excessChanges,
  judgeMoves,
  type Limits,
  permitMoves,
  totalExcess,
  worstViolation,
} from "../constraints/limits.js";
import { Prices } from "../constraints/prices.js";
import { type SizeGoal, type SizePriceState, SizePrices } from "../constraints/size-prices.js";
import { type LimitStatus, peopleSteps, type ScoringRule } from "./column-party.js";

/** What a holder answers for: limits over one grouping of the people, with or without bounds of an attribute behind it. */
export interface Charge {
  readonly limits: Limits;
  /** The group of each person; absent where everybody is alike (sizes). */
  readonly codes?: Uint16Array;
  readonly bounds?: Bounds;
  /** Where sizes are to be even, or where they alone are promised. */
  readonly wish?: SizeGoal;
}

/** What a holding has found out, as it is kept for another process. */
export interface HoldingState {
  readonly prices: SizePriceState;
  readonly admm?: AdmmState;
}

/** The same charge over some of the people: a size shrinks with them, a tolerance does not. */
export function sampleCharge(charge: Charge, rows: Uint32Array, n: number): Charge {
  const { codes, limits } = charge;
  if (codes) return { ...charge, codes: Uint16Array.from(rows, (row) => codes[row]) };
  const part = rows.length / n;
  const list = limits.list.map((limit) => ({ ...limit, constant: limit.constant * part }));
  return { limits: { ...limits, list }, ...(charge.wish ? { wish: sampleWish(charge.wish, part) } : {}) };
}

/** The cost of uneven sizes is quadratic: it must shrink as the SSE does. */
function sampleWish({ sizes, evenness, alone }: SizeGoal, part: number): SizeGoal {
  return {
    sizes: { min: sizes.min * part, max: sizes.max * part },
    ...(evenness ? { evenness: { rho: evenness.rho / part, even: evenness.even * part } } : {}),
    alone,
  };
}

/** Higher than any score: what no argmin chooses. */
export const wall = 2 ** 54;

function isOpen(value: number): boolean {
  return Math.abs(value) < wall;
}

export interface OffsetTables {
  readonly joining: Float64Array;
  readonly keeping: Float64Array;
}

/** A charge during a clustering: its prices, its multipliers, and the offsets that they make. */
export class Holding {
  readonly prices: Prices | SizePrices;
  private admm: Admm | undefined;
  /** Kept in step with the clusters by the owner: counts [groups][k], sizes [k]. */
  readonly tally: ClusterTally;

  constructor(
    readonly charge: Charge,
    private readonly k: number,
    sizes: Float64Array,
    /** One unit of squared distance, in score units. */
    private readonly scoreUnit: number,
    /** No distance counts more, and no offset but a wall does. */
    private readonly most: number,
  ) {
    const { limits, wish } = charge;
    this.prices = wish ? new SizePrices(k, wish, scoreUnit) : new Prices(limits, k);
    this.tally = { counts: new Float64Array(charge.limits.groups * k), sizes };
  }

  /** What joining or keeping a cluster costs a person of each group under a rule: two tables [groups][k]. */
  offsets(rule: ScoringRule): OffsetTables | undefined {
    const tables = this.within(this.limitOffsets(rule));
    const evenness = this.charge.wish?.evenness;
    if (!evenness || rule.kind === "nearest" || rule.kind === "descent" || rule.kind === "priced") return tables;
    const { joining, keeping } = this.within(unevenChanges(evenness, this.tally.sizes, this.scoreUnit));
    return {
      joining: joining.map((change, m) => change + (tables?.joining[m] ?? 0)),
      keeping: keeping.map((change, m) => change + (tables?.keeping[m] ?? 0)),
    };
  }

  /**
   * Beyond what any distance counts an offset decides alone: how far beyond does not matter, and sums stay bounded. Only
   * differences between a group's clusters matter, so what would leave the range is first counted from the cheapest.
   */
  private within<Tables extends OffsetTables | undefined>(tables: Tables): Tables {
    const { k, most } = this;
    const beyond = (value: number) => isOpen(value) && Math.abs(value) > most;
    if (!tables || !(tables.joining.some(beyond) || tables.keeping.some(beyond))) return tables;
    const { joining, keeping } = tables;
    const bases = new Float64Array(joining.length / k);
    for (let group = 0; group < bases.length; group++) {
      const line = [joining, keeping].map((table) => table.subarray(group * k, (group + 1) * k).filter(isOpen));
      const leaves = line.some((values) => values.some(beyond));
      if (leaves && line[0].length > 0) bases[group] = line[0].reduce((least, value) => Math.min(least, value));
    }
    const cut = (value: number, at: number) => {
      if (!isOpen(value)) return value;
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
        const priced = rule.kind === "repair" && !this.charge.wish?.evenness;
        const table = priced ? this.prices.offsets() : undefined;
        const { joining, leaving } = excessChanges(this.charge.limits, this.tally);
        return {
          joining: joining.map((change, at) => (table?.[at] ?? 0) + Math.round(rule.pressure * change)),
          keeping: leaving.map((change, at) => (table?.[at] ?? 0) - Math.round(rule.pressure * change)),
        };
      }
      case "polish": {
        const { joining, leaving } = excessChanges(this.charge.limits, this.tally);
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
    const { limits } = this.charge;
    // Sizes are promises too, but a violation is about groups.
    const violation = this.charge.bounds ? worstViolation(limits, this.tally) : 0;
    // Rounded, so that sums over the holders are exact.
    const excess = Math.round(totalExcess(limits, this.tally) * peopleSteps) / peopleSteps;
    const maxPrice = this.prices.maxPrice();
    const evenness = this.charge.wish?.evenness;
    const balanceLoss = evenness ? unevenCost(evenness, this.tally.sizes) : 0;
    const penalty = Math.round(excess * maxPrice);
    return { violation, excess, penalty, maxPrice, misplaced: this.prices.misplaced(this.tally), balanceLoss };
  }

  judge(moves: Changes): Float64Array {
    const changes = judgeMoves(this.charge.limits, this.tally, moves);
    return changes.map((people) => Math.round(people * peopleSteps));
  }

  permit(moves: Changes): boolean[] {
    return permitMoves(this.charge.limits, this.tally, moves);
  }

  save(): HoldingState {
    return { prices: this.prices.save(), ...(this.admm ? { admm: this.admm.save() } : {}) };
  }

  restore({ prices, admm }: HoldingState): void {
    this.prices.restore(prices);
    if (!admm) return;
    this.startAdmm(admm.rho);
    this.admm?.restore(admm);
  }

  startAdmm(rho: number): void {
    if (this.charge.bounds) this.admm = new Admm(this.charge.bounds, this.k, rho, this.tally);
  }

  stepAdmm(raise: number): void {
    this.admm?.step(this.tally);
    this.admm?.raise(raise);
  }
}
