import { Admm } from "../constraints/admm.js";
import type { Bounds } from "../constraints/bounds.js";
import {
  excessChanges,
  type Limits,
  permitMoves,
  type Tally,
  totalExcess,
  worstViolation,
} from "../constraints/limits.js";
import { Prices } from "../constraints/prices.js";
import type { Rule, Standing } from "./types.js";

/** What a holder answers for: limits over one grouping of the people, with or without bounds of an attribute behind it. */
export interface Charge {
  readonly limits: Limits;
  /** The group of each person; absent where everybody is alike (sizes). */
  readonly codes?: Uint16Array;
  readonly bounds?: Bounds;
}

/** The same charge over some of the people: a size shrinks with them, a tolerance does not. */
export function sampleCharge(charge: Charge, rows: Uint32Array, n: number): Charge {
  const { codes, limits } = charge;
  if (codes) return { ...charge, codes: Uint16Array.from(rows, (row) => codes[row]!) };
  const list = limits.list.map((limit) => ({ ...limit, constant: (limit.constant * rows.length) / n }));
  return { ...charge, limits: { ...limits, list } };
}

/** Higher than any score: what no argmin chooses. */
export const wall = 2 ** 54;

export interface OffsetTables {
  readonly joining: Float64Array;
  readonly keeping: Float64Array;
}

/** A charge during a clustering: its prices, its multipliers, and the offsets that they make. */
export class Holding {
  readonly prices: Prices;
  private admm: Admm | undefined;
  /** Kept in step with the clusters by the owner: counts [groups][k], sizes [k]. */
  readonly tally: Tally;

  constructor(
    readonly charge: Charge,
    private readonly k: number,
    sizes: Float64Array,
  ) {
    this.prices = new Prices(charge.limits, k);
    this.tally = { counts: new Float64Array(charge.limits.groups * k), sizes };
  }

  /** What joining or keeping a cluster costs a person of each group under a rule: two tables [groups][k]. */
  offsets(rule: Rule): OffsetTables | undefined {
    switch (rule.kind) {
      case "nearest":
      case "descent":
        return undefined;
      case "priced": {
        const table = this.prices.offsets();
        return { joining: table, keeping: table };
      }
      case "repair":
      case "trade": {
        const table = rule.kind === "repair" ? this.prices.offsets() : undefined;
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

  standing(unit: number): Standing {
    const { limits } = this.charge;
    // Sizes are promises too, but a violation is about groups.
    const violation = this.charge.bounds ? worstViolation(limits, this.tally) : 0;
    return {
      violation,
      excess: totalExcess(limits, this.tally),
      penalty: this.prices.penalty(this.tally, unit),
      paid: this.prices.dearest(),
    };
  }

  permit(moves: readonly { readonly row: number; readonly from: number; readonly to: number }[]): boolean[] {
    const codes = this.charge.codes;
    return permitMoves(
      this.charge.limits,
      this.tally,
      moves.map(({ row, from, to }) => ({ group: codes ? codes[row]! : 0, from, to })),
    );
  }

  startAdmm(rho: number): void {
    if (this.charge.bounds) this.admm = new Admm(this.charge.bounds, this.k, rho, this.tally);
  }

  stepAdmm(raise: number): void {
    this.admm?.step(this.tally);
    this.admm?.raise(raise);
  }
}
