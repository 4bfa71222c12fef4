import { Random } from "../../table/generators/random.js";
import { type CellCensus, numbered } from "./merging.js";

/** Cells as points of some weight: where their people are, how many, and the noisy counts of their groups. */
export interface WeighedCells {
  /** The inner product of the means of two cells' people, around whatever origin. */
  readonly inner: (a: number, b: number) => number;
  readonly census: CellCensus;
}

/** Of means that are known, [cells][dims]. */
export function innerOf(means: Float64Array, dims: number): WeighedCells["inner"] {
  return (a, b) => {
    let product = 0;
    for (let j = 0; j < dims; j++) product += means[a * dims + j] * means[b * dims + j];
    return product;
  };
}

/** Which balance is enough. */
export interface BalanceRule {
  /** Between 0 and 1: every group's share in every cluster is between this part of its share among everybody and 1 / this. */
  readonly target: number;
  /** So many deviations of the noise on a cluster's count are kept as a margin. */
  readonly deviations: number;
  /** What uneven sizes cost: so much for each squared person that a cluster is above or below an even share. Default 0. */
  readonly uneven?: number;
}

export interface TightClusters {
  /** The cluster of each cell, clusters numbered by their lowest cell. */
  readonly owner: Uint16Array;
  /** The least balance of any cluster by the noisy counts, less the margin. */
  readonly balance: number;
  /** Whether that is the target, or more. */
  readonly reached: boolean;
  /** Of each group of all attributes: the largest deviation of the noise on its count in a cluster, as a part of what that should be. */
  readonly errors: Float64Array;
  /** And how many people it needs for a whole margin; null where it has them. */
  readonly needed: readonly (number | null)[];
  /** What clusters add to the squared distances within the cells. */
  readonly sse: number;
  /** And what uneven sizes cost on top. */
  readonly cost: number;
}

/**
 * A group whose margin in clusters of even size would take more than this part of what the target leaves is rare: noise is too large to be
 * covered, and its margin is never more than this. Other groups have a whole margin in every cluster, however small: small clusters grow.
 */
const mostMargin = 0.5;

/** Pressures of fairness, in turn: what a person too few or too many costs, in mean squared distances from the middle of all. The last forbids it. */
const pressures = [0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 1e6];
const highest = pressures[pressures.length - 1];
/** Starts, of which the best is kept. */
const starts = 5;
/** How often, and by how many cells, it is shaken to find a better one: few cells are shaken as long as many. */
const fewestShakes = 15;
const mostShakes = 300;
const cellsShaken = 6000;
const shaken = 3;
/** The least part of all squared distances for which a change is made. */
const leastGain = 1e-9;
/** The most sweeps at one pressure: a guard, it is hardly ever met. */
const mostSweeps = 200;

/**
 * Whole cells in k clusters that are as tight as the balance allows. From clusters that are tight alone, the pressure of fairness grows
 * step by step; at each, cells move and change places while that lowers squared distances plus pressure times people beyond
 * the bounds, and what uneven sizes cost where that was asked for. The best of several starts is shaken in the end. Everything is a function of the cells, the noisy counts and the seed, so it costs no privacy.
 */
export function tightClusters(cells: WeighedCells, k: number, rule: BalanceRule, seed: number): TightClusters {
  const random = new Random(seed);
  const search = new TightSearch(cells, k, rule);
  let best: TightClusters | undefined;
  for (let start = 0; start < starts; start++) {
    search.begin(random);
    for (const pressure of pressures) {
      search.settle(pressure);
      if (pressure > 0 && search.beyond() <= 0) break;
    }
    search.settle(highest);
    const found = search.found();
    if (!best || isBetter(found, best)) best = found;
  }
  const shakes = Math.max(fewestShakes, Math.min(mostShakes, cellsShaken / cells.census.cells));
  for (let shake = 0; shake < shakes; shake++) {
    search.shake(best!.owner, random);
    search.settle(pressures[random.below(pressures.length)]);
    search.settle(highest);
    const found = search.found();
    if (isBetter(found, best!)) best = found;
  }
  return best!;
}

function isBetter(one: TightClusters, other: TightClusters): boolean {
  if (one.reached !== other.reached) return one.reached;
  return one.reached ? one.cost < other.cost : one.balance > other.balance;
}

/** No cell. */
const none = -1;

/** Clusters of cells under change. A cluster costs -|sum|^2 / people: the squared distances to its mean, but for a constant. */
class TightSearch {
  private readonly cells: number;
  private readonly groups: number;
  /** Products of the cells' sums, [cells][cells]: with them no change depends on the number of dimensions. */
  private readonly products: Float64Array;
  private readonly sizes: Float64Array;
  /** [cells][groups of all attributes] */
  private readonly counts: Float64Array;
  /** Of all groups: their share among everybody, the deviation of the noise on a count, and the margin of one cell in people. */
  private readonly shares: Float64Array;
  private readonly deviations: Float64Array;
  private readonly margins: Float64Array;
  /** Squared distances of everybody's cells from the middle of all, and the mean of a person's. */
  private readonly spread: number;
  private readonly scale: number;
  private readonly constant: number;
  private readonly leastGain: number;
  private readonly evenShare: number;

  private readonly owner: Uint16Array;
  private readonly members: Uint32Array;
  private readonly people: Float64Array;
  private readonly squares: Float64Array;
  private readonly clusterCounts: Float64Array;
  /** Products of the clusters' sums with those of the cells, [k][cells]. */
  private readonly along: Float64Array;
  private readonly costs: Float64Array;
  private pressure = 0;
  /** Of all groups: the most that a margin may be, as a part of the people whom a cluster should have of it; and whom it needs for a whole one. */
  private readonly rooms: Float64Array;
  private readonly needed: (number | null)[];

  constructor(
    { inner, census }: WeighedCells,
    private readonly k: number,
    private readonly rule: BalanceRule,
  ) {
    const { cells, sizes, attributes } = census;
    this.cells = cells;
    this.sizes = sizes;
    this.groups = attributes.reduce((sum, { groups }) => sum + groups, 0);
    this.counts = new Float64Array(cells * this.groups);
    this.shares = new Float64Array(this.groups);
    this.deviations = new Float64Array(this.groups);
    this.margins = new Float64Array(this.groups);
    const people = sizes.reduce((sum, size) => sum + size, 0);
    let column = 0;
    for (const { groups, counts, deviation } of attributes) {
      for (let l = 0; l < groups; l++, column++) {
        for (let cell = 0; cell < cells; cell++) {
          const count = counts[cell * groups + l];
          this.counts[cell * this.groups + column] = count;
          this.shares[column] += count / people;
        }
        this.deviations[column] = deviation;
        this.margins[column] = rule.deviations * deviation;
      }
    }
    const room = mostMargin * (1 - rule.target);
    this.needed = Array.from(this.margins, (margin, l) => {
      const enough = (margin * Math.sqrt(cells * k)) / room;
      return this.shares[l] * people < enough ? enough : null;
    });
    this.rooms = Float64Array.from(this.needed, (people) => (people === null ? Number.POSITIVE_INFINITY : room));
    this.products = new Float64Array(cells * cells);
    for (let a = 0; a < cells; a++) {
      for (let b = 0; b <= a; b++) {
        this.products[a * cells + b] = this.products[b * cells + a] = inner(a, b) * sizes[a] * sizes[b];
      }
    }
    let own = 0;
    let all = 0;
    for (let a = 0; a < cells; a++) {
      if (sizes[a] > 0) own += this.products[a * cells + a] / sizes[a];
      for (let b = 0; b < cells; b++) all += this.products[a * cells + b];
    }
    this.constant = own;
    this.spread = own - all / people;
    this.scale = this.spread / people;
    // Where everybody is in one place, only roundings differ.
    this.leastGain = leastGain * this.spread + 1e-12 * own;
    this.evenShare = people / k;
    this.owner = new Uint16Array(cells);
    this.members = new Uint32Array(k);
    this.people = new Float64Array(k);
    this.squares = new Float64Array(k);
    this.clusterCounts = new Float64Array(k * this.groups);
    this.along = new Float64Array(k * cells);
    this.costs = new Float64Array(k);
  }

  /** Every cell with the nearest of k cells, drawn one by one by how far they are from those before. */
  begin(random: Random): void {
    const { cells, sizes } = this;
    const nearest = new Float64Array(cells).fill(Number.POSITIVE_INFINITY);
    const cumulative = Float64Array.from(sizes);
    for (let m = 0; m < this.k; m++) {
      let sum = 0;
      for (let cell = 0; cell < cells; cell++) {
        sum += m === 0 ? sizes[cell] : Math.max(0, nearest[cell]) * sizes[cell];
        cumulative[cell] = sum;
      }
      // Where those that are left lie with those that are taken, any of them will do.
      const drawn = sum > 0 ? random.choose(cumulative) : nearest.findIndex((distance) => distance >= 0);
      for (let cell = 0; cell < cells; cell++) {
        const distance = cell === drawn ? -1 : this.distance(cell, drawn);
        if (distance < nearest[cell]) {
          nearest[cell] = distance;
          this.owner[cell] = m;
        }
      }
    }
    this.count();
  }

  /** These clusters, but for a few cells that are anywhere. */
  shake(owner: Uint16Array, random: Random): void {
    this.owner.set(owner);
    this.count();
    for (let i = 0; i < shaken; i++) {
      const cell = random.below(this.cells);
      if (this.members[this.owner[cell]] > 1) this.move(cell, random.below(this.k));
    }
  }

  /** Moves cells at this pressure until nothing gains; at the highest, cells also change places. */
  settle(pressure: number): void {
    this.pressure = pressure * this.scale;
    for (let m = 0; m < this.k; m++) this.costs[m] = this.cost(m, none, none);
    for (let sweep = 0; sweep < mostSweeps; sweep++) {
      if (!this.moves() && (pressure < highest || !this.swaps())) return;
    }
  }

  /** How far clusters are beyond the bounds, in people, groups in proportion to their shares. */
  beyond(): number {
    let sum = 0;
    for (let m = 0; m < this.k; m++) sum += this.excess(m, none, none, this.people[m], this.members[m]);
    return sum;
  }

  found(): TightClusters {
    const { groups, shares, margins, needed, rule } = this;
    const errors = new Float64Array(groups);
    let balance = 1;
    let sse = this.constant;
    let uneven = 0;
    for (let m = 0; m < this.k; m++) {
      uneven += this.unevenness(this.people[m]);
      if (this.people[m] <= 0) continue;
      sse -= this.squares[m] / this.people[m];
      const cells = Math.sqrt(this.members[m]);
      for (let l = 0; l < groups; l++) {
        const expected = shares[l] * this.people[m];
        if (expected <= 0) continue;
        errors[l] = Math.max(errors[l], (this.deviations[l] * cells) / expected);
        const count = this.clusterCounts[m * groups + l];
        const margin = Math.min(margins[l] * cells, this.rooms[l] * expected);
        balance = Math.min(balance, (count - margin) / expected, expected / Math.max(count + margin, 1e-12));
      }
    }
    // A bound that is met exactly may look missed by a rounding.
    const reached = balance >= rule.target - 1e-9;
    return { owner: numbered(this.owner), balance, reached, errors, needed, sse, cost: sse + uneven };
  }

  private moves(): boolean {
    let moved = false;
    for (let cell = 0; cell < this.cells; cell++) {
      const from = this.owner[cell];
      if (this.members[from] === 1) continue;
      const leaving = this.cost(from, cell, none) - this.costs[from];
      let best = from;
      let least = -this.leastGain;
      for (let to = 0; to < this.k; to++) {
        if (to === from) continue;
        const change = leaving + this.cost(to, none, cell) - this.costs[to];
        if (change < least) {
          least = change;
          best = to;
        }
      }
      if (best === from) continue;
      this.move(cell, best);
      moved = true;
    }
    return moved;
  }

  private swaps(): boolean {
    let swapped = false;
    for (let a = 0; a < this.cells; a++) {
      for (let b = a + 1; b < this.cells; b++) {
        const [one, other] = [this.owner[a], this.owner[b]];
        if (one === other) continue;
        const change = this.cost(one, a, b) + this.cost(other, b, a) - this.costs[one] - this.costs[other];
        if (change >= -this.leastGain) continue;
        this.move(a, other);
        this.move(b, one);
        swapped = true;
      }
    }
    return swapped;
  }

  /** What a cluster costs without one cell and with another. */
  private cost(m: number, out: number, into: number): number {
    const { cells, products, along } = this;
    let people = this.people[m];
    let square = this.squares[m];
    let members = this.members[m];
    if (out !== none) {
      people -= this.sizes[out];
      square += products[out * cells + out] - 2 * along[m * cells + out];
      members--;
    }
    if (into !== none) {
      people += this.sizes[into];
      square += products[into * cells + into] + 2 * along[m * cells + into];
      members++;
      if (out !== none) square -= 2 * products[out * cells + into];
    }
    const uneven = this.unevenness(people);
    if (people <= 0) return uneven;
    const cost = uneven - square / people;
    return this.pressure === 0 ? cost : cost + this.pressure * this.excess(m, out, into, people, members);
  }

  private unevenness(people: number): number {
    return (this.rule.uneven ?? 0) * (people - this.evenShare) ** 2;
  }

  private excess(m: number, out: number, into: number, people: number, members: number): number {
    const { groups, counts, shares, margins } = this;
    const { target } = this.rule;
    const cells = Math.sqrt(members);
    let sum = 0;
    for (let l = 0; l < groups; l++) {
      const share = shares[l];
      if (share <= 0) continue;
      let count = this.clusterCounts[m * groups + l];
      if (out !== none) count -= counts[out * groups + l];
      if (into !== none) count += counts[into * groups + l];
      const margin = Math.min(margins[l] * cells, this.rooms[l] * share * people);
      const tooFew = target * share * people + margin - count;
      const tooMany = count + margin - (share * people) / target;
      if (tooFew > 0) sum += tooFew / share;
      if (tooMany > 0) sum += tooMany / share;
    }
    return sum;
  }

  private move(cell: number, to: number): void {
    const from = this.owner[cell];
    this.add(from, cell, -1);
    this.add(to, cell, 1);
    this.owner[cell] = to;
    this.costs[from] = this.cost(from, none, none);
    this.costs[to] = this.cost(to, none, none);
  }

  private add(m: number, cell: number, sign: 1 | -1): void {
    const { cells, groups, products, along } = this;
    this.people[m] += sign * this.sizes[cell];
    this.members[m] += sign;
    this.squares[m] += products[cell * cells + cell] + 2 * sign * along[m * cells + cell];
    for (let other = 0; other < cells; other++) along[m * cells + other] += sign * products[cell * cells + other];
    for (let l = 0; l < groups; l++) this.clusterCounts[m * groups + l] += sign * this.counts[cell * groups + l];
  }

  private count(): void {
    for (const list of [this.members, this.people, this.squares, this.clusterCounts, this.along]) list.fill(0);
    for (let cell = 0; cell < this.cells; cell++) this.add(this.owner[cell], cell, 1);
  }

  private distance(a: number, b: number): number {
    const { cells, sizes, products } = this;
    if (sizes[a] <= 0 || sizes[b] <= 0) return 0;
    const own = products[a * cells + a] / sizes[a] ** 2 + products[b * cells + b] / sizes[b] ** 2;
    return Math.max(0, own - (2 * products[a * cells + b]) / (sizes[a] * sizes[b]));
  }
}
