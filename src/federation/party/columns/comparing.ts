import { defined } from "../../../defined.js";
import type { TieOrder } from "../../../privacy/blinding/pass.js";
import { uniform } from "../../../solver/seeded-chance.js";
import type { Exchange, Parts } from "./exchange.js";

/** The widest row that is compared at once; it may be narrower, so that factors have two octaves of free bits. */
const widestRow = 64;
/** The widest row whose answer is a byte. */
const widestAnswer = 255;
/** The most items whose order is found by comparing each with each, in one round. */
const mostPairs = 128;
/** Parts so large, or so small below 0, stand for "never" and "always". */
const aboveAll = 2 ** 53;

/** Those who compete, and this party's part of what each is worth. The earlier one wins a tie. */
export interface Contest {
  readonly contenders: Uint32Array;
  readonly worth: (contender: number) => number;
}

/** Somebody in a contest. */
export interface ContestWinner {
  readonly contest: number;
  readonly contender: number;
}

/** What the coordinator may know: how many contenders there are at most, in all and in one contest. */
interface ContestBounds {
  readonly contenders: number;
  readonly largest: number;
}

/** How far sums of the parts may reach, and hence how many bits are left for the secret factors. */
export interface ScoreRange {
  /** No two sums of parts differ by this much. */
  readonly range: number;
  /** What a part beyond all numbers counts as, where some may be. */
  readonly wall?: number;
  /** All sums of parts are whole multiples of this; default 1. */
  readonly step?: number;
  /** Whether the coordinator may not see the sums of a masked run either. */
  readonly secret?: boolean;
  /** For the journal. */
  readonly what: string;
}

/** All that parties find out together by comparing sums of their parts; nothing else of the sums is disclosed. */
export class Comparing {
  private drawn = 0;

  constructor(private readonly exchange: Exchange) {}

  /**
   * Which column of each row is the smallest. In a tie people stay where they are (`own`, 0xffff for nowhere), or the lowest
   * column wins. Rows that are too wide for the free bits are decided part by part.
   */
  async columns(
    rows: number,
    width: number,
    parts: Parts,
    own: Uint16Array | undefined,
    reach: ScoreRange,
  ): Promise<Uint16Array> {
    if (width <= this.width(reach, widestAnswer)) return this.ask(rows, width, parts, own ?? "index", reach);
    const all = walled(await parts(0, rows), reach);
    const order = (row: number, rank: number) => {
      const first = own === undefined || own[row] === 0xffff ? 0 : own[row];
      return rank === 0 ? first : rank <= first ? rank - 1 : rank;
    };
    const ranks = Uint32Array.from({ length: width }, (_, rank) => rank);
    const contests = Array.from({ length: rows }, (_, row): Contest => {
      return { contenders: ranks, worth: (rank) => all[row * width + order(row, rank)] };
    });
    const best = await this.smallestOfEach(contests, { contenders: rows * width, largest: width }, reach);
    return Uint16Array.from(best, (rank, row) => order(row, rank));
  }

  /**
   * The least of each contest, -1 where nobody competes, by rounds of rows. How many rows there are depends on nothing but
   * the bounds on all contenders and on the largest contest: places that are left over go to contenders drawn again.
   */
  async smallestOfEach(contests: readonly Contest[], bounds: ContestBounds, reach: ScoreRange): Promise<Int32Array> {
    const { left } = await this.eliminate(contests, bounds, reach, 0);
    return Int32Array.from(left, (contenders) => contenders[0] ?? -1);
  }

  /**
   * The least of each contest that is below 0, from the least on: the numbers of the contests, and who won each. `earlier`
   * tells who comes first among equals.
   */
  async smallestBelowZero(
    contests: readonly Contest[],
    bounds: ContestBounds,
    reach: ScoreRange,
    earlier: (a: ContestWinner, b: ContestWinner) => number,
  ): Promise<ContestWinner[]> {
    const { left, most } = await this.eliminate(contests, bounds, reach, mostPairs - 1);
    const placed = left.flatMap((contenders, contest): ContestWinner[] => {
      return Array.from(contenders, (contender) => ({ contest, contender }));
    });
    placed.sort(earlier);
    const worth = placed.map(({ contest, contender }) => contests[contest].worth(contender));
    // Item 0 is worth 0 and comes first among equals: items after it are not below 0.
    const order = await this.sorted(Float64Array.of(0, ...worth), most + 1, reach);
    const won = new Set<number>();
    return order.slice(0, order.indexOf(0)).flatMap((item) => {
      const { contest } = placed[item - 1];
      if (won.has(contest)) return [];
      won.add(contest);
      return [placed[item - 1]];
    });
  }

  /** Rounds of rows until one contender of each contest is left, or until few enough are left in all, at most so many. */
  private async eliminate(
    contests: readonly Contest[],
    bounds: ContestBounds,
    reach: ScoreRange,
    enough: number,
  ): Promise<{ readonly left: readonly Uint32Array[]; readonly most: number }> {
    const width = this.width(reach, widestRow);
    let left = contests.map(({ contenders }) => contenders);
    let total = bounds.contenders;
    for (let largest = bounds.largest; largest > 1 && total > enough; largest = Math.ceil(largest / width)) {
      const rows = Math.ceil(total / width) + contests.length;
      left = await this.compareRows(contests, left, { rows, width, reach });
      total = rows;
    }
    const most = total > enough ? contests.length : total;
    return { left, most };
  }

  private async compareRows(
    contests: readonly Contest[],
    left: readonly Uint32Array[],
    { rows, width, reach }: { rows: number; width: number; reach: ScoreRange },
  ): Promise<Uint32Array[]> {
    const placed = new Uint32Array(rows * width);
    const parts = new Float64Array(rows * width);
    const seed = this.drawn++;
    let row = 0;
    const addRow = (contest: number, from: number) => {
      const contenders = left[contest];
      const own = placed.subarray(row * width, (row + 1) * width);
      for (let place = 0; place < width; place++) {
        const at = from + place;
        own[place] =
          from >= 0 && at < contenders.length
            ? contenders[at]
            : contenders[Math.floor(uniform(seed, row * width + place) * contenders.length)];
      }
      // Contenders that were drawn to fill the row stand in order too: the earlier one wins a tie.
      if (from + width > contenders.length) own.sort();
      const { worth } = contests[contest];
      for (let place = 0; place < width; place++) parts[row * width + place] = worth(own[place]);
      row++;
    };
    const first: number[] = [];
    left.forEach((contenders, contest) => {
      first.push(row);
      for (let from = 0; contenders.length > 1 && from < contenders.length; from += width) addRow(contest, from);
    });
    first.push(row);
    const open = left.flatMap(({ length }, contest) => (length > 0 ? [contest] : []));
    for (let turn = 0; row < rows && open.length > 0; turn++) addRow(open[turn % open.length], Number.NaN);
    const won = await this.rows(parts, width, reach);
    return left.map((contenders, contest) => {
      if (contenders.length <= 1) return contenders;
      const [from, to] = [first[contest], first[contest + 1]];
      return Uint32Array.from({ length: to - from }, (_, at) => placed[(from + at) * width + won[from + at]]);
    });
  }

  /** For each pair whether the sum of the second parts is less (1) than that of the first (0). */
  pairs(first: Float64Array, second: Float64Array, reach: ScoreRange): Promise<Uint16Array> {
    const parts = new Float64Array(2 * first.length);
    for (let at = 0; at < first.length; at++) {
      parts[2 * at] = first[at];
      parts[2 * at + 1] = second[at];
    }
    return this.rows(parts, 2, reach);
  }

  private rows(parts: Float64Array, width: number, reach: ScoreRange): Promise<Uint16Array> {
    return this.ask(parts.length / width, width, known(parts, width), "index", reach);
  }

  private ask(rows: number, width: number, parts: Parts, ties: TieOrder, reach: ScoreRange): Promise<Uint16Array> {
    const { range, wall, step, secret = false, what } = reach;
    const scale = { bound: range, ...defined({ wall, step }) };
    return this.exchange.least({ rows, width, parts, scale, ties, bits: bitsFor(reach), secret, what });
  }

  /** How wide a row may be: factors of rows so wide lie between the square of the width and 2^bits, two octaves at least. */
  private width(reach: ScoreRange, most: number): number {
    if (!this.exchange.blinds) return most;
    return Math.max(2, Math.min(most, Math.floor(2 ** ((bitsFor(reach) - 2.1) / 2))));
  }

  /** The items from the least to the largest; among equals the order in which they come. At most so many come. */
  private async sorted(worth: Float64Array, most: number, reach: ScoreRange): Promise<number[]> {
    const items = Array.from(worth.keys());
    if (most > mostPairs) return this.network(worth, most, reach);
    const pairs: [number, number][] = [];
    for (const a of items) for (let b = a + 1; b < items.length; b++) pairs.push([a, b]);
    const less = await this.padded(pairs, worth, (most * (most - 1)) / 2, reach);
    const losses = new Array<number>(items.length).fill(0);
    pairs.forEach(([a, b], at) => {
      losses[less[at] ? a : b]++;
    });
    return items.sort((a, b) => losses[a] - losses[b]);
  }

  /** Batcher's odd-even merge sort: as many rounds as there are layers, with no more than half of the items each. */
  private async network(worth: Float64Array, most: number, reach: ScoreRange): Promise<number[]> {
    const order = Array.from({ length: most }, (_, item) => item);
    const there = worth.length;
    for (const layer of layersOf(most)) {
      // Items beyond those that exist come last without a comparison.
      const asked = layer.filter(([a, b]) => order[a] < there && order[b] < there);
      for (const [a, b] of layer) if (order[a] >= there && order[b] < there) swap(order, a, b);
      const ranked = asked.map(([a, b]): [number, number] => {
        return order[a] < order[b] ? [order[a], order[b]] : [order[b], order[a]];
      });
      const less = await this.padded(ranked, worth, layer.length, reach);
      asked.forEach(([a, b], at) => {
        const [lower, higher] = ranked[at];
        [order[a], order[b]] = less[at] ? [higher, lower] : [lower, higher];
      });
    }
    return order.filter((item) => item < there);
  }

  /** Whether the second of each pair is less; always so many pairs are asked about. */
  private async padded(
    pairs: readonly (readonly [number, number])[],
    worth: Float64Array,
    count: number,
    reach: ScoreRange,
  ): Promise<Uint16Array> {
    const seed = this.drawn++;
    const parts = new Float64Array(2 * count);
    pairs.forEach(([first, second], at) => {
      parts[2 * at] = worth[first];
      parts[2 * at + 1] = worth[second];
    });
    for (let at = 2 * pairs.length; at < parts.length; at++) {
      parts[at] = worth[Math.floor(uniform(seed, at) * worth.length)];
    }
    return this.rows(parts, 2, reach);
  }
}

/** Parts that are all computed already, [rows][width]. */
export function known(parts: Float64Array, width: number): Parts {
  return (from, to) => parts.subarray(from * width, to * width);
}

/** This party's parts, with what it forbids higher (and what it insists on lower) than any sum of the others can be. */
export function walled(parts: Float64Array, { wall }: Pick<ScoreRange, "wall">): Float64Array {
  if (wall === undefined) return parts;
  for (let at = 0; at < parts.length; at++) {
    if (Math.abs(parts[at]) >= aboveAll) parts[at] = parts[at] > 0 ? wall : -wall;
  }
  return parts;
}

/** Factor times range stays below 2^63; more than 20 bits of factor would hide no more. */
export function bitsFor({ range, step = 1 }: ScoreRange): number {
  return Math.min(20, Math.floor(63 - Math.log2(range + step)));
}

function* layersOf(items: number): Generator<(readonly [number, number])[]> {
  for (let merged = 1; merged < items; merged *= 2) {
    for (let apart = merged; apart >= 1; apart /= 2) {
      const layer: [number, number][] = [];
      for (let from = apart % merged; from + apart < items; from += 2 * apart) {
        for (let at = from; at < Math.min(from + apart, items - apart); at++) {
          if (Math.floor(at / (2 * merged)) === Math.floor((at + apart) / (2 * merged))) layer.push([at, at + apart]);
        }
      }
      yield layer;
    }
  }
}

function swap(order: number[], a: number, b: number): void {
  [order[a], order[b]] = [order[b], order[a]];
}
