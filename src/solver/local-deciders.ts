import { BestMoves, byGap, type Move, type WeighedMove } from "../kernels/best-moves.js";
import type { Range } from "../kernels/rows.js";
import type { ColumnParty, Moves } from "../parties/column-party.js";
import { joiningCosts, joiningsOf } from "../parties/crowding.js";
import type { LocalColumns } from "../parties/local-columns.js";
import { allOf, changesBetween, farthestOf } from "../parties/moves.js";
import { SplitColumns } from "../parties/split-columns.js";
import type { Traffic } from "../parties/traffic.js";
import type { Decider, JoinedPair } from "./decider.js";
import { drawByDistance, drawn, drawSeveral, pickBy } from "./draw-by-distance.js";

/** A change in the steps beyond the limits that is one of rounding only. */
const slightly = 1;

/** Who decides where all columns are in this process: the kernels of the party that holds them all, or sums over several. */
export function localDecider(parties: readonly LocalColumns[]): Decider & Required<Pick<Decider, "scores">> {
  const traffic = { rounds: 0, bytesUp: 0, bytesDown: 0 };
  if (parties.length === 1) return new KernelDecider(parties[0], traffic);
  return new SumDecider(new SplitColumns(parties, traffic), traffic);
}

/** Sees everybody's distances and scores. */
abstract class SeeingDecider<Columns extends ColumnParty> {
  /** Everybody's squared distance to the nearest chosen person, while centres are chosen. */
  private nearest: Float64Array = new Float64Array(0);

  constructor(
    readonly columns: Columns,
    readonly traffic: Traffic,
  ) {}

  abstract distances(row: number): Promise<Float64Array>;
  /** Everybody's squared distance to their own centre, and those between all centres, [k][k]. */
  protected abstract ownDistances(): Promise<Float64Array>;
  protected abstract spacing(): Promise<Float64Array>;
  abstract scores(range: Range): Promise<Float64Array>;
  /** How each of the moves changes the people beyond the limits, in whole steps. */
  protected abstract judge(moves: Moves): Promise<Float64Array>;

  async farthest(clusters: ReadonlySet<number>): Promise<number | undefined> {
    const { columns } = this;
    return farthestOf(await columns.labels(), await this.scores({ from: 0, to: columns.rows }), clusters);
  }

  async helping(moves: Moves): Promise<boolean[]> {
    return Array.from(await this.judge(moves), (change) => change < -slightly);
  }

  async approach(row: number, first: boolean): Promise<void> {
    const distances = await this.distances(row);
    this.nearest = first ? distances : distances.map((distance, i) => Math.min(distance, this.nearest[i]));
  }

  async approachCentres(): Promise<void> {
    this.nearest = await this.ownDistances();
  }

  async leastMissed(among: ReadonlySet<number>): Promise<JoinedPair | undefined> {
    const joinings = joiningsOf(await this.columns.sizes(), among);
    const costs = joiningCosts(joinings, await this.spacing());
    if (costs.length === 0) return undefined;
    let least = 0;
    for (let pair = 1; pair < costs.length; pair++) if (costs[pair] < costs[least]) least = pair;
    return { cluster: joinings.clusters[least], into: joinings.into[least] };
  }

  async drawByDistance(seed: number): Promise<number | undefined> {
    return drawn(drawByDistance(this.columns.rows, seed, this.columns.weights), pickBy(this.nearest));
  }

  async drawSeveral(seed: number, most: number): Promise<Uint32Array> {
    return drawn(drawSeveral(this.columns.rows, seed, this.columns.weights, most), pickBy(this.nearest));
  }

  async nearerTo(row: number): Promise<Uint32Array> {
    const { nearest } = this;
    const distances = await this.distances(row);
    const rows: number[] = [];
    for (let i = 0; i < nearest.length; i++) if (distances[i] < nearest[i]) rows.push(i);
    return Uint32Array.from(rows);
  }
}

/** One party holds all columns: its kernels decide, and nothing is sent. */
class KernelDecider extends SeeingDecider<LocalColumns> implements Decider {
  async sample(rows: Uint32Array): Promise<Decider> {
    return new KernelDecider(await this.columns.sample(rows), this.traffic);
  }

  assign(range: Range, ownFirst: boolean): Promise<number> {
    return this.columns.assign(range, ownFirst);
  }

  propose(ranges: readonly Range[]): Promise<Moves> {
    return this.columns.propose(ranges);
  }

  bestMoves(ranges: readonly Range[]): Promise<Move[]> {
    return this.columns.bestMoves(ranges);
  }

  distances(row: number): Promise<Float64Array> {
    return this.columns.distances(row);
  }

  scores(range: Range): Promise<Float64Array> {
    return this.columns.scores(range);
  }

  protected ownDistances(): Promise<Float64Array> {
    return this.columns.ownDistances();
  }

  protected spacing(): Promise<Float64Array> {
    return this.columns.spacing();
  }

  protected judge(moves: Moves): Promise<Float64Array> {
    return this.columns.judge(moves);
  }
}

/** Several parties hold the columns: their scores are added up, and the argmin of the sums is taken. */
class SumDecider extends SeeingDecider<SplitColumns> implements Decider {
  async sample(rows: Uint32Array): Promise<Decider> {
    return new SumDecider(await this.columns.sample(rows), this.traffic);
  }

  async assign(range: Range, ownFirst: boolean): Promise<number> {
    return this.columns.adopt(range, await this.choose(range, await this.columns.labels(range), ownFirst));
  }

  async propose(ranges: readonly Range[]): Promise<Moves> {
    const found: Moves[] = [];
    for (const range of ranges) {
      const own = await this.columns.labels(range);
      found.push(changesBetween(range, own, await this.choose(range, own, true)));
    }
    return allOf(found);
  }

  async bestMoves(ranges: readonly Range[]): Promise<Move[]> {
    const found: WeighedMove[] = [];
    for (const range of ranges) found.push(...(await this.cheapest(range)));
    return found.sort(byGap);
  }

  async distances(row: number): Promise<Float64Array> {
    return this.add(await this.columns.each((party) => party.distances(row)));
  }

  async scores(range: Range): Promise<Float64Array> {
    return this.add(await this.columns.each((party) => party.scores(range)));
  }

  protected async ownDistances(): Promise<Float64Array> {
    return this.add(await this.columns.each((party) => party.ownDistances()));
  }

  protected async spacing(): Promise<Float64Array> {
    return this.add(await this.columns.each((party) => party.spacing()));
  }

  protected async judge(moves: Moves): Promise<Float64Array> {
    const [total, ...rest] = await this.columns.each((party) => party.judge(moves));
    for (const part of rest) for (let i = 0; i < total.length; i++) total[i] += part[i];
    return total;
  }

  /** What the range would choose: the argmin of the summed scores. */
  private async choose(range: Range, labels: Uint16Array, ownFirst: boolean): Promise<Uint16Array> {
    const scores = await this.scores(range);
    const k = scores.length / labels.length;
    return labels.map((own, i) => {
      let best = ownFirst && own !== 0xffff ? own : 0;
      for (let m = 0; m < k; m++) if (scores[i * k + m] < scores[i * k + best]) best = m;
      return best;
    });
  }

  private async cheapest(range: Range): Promise<WeighedMove[]> {
    const scores = await this.scores(range);
    const labels = await this.columns.labels(range);
    const k = scores.length / labels.length;
    const best = new BestMoves(k);
    labels.forEach((own, i) => {
      const line = i * k;
      for (let m = 0; m < k; m++) best.offer(range.from + i, own, m, scores[line + m] - scores[line + own]);
    });
    return best.taken();
  }

  /** Parties' parts are whole numbers: the sum is exact in any order. */
  private add(parts: readonly Float64Array[]): Float64Array {
    this.traffic.bytesUp += parts.reduce((bytes, part) => bytes + part.byteLength, 0);
    const [total, ...rest] = parts;
    for (const part of rest) for (let i = 0; i < total.length; i++) total[i] += part[i];
    return total;
  }
}
