import { cancelled, MoietyError } from "../errors.js";
import type { Move } from "../kernels/best-moves.js";
import type { Range } from "../kernels/rows.js";
import type { ColumnParty, LimitStatus, Moves, ScoringRule } from "../parties/column-party.js";
import { chooseGrid, chooseManhattanGrid, type Grid, scoreUnit } from "../parties/grid.js";
import { chosenOf } from "../parties/moves.js";
import type { Traffic } from "../parties/traffic.js";
import type { DistanceName } from "../table/distance.js";
import { turn } from "../turns.js";
import { blocks } from "./blocks.js";
import { type Decider, type JoinedPair, OneByOne, type Together } from "./decider.js";

/** Times that a list of moves is judged again after some were left out. */
const usualJudgements = 8;
/** People about whom is decided before others on this thread have a turn: kernels hold it up. */
const peopleBetweenTurns = 1_000_000;

/** What a solver works with: people and their clusters, and somebody who decides where each of them goes. */
export class Assigner {
  /** Of the assigners of samples of these people, those that were not closed. */
  private samples = new Set<Assigner>();
  private rule: ScoringRule = { kind: "nearest" };
  private sinceTurn = 0;

  private constructor(
    private readonly decider: Decider,
    readonly k: number,
    readonly grid: Grid,
    readonly signal: AbortSignal | undefined,
  ) {}

  static async open(
    decider: Decider,
    k: number,
    signal?: AbortSignal,
    distance: DistanceName = "euclidean",
  ): Promise<Assigner> {
    const spread = await decider.columns.spread();
    const grid = distance === "manhattan" ? chooseManhattanGrid(spread, decider.columns.rows) : chooseGrid(spread);
    await decider.columns.open({ k, grid });
    return new Assigner(decider, k, grid, signal);
  }

  get columns(): ColumnParty {
    return this.decider.columns;
  }

  get traffic(): Traffic {
    return this.decider.traffic;
  }

  get n(): number {
    return this.columns.rows;
  }

  /** What everybody counts for. */
  get weight(): number {
    return this.columns.weight;
  }

  /** Begins anew with the same people: nobody is in any cluster. What was remembered stays. */
  reopen(): Promise<void> {
    return this.columns.open({ k: this.k, grid: this.grid });
  }

  /** The same for some of the people. */
  async sample(rows: Uint32Array): Promise<Assigner> {
    const { k, grid, signal } = this;
    const sample = new Assigner(await this.decider.sample(rows), k, grid, signal);
    sample.samples = this.samples.add(sample);
    return sample;
  }

  /** Takes over the centres and prices of a sample, or of those whose sample these people are. */
  takeCentres(other: Assigner): Promise<void> {
    return this.columns.inherit(other.columns);
  }

  /** Takes over the centres and prices of a sample, and closes it. */
  async inherit(sample: Assigner): Promise<void> {
    await this.takeCentres(sample);
    await this.close(sample);
  }

  async closeSamples(): Promise<void> {
    for (const sample of this.samples) await this.close(sample);
  }

  /** Ends a sample of these people. */
  async close(sample: Assigner): Promise<void> {
    this.samples.delete(sample);
    await sample.columns.close();
  }

  get everyone(): Range {
    return { from: 0, to: this.n };
  }

  /** One unit of distance, in score units. */
  get scoreUnit(): number {
    return scoreUnit(this.grid);
  }

  /** The mean distance in score units: the natural scale of prices. */
  async unit(): Promise<number> {
    return Math.max(1, ((await this.sse()) / this.weight) * this.scoreUnit);
  }

  async prepare(rule: ScoringRule): Promise<void> {
    if (this.signal?.aborted) throw cancelled();
    this.rule = rule;
    await this.columns.prepare(rule);
  }

  /** The range takes its best clusters. Returns how many moved. */
  async assign(range: Range): Promise<number> {
    await this.round(range);
    // Under Lloyd's rule a tie goes to the lowest cluster, so that prediction agrees; else people stay where they are.
    return this.decider.assign(range, this.rule.kind !== "nearest");
  }

  /** Everybody of several assigners takes their best clusters, in one round. Returns how many moved in each. */
  static async assignTogether(assigners: readonly Assigner[]): Promise<readonly number[]> {
    for (const each of assigners) await each.round(each.everyone);
    return Assigner.together(assigners).assign(assigners[0].rule.kind !== "nearest");
  }

  /** Questions about several assigners of as many people each, asked at once. */
  static together(assigners: readonly Assigner[]): Together {
    const [first, ...others] = assigners.map(({ decider }) => decider);
    return first.together?.(others) ?? new OneByOne([first, ...others]);
  }

  /** Who of the ranges would move, and where to. */
  async propose(...ranges: readonly Range[]): Promise<Moves> {
    for (const range of ranges) await this.round(range);
    return this.decider.propose(ranges);
  }

  /**
   * The cheapest gaining move from each cluster to each other one under the present rule, cheapest first; of each of so
   * many stretches of the people.
   */
  async bestMoves(stretches = 1): Promise<Move[]> {
    const ranges = [...blocks(Math.ceil(this.n / stretches), this.n)];
    for (const range of ranges) await this.round(range);
    return this.decider.bestMoves(ranges);
  }

  /** Of these moves, in order, some of which each brings people back within the limits when all of them happen. */
  async helpful(moves: Moves, judgements = usualJudgements): Promise<Moves> {
    let kept = moves;
    // Whoever is left out changes what the others do: judged again until nobody is, or next to nobody is left.
    for (let turn = 0; turn < judgements && kept.rows.length > 0; turn++) {
      const verdicts = await this.decider.helping(kept);
      const helping = chosenOf(kept, (index) => verdicts[index]);
      if (helping.rows.length === kept.rows.length) return kept;
      kept = helping;
    }
    return kept;
  }

  /** The moves that every party permits. */
  async permitted(moves: Moves): Promise<Moves> {
    const verdicts = await this.columns.permit(moves);
    return chosenOf(moves, (index) => verdicts[index]);
  }

  /** Everybody's nearest chosen person may be this one of each assigner, from here on; the first one is everybody's. */
  static async approachTogether(
    assigners: readonly Assigner[],
    rows: readonly number[],
    first: boolean,
  ): Promise<void> {
    for (const each of assigners) await each.round(each.everyone);
    await Assigner.together(assigners).approach(rows, first);
  }

  /** From here on everybody's own centre counts as the chosen person nearest to them. */
  async approachCentres(): Promise<void> {
    await this.round(this.everyone);
    await this.decider.approachCentres();
  }

  /** Of some clusters the one that is joined to a larger one at the least cost; undefined when none has a larger one. */
  leastMissed(among: ReadonlySet<number>): Promise<JoinedPair | undefined> {
    return this.decider.leastMissed(among);
  }

  /** Several such people, at most so many. */
  drawSeveral(seed: number, most: number): Promise<Uint32Array> {
    return this.decider.drawSeveral(seed, most);
  }

  /** Whoever is nearer to this person than to the nearest chosen one goes to a cluster. */
  async gather(row: number, cluster: number): Promise<void> {
    const rows = await this.decider.nearerTo(row);
    await this.apply({ rows, to: new Uint16Array(rows.length).fill(cluster) });
  }

  /** The person farthest from their centre, among those of some clusters; undefined when all of them are at it. */
  async farthest(clusters: ReadonlySet<number>): Promise<number | undefined> {
    await this.round(this.everyone);
    return this.decider.farthest(clusters);
  }

  /** Everybody's scores, row after row. Throws "usage" where nobody may see them. */
  async scores(range: Range): Promise<Float64Array> {
    const { decider } = this;
    if (!decider.scores) throw new MoietyError("usage", "this method needs scores of single people in one place");
    await this.round(range);
    return decider.scores(range);
  }

  adopt(range: Range, labels: Uint16Array): Promise<number> {
    return this.columns.adopt(range, labels);
  }

  apply(moves: Moves): Promise<void> {
    return this.columns.apply(moves);
  }

  recentre(): Promise<void> {
    return this.columns.recentre();
  }

  sse(): Promise<number> {
    return this.columns.sse();
  }

  /** What is minimised: SSE, and what uneven sizes cost where even ones were asked for. */
  async cost(): Promise<number> {
    return (await this.sse()) + (await this.limitStatus()).balanceLoss;
  }

  limitStatus(): Promise<LimitStatus> {
    return this.columns.limitStatus();
  }

  labelsNow(range = this.everyone): Promise<Uint16Array> {
    return this.columns.labels(range);
  }

  remember(slot: string): Promise<void> {
    return this.columns.remember(slot);
  }

  recall(slot: string): Promise<void> {
    return this.columns.recall(slot);
  }

  /** Counts a question about so many people, and lets others have a turn now and then. */
  private async round(range: Range): Promise<void> {
    this.traffic.rounds++;
    this.sinceTurn += range.to - range.from;
    if (this.sinceTurn < peopleBetweenTurns) return;
    this.sinceTurn = 0;
    await turn();
  }
}
