import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import type { JumpableRandomGenerator } from "pure-rand/types/JumpableRandomGenerator";

/**
 * Seeded random numbers for invented data. Each stream of a seed is a far-away part of one sequence, so that a column
 * stays as it is when others are added.
 */
export class Random {
  private readonly generator: JumpableRandomGenerator;
  private spare = Number.NaN;

  constructor(seed: number, stream = 0) {
    // Neighbouring seeds must not give neighbouring states: the generator's own seeding barely mixes.
    const mix = mixer(seed);
    this.generator = xoroshiro128plusFromState([mix(), mix(), mix(), mix()]);
    for (let i = 0; i < stream; i++) this.generator.jump();
  }

  /** Goes on by so many numbers of 32 bits: one for each `uniform`, `below` and `choose`. */
  skip(count: number): this {
    for (let i = 0; i < count; i++) this.generator.next();
    return this;
  }

  /** 0 to 255, from the generator's best bits. */
  byte(): number {
    return this.generator.next() >>> 24;
  }

  /** Between 0 and 1, both left out. */
  uniform(): number {
    return ((this.generator.next() >>> 0) + 0.5) * 2 ** -32;
  }

  below(count: number): number {
    return Math.floor(this.uniform() * count);
  }

  /** Standard normal, by Marsaglia's polar method, which makes two at a time. */
  normal(): number {
    if (!Number.isNaN(this.spare)) {
      const value = this.spare;
      this.spare = Number.NaN;
      return value;
    }
    for (;;) {
      const x = 2 * this.uniform() - 1;
      const y = 2 * this.uniform() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      this.spare = y * factor;
      return x * factor;
    }
  }

  /** An index with probability in proportion to its weight; `cumulative` ends at the total. */
  choose(cumulative: ArrayLike<number>): number {
    const target = this.uniform() * cumulative[cumulative.length - 1];
    let index = 0;
    while (index < cumulative.length - 1 && cumulative[index] <= target) index++;
    return index;
  }
}

export function cumulate(weights: readonly number[]): Float64Array {
  let total = 0;
  return Float64Array.from(weights, (weight) => {
    total += weight;
    return total;
  });
}

/** SplitMix32 over both halves of the seed. */
function mixer(seed: number): () => number {
  let state = (seed | 0) ^ Math.imul(Math.floor(seed / 2 ** 32) | 0, 0x85ebca6b);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
}
