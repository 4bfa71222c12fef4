import { cancelled } from "../errors.js";
import { BestMoves, byGap, type Move, type WeighedMove } from "../kernels/moves.js";
import type { Range } from "../kernels/rows.js";
import { chooseGrid, type Grid } from "../parties/grid.js";
import { allOf, changesBetween, chosenOf, farthestOf } from "../parties/moves.js";
import type { Traffic } from "../parties/traffic.js";
import { type ColumnParty, combine, type Moves, type Rule, type Standing } from "../parties/types.js";
import { turn } from "../turns.js";
import { blocks } from "./blocks.js";
import { pickBy, race } from "./race.js";

/** Judgements of a list of moves, and a change in the steps beyond the limits that is one of rounding only. */
const judgements = 8;
const slightly = 1;

/**
 * The coordinator's view of its parties: what all of them do together. It adds up scores and takes argmins; distances,
 * prices and group counts stay where they are. Nothing is sent while one party holds all columns.
 */
export class Coordinator {
  readonly n: number;
  /** Everybody's cluster as decided here; only kept where several parties hold the columns. */
  private readonly labels: Uint16Array;
  private readonly memory = new Map<string, Uint16Array>();
  /** Those of all these people's coordinators that were not ended. */
  private samples = new Set<Coordinator>();
  private rule: Rule = { kind: "nearest" };
  private sincePause = 0;
  /** Everybody's squared distance to the nearest chosen person, while centres are chosen. */
  private nearest: Float64Array = new Float64Array(0);

  private constructor(
    readonly parties: readonly ColumnParty[],
    readonly k: number,
    readonly grid: Grid,
    readonly traffic: Traffic,
    readonly signal: AbortSignal | undefined,
    /** Columns, all parties' together. */
    private readonly columns: number,
  ) {
    this.n = parties[0].rows;
    this.labels = new Uint16Array(this.n).fill(0xffff);
  }

  static async open(parties: readonly ColumnParty[], k: number, signal?: AbortSignal): Promise<Coordinator> {
    const spreads = await Promise.all(parties.map((party) => party.spread()));
    const grid = chooseGrid(spreads);
    await Promise.all(parties.map((party) => party.open({ k, grid })));
    const columns = spreads.reduce((total, spread) => total + spread.columns, 0);
    return new Coordinator(parties, k, grid, { rounds: 0, bytesUp: 0, bytesDown: 0 }, signal, columns);
  }

  /** Begins anew with the same people: nobody is in any cluster. What was remembered stays. */
  async reopen(): Promise<void> {
    this.labels.fill(0xffff);
    await this.all((party) => party.open({ k: this.k, grid: this.grid }));
  }

  /** A coordinator of the same parties over some of the people. */
  async sample(rows: Uint32Array): Promise<Coordinator> {
    const parts = await Promise.all(this.parties.map((party) => party.sample(rows)));
    const sample = new Coordinator(parts, this.k, this.grid, this.traffic, this.signal, this.columns);
    sample.samples = this.samples.add(sample);
    return sample;
  }

  /** Takes over the centres and prices of other people of the same parties. */
  async follow(other: Coordinator): Promise<void> {
    await Promise.all(this.parties.map((party, index) => party.inherit(other.parties[index])));
  }

  /** Takes over the centres and prices of a sample, and ends it. */
  async inherit(sample: Coordinator): Promise<void> {
    await this.follow(sample);
    await this.close(sample);
  }

  /** Ends every sample. */
  async closeSamples(): Promise<void> {
    for (const sample of this.samples) await this.close(sample);
  }

  private async close(sample: Coordinator): Promise<void> {
    this.samples.delete(sample);
    await sample.all((party) => party.close());
  }

  get everyone(): Range {
    return { from: 0, to: this.n };
  }

  /** Multiplications in a pass over everybody. */
  get work(): number {
    return this.n * this.k * (this.columns + 1);
  }

  /** One unit of squared distance, in score units. */
  get scoreUnit(): number {
    return 2 ** (2 * this.grid.bits + this.grid.weightBits);
  }

  /** The mean squared distance in score units: the natural scale of prices. */
  async unit(): Promise<number> {
    return Math.max(1, ((await this.sse()) / this.n) * this.scoreUnit);
  }

  async all(action: (party: ColumnParty) => Promise<unknown>): Promise<void> {
    await Promise.all(this.parties.map(action));
  }

  async prepare(rule: Rule): Promise<void> {
    if (this.signal?.aborted) throw cancelled();
    this.rule = rule;
    await this.all((party) => party.prepare(rule));
  }

  /** Before many decisions at the same centres; only a lone party can decide by rough scores. */
  async measure(kind: "exact" | "rough"): Promise<void> {
    await this.all((party) => party.measure(this.lone() ? kind : "exact"));
  }

  /** Every centre becomes its people's mean. */
  async recentre(): Promise<void> {
    await this.all((party) => party.recentre());
  }

  /** By how much the last recentring lowered the SSE around the centres. */
  async gained(): Promise<number> {
    const parts = await Promise.all(this.parties.map((party) => party.gained()));
    return parts.reduce((total, part) => total + part, 0);
  }

  /** Under Lloyd's rule a tie goes to the lowest cluster, so that prediction agrees; else people stay where they are. */
  private get ownFirst(): boolean {
    return this.rule.kind !== "nearest";
  }

  /** The range takes its best clusters. Returns how many moved. */
  async assign(range: Range): Promise<number> {
    const alone = this.lone();
    if (!alone) return this.adopt(range, await this.choose(range));
    await this.round(range);
    return alone.decide(range, this.ownFirst);
  }

  /** Who of the ranges would move, and where to. */
  async propose(...ranges: readonly Range[]): Promise<Moves> {
    const alone = this.lone();
    if (alone) {
      for (const range of ranges) await this.round(range);
      return alone.propose(ranges);
    }
    const found: Moves[] = [];
    for (const range of ranges) {
      found.push(changesBetween(range, this.labels.subarray(range.from, range.to), await this.choose(range)));
    }
    return allOf(found);
  }

  /** What the range would choose: the argmin of the summed scores. */
  private async choose(range: Range): Promise<Uint16Array> {
    const scores = await this.totalScores(range);
    const chosen = new Uint16Array(range.to - range.from);
    for (let i = 0; i < chosen.length; i++) {
      const own = this.labels[range.from + i];
      let best = this.ownFirst && own !== 0xffff ? own : 0;
      let least = scores[i * this.k + best];
      for (let m = 0; m < this.k; m++) {
        if (scores[i * this.k + m] < least) {
          least = scores[i * this.k + m];
          best = m;
        }
      }
      chosen[i] = best;
    }
    return chosen;
  }

  async adopt(range: Range, labels: Uint16Array): Promise<number> {
    this.labels.set(labels, range.from);
    this.traffic.bytesDown += labels.byteLength * this.others;
    return (await Promise.all(this.parties.map((party) => party.adopt(range, labels))))[0];
  }

  async apply(moves: Moves): Promise<void> {
    moves.rows.forEach((row, index) => {
      this.labels[row] = moves.to[index];
    });
    this.traffic.bytesDown += (moves.rows.byteLength + moves.to.byteLength) * this.others;
    await this.all((party) => party.apply(moves));
  }

  /**
   * The cheapest gaining move from each cluster to each other one under the present rule, cheapest first; of each of so
   * many stretches of the people.
   */
  async bestMoves(stretches = 1): Promise<Move[]> {
    const alone = this.lone();
    const ranges = [...blocks(Math.ceil(this.n / stretches), this.n)];
    if (alone) {
      for (const range of ranges) await this.round(range);
      return alone.bestMoves(ranges);
    }
    const found: WeighedMove[] = [];
    for (const range of ranges) found.push(...this.cheapest(range, await this.totalScores(range)));
    return found.sort(byGap);
  }

  private cheapest(range: Range, scores: Float64Array): WeighedMove[] {
    const { k, labels } = this;
    const best = new BestMoves(k);
    for (let row = range.from, line = 0; row < range.to; row++, line += k) {
      const own = labels[row];
      for (let m = 0; m < k; m++) best.offer(row, own, m, scores[line + m] - scores[line + own]);
    }
    return best.taken();
  }

  /** Of these moves, in order, some of which each brings people back within the limits when all of them happen. */
  async helpful(moves: Moves): Promise<Moves> {
    let kept = moves;
    // Whoever is left out changes what the others do: judged again until nobody is, or next to nobody is left.
    for (let turn = 0; turn < judgements && kept.rows.length > 0; turn++) {
      const verdicts = await this.helping(kept);
      const helping = chosenOf(kept, (index) => verdicts[index]);
      if (helping.rows.length === kept.rows.length) return kept;
      kept = helping;
    }
    return kept;
  }

  private async helping(moves: Moves): Promise<boolean[]> {
    const alone = this.lone();
    if (alone?.helping) return alone.helping(moves);
    const changes = await Promise.all(this.parties.map((party) => party.judge(moves)));
    return Array.from(moves.rows, (_, index) => {
      return changes.reduce((sum, change) => sum + change[index], 0) < -slightly;
    });
  }

  /** The moves that every party permits. */
  async permitted(moves: Moves): Promise<Moves> {
    const verdicts = await Promise.all(this.parties.map((party) => party.permit(moves)));
    return chosenOf(moves, (index) => verdicts.every((verdict) => verdict[index]));
  }

  /** Everybody's nearest chosen person may be this one, from here on; the first one is everybody's. */
  async approach(row: number, first: boolean): Promise<void> {
    await this.round(this.everyone);
    const alone = this.lone();
    if (alone?.approach) return alone.approach(row, first);
    const distances = this.add(await Promise.all(this.parties.map((party) => party.distances(row))));
    this.nearest = first ? distances : distances.map((distance, i) => Math.min(distance, this.nearest[i]));
  }

  /** Somebody, with a chance proportional to the squared distance to their nearest chosen person; nobody if all are 0. */
  async race(seed: number): Promise<number | undefined> {
    const alone = this.lone();
    return alone?.race ? alone.race(seed) : race(this.n, seed, pickBy(this.nearest));
  }

  /** The person farthest from their centre, among those of some clusters; undefined when all of them are at it. */
  async farthest(clusters: ReadonlySet<number>): Promise<number | undefined> {
    const alone = this.lone();
    if (!alone?.farthest) return farthestOf(await this.labelsNow(), await this.totalScores(this.everyone), clusters);
    await this.round(this.everyone);
    return alone.farthest(clusters);
  }

  /** The sum of the parties' scores, row after row. */
  async totalScores(range: Range): Promise<Float64Array> {
    await this.round(range);
    return this.add(await Promise.all(this.parties.map((party) => party.scores(range))));
  }

  async sse(): Promise<number> {
    const parts = await Promise.all(this.parties.map((party) => party.sse()));
    return parts.reduce((total, part) => total + part, 0);
  }

  /** What is minimised: SSE, and what uneven sizes cost where even ones were asked for. */
  async cost(): Promise<number> {
    return (await this.sse()) + (await this.standing()).uneven;
  }

  async standing(): Promise<Standing> {
    return combine(await Promise.all(this.parties.map((party) => party.standing())));
  }

  labelsNow(range = this.everyone): Promise<Uint16Array> {
    return this.parties[0].labels(range);
  }

  async remember(slot: string): Promise<void> {
    await this.all((party) => party.remember(slot));
    if (!this.lone()) this.memory.set(slot, this.labels.slice());
  }

  async recall(slot: string): Promise<void> {
    await this.all((party) => party.recall(slot));
    const labels = this.memory.get(slot);
    if (labels) this.labels.set(labels);
  }

  private lone() {
    return this.parties.length === 1 ? this.parties[0].alone : undefined;
  }

  private get others(): number {
    return this.lone() ? 0 : this.parties.length;
  }

  /** Counts a question to all parties, and lets others have a turn now and then: kernels on this thread hold it up. */
  private async round(range: Range): Promise<void> {
    this.traffic.rounds++;
    this.sincePause += range.to - range.from;
    if (this.sincePause < 1_000_000) return;
    this.sincePause = 0;
    await turn();
  }

  /** Parties' parts are whole numbers: the sum is exact in any order. */
  private add(parts: readonly Float64Array[]): Float64Array {
    this.traffic.bytesUp += this.others > 0 ? parts.reduce((bytes, part) => bytes + part.byteLength, 0) : 0;
    const [total, ...rest] = parts as [Float64Array, ...Float64Array[]];
    for (const part of rest) for (let i = 0; i < total.length; i++) total[i] += part[i];
    return total;
  }
}
