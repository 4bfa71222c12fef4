import { uniform } from "../../solver/seeded-chance.js";
import type { People } from "../../table/types.js";

/** What centres are compared by: first people beyond what is promised, then the sum of squared distances. */
export interface Served {
  readonly beyond: number;
  readonly cost: number;
}

/** A move that lowers the cost by less than this part of it is not made. */
const leastGain = 1e-6;
/** Of a limit: a centre exactly at it is within. Far less than what a verdict forgives. */
const rounding = 1e-10;

/** k centres, and who is served by them from how far. */
export class Serving {
  readonly n: number;
  private readonly dims: number;
  /** [n][dims] */
  private readonly points: Float64Array;
  /** [n]: the largest squared distance that is allowed. */
  private readonly limits: Float64Array;
  /** [k][dims] */
  private readonly places: Float64Array;
  /** [k][n]: squared distances to the centres. */
  private readonly squared: Float64Array;
  private readonly nearest: Uint16Array;
  private readonly first: Float64Array;
  private readonly second: Float64Array;
  private readonly trial: Float64Array;
  standing: Served = { beyond: Number.POSITIVE_INFINITY, cost: Number.POSITIVE_INFINITY };

  constructor(
    { n, dimensions }: Pick<People, "n" | "dimensions">,
    readonly k: number,
    readonly radii: Float64Array,
    factor: number,
  ) {
    this.n = n;
    this.dims = dimensions.length;
    this.points = new Float64Array(n * this.dims);
    dimensions.forEach((column, j) => {
      for (let i = 0; i < n; i++) this.points[i * this.dims + j] = column[i];
    });
    this.limits = radii.map((radius) => (factor * radius) ** 2 * (1 + rounding));
    this.places = new Float64Array(k * this.dims);
    this.squared = new Float64Array(k * n);
    this.nearest = new Uint16Array(n);
    this.first = new Float64Array(n);
    this.second = new Float64Array(n);
    this.trial = new Float64Array(n);
  }

  place(centres: readonly Float64Array[]): void {
    centres.forEach((centre, m) => {
      this.places.set(centre, m * this.dims);
      this.measure(centre, this.column(m));
    });
    this.serve();
  }

  centres(): Float64Array[] {
    return Array.from({ length: this.k }, (_, m) => this.places.slice(m * this.dims, (m + 1) * this.dims));
  }

  isBetter(one: Served, other: Served): boolean {
    return one.beyond < other.beyond || (one.beyond === other.beyond && one.cost < other.cost * (1 - leastGain));
  }

  /** Squared distances of everybody to a person. */
  readonly distancesTo = (person: number): Float64Array => {
    this.measure(this.pointOf(person), this.trial);
    return this.trial;
  };

  /** These people as centres, and others up to k: each drawn by the squared distance to those who are there. */
  filled(people: readonly number[], seed: number): Float64Array[] {
    const chosen = [...people];
    const least = new Float64Array(this.n).fill(Number.POSITIVE_INFINITY);
    const add = (person: number) => {
      this.distancesTo(person).forEach((distance, i) => {
        if (distance < least[i]) least[i] = distance;
      });
    };
    people.forEach(add);
    while (chosen.length < this.k) {
      const [drawn] = drawByCost(least, 1, seed + chosen.length);
      chosen.push(drawn);
      add(drawn);
    }
    return chosen.map((person) => this.pointOf(person).slice());
  }

  /** People who may be good centres: those beyond what is promised, the smallest radius first, and others drawn by their cost. */
  candidates(count: number, seed: number): number[] {
    const beyond = Array.from(this.first.keys()).filter((i) => this.first[i] > this.limits[i]);
    beyond.sort((a, b) => this.radii[a] - this.radii[b] || a - b);
    return [...beyond.slice(0, count), ...drawByCost(this.first, count, seed)];
  }

  /** Moves a centre towards the mean of those it serves, by the first of these parts of the way that helps. */
  moveToMean(m: number, parts: readonly number[]): boolean {
    const mean = new Float64Array(this.dims);
    let people = 0;
    for (let i = 0; i < this.n; i++) {
      if (this.nearest[i] !== m) continue;
      people++;
      for (let j = 0; j < this.dims; j++) mean[j] += this.points[i * this.dims + j];
    }
    if (people === 0) return false;
    const from = this.places.subarray(m * this.dims, (m + 1) * this.dims);
    return parts.some((part) => {
      const place = from.map((x, j) => x + part * (mean[j] / people - x));
      this.measure(place, this.trial);
      const found = this.replacing();
      return this.takeIfBetter(m, place, found.at(m));
    });
  }

  /** Puts a person in the place of the centre that is missed least, where that helps. */
  swapIn(person: number): boolean {
    const place = this.pointOf(person).slice();
    this.measure(place, this.trial);
    const found = this.replacing();
    let [best, standing] = [0, found.at(0)];
    for (let m = 1; m < this.k; m++) {
      const other = found.at(m);
      if (other.beyond < standing.beyond || (other.beyond === standing.beyond && other.cost < standing.cost))
        [best, standing] = [m, other];
    }
    return this.takeIfBetter(best, place, standing);
  }

  private takeIfBetter(m: number, place: Float64Array, standing: Served): boolean {
    if (!this.isBetter(standing, this.standing)) return false;
    this.places.set(place, m * this.dims);
    this.column(m).set(this.trial);
    this.serve();
    return true;
  }

  /** What would come of it if the centre at the distances of `trial` replaced another one, for each of them. */
  private replacing(): { at(m: number): Served } {
    const { nearest, first, second, limits, trial } = this;
    const costs = new Float64Array(this.k);
    const beyonds = new Float64Array(this.k);
    let [cost, beyond] = [0, 0];
    for (let i = 0; i < this.n; i++) {
      const with_ = Math.min(first[i], trial[i]);
      const over = with_ > limits[i] ? 1 : 0;
      cost += with_;
      beyond += over;
      const without = Math.min(second[i], trial[i]);
      costs[nearest[i]] += without - with_;
      beyonds[nearest[i]] += (without > limits[i] ? 1 : 0) - over;
    }
    return { at: (m) => ({ beyond: beyond + beyonds[m], cost: cost + costs[m] }) };
  }

  private serve(): void {
    const { n, k, squared, nearest, first, second } = this;
    first.fill(Number.POSITIVE_INFINITY);
    second.fill(Number.POSITIVE_INFINITY);
    for (let m = 0, at = 0; m < k; m++) {
      for (let i = 0; i < n; i++, at++) {
        const distance = squared[at];
        if (distance < first[i]) {
          second[i] = first[i];
          first[i] = distance;
          nearest[i] = m;
        } else if (distance < second[i]) second[i] = distance;
      }
    }
    let [cost, beyond] = [0, 0];
    for (let i = 0; i < n; i++) {
      cost += first[i];
      if (first[i] > this.limits[i]) beyond++;
    }
    this.standing = { beyond, cost };
  }

  private measure(place: Float64Array, into: Float64Array): void {
    const { points, dims } = this;
    for (let i = 0, at = 0; i < this.n; i++) {
      let sum = 0;
      for (let j = 0; j < dims; j++, at++) {
        const difference = points[at] - place[j];
        sum += difference * difference;
      }
      into[i] = sum;
    }
  }

  private column(m: number): Float64Array {
    return this.squared.subarray(m * this.n, (m + 1) * this.n);
  }

  private pointOf(person: number): Float64Array {
    return this.points.subarray(person * this.dims, (person + 1) * this.dims);
  }
}

/** People drawn with chances in proportion to these costs; the first person where all are 0. */
function drawByCost(costs: Float64Array, count: number, seed: number): number[] {
  let total = 0;
  const sums = costs.map((cost) => {
    total += Number.isFinite(cost) ? cost : 1;
    return total;
  });
  return Array.from({ length: count }, (_, draw) => {
    const target = uniform(seed, draw) * total;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] > target) high = middle;
      else low = middle + 1;
    }
    return low;
  });
}
