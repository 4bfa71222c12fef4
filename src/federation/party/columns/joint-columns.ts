import type { PriceSteps } from "../../../constraints/prices.js";
import { MoietyError } from "../../../errors.js";
import type { Range } from "../../../kernels/rows.js";
import type {
  ColumnParty,
  LimitStatus,
  Moves,
  Opening,
  Relocation,
  ScoringRule,
} from "../../../parties/column-party.js";
import type { Grid, Spread } from "../../../parties/grid.js";
import type { LocalColumns } from "../../../parties/local-columns.js";
import { toIntegers } from "../../../privacy/integers.js";
import type { RandomBytes } from "../../../privacy/random.js";
import type { RunLog } from "../../replay/run-log.js";
import {
  fromFlags,
  fromPieces,
  largestLevel,
  pieces,
  summedStatus,
  toFlags,
  toPieces,
  violationLevels,
} from "../../wire/numbers.js";
import { bitsFor, type Comparing, type ScoreRange } from "./comparing.js";
import type { Exchange } from "./exchange.js";
import type { HeldColumns } from "./held-columns.js";

/** What the columns of a run share: those of everybody, and those of samples. */
export interface SharedRun {
  readonly held: HeldColumns;
  readonly exchange: Exchange;
  readonly comparing: Comparing;
  readonly log: RunLog;
  readonly random: RandomBytes;
  /** Of the whole job: how many sites, and how many groupings of the people have limits or wishes. */
  readonly sites: number;
  readonly charges: number;
  /** Whether uneven sizes cost something. */
  readonly even: boolean;
  samples: number;
}

interface Statistics extends LimitStatus {
  readonly sse: number;
  readonly gained: number;
}

/** The fewest bits for the secret factors: with fewer they would hide too little, and a blinded job is refused. */
const fewestBits = 16;
const summed = ["sse", "gained", ...summedStatus] as const;

/**
 * This party together with all others as one holder of all columns: the solver, which runs here, asks it as it would ask
 * a party that holds everything. Every site runs the same solver on the same answers, so all of them come to the same
 * clusters; each moves its own people, centres and prices, and only comparisons and sealed sums go out.
 */
export class JointColumns implements ColumnParty {
  readonly weight: number;
  opening: Opening | undefined;
  rule: ScoringRule = { kind: "nearest" };
  private statistics: Promise<Statistics> | undefined;
  /** Statistics of the remembered states: they are recalled with them. */
  private readonly slots = new Map<string, Promise<Statistics> | undefined>();

  constructor(
    readonly shared: SharedRun,
    readonly rows: number,
    /** What people count for, if not one each: known to every site. */
    readonly weights: Float64Array | undefined,
    /** 0 for everybody, else the number of a sample: while the log is replayed there are no columns of it. */
    private readonly of = 0,
  ) {
    this.weight = weights ? weights.reduce((sum, weight) => sum + weight, 0) : rows;
  }

  spread(): Promise<Spread> {
    return this.log.result(async () => {
      const { largest, variance, columns } = await this.local.spread();
      const sums = await this.shared.exchange.sum(toPieces([largest, variance, columns]), "spread of the columns");
      const [all, spread, count] = fromPieces(sums) as [number, number, number];
      return { largest: all, variance: spread, columns: count };
    });
  }

  open(opening: Opening): Promise<void> {
    this.opening = opening;
    const bits = bitsFor({ range: 2 ** opening.grid.reach, what: "" });
    if (this.shared.exchange.blinds && bits < fewestBits) {
      throw new MoietyError(
        "infeasible",
        `outliers leave ${bits} bits for blinding, and ${fewestBits} are needed: remove or transform them, or say protection: masked`,
      );
    }
    return this.act((local) => local.open(opening));
  }

  place(cluster: number, row: number): Promise<void> {
    return this.act((local) => local.place(cluster, row));
  }

  prepare(rule: ScoringRule): Promise<void> {
    this.rule = rule;
    return this.act((local) => local.prepare(rule), false);
  }

  measure(): Promise<void> {
    return this.act((local) => local.measure("exact"), false);
  }

  adopt(range: Range, labels: Uint16Array): Promise<number> {
    this.statistics = undefined;
    return this.log.result(() => this.local.adopt(range, labels));
  }

  apply(moves: Moves): Promise<void> {
    return this.act((local) => local.apply(moves));
  }

  permit(moves: Moves): Promise<boolean[]> {
    if (moves.rows.length === 0) return Promise.resolve([]);
    return this.flags(moves, async () => {
      const refused = Float64Array.from(await this.local.permit(moves), (permitted) => (permitted ? 0 : 2));
      const limit = new Float64Array(refused.length).fill(this.leads ? 1 : 0);
      return this.shared.comparing.pairs(limit, refused, {
        // The coordinator must not see how many parties refuse a move.
        ...{ range: 2 ** 20, secret: true, what: "proposed moves" },
      });
    });
  }

  pin(row: number): Promise<void> {
    return this.act((local) => local.pin(row), false);
  }

  unpin(): Promise<void> {
    return this.act((local) => local.unpin(), false);
  }

  recentre(): Promise<void> {
    return this.act((local) => local.recentre());
  }

  async gained(): Promise<number> {
    return (await this.sums()).gained;
  }

  async sse(): Promise<number> {
    return (await this.sums()).sse;
  }

  limitStatus(): Promise<LimitStatus> {
    return this.sums();
  }

  labels(range: Range = { from: 0, to: this.rows }): Promise<Uint16Array> {
    return this.log.fleeting(
      () => this.local.labels(range),
      () => new Uint16Array(range.to - range.from),
    );
  }

  async sizes(): Promise<Float64Array> {
    return Float64Array.from(await this.log.result(async () => Array.from(await this.local.sizes())));
  }

  restartPrices(step: number, room: number, how?: PriceSteps): Promise<void> {
    return this.act((local) => local.restartPrices(step, room, how));
  }

  adjustPrices(): Promise<void> {
    return this.act((local) => local.adjustPrices());
  }

  insist(how: "more" | "alike"): Promise<void> {
    return this.act((local) => local.insist(how));
  }

  /** The holder of the sizes proposes where a centre could go; only the parties can read it. */
  async proposeRelocation(turn: number, draw: number): Promise<Relocation | undefined> {
    this.statistics = undefined;
    const [found, cluster, row] = await this.log.result(async () => {
      const offer = await this.local.proposeRelocation(turn, draw);
      const numbers = Float64Array.of(offer ? 1 : 0, offer?.cluster ?? 0, offer?.row ?? 0);
      return Array.from(
        await this.shared.exchange.sum(toIntegers(numbers, 2 ** 40), "where a centre could go"),
        Number,
      );
    });
    return found === 1 ? { cluster: cluster!, row: row! } : undefined;
  }

  startAdmm(rho: number): Promise<void> {
    return this.act((local) => local.startAdmm(rho));
  }

  stepAdmm(raise: number): Promise<void> {
    return this.act((local) => local.stepAdmm(raise));
  }

  remember(slot: string): Promise<void> {
    this.slots.set(slot, this.statistics);
    return this.act((local) => local.remember(slot), false);
  }

  recall(slot: string): Promise<void> {
    this.statistics = this.slots.get(slot);
    return this.act((local) => local.recall(slot), false);
  }

  async sample(rows: Uint32Array): Promise<JointColumns> {
    const as = ++this.shared.samples;
    const { weights } = this;
    if (this.log.live) await this.shared.held.sample(as, this.of, rows);
    const sample = new JointColumns(
      this.shared,
      rows.length,
      weights && Float64Array.from(rows, (row) => weights[row]),
      as,
    );
    sample.opening = this.opening;
    return sample;
  }

  inherit({ of }: JointColumns): Promise<void> {
    return this.act((local) => local.inherit(this.shared.held.of(of)!));
  }

  async close(): Promise<void> {
    if (this.of > 0 && this.log.live) await this.shared.held.close(this.of);
  }

  /** This party's own part. */
  get local(): LocalColumns {
    return this.shared.held.of(this.of)!;
  }

  get log(): RunLog {
    return this.shared.log;
  }

  get leads(): boolean {
    return this.shared.exchange.leads;
  }

  get k(): number {
    return this.opening!.k;
  }

  /** The clusters have changed: their statistics are computed anew. */
  changed(): void {
    this.statistics = undefined;
  }

  /** Changes this party's own state; while the log is replayed it was changed already. */
  private async act(change: (local: LocalColumns) => Promise<unknown>, matters = true): Promise<void> {
    if (matters) this.statistics = undefined;
    if (this.log.live) await change(this.local);
  }

  private sums(): Promise<Statistics> {
    this.statistics ??= this.log.result(async () => {
      const [found] = await this.summed([await this.ownNumbers()]);
      return found;
    });
    return this.statistics;
  }

  /** Finds the statistics of several clusterings in one round. */
  async measureWith(others: readonly JointColumns[]): Promise<void> {
    const all = [this, ...others];
    const found = await this.log.result(async () => {
      const numbers: BigInt64Array[] = [];
      for (const each of all) numbers.push(await each.ownNumbers());
      return this.summed(numbers);
    });
    all.forEach((each, at) => {
      each.statistics = Promise.resolve(found[at]);
    });
  }

  /** What this party adds to the statistics. */
  private async ownNumbers(): Promise<BigInt64Array> {
    const { local } = this;
    const own: Statistics = { ...(await local.limitStatus()), sse: await local.sse(), gained: await local.gained() };
    const parts = toPieces(summed.map((name) => own[name]));
    const above = violationLevels.map((level) => own.violation > level);
    const numbers = new BigInt64Array(parts.length + above.length);
    numbers.set(parts);
    numbers.set(toFlags(above, this.shared.random), parts.length);
    return numbers;
  }

  /** The sums over all parties of such numbers, of one or several clusterings, in one round. */
  private async summed(clusterings: readonly BigInt64Array[]): Promise<Statistics[]> {
    const each = clusterings[0].length;
    const numbers = new BigInt64Array(each * clusterings.length);
    clusterings.forEach((own, at) => {
      numbers.set(own, at * each);
    });
    const cost = this.opening?.grid.distance === "manhattan" ? "sum of distances" : "SSE";
    const sums = await this.shared.exchange.sum(numbers, `${cost} and status of the limits`);
    return clusterings.map((_, at) => {
      const own = sums.subarray(at * each, (at + 1) * each);
      const totals = fromPieces(own.subarray(0, summed.length * pieces));
      const violation = largestLevel(fromFlags(own.subarray(summed.length * pieces)), violationLevels);
      return { violation, ...Object.fromEntries(summed.map((name, which) => [name, totals[which]])) } as Statistics;
    });
  }

  /** Verdicts on moves: for a replay it matters only how many were good. */
  async flags(moves: Moves, ask: () => Promise<Uint16Array>): Promise<boolean[]> {
    let verdicts: boolean[] | undefined;
    const good = await this.log.result(async () => {
      verdicts = Array.from(await ask(), (yes) => yes === 1);
      return verdicts.filter(Boolean).length;
    });
    return verdicts ?? Array.from(moves.rows, (_, index) => index < good);
  }

  /** How far apart scores, multiplied by `times`, may be under the present rule. */
  scoreReach(what: string, times: number): ScoreRange {
    const { range, ...scale } = scoreRange(this.rule.kind, this.opening!.grid, this.local.weightStep, this.shared);
    return { ...scale, range: times * range, what };
  }
}

/**
 * How far apart scores may be under a rule, what stands for "never" (see `walled`, and `PricedConstraint` on offsets), and what all
 * scores are multiples of: where nothing but walls is added to distances, what their weights are (`weightStep`).
 */
export function scoreRange(
  kind: ScoringRule["kind"],
  { reach }: Grid,
  weightStep: number,
  { sites, charges, even }: Pick<SharedRun, "sites" | "charges" | "even">,
) {
  const distance = 2 ** reach;
  const free = kind === "nearest" || kind === "descent";
  const step = free || (kind === "polish" && !even) ? weightStep : 1;
  // More than a distance, its jitter (a thousandth of it) and all offsets of others together, which of a polish are at most one.
  const wall = step * Math.ceil((distance * (1.001 + 2 * (kind === "polish" ? 1 : charges))) / step);
  return { range: free ? distance : kind === "polish" ? wall * (1 + 2 * sites) : wall, wall, step };
}
