import { MoietyError } from "../errors.js";
import { encodeQuery } from "./byte-rows.js";
import { none } from "./job.js";
import type { ListRows, Lists } from "./types.js";
import type { VectorRows, Workspace } from "./workspace.js";

/** Where rows of lists and vectors come from: a file, or memory. */
export interface VectorStore {
  /** Reads the rows [from, to) of all lists: numbers, or bytes. */
  readRows(from: number, to: number, into: Uint8Array): void;
  /** Reads one vector's numbers. */
  readVector(vector: number, into: Float32Array): void;
  close(): void;
}

export interface SearchLimits {
  readonly k: number;
  readonly prune: number;
  readonly depth: number;
  readonly most: number;
  readonly lists: number;
}

/** The lists into which queries look, one after the other. */
export interface SearchOrder {
  /** [queries][probes], `none` behind the last. */
  readonly order: Uint32Array;
  /** How much farther each is than the first: the square root of the difference of squared distances with prices. */
  readonly reach: Float32Array;
  /** How far the centre of each is. */
  readonly away: Float32Array;
}

export interface FoundNeighbours {
  /** The vectors found for each query, nearest first: [queries][k]; `none` where there are fewer than k. */
  readonly found: Uint32Array;
  /** How far away they are. */
  readonly distances: Float64Array;
  /** Rows that were looked at for each query. */
  readonly scanned: Uint32Array;
}

/** So many queries are answered at a time. */
const chunk = 1024;

/** So many vectors are read at a time where all are looked at. */
const together = 8192;

/** Of rows of bytes so many times k are ranked again by the vectors themselves. */
const rankedAgain = 4;

/** The most bytes of rows in one memory of 4 GB. */
const mostBytes = 3.5e9;

/** Nothing is left out. */
export const exhaustive = { prune: 1e30, depth: 1e30, most: 2 ** 31 - 1, lists: Number.POSITIVE_INFINITY } as const;

/** The lists of an index in the kernels' memory. Rows of a list are read when a query first looks into it. */
export class ListSearch {
  private readonly there: Uint8Array;
  private readonly addresses;
  private readonly rowBytes: number;
  private readonly query: Float32Array;
  private readonly vector: Float32Array;

  constructor(
    private readonly space: Workspace,
    private readonly lists: Lists,
    private readonly rows: ListRows,
    /** Of each vector. */
    squares: Float32Array,
    private readonly store: VectorStore,
  ) {
    const { stride } = space;
    const { centres, prices, steps } = lists;
    this.rowBytes = steps.length > 0 ? stride : stride * 4;
    if (rows.vectors.length * this.rowBytes > mostBytes) {
      const advice = this.rowBytes === stride ? "divide the vectors into two indexes" : "use `bytes`";
      const size = (rows.vectors.length * this.rowBytes) / 1e9;
      throw new MoietyError("usage", `rows of ${size.toFixed(1)} GB are more than the 3.5 GB of one index: ${advice}`);
    }
    const isProduct = steps.length > 0 || !space.differences;
    this.there = new Uint8Array(prices.length);
    this.query = new Float32Array(stride);
    this.vector = new Float32Array(stride);
    this.addresses = {
      rows: space.arena.allocate(rows.vectors.length * this.rowBytes),
      terms: space.copy(Float32Array.from(rows.vectors, (vector) => (isProduct ? squares[vector] : 0))),
      ids: space.copy(rows.vectors),
      radii: space.copy(rows.radii),
      starts: space.copy(rows.starts),
      centres: space.copy(centres),
      prices: space.copy(prices),
      priced: space.copy(space.termsOf(centres).map((square, m) => square + prices[m])),
    };
  }

  /** All lists in the order in which each query would look into them. */
  async orderOf(queries: VectorRows): Promise<SearchOrder> {
    const { space, there } = this;
    const probes = there.length;
    const length = queries.count * probes;
    const order = space.arena.allocate(length * 4);
    const reach = space.arena.allocate(length * 4);
    const away = space.arena.allocate(length * 4);
    const scratch = space.useScratch(probes);
    return space.during([order, reach, away, scratch], async () => {
      space.job.set({ ...this.addresses, order, reach, away, probes, lists: probes, queries: queries.at });
      await space.searchers.call("route", space.job.at, 0, queries.count);
      const copied = (at: number) => space.floats(at, length).slice();
      return { order: space.words(order, length).slice(), reach: copied(reach), away: copied(away) };
    });
  }

  /** How many rows are kept for k neighbours: more where they are ranked again. */
  keptFor(k: number): number {
    return Math.min(this.rowBytes === this.space.stride ? k * rankedAgain : k, this.lists.labels.length);
  }

  /** The nearest vectors of each query: with `walk` in the lists that it names, told after each how far away the k-th row found was. */
  async search(
    queries: VectorRows,
    { k, prune, depth, most, lists }: SearchLimits,
    walk?: Pick<SearchOrder, "order" | "away"> & { readonly kth: Float32Array },
  ): Promise<FoundNeighbours> {
    const { space, there } = this;
    const { job, arena, searchers, stride } = space;
    const isBytes = this.rowBytes === stride;
    const wanted = this.keptFor(k);
    const count = Math.min(chunk, queries.count);
    const probes = Math.min(lists, there.length);
    const found = new Uint32Array(queries.count * k).fill(none);
    const distances = new Float64Array(queries.count * k).fill(Number.POSITIVE_INFINITY);
    const scanned = new Uint32Array(queries.count);
    const at = {
      order: arena.allocate(count * probes * 4),
      reach: arena.allocate(count * probes * 4),
      away: arena.allocate(count * probes * 4),
      found: arena.allocate(count * wanted * 4),
      scores: arena.allocate(count * wanted * 4),
      scanned: arena.allocate(count * 4),
      kth: walk ? arena.allocate(count * probes * 4) : 0,
      codes: isBytes ? arena.allocate(count * stride * 2) : 0,
      factors: isBytes ? arena.allocate(count * 4) : 0,
    };
    const scratch = space.useScratch(there.length);
    return space.during([...Object.values(at), scratch], async () => {
      const fields = { k: wanted, probes, prune, depth, most, lists: there.length, bytes: isBytes ? 1 : 0 };
      for (let from = 0; from < queries.count; from += chunk) {
        const now = Math.min(chunk, queries.count - from);
        job.set({ ...this.addresses, ...at, ...fields, queries: queries.at + from * stride * 4 });
        if (isBytes) this.encode(queries, from, now, at);
        if (walk) {
          space.words(at.order, now * probes).set(walk.order.subarray(from * probes, (from + now) * probes));
          space.floats(at.away, now * probes).set(walk.away.subarray(from * probes, (from + now) * probes));
        } else await searchers.call("route", job.at, 0, now);
        this.fetch(space.words(at.order, now * probes));
        await searchers.call("search", job.at, 0, now);
        scanned.set(space.words(at.scanned, now), from);
        walk?.kth.set(space.floats(at.kth, now * probes), from * probes);
        const candidates = space.words(at.found, now * wanted);
        for (let q = 0; q < now; q++) {
          this.query.set(space.numbers(queries, from + q, from + q + 1));
          const ranked = this.rank(candidates.subarray(q * wanted, (q + 1) * wanted)).slice(0, k);
          ranked.forEach(({ vector, distance }, place) => {
            found[(from + q) * k + place] = vector;
            distances[(from + q) * k + place] = distance;
          });
        }
      }
      return { found, distances, scanned };
    });
  }

  /** The nearest of all vectors by their own numbers, whatever rows of bytes make of them. */
  async searchAll(queries: VectorRows, k: number): Promise<FoundNeighbours> {
    const { space, vector: numbers } = this;
    const n = this.lists.labels.length;
    const found = new Uint32Array(queries.count * k).fill(none);
    const scores = new Float32Array(queries.count * k).fill(Number.POSITIVE_INFINITY);
    const distances = new Float64Array(queries.count * k).fill(Number.POSITIVE_INFINITY);
    const part = space.allocateRows(Math.min(n, together));
    await space.during([part.at], async () => {
      for (let from = 0; from < n; from += together) {
        const rows = { at: part.at, count: Math.min(together, n - from) };
        for (let i = 0; i < rows.count; i++) {
          this.store.readVector(from + i, numbers);
          space.numbers(rows, i, i + 1).set(numbers);
        }
        const near = await space.nearest(queries, rows, Math.min(k, rows.count));
        for (let i = 0; i < near.found.length; i++) {
          const first = Math.floor(i / near.k) * k;
          // From the last place up: whoever was found before keeps it among equals.
          let place = first + k;
          for (; place > first && near.scores[i] < scores[place - 1]; place--) {
            if (place === first + k) continue;
            scores[place] = scores[place - 1];
            found[place] = found[place - 1];
          }
          if (place === first + k) continue;
          scores[place] = near.scores[i];
          found[place] = from + near.found[i];
        }
      }
    });
    for (let q = 0; q < queries.count; q++) {
      this.query.set(space.numbers(queries, q, q + 1));
      this.rank(found.slice(q * k, (q + 1) * k)).forEach(({ vector, distance }, place) => {
        found[q * k + place] = vector;
        distances[q * k + place] = distance;
      });
    }
    return { found, distances, scanned: new Uint32Array(queries.count).fill(n) };
  }

  /** The true distances of the vectors found from the query, least first; among equals in the order of vectors. */
  private rank(vectors: Uint32Array): { vector: number; distance: number }[] {
    const { query, vector: numbers } = this;
    const ranked = [];
    for (const vector of vectors) {
      if (vector === none) break;
      this.store.readVector(vector, numbers);
      let square = 0;
      for (let j = 0; j < numbers.length; j++) square += (query[j] - numbers[j]) ** 2;
      ranked.push({ vector, distance: Math.sqrt(square) });
    }
    return ranked.sort((a, b) => a.distance - b.distance || a.vector - b.vector);
  }

  private encode(queries: VectorRows, from: number, count: number, at: { codes: number; factors: number }): void {
    const { space } = this;
    const codes = new Int16Array(space.arena.memory.buffer, at.codes, count * space.stride);
    const factors = space.floats(at.factors, count);
    for (let q = 0; q < count; q++) {
      const into = codes.subarray(q * space.stride, (q + 1) * space.stride);
      factors[q] = -2 * encodeQuery(space.numbers(queries, from + q, from + q + 1), this.lists.steps, into);
    }
  }

  /** Reads the lists that are not there yet. */
  private fetch(order: Uint32Array): void {
    const { starts } = this.rows;
    for (const list of order) {
      if (list === none || this.there[list] === 1) continue;
      const from = starts[list];
      const to = starts[list + 1];
      const into = this.space.bytes(this.addresses.rows + from * this.rowBytes, (to - from) * this.rowBytes);
      this.store.readRows(from, to, into);
      this.there[list] = 1;
    }
  }
}
