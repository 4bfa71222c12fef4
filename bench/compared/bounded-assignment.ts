/**
 * The cheapest assignment of n people to k places of which place m takes between `least[m]` and `most[m]`: a minimum-cost flow, solved by successive shortest
 * paths. All people begin at their cheapest place, which is optimal without limits; then one person after another moves along a cheapest path from
 * a place with too many to one with too few, which stays optimal for the limits met so far. Paths lead over the k places and one node beside them, into which every
 * place drains: an arc between two places is the cheapest move of anybody who is there, from a heap.
 *
 * `given` has n rows of k costs, which are rounded to 44 bits of the largest: whole numbers, so that no cycle of moves seems to gain by rounding. The limits must
 * leave room for everybody.
 */
export function assignWithin(
  given: Float64Array,
  k: number,
  least: readonly number[],
  most: readonly number[],
): Uint16Array {
  const unit = given.reduce((largest, cost) => Math.max(largest, cost), 0) * 2 ** -44 || 1;
  const costs = given.map((cost) => Math.round(cost / unit));
  const labels = cheapestPlaces(costs, k);
  const counts = new Array<number>(k).fill(0);
  for (const label of labels) counts[label]++;
  // What drains from each place keeps its limits; what remains there, or is lacking, is its excess. The drain's excess balances them.
  const drained = counts.map((count, m) => Math.min(most[m], Math.max(least[m], count)));
  const drain = k;
  const excess = counts.map((count, m) => count - drained[m]);
  excess.push(sum(drained) - labels.length);

  const moves = new Moves(costs, k, labels);
  const distance = new Float64Array(k + 1);
  const before = new Int32Array(k + 1);
  while (excess.some((value) => value > 0)) {
    findPaths();
    let end = -1;
    for (let node = 0; node <= k; node++) {
      if (excess[node] < 0 && (end < 0 || distance[node] < distance[end])) end = node;
    }
    excess[end]++;
    while (before[end] >= 0) {
      const from = before[end];
      if (from === drain) drained[end]--;
      else if (end === drain) drained[from]++;
      else moves.move(from, end);
      end = from;
    }
    excess[end]--;
  }
  return labels;

  /** Cheapest paths from every node with an excess (Bellman and Ford). */
  function findPaths(): void {
    for (let node = 0; node <= k; node++) {
      distance[node] = excess[node] > 0 ? 0 : Number.POSITIVE_INFINITY;
      before[node] = -1;
    }
    for (let round = 0, changed = true; changed && round <= k; round++) {
      changed = false;
      for (let from = 0; from <= k; from++) {
        if (distance[from] === Number.POSITIVE_INFINITY) continue;
        for (let to = 0; to <= k; to++) {
          if (to === from) continue;
          const through = distance[from] + costOf(from, to);
          if (through < distance[to]) {
            distance[to] = through;
            before[to] = from;
            changed = true;
          }
        }
      }
    }
  }

  function costOf(from: number, to: number): number {
    if (to === drain) return drained[from] < most[from] ? 0 : Number.POSITIVE_INFINITY;
    if (from === drain) return drained[to] > least[to] ? 0 : Number.POSITIVE_INFINITY;
    return moves.cost(from, to);
  }
}

function cheapestPlaces(costs: Float64Array, k: number): Uint16Array {
  const labels = new Uint16Array(costs.length / k);
  for (let i = 0; i < labels.length; i++) {
    let best = 0;
    for (let m = 1; m < k; m++) if (costs[i * k + m] < costs[i * k + best]) best = m;
    labels[i] = best;
  }
  return labels;
}

/** For each pair of places the people of the first, cheapest move to the second first. */
class Moves {
  private readonly heaps: Int32Array[];
  private readonly lengths: Int32Array;

  constructor(
    private readonly costs: Float64Array,
    private readonly k: number,
    private readonly labels: Uint16Array,
  ) {
    const members = Array.from({ length: k }, (): number[] => []);
    labels.forEach((label, i) => {
      members[label].push(i);
    });
    this.lengths = new Int32Array(k * k);
    this.heaps = Array.from({ length: k * k }, (_, pair) => {
      const people = members[Math.floor(pair / k)];
      this.lengths[pair] = people.length;
      return Int32Array.from(people);
    });
    for (let pair = 0; pair < k * k; pair++) {
      for (let at = (this.lengths[pair] >> 1) - 1; at >= 0; at--) this.sink(pair, at);
    }
  }

  /** What the cheapest move costs; infinity where nobody is left. */
  cost(from: number, to: number): number {
    const pair = from * this.k + to;
    const heap = this.heaps[pair];
    // Those who have left stay in the heap until they are at its top.
    while (this.lengths[pair] > 0 && this.labels[heap[0]] !== from) this.removeTop(pair);
    return this.lengths[pair] > 0 ? this.key(pair, heap[0]) : Number.POSITIVE_INFINITY;
  }

  move(from: number, to: number): void {
    const pair = from * this.k + to;
    const person = this.heaps[pair][0];
    this.removeTop(pair);
    this.labels[person] = to;
    for (let next = 0; next < this.k; next++) if (next !== to) this.add(to * this.k + next, person);
  }

  private key(pair: number, person: number): number {
    const row = person * this.k;
    return this.costs[row + (pair % this.k)] - this.costs[row + Math.floor(pair / this.k)];
  }

  private add(pair: number, person: number): void {
    let heap = this.heaps[pair];
    let at = this.lengths[pair]++;
    if (at === heap.length) {
      heap = new Int32Array(2 * at + 8);
      heap.set(this.heaps[pair]);
      this.heaps[pair] = heap;
    }
    const key = this.key(pair, person);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.key(pair, heap[parent]) <= key) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = person;
  }

  private removeTop(pair: number): void {
    const heap = this.heaps[pair];
    heap[0] = heap[--this.lengths[pair]];
    this.sink(pair, 0);
  }

  private sink(pair: number, start: number): void {
    const heap = this.heaps[pair];
    const length = this.lengths[pair];
    const person = heap[start];
    const key = this.key(pair, person);
    let at = start;
    for (let child = 2 * at + 1; child < length; child = 2 * at + 1) {
      if (child + 1 < length && this.key(pair, heap[child + 1]) < this.key(pair, heap[child])) child++;
      if (this.key(pair, heap[child]) >= key) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = person;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
