import { MoietyError } from "../../../errors.js";
import type { Move } from "../../../kernels/moves.js";
import type { Range } from "../../../kernels/rows.js";
import type { Spread } from "../../../parties/grid.js";
import type { LocalColumns } from "../../../parties/local.js";
import { allOf, changesBetween } from "../../../parties/moves.js";
import type { ColumnParty, LoneParty, Moves, Opening, Rule, Standing } from "../../../parties/types.js";
import { toIntegers } from "../../../privacy/integers.js";
import type { RandomBytes } from "../../../privacy/random.js";
import type { RunLog } from "../../replay/run-log.js";
import {
  fromFlags,
  fromPieces,
  largestLevel,
  pieces,
  summedStanding,
  toFlags,
  toPieces,
  violationLevels,
} from "../../wire/numbers.js";
import { bitsFor, type Comparing, type Reach, walled } from "./comparing.js";
import type { Exchange } from "./exchange.js";
import type { HeldColumns } from "./held-columns.js";
import { cheapestMoves, farthestPerson, type Scored } from "./moves.js";
import { Nearest } from "./nearest.js";
import { Stretches } from "./stretches.js";

/** What the columns of a run share, whoever of the people they are about. */
export interface Shared {
  readonly held: HeldColumns;
  readonly exchange: Exchange;
  readonly comparing: Comparing;
  readonly log: RunLog;
  readonly random: RandomBytes;
  /** Of the whole job: how many sites, and how many groupings of the people have limits or wishes. */
  readonly sites: number;
  readonly charges: number;
  samples: number;
}

interface Statistics extends Standing {
  readonly sse: number;
  readonly gained: number;
}

/** Fewer bits than this for the secret factors would hide too little: a blinded job is refused. */
const fewestBits = 16;
const summed = ["sse", "gained", ...summedStanding] as const;

/**
 * This party together with all others as one holder of all columns: the solver, which runs here, asks it as it would ask
 * a party that holds everything. Every site runs the same solver on the same answers, so all of them come to the same
 * clusters; each moves its own people, centres and prices, and only comparisons and sealed sums go out.
 */
export class JointColumns implements ColumnParty {
  readonly alone: LoneParty;
  private opening: Opening | undefined;
  private rule: Rule = { kind: "nearest" };
  private statistics: Promise<Statistics> | undefined;
  /** Those of what is remembered: they come back with it. */
  private readonly slots = new Map<string, Promise<Statistics> | undefined>();
  /** While centres are chosen. */
  private nearest: Nearest | undefined;

  constructor(
    private readonly shared: Shared,
    readonly rows: number,
    /** 0 for everybody, else the number of a sample. */
    private readonly of = 0,
  ) {
    this.alone = {
      decide: (range, ownFirst) => this.decide(range, ownFirst),
      propose: (ranges) => this.propose(ranges),
      bestMoves: (ranges) => this.log.pass(this.rows, () => this.cheapest(ranges)),
      farthest: (clusters) => this.farthest(clusters),
      helping: (moves) => this.flags(moves, () => this.help(moves)),
      approach: (row, first) => this.approach(row, first),
      race: (seed) => this.race(seed),
    };
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

  prepare(rule: Rule): Promise<void> {
    this.rule = rule;
    return this.act((local) => local.prepare(rule), false);
  }

  measure(): Promise<void> {
    return this.act((local) => local.measure("exact"), false);
  }

  distances(): Promise<Float64Array> {
    return Promise.reject(unseen("distances"));
  }

  scores(): Promise<Float64Array> {
    return Promise.reject(unseen("scores"));
  }

  judge(): Promise<Float64Array> {
    return Promise.reject(unseen("what moves change"));
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
        // How many parties refuse a move is nobody's business.
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

  standing(): Promise<Standing> {
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

  restartPrices(step: number, room: number): Promise<void> {
    return this.act((local) => local.restartPrices(step, room));
  }

  adjustPrices(): Promise<void> {
    return this.act((local) => local.adjustPrices());
  }

  /** The holder of the sizes says where a centre could go; nobody but the parties can read it. */
  async vacate(turn: number, draw: number): Promise<{ readonly cluster: number; readonly row: number } | undefined> {
    this.statistics = undefined;
    const [found, cluster, row] = await this.log.result(async () => {
      const offer = await this.local.vacate(turn, draw);
      const told = Float64Array.of(offer ? 1 : 0, offer?.cluster ?? 0, offer?.row ?? 0);
      return Array.from(await this.shared.exchange.sum(toIntegers(told, 2 ** 40), "where a centre could go"), Number);
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
    if (this.log.live) await this.shared.held.sample(as, rows);
    const sample = new JointColumns(this.shared, rows.length, as);
    sample.opening = this.opening;
    return sample;
  }

  inherit(sample: ColumnParty): Promise<void> {
    const { of } = sample as JointColumns;
    return this.act((local) => local.inherit(this.shared.held.of(of)!));
  }

  async close(): Promise<void> {
    if (this.of > 0 && this.log.live) await this.shared.held.close(this.of);
  }

  private get local(): LocalColumns {
    return this.shared.held.of(this.of)!;
  }

  private get log(): RunLog {
    return this.shared.log;
  }

  private get leads(): boolean {
    return this.shared.exchange.leads;
  }

  private get k(): number {
    return this.opening!.k;
  }

  /** Changes this party's own state; while the past is told again it has been changed already. */
  private async act(change: (local: LocalColumns) => Promise<unknown>, matters = true): Promise<void> {
    if (matters) this.statistics = undefined;
    if (this.log.live) await change(this.local);
  }

  /** All sums that are known of the present clusters, in one round. */
  private sums(): Promise<Statistics> {
    this.statistics ??= this.log.result(async () => {
      const { local } = this;
      const own: Statistics = { ...(await local.standing()), sse: await local.sse(), gained: await local.gained() };
      const parts = toPieces(summed.map((name) => own[name]));
      const above = violationLevels.map((level) => own.violation > level);
      const numbers = new BigInt64Array(parts.length + above.length);
      numbers.set(parts);
      numbers.set(toFlags(above, this.shared.random), parts.length);
      const sums = await this.shared.exchange.sum(numbers, "SSE and standing of the limits");
      const totals = fromPieces(sums.subarray(0, summed.length * pieces));
      const violation = largestLevel(fromFlags(sums.subarray(parts.length)), violationLevels);
      return { violation, ...Object.fromEntries(summed.map((name, at) => [name, totals[at]])) } as Statistics;
    });
    return this.statistics;
  }

  private decide(range: Range, ownFirst: boolean): Promise<number> {
    this.statistics = undefined;
    return this.log.pass(range.to - range.from, async () => {
      const own = ownFirst ? await this.local.labels(range) : undefined;
      return this.local.adopt(range, await this.choose(new Stretches([range]), own));
    });
  }

  private async propose(ranges: readonly Range[]): Promise<Moves> {
    let moves: Moves | undefined;
    const people = new Stretches(ranges);
    const count = await this.log.pass(people.length, async () => {
      const own = await people.gather((range) => this.local.labels(range), Uint16Array);
      const chosen = await this.choose(people, own);
      moves = allOf(
        people.placed().map(({ range, at }) => {
          const to = at + range.to - range.from;
          return changesBetween(range, own.subarray(at, to), chosen.subarray(at, to));
        }),
      );
      return moves.rows.length;
    });
    return moves ?? { rows: new Uint32Array(count), to: new Uint16Array(count) };
  }

  private choose(people: Stretches, own: Uint16Array | undefined): Promise<Uint16Array> {
    const { k, local } = this;
    const scores = (from: number, to: number) => {
      return people.between(from, to).gather((range) => local.scores(range), Float64Array, k);
    };
    return this.shared.comparing.columns(people.length, k, scores, own, this.scoreReach("people", 1));
  }

  private async cheapest(ranges: readonly Range[]): Promise<Move[]> {
    if (this.k === 1) return [];
    return cheapestMoves(await this.scored("possible moves"), this.shared.comparing, {
      ranges,
      pinned: new Set(this.local.pinnedRows()),
    });
  }

  private async farthest(clusters: ReadonlySet<number>): Promise<number | undefined> {
    const row = await this.log.result(async () => {
      return farthestPerson(await this.scored("people"), this.shared.comparing, clusters);
    });
    return row < 0 ? undefined : row;
  }

  /** Everybody with this party's parts of their scores, of which two are to be compared by their difference. */
  private async scored(what: string): Promise<Scored> {
    const { k, local } = this;
    const reach = this.scoreReach(what, 2);
    const scores = walled(await local.scores({ from: 0, to: this.rows }), reach);
    return { k, labels: await local.labels(), scores, reach };
  }

  /** Which moves bring people back within the limits: whose total change is less than one of rounding. */
  private async help(moves: Moves): Promise<Uint16Array> {
    const changes = await this.local.judge(moves);
    const slightly = new Float64Array(changes.length).fill(this.leads ? -1 : 0);
    return this.shared.comparing.pairs(slightly, changes, { range: 2 ** 43, what: "proposed moves" });
  }

  /** Verdicts on moves: of the past it matters only how many were good. */
  private async flags(moves: Moves, ask: () => Promise<Uint16Array>): Promise<boolean[]> {
    let verdicts: boolean[] | undefined;
    const good = await this.log.result(async () => {
      verdicts = Array.from(await ask(), (yes) => yes === 1);
      return verdicts.filter(Boolean).length;
    });
    return verdicts ?? Array.from(moves.rows, (_, index) => index < good);
  }

  private async approach(row: number, first: boolean): Promise<void> {
    await this.log.result(async () => {
      if (first) this.nearest = new Nearest(this.shared.comparing, this.opening!.grid);
      await this.nearest!.approach(await this.local.distances(row));
      return 0;
    });
  }

  private async race(seed: number): Promise<number | undefined> {
    const winner = await this.log.result(async () => (await this.nearest!.race(seed)) ?? -1);
    return winner < 0 ? undefined : winner;
  }

  /** How far so many times the scores under the present rule may be apart: see `walled`, and `Holding` on offsets. */
  private scoreReach(what: string, times: number): Reach {
    const { kind } = this.rule;
    const { sites, charges } = this.shared;
    const distance = 2 ** this.opening!.grid.reach;
    // More than distances, jitter (a thousandth of one) and all other offsets together: of a polish that is at most one.
    const wall = Math.ceil(distance * (1.001 + 2 * (kind === "polish" ? 1 : charges)));
    if (kind === "nearest" || kind === "descent") return { range: times * distance, wall, what };
    return { range: times * (kind === "polish" ? wall * (1 + 2 * sites) : wall), wall, what };
  }
}

function unseen(what: string): MoietyError {
  return new MoietyError("usage", `${what} of single people are seen by no site of a federation`);
}
