import { BestMoves, byGap, type Move, type WeighedMove } from "../kernels/best-moves.js";
import { CheapestMatching } from "../kernels/cheapest-matching.js";
import type { Range } from "../kernels/rows.js";
import type { ColumnParty, Moves } from "../parties/column-party.js";
import { allOf, changesBetween } from "../parties/moves.js";
import type { Traffic } from "../parties/traffic.js";
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
  /** The rows of all sets of two or more, one set after the other, and where each set begins. */
  private readonly members: Uint32Array;
  private readonly begins: Uint32Array;
  /** The set of each row; -1 for those who are in none. */
  private readonly setOf: Int32Array;
  private matching: CheapestMatching | undefined;

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
    const sets = [...byCode.values()].filter((rows) => rows.length > 1);
    this.members = Uint32Array.from(sets.flat());
    this.begins = new Uint32Array(sets.length + 1);
    this.setOf = new Int32Array(codes.length).fill(-1);
    sets.forEach((rows, set) => {
      this.begins[set + 1] = this.begins[set] + rows.length;
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
    const chosen = labels.slice(range.from, range.to);
    for (let i = 0; i < chosen.length; i++) {
      let best = ownFirst && chosen[i] !== nowhere ? chosen[i] : 0;
      for (let m = 0, line = i * k; m < k; m++) if (scores[line + m] < scores[line + best]) best = m;
      chosen[i] = best;
    }
    this.keepApart(range, labels, scores, chosen);
    return this.columns.adopt(range, chosen);
  }

  /** Where people of a set chose the same cluster, or one that another of them has who is not asked, all who are asked are matched anew. */
  private keepApart({ from, to }: Range, labels: Uint16Array, scores: Float64Array, chosen: Uint16Array): void {
    const k = scores.length / chosen.length;
    const { members, begins } = this;
    const { weights } = this.columns;
    this.matching ??= new CheapestMatching(k);
    /** Those of a set who are asked: one for each cluster at most. */
    const here = new Uint32Array(k);
    // The last set that wants a cluster, and the last one that has somebody there who is not asked.
    const wanted = new Int32Array(k).fill(-1);
    const taken = new Int32Array(k).fill(-1);
    for (let set = 0; set < begins.length - 1; set++) {
      let [asked, apart] = [0, true];
      for (let at = begins[set]; at < begins[set + 1]; at++) {
        const row = members[at];
        if (row >= from && row < to) here[asked++] = row;
        else if (labels[row] !== nowhere) taken[labels[row]] = set;
      }
      for (let at = 0; at < asked; at++) {
        const cluster = chosen[here[at] - from];
        if (wanted[cluster] === set || taken[cluster] === set) apart = false;
        wanted[cluster] = set;
      }
      if (apart) continue;
      const costs = this.matching.open(asked);
      for (let at = 0; at < asked; at++) {
        const line = (here[at] - from) * k;
        const weight = weights ? weights[here[at]] : 1;
        for (let m = 0; m < k; m++) {
          costs[at * k + m] = taken[m] === set ? Number.POSITIVE_INFINITY : scores[line + m] * weight;
        }
      }
      const found = this.matching.solve(asked);
      for (let at = 0; at < asked; at++) chosen[here[at] - from] = found[at];
    }
  }

  async propose(ranges: readonly Range[]): Promise<Moves> {
    const labels = await this.columns.labels();
    /** Places of a set that one of them will take: set times k plus cluster. */
    const promised = new Set<number>();
    const found: Moves[] = [];
    for (const range of ranges) {
      const scores = await this.inner.scores(range);
      const k = scores.length / (range.to - range.from);
      const own = labels.slice(range.from, range.to);
      const chosen = own.slice();
      for (let i = 0; i < chosen.length; i++) {
        const row = range.from + i;
        const place = this.setOf[row] * k;
        let best = own[i];
        for (let m = 0, line = i * k; m < k; m++) {
          if (scores[line + m] >= scores[line + best]) continue;
          if (this.isFree(row, m, labels) && !promised.has(place + m)) best = m;
        }
        if (best !== own[i] && place >= 0) promised.add(place + best);
        chosen[i] = best;
      }
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
          const gap = scores[line + m] - scores[line + labels[row]];
          if (gap < 0 && this.isFree(row, m, labels)) best.offer(row, labels[row], m, gap);
        }
      }
      found.push(...best.taken());
    }
    return found.sort(byGap);
  }

  async helping(moves: Moves): Promise<boolean[]> {
    const verdicts = await this.inner.helping(moves);
    const joined = new Set<number>();
    return verdicts.map((helps, index) => {
      const set = this.setOf[moves.rows[index]];
      if (!helps || set < 0) return helps;
      const place = set * 0x10000 + moves.to[index];
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
    if (set < 0) return true;
    for (let at = this.begins[set]; at < this.begins[set + 1]; at++) {
      const other = this.members[at];
      if (other !== row && labels[other] === cluster) return false;
    }
    return true;
  }
}
