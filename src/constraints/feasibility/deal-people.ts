import { leastMembers, mostMembers, type Requirements } from "./request.js";

/** Swaps that one step looks at, and all of them: where this is not enough the integer programs take over. */
const mostSwaps = { step: 200_000, all: 5_000_000 };
const mostSteps = 400;

/** Sizes that differ by at most one, ascending. They are within the limits whenever any sizes are. */
function nearEqualSizes(n: number, k: number): number[] {
  const small = Math.floor(n / k);
  return Array.from({ length: k }, (_, m) => (m >= k - (n % k) ? small + 1 : small));
}

/**
 * People dealt out to clusters of nearly equal size, each pattern as evenly as whole people allow: the share of each
 * pattern rounded down, then the rest one by one to where their groups are shortest, then swaps while they help.
 * Usually meets the request when anything does; the caller checks.
 */
export function dealPeople(request: Requirements): Int32Array {
  const deal = new DealtPeople(request);
  deal.dealShares();
  deal.dealRest();
  for (let step = 0; step < mostSteps; step++) if (!deal.swapOnce()) break;
  return deal.counts;
}

class DealtPeople {
  readonly counts: Int32Array;
  private readonly sizes: number[];
  private readonly room: number[];
  /** For each attribute: groups in rows, clusters in columns. */
  private readonly members: Float64Array[];
  private readonly first: Float64Array[];
  private readonly last: Float64Array[];
  private seen = 0;

  constructor(private readonly request: Requirements) {
    const { n, k, bounds, tolerance, patterns } = request;
    this.counts = new Int32Array(patterns.counts.length * k);
    this.sizes = nearEqualSizes(n, k);
    this.room = [...this.sizes];
    const cells = () => bounds.map(({ groups }) => new Float64Array(groups.length * k));
    this.members = cells();
    this.first = cells();
    this.last = cells();
    bounds.forEach(({ lower, upper }, a) => {
      for (let cell = 0; cell < lower.length * k; cell++) {
        const l = Math.floor(cell / k);
        this.first[a][cell] = leastMembers(this.sizes[cell % k], lower[l], tolerance);
        this.last[a][cell] = mostMembers(this.sizes[cell % k], upper[l], tolerance);
      }
    });
  }

  dealShares(): void {
    const { n, k, patterns } = this.request;
    for (let p = 0; p < patterns.counts.length; p++) {
      for (let m = 0; m < k; m++) this.add(p, m, Math.floor((patterns.counts[p] * this.sizes[m]) / n));
    }
  }

  dealRest(): void {
    const { n, k, bounds, patterns } = this.request;
    // Rare patterns first: their groups have the least choice.
    const order = Array.from({ length: patterns.counts.length }, (_, p) => p);
    order.sort((p, q) => patterns.counts[p] - patterns.counts[q] || p - q);
    for (const p of order) {
      let rest = patterns.counts[p];
      for (let m = 0; m < k; m++) rest -= this.counts[p * k + m];
      for (; rest > 0; rest--) {
        let best = -1;
        let bestSurplus = Number.POSITIVE_INFINITY;
        for (let m = 0; m < k; m++) {
          if (this.room[m] === 0) continue;
          let surplus = 0;
          for (let a = 0; a < bounds.length; a++) {
            const l = patterns.codes[a][p];
            surplus += this.members[a][l * k + m] - (bounds[a].counts[l] * this.sizes[m]) / n;
          }
          if (surplus < bestSurplus - 1e-12) [best, bestSurplus] = [m, surplus];
        }
        this.add(p, best, 1);
      }
    }
  }

  /** Swaps two people so that fewer are beyond the bounds; false when no such swap was found. */
  swapOnce(): boolean {
    const { k, bounds, patterns } = this.request;
    let worst = 0;
    let [at, cell] = [-1, -1];
    for (let a = 0; a < bounds.length; a++) {
      for (let c = 0; c < this.members[a].length; c++) {
        const beyond = this.beyond(a, c, 0);
        if (beyond > worst) [worst, at, cell] = [beyond, a, c];
      }
    }
    if (at < 0) return false;
    const group = Math.floor(cell / k);
    const here = cell % k;
    const tooMany = this.members[at][cell] > this.last[at][cell];
    let best: [number, number, number] | undefined;
    let bestGain = 0;
    let seen = 0;
    const most = Math.min(mostSwaps.step, mostSwaps.all - this.seen);
    for (let p = 0; p < patterns.counts.length; p++) {
      // The one who leaves: a member where there are too many, anyone else where there are too few.
      if (this.counts[p * k + here] === 0 || (patterns.codes[at][p] === group) !== tooMany) continue;
      for (let q = 0; q < patterns.counts.length; q++) {
        if ((patterns.codes[at][q] === group) === tooMany) continue;
        for (let there = 0; there < k; there++) {
          if (there === here || this.counts[q * k + there] === 0) continue;
          if (++seen > most) break;
          const gain = this.gain(p, here, q, there);
          if (gain > bestGain) [best, bestGain] = [[p, q, there], gain];
        }
      }
    }
    this.seen += seen;
    if (best === undefined) return false;
    const [p, q, there] = best;
    this.add(p, here, -1);
    this.add(q, here, 1);
    this.add(q, there, -1);
    this.add(p, there, 1);
    return true;
  }

  private gain(p: number, here: number, q: number, there: number): number {
    const { k, bounds, patterns } = this.request;
    let gain = 0;
    for (let a = 0; a < bounds.length; a++) {
      const from = patterns.codes[a][p] * k;
      const to = patterns.codes[a][q] * k;
      if (from === to) continue;
      gain += this.beyond(a, from + here, 0) - this.beyond(a, from + here, -1);
      gain += this.beyond(a, to + here, 0) - this.beyond(a, to + here, 1);
      gain += this.beyond(a, to + there, 0) - this.beyond(a, to + there, -1);
      gain += this.beyond(a, from + there, 0) - this.beyond(a, from + there, 1);
    }
    return gain;
  }

  private beyond(a: number, cell: number, change: number): number {
    const count = this.members[a][cell] + change;
    return Math.max(0, count - this.last[a][cell], this.first[a][cell] - count);
  }

  private add(p: number, m: number, people: number): void {
    const { k, bounds, patterns } = this.request;
    this.counts[p * k + m] += people;
    this.room[m] -= people;
    for (let a = 0; a < bounds.length; a++) this.members[a][patterns.codes[a][p] * k + m] += people;
  }
}
