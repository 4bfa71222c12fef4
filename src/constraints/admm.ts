import type { Bounds } from "./bounds.js";
import { type ClusterTally, withinScores } from "./limits.js";

export interface AdmmState {
  readonly theta: Float64Array;
  readonly u: Float64Array;
  readonly rho: number;
}

/**
 * The fairness term of F3KM as published: shares p of group l in cluster m are pulled towards theta, which stays within
 * the bounds, by the multipliers u and the penalty rho. Corrected as in algorithms/f3km/NOTES.md.
 */
export class Admm {
  private readonly theta: Float64Array;
  private readonly u: Float64Array;

  /** Starts at u = 0 and theta = the present shares, clipped. `rho` is in score units. */
  constructor(
    private readonly bounds: Bounds,
    private readonly k: number,
    private rho: number,
    tally: ClusterTally,
  ) {
    this.u = new Float64Array(bounds.groups.length * k);
    this.theta = new Float64Array(this.u.length);
    this.step(tally);
  }

  save(): AdmmState {
    return { theta: this.theta.slice(), u: this.u.slice(), rho: this.rho };
  }

  restore({ theta, u, rho }: AdmmState): void {
    this.theta.set(theta);
    this.u.set(u);
    this.rho = rho;
  }

  /** The penalty may rise from step to step (section 4.2.3). */
  raise(factor: number): void {
    this.rho *= factor;
  }

  /** Equations 31 (with the shifted value clipped) and 32. */
  step(tally: ClusterTally): void {
    for (let l = 0; l < this.bounds.groups.length; l++) {
      for (let m = 0; m < this.k; m++) {
        const at = l * this.k + m;
        const share = tally.sizes[m] > 0 ? tally.counts[at] / tally.sizes[m] : this.theta[at];
        this.theta[at] = Math.min(this.bounds.upper[l], Math.max(this.bounds.lower[l], share - this.u[at] / this.rho));
        this.u[at] += this.rho * (this.theta[at] - share);
      }
    }
  }

  /** Equations 27 (keeping) and 28 (joining), for a person of each group: tables [groups][k] in whole score units. */
  offsets(tally: ClusterTally): { joining: Float64Array; keeping: Float64Array } {
    const groups = this.bounds.groups.length;
    const joining = new Float64Array(groups * this.k);
    const keeping = new Float64Array(groups * this.k);
    for (let m = 0; m < this.k; m++) {
      const n = tally.sizes[m];
      for (let l = 0; l < groups; l++) {
        const at = l * this.k + m;
        const count = tally.counts[at];
        for (let person = 0; person < groups; person++) {
          const one = person === l ? 1 : 0;
          const now = n > 0 ? count / n : 0;
          joining[person * this.k + m] += this.change(at, now, (count + one) / (n + 1));
          if (n > 1) keeping[person * this.k + m] += this.change(at, (count - one) / (n - 1), now);
        }
      }
    }
    const whole = (offset: number) => withinScores(Math.round(offset));
    return { joining: joining.map(whole), keeping: keeping.map(whole) };
  }

  /** The change of the augmented Lagrangian when a share goes from a (without the person) to b (with). */
  private change(at: number, a: number, b: number): number {
    return this.u[at] * (a - b) + (this.rho / 2) * (b - a) * (a + b - 2 * this.theta[at]);
  }
}
