import type { Range } from "../../../kernels/rows.js";

interface PlacedRange {
  readonly range: Range;
  /** Where it begins among all of them. */
  readonly at: number;
}

type PersonNumbers = Float64Array | Uint16Array;

/** Some ranges of the people, one after the other: they are asked about in one round. */
export class Stretches {
  readonly length: number;

  constructor(private readonly ranges: readonly Range[]) {
    this.length = ranges.reduce((total, { from, to }) => total + to - from, 0);
  }

  /** What lies between two positions. */
  between(from: number, to: number): Stretches {
    const parts = this.placed().map(({ range, at }) => ({
      from: Math.max(range.from, range.from + from - at),
      to: Math.min(range.to, range.from + to - at),
    }));
    return new Stretches(parts.filter((part) => part.from < part.to));
  }

  placed(): PlacedRange[] {
    let at = 0;
    return this.ranges.map((range) => {
      const placed = { range, at };
      at += range.to - range.from;
      return placed;
    });
  }

  /** The numbers of all ranges, `width` for each person, one after the other. */
  async gather<T extends PersonNumbers>(
    of: (range: Range) => Promise<T>,
    numbers: new (length: number) => T,
    width = 1,
  ): Promise<T> {
    if (this.ranges.length === 1) return of(this.ranges[0]);
    const all = new numbers(this.length * width);
    for (const { range, at } of this.placed()) all.set(await of(range), at * width);
    return all;
  }
}
