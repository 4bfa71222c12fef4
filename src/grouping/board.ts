import { sizesIn } from "../constraints/bounds.js";
import type { Attribute } from "../table/types.js";
import type { Mixed } from "./mixed.js";
import type { TeamRequest } from "./request.js";

/** The rounding of share * size must not count as beyond a bound that is met exactly. */
const roundingSlack = 1e-9;

/**
 * Who is in which team, with sums and counts that change with every exchange. With sums S of centred coordinates the objective is
 * the sum over teams of |S|^2 / size. Excess is what a team is beyond its promises, in people: its size, the bounds of groups with the
 * tolerance forgiven, and people who must be apart.
 */
export class Board {
  /** The team of each atom; -1 before it is placed. */
  readonly team: Int32Array;
  readonly atomSizes: Int32Array;
  readonly sizes: Int32Array;
  /** The atoms of each team, in no order. */
  readonly members: number[][];
  readonly excess: Float64Array;
  /** Whether some atoms are larger than others. */
  readonly uneven: boolean;
  readonly count: number;
  private readonly place: Int32Array;
  private readonly dims: number;
  /** Sums of coordinates, by atom and by team. */
  private readonly points: Float64Array;
  private readonly sums: Float64Array;
  private readonly least: Int32Array;
  private readonly most: Int32Array;
  /** The bounded groups of all attributes, one after another. */
  private readonly lower: Float64Array;
  private readonly upper: Float64Array;
  private readonly counts: Int32Array;
  private readonly groupStarts: Uint32Array;
  private readonly groups: Uint16Array;
  /** How many atoms of a team have a mark, by mark and team; and how many are too many in each team. */
  private readonly marked = new Map<number, number>();
  private readonly meeting: Int32Array;

  constructor(
    private readonly request: TeamRequest,
    attributes: readonly Attribute[],
    { dims, rows }: Mixed,
  ) {
    const { k, atoms, sizes, bounds } = request;
    const { count, starts, people } = atoms;
    this.count = count;
    this.dims = dims;
    this.team = new Int32Array(count).fill(-1);
    this.place = new Int32Array(count);
    this.atomSizes = Int32Array.from({ length: count }, (_, a) => starts[a + 1] - starts[a]);
    this.uneven = this.atomSizes.some((size) => size > 1);
    this.sizes = new Int32Array(k);
    this.members = Array.from({ length: k }, () => []);
    this.least = Int32Array.from({ length: k }, (_, t) => sizesIn(sizes, t).min);
    this.most = Int32Array.from({ length: k }, (_, t) => Math.min(request.n, sizesIn(sizes, t).max));
    this.sums = new Float64Array(k * dims);
    this.meeting = new Int32Array(k);
    this.points = new Float64Array(count * dims);
    for (let a = 0; a < count; a++) {
      for (let at = starts[a]; at < starts[a + 1]; at++) {
        for (let j = 0; j < dims; j++) this.points[a * dims + j] += rows[people[at] * dims + j];
      }
    }
    // Groups that nothing binds are not counted.
    const bounded = bounds.flatMap(({ groups, lower, upper }, at) =>
      groups.flatMap((_, l) => (lower[l] > 0 || upper[l] < 1 ? [{ at, l, lower: lower[l], upper: upper[l] }] : [])),
    );
    this.lower = Float64Array.from(bounded, (each) => each.lower);
    this.upper = Float64Array.from(bounded, (each) => each.upper);
    this.counts = new Int32Array(k * bounded.length);
    const number = bounds.map(({ groups }) => new Int32Array(groups.length).fill(-1));
    bounded.forEach(({ at, l }, group) => {
      number[at][l] = group;
    });
    const groupsOf = (a: number) =>
      Array.from(people.subarray(starts[a], starts[a + 1])).flatMap((i) =>
        attributes.flatMap(({ codes }, at) => (number[at][codes[i]] >= 0 ? [number[at][codes[i]]] : [])),
      );
    const lists = Array.from({ length: count }, (_, a) => groupsOf(a));
    this.groupStarts = new Uint32Array(count + 1);
    lists.forEach(({ length }, a) => {
      this.groupStarts[a + 1] = this.groupStarts[a] + length;
    });
    this.groups = Uint16Array.from(lists.flat());
    this.excess = Float64Array.from({ length: k }, (_, t) => this.excessOf(t));
  }

  get k(): number {
    return this.request.k;
  }

  /** People beyond the promises, over all teams. */
  totalExcess(): number {
    return this.excess.reduce((sum, each) => sum + each, 0);
  }

  /** How many more people the team may take. */
  room(t: number): number {
    return this.most[t] - this.sizes[t];
  }

  /** What this many people more, or fewer, would be beyond the limits of the team's size. */
  fits(t: number, change: number): boolean {
    const size = this.sizes[t] + change;
    return size >= this.least[t] && size <= this.most[t];
  }

  objective(): number {
    let total = 0;
    for (let t = 0; t < this.k; t++) {
      let squares = 0;
      for (let at = t * this.dims; at < (t + 1) * this.dims; at++) squares += this.sums[at] ** 2;
      if (this.sizes[t] > 0) total += squares / this.sizes[t];
    }
    return total;
  }

  /** How the objective changes when two atoms of one size, of different teams, change places. */
  gain(a: number, b: number): number {
    const { dims, points, sums } = this;
    const [s, t] = [this.team[a], this.team[b]];
    let [from, to] = [a * dims, b * dims];
    let [here, there] = [s * dims, t * dims];
    let [cross, squares, other] = [0, 0, 0];
    for (let j = 0; j < dims; j++) {
      const step = points[to++] - points[from++];
      cross += sums[here++] * step;
      other += sums[there++] * step;
      squares += step * step;
    }
    return (2 * cross + squares) / this.sizes[s] + (squares - 2 * other) / this.sizes[t];
  }

  /** The same when any atoms of one team go to another, and any of the other come from there. */
  gainOf(s: number, leaving: readonly number[], t: number, coming: readonly number[]): number {
    const { dims, points, sums } = this;
    let change = 0;
    for (const b of coming) change += this.atomSizes[b];
    for (const a of leaving) change -= this.atomSizes[a];
    const [here, there] = [this.sizes[s], this.sizes[t]];
    let gain = 0;
    for (let j = 0; j < dims; j++) {
      let step = 0;
      for (const b of coming) step += points[b * dims + j];
      for (const a of leaving) step -= points[a * dims + j];
      const [x, y] = [sums[s * dims + j], sums[t * dims + j]];
      gain += part((x + step) ** 2, here + change) + part((y - step) ** 2, there - change);
      gain -= part(x * x, here) + part(y * y, there);
    }
    return gain;
  }

  /** Makes the exchange where the two teams are then beyond their promises by no more than `most` more than now; else nothing. */
  exchange(s: number, leaving: readonly number[], t: number, coming: readonly number[], most = 0): boolean {
    const before = this.excess[s] + this.excess[t];
    this.move(leaving, t);
    this.move(coming, s);
    const [here, there] = [this.excessOf(s), this.excessOf(t)];
    if (here + there > before + most + roundingSlack) {
      this.move(leaving, s);
      this.move(coming, t);
      return false;
    }
    this.excess[s] = here;
    this.excess[t] = there;
    return true;
  }

  /** Places, or moves, atoms; the excess of the teams is told anew by `recount`. */
  move(atoms: readonly number[], to: number): void {
    for (const a of atoms) {
      if (this.team[a] >= 0) this.take(a);
      this.put(a, to);
    }
  }

  recount(teams: Iterable<number> = this.members.keys()): void {
    for (const t of teams) this.excess[t] = this.excessOf(t);
  }

  private put(a: number, t: number): void {
    this.team[a] = t;
    this.place[a] = this.members[t].push(a) - 1;
    this.tally(a, t, 1);
  }

  private take(a: number): void {
    const t = this.team[a];
    const list = this.members[t];
    const last = list.pop()!;
    if (last !== a) {
      list[this.place[a]] = last;
      this.place[last] = this.place[a];
    }
    this.tally(a, t, -1);
  }

  private tally(a: number, t: number, sign: 1 | -1): void {
    const { dims, points, sums, groups, groupStarts, lower } = this;
    this.sizes[t] += sign * this.atomSizes[a];
    for (let j = 0; j < dims; j++) sums[t * dims + j] += sign * points[a * dims + j];
    for (let at = groupStarts[a]; at < groupStarts[a + 1]; at++) this.counts[t * lower.length + groups[at]] += sign;
    const { markStarts, marks } = this.request.atoms;
    for (let at = markStarts[a]; at < markStarts[a + 1]; at++) {
      const key = marks[at] * this.k + t;
      const now = (this.marked.get(key) ?? 0) + sign;
      // Of those who meet, one may stay.
      if (sign > 0 ? now > 1 : now > 0) this.meeting[t] += sign;
      if (now === 0) this.marked.delete(key);
      else this.marked.set(key, now);
    }
  }

  private excessOf(t: number): number {
    const { lower, upper } = this;
    const { tolerance } = this.request;
    const size = this.sizes[t];
    let excess = this.meeting[t] + Math.max(0, this.least[t] - size, size - this.most[t]);
    const slack = tolerance + roundingSlack;
    for (let l = 0, at = t * lower.length; l < lower.length; l++, at++) {
      const count = this.counts[at];
      const over = Math.max(count - upper[l] * size, lower[l] * size - count) - slack;
      if (over > 0) excess += over;
    }
    return excess;
  }
}

function part(squares: number, size: number): number {
  return size > 0 ? squares / size : 0;
}
