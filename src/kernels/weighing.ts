import { type Range, Sharded, tile } from "./sharded.js";

/** How scores are formed from distances; tables are [k] and [patterns][k]. */
export interface Scoring {
  readonly weight: Float64Array;
  readonly ownWeight: Float64Array;
  readonly offset: Float64Array;
  readonly ownOffset: Float64Array;
  readonly jitter: number;
}

type Offsets = Pick<Scoring, "offset" | "ownOffset">;

/** Half a unit in the last place of single precision. */
const rounding = 2 ** -24;
/** Offsets beyond this are walls, which no score reaches: roughly, they are infinite. */
const wall = 2 ** 53;
/** Where weights differ, as they do while centres follow their people: of fewer people at a time rough scores are not worth their tables. */
const fewPeople = 128;
/** How many past tables of offsets margins may refer to; fewer where comparing them would cost more than it saves. */
const mostEpochs = 64;

/** Rounded up to a multiple of four: so many numbers kernels take at a time. */
export const fours = (count: number) => (count + 3) & ~3;

/** Rows that are weighed against centres: the centres, the scoring, and what is known from earlier weighings. */
export abstract class ScoredRows extends Sharded {
  protected k = 0;
  protected patterns = 0;
  protected scoring: Scoring | undefined;
  /** The scoring under which the best moves of everybody were last looked for; undefined where they must be looked for anew. */
  protected lookedUnder: Scoring | undefined;
  /** Whether distances are sums of absolute differences, not of squared ones. */
  protected manhattan = false;
  /** The length of the longest centre, by the distance. */
  private longest = 0;
  /** Offsets that margins refer to, the latest first. A margin says nothing once centres, weights or jitter change. */
  private epochs: Offsets[] = [];
  private now = 0;
  private ready = false;

  /** Makes room for k clusters and so many patterns. */
  protected room(k: number, patterns: number): void {
    this.k = k;
    this.patterns = patterns;
    this.each((lane, index) => {
      this.set(index, "k", k);
      this.set(index, "patterns", patterns);
      const at = (name: Parameters<typeof this.set>[1], bytes: number) =>
        this.set(index, name, this.buffer(lane, index, name, bytes));
      at("centres", k * this.dims * 8);
      at("weight", k * 8);
      at("ownWeight", k * 8);
      at("offset", patterns * k * 8);
      at("ownOffset", patterns * k * 8);
      at("scratch", (this.dims + k + 1) * tile * 8);
      at("sums", k * this.dims * 8);
      at("choices", tile * 4);
      at("tallies", k * fours(this.dims) * 4);
      at("counts", patterns * k * 8);
      // One centre more: a lone one is weighed as a pair.
      at("roughCentres", (k + 1) * this.dims * 4);
      at("roughSquares", (k + 1) * 4);
      // Four clusters are read at a time, the last ones' from beyond the end.
      at("roughOffset", (patterns * k + 3) * 4);
      this.buffer(lane, index, "roughWeight", k * 4);
      this.buffer(lane, index, "roughOwnWeight", k * 4);
      at("roughOwnOffset", patterns * k * 4);
      at("roughScratch", (k + 1) * tile * 4);
      at("turned", fours(k) * 16);
      at("turnedGates", fours(k) * 16);
      at("slack", this.mostEpochs * patterns * k * 4);
      at("gates", (k * k + 3) * 4);
      at("cells", k * k * 16);
      at("found", k * 4);
      at("joining", k * 4);
      at("lone", (this.dims + k) * 8);
      this.f64(index, "centres", k * this.dims).fill(0);
      this.f32(index, "roughCentres", (k + 1) * this.dims).fill(0);
      this.f32(index, "roughSquares", k + 1).fill(0);
      // Of the present epoch nothing is used up.
      this.f32(index, "slack", patterns * k).fill(0);
      // Nobody was found.
      this.f64(index, "cells", k * k * 2).fill(-1);
      this.u32(index, "found", k).fill(0);
    });
    this.longest = 0;
    this.scoring = undefined;
    this.forget();
  }

  /** Distances that were measured to the same centres stay valid. */
  setCentres(centres: Float64Array): void {
    const present = this.f64(0, "centres", centres.length);
    let from = 0;
    while (from < centres.length && centres[from] === present[from]) from++;
    if (from === centres.length) return;
    const { manhattan, dims } = this;
    const sizes = new Float64Array(this.k);
    let largest = 0;
    for (let m = 0; m < sizes.length; m++) {
      for (let at = m * dims; at < (m + 1) * dims; at++) {
        sizes[m] += manhattan ? Math.abs(centres[at]) : centres[at] * centres[at];
      }
      largest = Math.max(largest, sizes[m]);
    }
    this.longest = manhattan ? largest : Math.sqrt(largest);
    this.each((_, index) => {
      this.f64(index, "centres", centres.length).set(centres);
      const rough = this.f32(index, "roughCentres", centres.length);
      for (let at = 0; at < rough.length; at++) rough[at] = manhattan ? centres[at] : -2 * centres[at];
      this.f32(index, "roughSquares", this.k).set(sizes);
    });
    this.forget();
  }

  setScoring(scoring: Scoring): void {
    const before = this.scoring;
    this.scoring = scoring;
    this.ready = false;
    const same =
      before?.jitter === scoring.jitter &&
      before.weight.every((weight, m) => weight === scoring.weight[m]) &&
      before.ownWeight.every((weight, m) => weight === scoring.ownWeight[m]);
    if (!same) this.epochs = [];
    this.each((_, index) => {
      this.f64(index, "weight", this.k).set(scoring.weight);
      this.f64(index, "ownWeight", this.k).set(scoring.ownWeight);
      this.f64(index, "offset", scoring.offset.length).set(scoring.offset);
      this.f64(index, "ownOffset", scoring.ownOffset.length).set(scoring.ownOffset);
      this.setReal(index, "jitter", scoring.jitter);
    });
  }

  /**
   * Keeps what depends on the present centres alone, so that the next decisions only add weights and offsets: exact
   * distances, or rough scores, which are enough for decisions under equal weights.
   */
  async measure(kind: "exact" | "rough"): Promise<void> {
    const table = kind === "exact" ? "table" : "roughTable";
    if (this.get(0, table) !== 0) return;
    const bytes = kind === "exact" ? 8 : 4;
    this.each((lane, index) => {
      const tiles = Math.ceil(this.get(index, "rows") / tile);
      // One cluster more: a lone one is weighed as a pair.
      this.set(index, table, this.buffer(lane, index, table, (tiles * this.k + 1) * tile * bytes));
    });
    await this.all(kind === "exact" ? "measure" : "measureRoughly", () => []);
  }

  /** From here on distances are computed as they are needed. The tables' memory is kept for the next time. */
  forget(): void {
    this.epochs = [];
    this.ready = false;
    this.lookedUnder = undefined;
    this.each((_, index) => {
      this.set(index, "table", 0);
      this.set(index, "roughTable", 0);
    });
  }

  /** Brings the rough tables and the bounds up to date; called before whatever uses them, with the people who are asked about. */
  protected refresh({ from, to }: Range): void {
    if (this.ready) return;
    const { weight, ownWeight, offset, ownOffset, jitter } = this.scoring!;
    const one = weight[0];
    const uniform = one > 0 && weight.every((value) => value === one) && ownWeight.every((value) => value === one);
    this.each((_, index) => {
      this.set(index, "uniform", uniform ? 1 : 0);
      this.set(index, "roughWeight", 0);
    });
    const exactly = this.manhattan || jitter > 0 || to - from < fewPeople || this.get(0, "table") !== 0;
    if (!uniform && exactly) return;
    this.ready = true;
    if (!uniform) {
      this.weighUnlike();
      return;
    }
    const { roughOffset, roughOwnOffset, error } = this.roughTables({ offset, ownOffset }, jitter, one);
    this.epochs.unshift({ offset, ownOffset });
    this.epochs.length = Math.min(this.epochs.length, this.mostEpochs);
    this.now = (this.now + 1) & 0xffff;
    const slack = this.slack(one);
    const cells = this.patterns * this.k;
    this.each((_, index) => {
      this.f32(index, "roughOffset", roughOffset.length).set(roughOffset);
      this.f32(index, "roughOwnOffset", roughOwnOffset.length).set(roughOwnOffset);
      this.f32(index, "slack", cells + slack.length).set(slack, cells);
      this.set(index, "now", this.now);
      this.set(index, "epochs", this.epochs.length);
      this.setReal(index, "one", one);
      this.setReal(index, "jitterReach", (jitter / one) * (1 + 4 * rounding));
      // A rough score is a sum of products 2 x c. Each is rounded at most dims + 2 times: its centre's coordinate, the product,
      // and dims sums; all products together then err by 2 dims + 4 roundings of |x| |c|, and adding the square and the offset
      // rounds them twice more. Where product and sum are fused, one rounding of each product is less: the bound holds all the
      // more. This is twice as much, for two scores, and a little more for the arithmetic of the bound itself.
      // A sum of absolute differences is rounded dims + 2 times too, as a part of |x| + |c|, where |x| is at most sqrt(dims) times
      // the length that is known of it.
      const perNorm = this.manhattan
        ? this.sumRounding * Math.sqrt(this.dims)
        : 2.1 * (2 * this.dims + 8) * rounding * this.longest;
      this.setReal(index, "errorPerNorm", perNorm);
      this.setReal(index, "error", error);
    });
  }

  /** The rough tables where weights differ. */
  private weighUnlike(): void {
    const { weight, ownWeight } = this.scoring!;
    const largest = (weights: Float64Array) => weights.reduce((most, each) => Math.max(most, each));
    const one = Math.max(largest(weight), largest(ownWeight), 1);
    const { roughOffset, roughOwnOffset, error } = this.roughTables(this.scoring!, 0, one);
    const perNorm = 2.1 * (2 * this.dims + 8) * rounding * this.longest;
    this.each((_, index) => {
      this.f32(index, "roughOffset", roughOffset.length).set(roughOffset);
      this.f32(index, "roughOwnOffset", roughOwnOffset.length).set(roughOwnOffset);
      for (const [name, weights] of [
        ["roughWeight", weight],
        ["roughOwnWeight", ownWeight],
      ] as const) {
        this.set(index, name, this.buffer(this.lanes[index], index, name, this.k * 4));
        this.f32(index, name, this.k).set(weights.map((each) => each / one));
      }
      this.setReal(index, "one", one);
      this.setReal(index, "jitterReach", 0);
      this.setReal(index, "errorPerNorm", perNorm);
      // No weight is above 1. The length of x errs by 2.6 dims + 12 roundings, most of which make it longer on purpose (see assembly/load.ts), and its
      // square by twice as much. The sum with the score, the weight, the product and the sum with the offset are each rounded once, as parts
      // of a distance, which is at most 2 |x|^2 + 2 |c|^2. This is for two scores, and a little more.
      this.setReal(index, "errorPerSquare", 2.1 * (6 * this.dims + 44) * rounding);
      this.setReal(index, "error", error + 2.1 * 16 * rounding * this.longest ** 2);
    });
  }

  /** The largest part of |x| + |c| that two rough sums of absolute differences err by. */
  private get sumRounding(): number {
    return 2.1 * (this.dims + 8) * rounding;
  }

  private get mostEpochs(): number {
    return Math.max(1, Math.min(mostEpochs, Math.floor(this.n / (2 * this.patterns * this.k))));
  }

  /** Offsets in single precision and in units of distance, and the errors that they bring: see `errorPerNorm`. */
  private roughTables({ offset, ownOffset }: Offsets, jitter: number, one: number) {
    const { k, patterns } = this;
    const roughOffset = new Float32Array(patterns * k);
    const roughOwnOffset = new Float32Array(patterns * k);
    const most = Math.max(roughen(offset, one, roughOffset), roughen(ownOffset, one, roughOwnOffset)) / one;
    // Exact jitter is rounded down to whole score units; rough jitter is not.
    const floor = jitter > 0 ? 1 / one : 0;
    const centres = this.manhattan ? 0 : this.longest ** 2;
    const sums = this.manhattan ? this.sumRounding * this.longest : 0;
    const error = 2.1 * (6 * rounding * (centres + most + jitter / one) + floor) + sums;
    return { roughOffset, roughOwnOffset, error };
  }

  /**
   * How much of a margin of each earlier epoch the offsets may have used up since, [epochs][patterns][k] by own cluster: what
   * keeping it costs more, plus the most that joining another one costs less.
   */
  private slack(one: number): Float32Array {
    const { k, patterns, epochs } = this;
    const [now] = epochs as [Offsets];
    const table = new Float32Array((epochs.length - 1) * patterns * k);
    epochs.slice(1).forEach((then, index) => {
      for (let line = 0; line < patterns * k; line += k) {
        let most = Number.NEGATIVE_INFINITY;
        let next = Number.NEGATIVE_INFINITY;
        let cheapest = -1;
        for (let m = 0; m < k; m++) {
          const cheaper = then.offset[line + m] - now.offset[line + m];
          if (cheaper > most) {
            next = most;
            most = cheaper;
            cheapest = m;
          } else if (cheaper > next) next = cheaper;
        }
        for (let m = 0; m < k; m++) {
          const used = now.ownOffset[line + m] - then.ownOffset[line + m] + (m === cheapest ? next : most);
          table[index * patterns * k + line + m] = (used + Math.abs(used) * 2 ** -22) / one;
        }
      }
    });
    return table;
  }
}

/** Offsets in single precision and in units of distance; returns the largest magnitude of those that are no walls. */
function roughen(offsets: Float64Array, one: number, into: Float32Array): number {
  let most = 0;
  for (let at = 0; at < into.length; at++) {
    const value = offsets[at];
    const size = Math.abs(value);
    if (size >= wall) into[at] = value < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    else {
      if (size > most) most = size;
      into[at] = value / one;
    }
  }
  return most;
}
