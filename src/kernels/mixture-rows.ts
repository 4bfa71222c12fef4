import { Rows } from "./rows.js";

/** How many terms z(x) = (1, x_1 .. x_d, x_i x_j for i <= j) has. */
export function termsOf(dims: number): number {
  return 1 + dims + (dims * (dims + 1)) / 2;
}

/** Summands are rounded to multiples of this, so that n of them, each at most 1, add up exactly. */
export function quantumFor(n: number): number {
  return 2 ** (Math.ceil(Math.log2(Math.max(2, n))) - 50);
}

const jobBytes = 40;
/** Log likelihoods lie between -2,048 and 2,048. */
const likelihoodRange = 2 ** 11;

/**
 * Rows under a mixture of Gaussians. Coordinates must lie in [-1, 1]. What is asked for does not depend on the lanes, and
 * sums over parties do not depend on how the rows are split.
 */
export class MixtureRows extends Rows {
  /**
   * Sums of responsibility times z, [components][terms], under logits theta . z, theta being [components][terms]; `hard`: a
   * person belongs to the best component only. All sums are whole multiples of `quantum`, and so is each lane's part of them.
   */
  async sums(theta: Float64Array, components: number, hard: boolean, quantum: number) {
    const jobs = this.prepare(theta, components, hard, quantum);
    await this.all("mixtureSums", (index) => [jobs[index]]);
    const length = components * termsOf(this.dims);
    const sums = new Float64Array(length);
    let logLikelihood = 0;
    this.each((lane, index) => {
      const at = this.buffer(lane, index, "mixture sums", 0);
      const part = new Float64Array(lane.arena.memory.buffer, at, length + 1);
      for (let i = 0; i < length; i++) sums[i] += part[i];
      logLikelihood += part[length];
    });
    return { sums, logLikelihood };
  }

  /** Everybody's component of largest logit, the lowest among equals; theta may stop after the linear terms. */
  async best(theta: Float64Array, components: number): Promise<Uint16Array> {
    const jobs = this.prepare(theta, components, true, 1);
    await this.all("mixtureLabels", (index) => [jobs[index]]);
    return this.labels();
  }

  /** Writes the job of assembly/mixture.ts, fields in its order, into every lane. */
  private prepare(theta: Float64Array, components: number, hard: boolean, quantum: number): number[] {
    const terms = theta.length / components;
    const all = termsOf(this.dims);
    return this.lanes.map((lane, index) => {
      const at = this.buffer(lane, index, "mixture", jobBytes);
      const thetaAt = this.buffer(lane, index, "theta", theta.length * 8);
      const sumsAt = this.buffer(lane, index, "mixture sums", (components * all + 1) * 8);
      const scratchAt = this.buffer(lane, index, "mixture scratch", (all + components) * 128 + all * 8);
      const { buffer } = lane.arena.memory;
      new Float64Array(buffer, thetaAt, theta.length).set(theta);
      new Uint32Array(buffer, at, 6).set([components, terms, thetaAt, sumsAt, scratchAt, hard ? 1 : 0]);
      // Adding 1.5 * 2^52 quanta rounds a number to whole quanta.
      const rounder = 1.5 * 2 ** 52 * quantum;
      new Float64Array(buffer, at + 24, 2).set([rounder, rounder * likelihoodRange]);
      return at;
    });
  }
}
