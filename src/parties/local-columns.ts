import { greatestDivisor } from "../constraints/greatest-divisor.js";
import type { Changes } from "../constraints/limits.js";
import type { PriceSteps } from "../constraints/prices.js";
import { byGap, type Move } from "../kernels/best-moves.js";
import { isWorthThreads, type Lane, openLanes } from "../kernels/lanes.js";
import { type ColumnSurvey, type Range, type RowSource, Rows } from "../kernels/rows.js";
import { joined } from "../kernels/wide-sums.js";
import { type ClusterState, type ColumnClusters, MeanClusters, MedianClusters } from "./clusters.js";
import type { ColumnParty, LimitStatus, Moves, Opening, Relocation, ScoringRule } from "./column-party.js";
import { crowdedAndVacant, flowsBetween, memberByWeight, memberOf } from "./crowding.js";
import { addSpreads, type Grid, type Spread, scoreUnit } from "./grid.js";
import { LimitBook } from "./limit-book.js";
import { allOf, changesBetween } from "./moves.js";
import { type Patterns, patternsOf } from "./patterns.js";
import { type Constraint, type ConstraintState, sampleConstraint } from "./priced-constraint.js";
import { jitterFor, offsetsFor, weightsFor } from "./scoring.js";

export interface LocalData {
  readonly n: number;
  /** This party's columns in the scaled space. */
  readonly dimensions: readonly RowSource[];
  readonly constraints: readonly Constraint[];
  /** Exactly one party of a run leads: it adds the jitter, and has the constraint on sizes. */
  readonly leads: boolean;
  /** Given centres in these columns that stay: nothing takes means, and costs are distances to them. */
  readonly seats?: readonly Float64Array[] | undefined;
  /** How many people each row counts for; absent where each is one. */
  readonly weights?: Float64Array;
}

interface RememberedState {
  readonly labels: Uint16Array;
  readonly centres: Float64Array;
  readonly prices: readonly Float64Array[];
}

/** The state of a party beside its columns, for a checkpoint. */
export interface LocalState {
  readonly opening: Opening;
  readonly labels: Uint16Array;
  readonly clusters: ClusterState;
  readonly limits: readonly ConstraintState[];
  readonly kept: ReadonlyMap<string, RememberedState>;
  readonly pinned: readonly number[];
  readonly rule: ScoringRule | undefined;
  readonly labelsBefore: Uint16Array | undefined;
}

/** A party in this process. Its columns lie in the lanes, as whole numbers. */
export class LocalColumns implements ColumnParty {
  private readonly patterns: Patterns;
  /** What all rows, the lightest and the heaviest of them count for. */
  readonly weight: number;
  private readonly lightest: number;
  private readonly heaviest: number;
  private readonly kept = new Map<string, RememberedState>();
  private table: Rows | undefined;
  private grid!: Grid;
  private k = 0;
  private squares!: Float64Array;
  private clusters!: ColumnClusters;
  private book!: LimitBook;
  /** Rows of people whom no rule moves. */
  readonly pinned: number[] = [];
  private rule: ScoringRule | undefined;
  private labelsBefore: Uint16Array | undefined;

  constructor(
    private readonly lanes: readonly Lane[],
    private readonly data: LocalData,
  ) {
    this.patterns = patternsOf(data.constraints, data.n);
    const { weights, n } = data;
    this.weight = weights ? weights.reduce((sum, weight) => sum + weight, 0) : n;
    this.lightest = weights ? weights.reduce((least, weight) => Math.min(least, weight)) : 1;
    this.heaviest = weights ? weights.reduce((most, weight) => Math.max(most, weight)) : 1;
  }

  get rows(): number {
    return this.data.n;
  }

  get weights(): Float64Array | undefined {
    return this.data.weights;
  }

  async spread(): Promise<Spread> {
    const { n, seats = [] } = this.data;
    const spreadOf = ({ top, sum, squares }: ColumnSurvey, j: number) => {
      // Places may be further out than anybody.
      const largest = seats.reduce((most, seat) => Math.max(most, seat[j] ** 2), top * top);
      return { largest, variance: Math.max(0, squares / n - (sum / n) ** 2), columns: 1 };
    };
    return addSpreads((await this.load()).map(spreadOf));
  }

  async open({ k, grid }: Opening): Promise<void> {
    this.k = k;
    if (this.grid?.bits !== grid.bits) {
      if (this.grid || !this.table) await this.load();
      this.squares = await this.people.snap(2 ** grid.bits);
      if (this.data.weights)
        this.squares = Float64Array.from(this.people.weightedSquares(this.data.weights), (sum) => joined(sum));
    }
    this.grid = grid;
    // One line more than there are patterns: that of the pinned.
    const manhattan = grid.distance === "manhattan";
    this.people.begin(k, this.patterns.count + 1, this.patterns.codes, manhattan, this.data.weights);
    this.book = new LimitBook({
      ...{ k, constraints: this.data.constraints, groups: this.patterns.groups, patterns: this.patterns.count },
      scoreUnit: scoreUnit(grid),
      most: 2 ** grid.reach,
      heaviest: this.heaviest,
    });
    const shape = {
      ...{ k, grid, dims: this.data.dimensions.length, patterns: this.patterns.count + 1, sizes: this.book.sizes },
      centresStay: this.data.seats !== undefined,
    };
    this.clusters =
      grid.distance === "manhattan" ? new MedianClusters(shape, this.people) : new MeanClusters(shape, this.squares);
  }

  async place(cluster: number, row: number): Promise<void> {
    this.clusters.centres.set(this.people.row(row), cluster * this.people.dims);
    this.people.setCentres(this.clusters.centres);
  }

  /** Everybody's distance to a row in this party's columns, in grid units. */
  distances(row: number): Promise<Float64Array> {
    return this.people.distancesTo(this.people.row(row));
  }

  /** Everybody's distance to their own centre in this party's columns, in grid units. */
  async ownDistances(): Promise<Float64Array> {
    return this.people.distancesToOwn();
  }

  /** The distances between all centres in this party's columns, [k][k]. */
  async spacing(): Promise<Float64Array> {
    return this.clusters.spacing();
  }

  /** What all weights of the present rule are multiples of: the same at every party. Where a rule has no offsets, scores are too. */
  weightStep = 1;

  async prepare(rule: ScoringRule): Promise<void> {
    this.rule = rule;
    const weights = weightsFor(rule, this.book.sizes, this.grid, this.data.seats !== undefined, this.lightest);
    this.weightStep = [...weights.weight, ...weights.ownWeight].reduce(greatestDivisor, 0) || 1;
    this.people.setScoring({
      ...weights,
      ...offsetsFor(rule, this.book, this.k),
      jitter: this.data.leads ? jitterFor(rule) : 0,
    });
  }

  measure(kind: "exact" | "rough"): Promise<void> {
    return this.people.measure(kind);
  }

  /** This party's part of the scores of the rows: exact, so that the sum over parties is. */
  scores(range: Range): Promise<Float64Array> {
    return this.people.scores(range);
  }

  async adopt(range: Range, labels: Uint16Array): Promise<number> {
    return this.settle(await this.people.adopt(range, labels));
  }

  async apply({ rows, to }: Moves): Promise<void> {
    this.settle(await this.people.relabel(rows, to));
  }

  /**
   * How each of these moves changes the people beyond this party's limits when they happen one after another, in whole
   * `peopleSteps`.
   */
  async judge(moves: Moves): Promise<Float64Array> {
    return this.book.judge(this.changes(moves), moves.rows.length);
  }

  async permit(moves: Moves): Promise<boolean[]> {
    return this.book.permit(this.changes(moves), moves.rows.length);
  }

  /** The range takes the best clusters by these columns alone: for a party that holds all. Returns how many moved. */
  async assign(range: Range, ownFirst: boolean): Promise<number> {
    return this.settle(await this.people.decide(range, ownFirst));
  }

  /** Who of the ranges would move by these columns alone, and where to. */
  async propose(ranges: readonly Range[]): Promise<Moves> {
    const found: Moves[] = [];
    for (const range of ranges) {
      found.push(changesBetween(range, this.people.labels(range), await this.people.choose(range, true)));
    }
    return allOf(found);
  }

  /** The cheapest moves of each range by these columns alone, see `Decider`. */
  async bestMoves(ranges: readonly Range[]): Promise<Move[]> {
    return (await this.people.bestMoves(ranges)).sort(byGap);
  }

  /** The moves in terms of a constraint's groups. */
  private changes({ rows, to }: Moves): (constraint: Constraint) => Changes {
    const from = this.people.labelsOf(rows);
    const { weights } = this.data;
    const weighing = weights ? { weights: Float64Array.from(rows, (row) => weights[row]) } : {};
    return ({ codes }) => {
      const groups = new Uint16Array(rows.length);
      if (codes) for (let index = 0; index < groups.length; index++) groups[index] = codes[rows[index]];
      return { groups, from, to, ...weighing };
    };
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
    await this.clusters.recentre();
    this.people.setCentres(this.clusters.centres);
  }

  async gained(): Promise<number> {
    return this.clusters.gained;
  }

  async sse(): Promise<number> {
    return this.clusters.total();
  }

  /** Distances to the centres as they are, and what the Lagrangian adds to them at present prices, both in units of distance. */
  async lagrangian(): Promise<{ readonly around: number; readonly priced: number | undefined }> {
    const around = await this.clusters.totalAroundCentres();
    const { scoreUnit } = this.book;
    const added = this.book.lagrangian();
    // The rounding of offsets, and of the squares of each column, must not make the bound too high.
    const rounding = (this.weight * this.book.constraints) / (2 * scoreUnit) + this.people.dims * this.grid.quantum;
    return { around, priced: added === undefined ? undefined : added / scoreUnit - rounding };
  }

  get groupPrices(): LimitBook["groupPrices"] {
    return this.book.groupPrices;
  }

  async limitStatus(): Promise<LimitStatus> {
    return this.book.status();
  }

  async labels(range?: Range): Promise<Uint16Array> {
    return this.people.labels(range);
  }

  async sizes(): Promise<Float64Array> {
    return this.book.sizes.slice();
  }

  async restartPrices(step: number, room: number, how?: PriceSteps): Promise<void> {
    this.labelsBefore = undefined;
    this.book.restartPrices(step, room, how);
  }

  async adjustPrices(): Promise<void> {
    if (!this.book.needsFlows) return this.book.adjustPrices();
    const labels = this.people.labels();
    const before = this.labelsBefore;
    this.labelsBefore = labels;
    const { k, data } = this;
    this.book.adjustPrices((constraint) => before && flowsBetween(before, labels, k, constraint, data.weights));
  }

  async insist(how: "more" | "alike"): Promise<void> {
    this.book.insist(how);
  }

  async proposeRelocation(turn: number, draw: number): Promise<Relocation | undefined> {
    const prices = this.book.sizePrices;
    if (!prices || this.data.seats) return undefined;
    const { crowded, vacant } = crowdedAndVacant(prices, turn);
    const size = this.book.sizes[crowded];
    if (vacant === crowded || size === 0) return undefined;
    prices[vacant] = prices[crowded];
    const [labels, { weights }] = [this.people.labels(), this.data];
    const row = weights
      ? memberByWeight(labels, crowded, draw * size, weights)
      : memberOf(labels, crowded, Math.floor(draw * size));
    return { cluster: vacant, row };
  }

  async startAdmm(rho: number): Promise<void> {
    this.book.startAdmm(rho);
  }

  async stepAdmm(raise: number): Promise<void> {
    this.book.stepAdmm(raise);
  }

  async remember(slot: string): Promise<void> {
    this.kept.set(slot, {
      labels: this.people.labels(),
      centres: this.clusters.centres.slice(),
      prices: this.book.prices,
    });
  }

  async recall(slot: string): Promise<void> {
    const kept = this.kept.get(slot)!;
    await this.adopt({ from: 0, to: this.data.n }, kept.labels);
    this.setCentres(kept.centres);
    this.book.setPrices(kept.prices);
  }

  async sample(rows: Uint32Array): Promise<LocalColumns> {
    const work = rows.length * (this.data.dimensions.length + 1) * this.k;
    const { weights } = this.data;
    const own = weights && Float64Array.from(rows, (row) => weights[row]);
    const part = own ? own.reduce((sum, weight) => sum + weight, 0) / this.weight : rows.length / this.data.n;
    const party = new LocalColumns(isWorthThreads(work) ? this.lanes : openLanes(1), {
      n: rows.length,
      dimensions: this.people.pick(rows),
      constraints: this.data.constraints.map((constraint) => sampleConstraint(constraint, rows, part)),
      leads: this.data.leads,
      seats: this.data.seats,
      ...(own ? { weights: own } : {}),
    });
    await party.open({ k: this.k, grid: this.grid });
    return party;
  }

  async inherit(other: LocalColumns): Promise<void> {
    this.setCentres(other.clusters.centres);
    this.book.inherit(other.book, this.weight / other.weight);
  }

  async close(): Promise<void> {
    this.table?.close();
    this.table = undefined;
  }

  /** After `prepare`, before the next question. */
  save(): LocalState {
    return {
      opening: { k: this.k, grid: this.grid },
      labels: this.people.labels(),
      clusters: this.clusters.save(),
      limits: this.book.save(),
      kept: new Map(this.kept),
      pinned: [...this.pinned],
      rule: this.rule,
      labelsBefore: this.labelsBefore,
    };
  }

  async restore({ opening, labels, clusters, limits, kept, pinned, rule, labelsBefore }: LocalState): Promise<void> {
    await this.open(opening);
    // Sizes and counts follow from the labels, exactly.
    if (labels.some((label) => label !== 0xffff)) await this.adopt({ from: 0, to: this.data.n }, labels);
    this.clusters.restore(clusters);
    this.people.setCentres(this.clusters.centres);
    this.book.restore(limits);
    for (const [slot, each] of kept) this.kept.set(slot, each);
    for (const row of pinned) await this.pin(row);
    this.labelsBefore = labelsBefore;
    if (rule) await this.prepare(rule);
  }

  /** The centres of this party's columns in the scaled space, [k][columns]. */
  scaledCentres(): Float64Array {
    return this.clusters.centres.map((value) => value * 2 ** -this.grid.bits);
  }

  setScaledCentres(centres: ArrayLike<number>): void {
    this.setCentres(Float64Array.from(centres, (value) => Math.round(value * 2 ** this.grid.bits)));
  }

  private get people(): Rows {
    return this.table!;
  }

  /** Copies the columns into the lanes, unscaled. */
  private load(): Promise<ColumnSurvey[]> {
    this.table?.close();
    this.table = new Rows(this.lanes, this.data.n, this.data.dimensions.length);
    return this.people.load(this.data.dimensions);
  }

  private setCentres(centres: Float64Array): void {
    this.clusters.centres.set(centres);
    this.people.setCentres(this.clusters.centres);
  }

  /** Updates sums, sizes and counts after people moved. */
  private settle(moved: number): number {
    if (moved === 0) return 0;
    this.people.collect(this.clusters.sums, this.clusters.counts);
    this.clusters.moved();
    this.book.enter(this.clusters.counts);
    return moved;
  }
}
