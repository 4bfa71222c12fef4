import { SizePrices } from "../constraints/size-prices.js";
import { isWorthThreads, type Lane, openLanes } from "../kernels/lanes.js";
import { byGap } from "../kernels/moves.js";
import { type Range, Rows, type Survey } from "../kernels/rows.js";
import { Clusters } from "./clusters.js";
import { crowdedAndVacant, flowsBetween, memberOf } from "./crowding.js";
import type { Grid, Spread } from "./grid.js";
import { type Charge, Holding, type Placed, sampleCharge } from "./holding.js";
import { allOf, changesBetween } from "./moves.js";
import { type Patterns, patternsOf } from "./patterns.js";
import { jitterFor, offsetsFor, weightsFor } from "./scoring.js";
import { type Learnt, learntBy, relearn } from "./state.js";
import {
  type ColumnParty,
  combine,
  type LoneParty,
  type Moves,
  type Opening,
  type Rule,
  type Standing,
} from "./types.js";

export interface LocalData {
  readonly n: number;
  /** This party's columns in the scaled space. */
  readonly dimensions: readonly ArrayLike<number>[];
  readonly charges: readonly Charge[];
  /** Exactly one party of a run leads: it adds the jitter, and it alone holds the sizes. */
  readonly leads: boolean;
}

interface Kept {
  readonly labels: Uint16Array;
  readonly centres: Float64Array;
  readonly prices: readonly Float64Array[];
}

/** What a party was made of, and what follows from the labels: no part of what it has learnt. */
const given: ReadonlySet<string> = new Set([
  "lanes",
  "data",
  "patterns",
  "alone",
  "table",
  "squares",
  "charge",
  "limits",
]);

/** All that a party needs to go on in another process, from the same columns. */
export interface LocalState {
  readonly opening: Opening;
  readonly labels: Uint16Array;
  readonly learnt: Learnt;
}

/** A party in this process: its columns as whole numbers in the lanes, everything else here. */
export class LocalColumns implements ColumnParty {
  readonly alone: LoneParty;
  private readonly patterns: Patterns;
  private readonly kept = new Map<string, Kept>();
  private table: Rows | undefined;
  private grid!: Grid;
  private k = 0;
  private squares!: Float64Array;
  private clusters!: Clusters;
  private holdings: Holding[] = [];
  private readonly pinned: number[] = [];
  private rule: Rule | undefined;
  private labelsBefore: Uint16Array | undefined;

  constructor(
    private readonly lanes: readonly Lane[],
    private readonly data: LocalData,
  ) {
    this.patterns = patternsOf(data.charges, data.n);
    this.alone = {
      decide: async (range, ownFirst) => this.settle(await this.people.decide(range, ownFirst)),
      propose: (ranges) => this.propose(ranges),
      bestMoves: async (ranges) => (await this.people.bestMoves(ranges)).sort(byGap),
    };
  }

  get rows(): number {
    return this.data.n;
  }

  async spread(): Promise<Spread> {
    const columns = await this.load();
    return {
      largest: columns.reduce((total, { top }) => total + top * top, 0),
      variance: columns.reduce((total, { sum, squares }) => {
        return total + Math.max(0, squares / this.data.n - (sum / this.data.n) ** 2);
      }, 0),
      columns: columns.length,
    };
  }

  async open({ k, grid }: Opening): Promise<void> {
    this.k = k;
    if (this.grid?.bits !== grid.bits) {
      if (this.grid || !this.table) await this.load();
      this.squares = await this.people.snap(2 ** grid.bits);
    }
    this.grid = grid;
    // One line more than there are patterns: that of the pinned.
    this.people.begin(k, this.patterns.count + 1, this.patterns.codes);
    this.clusters = new Clusters(k, this.data.dimensions.length, this.patterns.count + 1, this.squares);
    const scoreUnit = 2 ** (2 * grid.bits + grid.weightBits);
    const most = 2 ** grid.reach;
    this.holdings = this.data.charges.map((charge) => new Holding(charge, k, this.clusters.sizes, scoreUnit, most));
  }

  async place(cluster: number, row: number): Promise<void> {
    this.clusters.centres.set(this.people.row(row), cluster * this.people.dims);
    this.people.setCentres(this.clusters.centres);
  }

  distances(row: number): Promise<Float64Array> {
    return this.people.distancesTo(this.people.row(row));
  }

  async prepare(rule: Rule): Promise<void> {
    this.rule = rule;
    this.people.setScoring({
      ...weightsFor(rule, this.clusters.sizes, this.grid),
      ...offsetsFor(rule, this.holdings, this.patterns, this.k),
      jitter: this.data.leads ? jitterFor(rule) : 0,
    });
  }

  measure(kind: "exact" | "rough"): Promise<void> {
    return this.people.measure(kind);
  }

  scores(range: Range): Promise<Float64Array> {
    return this.people.scores(range);
  }

  async adopt(range: Range, labels: Uint16Array): Promise<number> {
    return this.settle(await this.people.adopt(range, labels));
  }

  async apply({ rows, to }: Moves): Promise<void> {
    this.settle(await this.people.relabel(rows, to));
  }

  async judge(moves: Moves): Promise<Float64Array> {
    const placed = this.placed(moves);
    const total = new Float64Array(moves.rows.length);
    for (const holding of this.holdings) {
      const changes = holding.judge(placed);
      for (let i = 0; i < total.length; i++) total[i] += changes[i];
    }
    return total;
  }

  async permit(moves: Moves): Promise<boolean[]> {
    const placed = this.placed(moves);
    const verdicts = this.holdings.map((holding) => holding.permit(placed));
    return Array.from(moves.rows, (_, index) => verdicts.every((verdict) => verdict[index]));
  }

  private async propose(ranges: readonly Range[]): Promise<Moves> {
    const found: Moves[] = [];
    for (const range of ranges) {
      found.push(changesBetween(range, this.people.labels(range), await this.people.choose(range, true)));
    }
    return allOf(found);
  }

  private placed(moves: Moves): Placed {
    return { ...moves, from: this.people.labelsOf(moves.rows) };
  }

  async pin(row: number): Promise<void> {
    this.pinned.push(row);
    this.people.setPattern(row, this.patterns.count);
  }

  async unpin(): Promise<void> {
    for (const row of this.pinned) this.people.setPattern(row, this.patterns.codes[row]);
    this.pinned.length = 0;
  }

  async recentre(): Promise<void> {
    this.clusters.recentre();
    this.people.setCentres(this.clusters.centres);
  }

  async gained(): Promise<number> {
    return this.clusters.gained(this.grid);
  }

  async sse(): Promise<number> {
    return this.clusters.sse(this.grid);
  }

  async standing(): Promise<Standing> {
    return combine(this.holdings.map((holding) => holding.standing()));
  }

  async labels(range?: Range): Promise<Uint16Array> {
    return this.people.labels(range);
  }

  async sizes(): Promise<Float64Array> {
    return this.clusters.sizes.slice();
  }

  async restartPrices(step: number, room: number): Promise<void> {
    this.labelsBefore = undefined;
    for (const holding of this.holdings) holding.prices.restart(step, room);
  }

  async adjustPrices(): Promise<void> {
    for (const { prices, tally } of this.holdings) {
      const flows = prices instanceof SizePrices && prices.watchful ? this.flows() : undefined;
      prices.adjust(tally, flows);
    }
  }

  /** Who moved from which cluster to which since the last call, [k][k]; undefined at first. */
  private flows(): Float64Array | undefined {
    const labels = this.people.labels();
    const before = this.labelsBefore;
    this.labelsBefore = labels;
    if (!before) return undefined;
    return flowsBetween(before, labels, this.k);
  }

  async vacate(turn: number, draw: number): Promise<{ cluster: number; row: number } | undefined> {
    const prices = this.holdings.find((holding) => holding.prices instanceof SizePrices)?.prices.values;
    if (!prices) return undefined;
    const { crowded, vacant } = crowdedAndVacant(prices, turn);
    const size = this.clusters.sizes[crowded];
    if (vacant === crowded || size === 0) return undefined;
    prices[vacant] = prices[crowded];
    return { cluster: vacant, row: memberOf(this.people.labels(), crowded, Math.floor(draw * size)) };
  }

  async startAdmm(rho: number): Promise<void> {
    for (const holding of this.holdings) holding.startAdmm(rho);
  }

  async stepAdmm(raise: number): Promise<void> {
    for (const holding of this.holdings) holding.stepAdmm(raise);
  }

  async remember(slot: string): Promise<void> {
    this.kept.set(slot, {
      labels: this.people.labels(),
      centres: this.clusters.centres.slice(),
      prices: this.holdings.map((holding) => holding.prices.values.slice()),
    });
  }

  async recall(slot: string): Promise<void> {
    const kept = this.kept.get(slot)!;
    await this.adopt({ from: 0, to: this.data.n }, kept.labels);
    this.setCentres(kept.centres);
    this.setPrices(kept.prices);
  }

  async sample(rows: Uint32Array): Promise<LocalColumns> {
    const pick = (column: ArrayLike<number>) => {
      const picked = new Float32Array(rows.length);
      for (let i = 0; i < rows.length; i++) picked[i] = column[rows[i]];
      return picked;
    };
    const work = rows.length * (this.data.dimensions.length + 1) * this.k;
    const party = new LocalColumns(isWorthThreads(work) ? this.lanes : openLanes(1), {
      n: rows.length,
      dimensions: this.data.dimensions.map(pick),
      charges: this.data.charges.map((charge) => sampleCharge(charge, rows, this.data.n)),
      leads: this.data.leads,
    });
    await party.open({ k: this.k, grid: this.grid });
    return party;
  }

  async inherit(sample: ColumnParty): Promise<void> {
    const other = sample as LocalColumns;
    this.setCentres(other.clusters.centres);
    this.setPrices(other.holdings.map((holding) => holding.prices.values));
    this.holdings.forEach(({ prices }, index) => {
      const learnt = other.holdings[index].prices;
      if (prices instanceof SizePrices && learnt instanceof SizePrices) prices.learn(learnt, this.rows / other.rows);
    });
  }

  async close(): Promise<void> {
    this.table?.close();
    this.table = undefined;
  }

  /** Who leaves their cluster under no rule. */
  pinnedRows(): readonly number[] {
    return this.pinned;
  }

  /** As it stands after `prepare`, before the next question. */
  state(): LocalState {
    const opening = { k: this.k, grid: this.grid };
    return { opening, labels: this.people.labels(), learnt: learntBy(this, given) };
  }

  /** Goes on where another party over the same columns stood. */
  async resume({ opening, labels, learnt }: LocalState): Promise<void> {
    await this.open(opening);
    if (this.holdings.some((_, index) => startedAdmm(learnt, index))) await this.startAdmm(1);
    relearn(this, learnt);
    this.setCentres(this.clusters.centres.slice());
    // Sums and counts follow from the labels, exactly.
    this.clusters.sums.fill(0);
    this.clusters.counts.fill(0);
    if (labels.some((label) => label !== 0xffff)) {
      this.settle(await this.people.adopt({ from: 0, to: this.data.n }, labels));
    }
    for (const row of this.pinned) this.people.setPattern(row, this.patterns.count);
    if (this.rule) await this.prepare(this.rule);
  }

  /** The centres of this party's columns in the scaled space, [k][columns]. */
  scaledCentres(): Float64Array {
    return this.clusters.centres.map((value) => value * 2 ** -this.grid.bits);
  }

  setScaledCentres(centres: readonly number[]): void {
    this.setCentres(Float64Array.from(centres, (value) => Math.round(value * 2 ** this.grid.bits)));
  }

  private get people(): Rows {
    return this.table!;
  }

  /** Brings the columns into the lanes as they are. */
  private load(): Promise<Survey[]> {
    this.table?.close();
    this.table = new Rows(this.lanes, this.data.n, this.data.dimensions.length);
    return this.people.load(this.data.dimensions);
  }

  private setCentres(centres: Float64Array): void {
    this.clusters.centres.set(centres);
    this.people.setCentres(this.clusters.centres);
  }

  private setPrices(prices: readonly Float64Array[]): void {
    this.holdings.forEach((holding, index) => {
      holding.prices.values.set(prices[index]);
    });
  }

  /** Brings sums, sizes and tallies up to date after people moved. */
  private settle(moved: number): number {
    if (moved === 0) return 0;
    this.people.collect(this.clusters.sums, this.clusters.counts);
    this.clusters.sizes.fill(0);
    for (const holding of this.holdings) holding.tally.counts.fill(0);
    for (let pattern = 0; pattern < this.patterns.count; pattern++) {
      for (let m = 0; m < this.k; m++) {
        const count = this.clusters.counts[pattern * this.k + m];
        this.clusters.sizes[m] += count;
        this.holdings.forEach((holding, index) => {
          holding.tally.counts[this.patterns.groups[index][pattern] * this.k + m] += count;
        });
      }
    }
    return moved;
  }
}

function startedAdmm(learnt: Learnt, index: number): boolean {
  return (learnt as { holdings: { admm?: unknown }[] }).holdings[index]?.admm !== undefined;
}
