import { jitter } from "../../kernels/jitter.js";
import { BestMoves, type WeighedMove } from "../../kernels/moves.js";
import type { Range } from "../../kernels/rows.js";
import type { Grid } from "../../parties/grid.js";
import { jitterFor, weightsFor } from "../../parties/scoring.js";
import type { Rule } from "../../parties/types.js";
import { type Integers, toNumbers } from "../../privacy/integers.js";

const unset = 0xffff;

interface Kept {
  /** Undefined when they have to be asked for. */
  readonly labels: Uint16Array | undefined;
  readonly versions: Float64Array;
  readonly isMean: readonly boolean[];
}

/** With more kinds of people than this part of them, whole tables are no longer than what a rule adds for each kind. */
const mostKinds = 1 / 8;

/** Asks of the parties what the board lacks. */
export interface BoardQuestions {
  /** Everybody's squared distance to a centre, summed over the parties. */
  squares(cluster: number): Promise<Integers>;
  /** A number for everybody, equal for two people exactly when they are of the same groups everywhere. */
  kinds(): Promise<Integers>;
  /** What the present rule adds for these people: to join each cluster, then to keep it, [people][2][k]. */
  offsets(rows: readonly number[]): Promise<Integers>;
  labels(): Promise<Uint16Array>;
}

/**
 * Many decisions at the same centres without sending tables again and again: the sums of distances are asked for once,
 * and then, for each new rule, only what it adds for one person of each kind. All of it follows from the sums of scores
 * that a coordinator without blinding sees anyway: it learns nothing that it would not have learnt from the tables.
 */
export class ScoreBoard {
  /** Everybody's cluster; undefined when it has to be asked for. */
  private known: Uint16Array | undefined;
  private readonly slots = new Map<string, Kept>();
  /** Of each centre: another number whenever it may have changed. */
  private versions: Float64Array;
  /** Whether a centre is the mean of its people, so that taking the mean again changes nothing. */
  private isMean: boolean[];
  private measured: Float64Array | undefined;
  private readonly held: Float64Array;
  /** [people][k] */
  private squares = new Float64Array(0);
  private kinds: { readonly codes: Uint32Array; readonly first: number[] } | undefined;
  private offsets: Float64Array | undefined;
  private isMotley = false;
  private serial = 0;
  private rule: Rule = { kind: "nearest" };
  private pinned = new Set<number>();

  constructor(
    private readonly n: number,
    private readonly k: number,
    private readonly grid: Grid,
    private readonly ask: BoardQuestions,
  ) {
    this.versions = Float64Array.from({ length: k }, () => ++this.serial);
    this.isMean = new Array<boolean>(k).fill(false);
    this.held = new Float64Array(k);
    this.known = new Uint16Array(n).fill(unset);
  }

  /** Nobody is in any cluster again. What was remembered stays. */
  reopen(): void {
    this.known = new Uint16Array(this.n).fill(unset);
    this.touchAll();
  }

  /** Nothing is known any more of who is where: an earlier life of the run knew it. */
  forget(): void {
    this.known = undefined;
    this.isMean.fill(false);
    for (const [slot, kept] of this.slots) this.slots.set(slot, { ...kept, labels: undefined });
  }

  prepare(rule: Rule): void {
    this.rule = rule;
    this.offsets = undefined;
  }

  /** Many questions at the present centres will follow. */
  measure(): void {
    this.measured = this.versions.slice();
  }

  place(cluster: number): void {
    this.touch(cluster);
    this.isMean[cluster] = false;
  }

  recentre(): void {
    this.isMean.forEach((mean, m) => {
      if (!mean) this.touch(m);
      this.isMean[m] = true;
    });
  }

  inherit(): void {
    this.touchAll();
  }

  pin(row: number): void {
    this.pinned.add(row);
  }

  unpin(): void {
    this.pinned.clear();
  }

  remember(slot: string): void {
    const { known, versions, isMean } = this;
    const kept = { versions: versions.slice(), isMean: isMean.slice() };
    this.slots.set(slot, { ...kept, labels: known?.slice() });
  }

  recall(slot: string): void {
    const kept = this.slots.get(slot)!;
    this.known = kept.labels?.slice();
    this.versions = kept.versions.slice();
    this.isMean = kept.isMean.slice();
  }

  /** Follows a move that everybody is told of. */
  move(row: number, to: number): void {
    if (!this.known) {
      this.isMean.fill(false);
      return;
    }
    const from = this.known[row];
    if (from === to) return;
    if (from !== unset) this.isMean[from] = false;
    this.isMean[to] = false;
    this.known[row] = to;
  }

  /** How many people's numbers have to be asked for before the next decision; undefined when the board is of no use. */
  get lacking(): number | undefined {
    const { measured, versions } = this;
    if (!measured || this.k === 1 || this.isMotley || measured.some((version, m) => version !== versions[m]))
      return undefined;
    return versions.some((version, m) => version !== this.held[m]) ? this.n : 0;
  }

  async labels(): Promise<Uint16Array> {
    this.known ??= await this.ask.labels();
    return this.known;
  }

  /** Asks for what is lacking. False when the board turns out to be of no use. */
  async fill(): Promise<boolean> {
    this.kinds ??= numbered(await this.ask.kinds());
    this.isMotley = this.kinds.first.length > Math.max(16, mostKinds * this.n);
    if (this.isMotley) return false;
    if (this.squares.length === 0) this.squares = new Float64Array(this.n * this.k);
    for (let m = 0; m < this.k; m++) {
      if (this.held[m] === this.versions[m]) continue;
      const column = toNumbers(await this.ask.squares(m));
      for (let i = 0, at = m; i < this.n; i++, at += this.k) this.squares[at] = column[i];
      this.held[m] = this.versions[m];
    }
    this.offsets ??= wide(await this.ask.offsets(this.kinds.first));
    await this.labels();
    return true;
  }

  /** What the range would choose: the argmin of the scores, as in one process. */
  choose({ from, to }: Range, ownFirst: boolean): Uint16Array {
    const { k, known } = this;
    const scores = this.scorer();
    const line = new Float64Array(k);
    const chosen = new Uint16Array(to - from);
    for (let row = from; row < to; row++) {
      scores(row, line);
      const own = known![row];
      let best = ownFirst && own !== unset ? own : 0;
      for (let m = 0; m < k; m++) if (line[m] < line[best]) best = m;
      chosen[row - from] = best;
    }
    return chosen;
  }

  /** The cheapest gaining move from each cluster to each other one; ties go to the lowest row. */
  bestMoves({ from, to }: Range): WeighedMove[] {
    const { k, known } = this;
    const scores = this.scorer();
    const line = new Float64Array(k);
    const best = new BestMoves(k);
    for (let row = from; row < to; row++) {
      const own = known![row];
      if (this.pinned.has(row)) continue;
      scores(row, line);
      for (let m = 0; m < k; m++) best.offer(row, own, m, line[m] - line[own]);
    }
    return best.taken();
  }

  private scorer(): (row: number, line: Float64Array) => void {
    const { k, squares, rule } = this;
    const { codes } = this.kinds!;
    const offsets = this.offsets!;
    const labels = this.known!;
    const { weight, ownWeight } = weightsFor(rule, this.sizes(), this.grid);
    const amplitude = jitterFor(rule);
    return (row, line) => {
      const own = labels[row];
      const at = codes[row] * 2 * k;
      for (let m = 0; m < k; m++) {
        const kept = m === own;
        const distance = (kept ? ownWeight : weight)[m] * squares[row * k + m];
        const offset = offsets[kept ? at + k + m : at + m];
        line[m] = distance + offset + (amplitude > 0 ? jitter(row, m, amplitude) : 0);
      }
    };
  }

  private sizes(): Float64Array {
    const sizes = new Float64Array(this.k);
    for (const label of this.known!) if (label !== unset) sizes[label]++;
    return sizes;
  }

  private touch(cluster: number): void {
    this.versions[cluster] = ++this.serial;
  }

  private touchAll(): void {
    for (let m = 0; m < this.k; m++) this.place(m);
  }
}

/** Kinds as 0, 1, 2 …, and the first person of each. */
function numbered(sums: Integers): { codes: Uint32Array; first: number[] } {
  const high = new Int32Array(sums.buffer, sums.byteOffset, 2 * sums.length);
  const numbers = new Map<number, Map<number, number>>();
  const first: number[] = [];
  const codes = new Uint32Array(sums.length);
  for (let i = 0; i < sums.length; i++) {
    const outer = high[2 * i + 1];
    let inner = numbers.get(outer);
    if (!inner) {
      inner = new Map();
      numbers.set(outer, inner);
    }
    let code = inner.get(high[2 * i]);
    if (code === undefined) {
      code = first.push(i) - 1;
      inner.set(high[2 * i], code);
    }
    codes[i] = code;
  }
  return { codes, first };
}

/** Sums of offsets may lie beyond 2^53 where a cluster is forbidden: rounded, as they would be in one process. */
function wide(sums: Integers): Float64Array {
  return Float64Array.from(sums, Number);
}
