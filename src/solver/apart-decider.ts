import { BestMoves, byGap, type Move, type WeighedMove } from "../kernels/best-moves.js";
import type { Range } from "../kernels/rows.js";
import type { ColumnParty, Moves } from "../parties/column-party.js";
import { allOf, changesBetween } from "../parties/moves.js";
import type { Traffic } from "../parties/traffic.js";
import { cheapestMatching } from "./cheapest-matching.js";
import type { Decider, JoinedPair } from "./decider.js";

/** Who sees everybody's scores. */
type DeciderWithScores = Decider & Required<Pick<Decider, "scores">>;

/** The label of somebody who is in no cluster yet. */
const nowhere = 0xffff;

/**
 * Decides as another one does, but that people with the same code never share a cluster. Each set of them takes the cheapest clusters, all
 * different, at the present offsets, which is exact: apart from the offsets one set does not depend on another. Lists of moves are
 * such that any part of them may happen.
 */
export class ApartDecider implements Decider {
  readonly columns: ColumnParty;
  readonly traffic: Traffic;
  /** The rows of each set of two or more, and the set of each row; -1 for those who are in none. */
  private readonly sets: number[][];
  private readonly setOf: Int32Array;

  constructor(
    private readonly inner: DeciderWithScores,
    private readonly codes: Int32Array,
  ) {
    this.columns = inner.columns;
    this.traffic = inner.traffic;
    const byCode = new Map<number, number[]>();
    codes.forEach((code, row) => {
      const rows = byCode.get(code);
      if (rows) rows.push(row);
      else byCode.set(code, [row]);
    });
    this.sets = [...byCode.values()].filter((rows) => rows.length > 1);
    this.setOf = new Int32Array(codes.length).fill(-1);
    this.sets.forEach((rows, set) => {
      for (const row of rows) this.setOf[row] = set;
    });
  }

  async sample(rows: Uint32Array): Promise<Decider> {
    const sample = (await this.inner.sample(rows)) as DeciderWithScores;
    return new ApartDecider(
      sample,
      Int32Array.from(rows, (row) => this.codes[row]),
    );
  }

  async assign(range: Range, ownFirst: boolean): Promise<number> {
    const labels = await this.columns.labels();
    const scores = await this.inner.scores(range);
    const k = scores.length / (range.to - range.from);
    const chosen = labels.slice(range.from, range.to).map((own, i) => {
      let best = ownFirst && own !== nowhere ? own : 0;
      for (let m = 0; m < k; m++) if (scores[i * k + m] < scores[i * k + best]) best = m;
      return best;
    });
    const { weights } = this.columns;
    const isHere = (row: number) => row >= range.from && row < range.to;
    for (const rows of this.sets) {
      const here = rows.filter(isHere);
      if (here.length === 0) continue;
      const taken = new Set(rows.filter((row) => !isHere(row)).map((row) => labels[row]));
      const wanted = new Set(here.map((row) => chosen[row - range.from]));
      if (wanted.size === here.length && [...wanted].every((cluster) => !taken.has(cluster))) continue;
      const cost = (at: number, m: number) => {
        const row = here[at];
        if (taken.has(m)) return Number.POSITIVE_INFINITY;
        return scores[(row - range.from) * k + m] * (weights ? weights[row] : 1);
      };
      cheapestMatching(here.length, k, cost).forEach((m, at) => {
        chosen[here[at] - range.from] = m;
      });
    }
    return this.columns.adopt(range, chosen);
  }

  async propose(ranges: readonly Range[]): Promise<Moves> {
    const labels = await this.columns.labels();
    const promised = new Set<string>();
    const found: Moves[] = [];
    for (const range of ranges) {
      const scores = await this.inner.scores(range);
      const k = scores.length / (range.to - range.from);
      const own = labels.slice(range.from, range.to);
      const chosen = own.map((cluster, i) => {
        const row = range.from + i;
        let best = cluster;
        for (let m = 0; m < k; m++) {
          if (scores[i * k + m] >= scores[i * k + best]) continue;
          if (this.isFree(row, m, labels) && !promised.has(`${this.setOf[row]} ${m}`)) best = m;
        }
        if (best !== cluster && this.setOf[row] >= 0) promised.add(`${this.setOf[row]} ${best}`);
        return best;
      });
      found.push(changesBetween(range, own, chosen));
    }
    return allOf(found);
  }

  async bestMoves(ranges: readonly Range[]): Promise<Move[]> {
    const labels = await this.columns.labels();
    const found: WeighedMove[] = [];
    for (const range of ranges) {
      const scores = await this.inner.scores(range);
      const k = scores.length / (range.to - range.from);
      const best = new BestMoves(k);
      for (let row = range.from; row < range.to; row++) {
        const line = (row - range.from) * k;
        for (let m = 0; m < k; m++) {
          if (this.isFree(row, m, labels))
            best.offer(row, labels[row], m, scores[line + m] - scores[line + labels[row]]);
        }
      }
      found.push(...best.taken());
    }
    return found.sort(byGap);
  }

  async helping(moves: Moves): Promise<boolean[]> {
    const verdicts = await this.inner.helping(moves);
    const joined = new Set<string>();
    return verdicts.map((helps, index) => {
      const set = this.setOf[moves.rows[index]];
      if (!helps || set < 0) return helps;
      const place = `${set} ${moves.to[index]}`;
      if (joined.has(place)) return false;
      joined.add(place);
      return true;
    });
  }

  farthest(clusters: ReadonlySet<number>): Promise<number | undefined> {
    return this.inner.farthest(clusters);
  }

  approach(row: number, first: boolean): Promise<void> {
    return this.inner.approach(row, first);
  }

  approachCentres(): Promise<void> {
    return this.inner.approachCentres();
  }

  leastMissed(among: ReadonlySet<number>): Promise<JoinedPair | undefined> {
    return this.inner.leastMissed(among);
  }

  drawSeveral(seed: number, most: number): Promise<Uint32Array> {
    return this.inner.drawSeveral(seed, most);
  }

  nearerTo(row: number): Promise<Uint32Array> {
    return this.inner.nearerTo(row);
  }

  drawByDistance(seed: number): Promise<number | undefined> {
    return this.inner.drawByDistance(seed);
  }

  scores(range: Range): Promise<Float64Array> {
    return this.inner.scores(range);
  }

  /** Whether nobody whom this row is kept apart from is in the cluster. */
  private isFree(row: number, cluster: number, labels: Uint16Array): boolean {
    const set = this.setOf[row];
    return set < 0 || this.sets[set].every((other) => other === row || labels[other] !== cluster);
  }
}
