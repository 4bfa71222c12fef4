import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { MoietyError } from "../../errors.js";

/** Where random bytes come from: the caller gives it. */
export interface NoiseSource {
  /** Only the operating system's randomness hides anything; results say which it was. */
  readonly secret: boolean;
  fill(bytes: Uint8Array): void;
}

/** Repeatable bytes for tests and benchmarks. Whoever knows the seed can subtract the noise, hence `secret` is false. */
export function seededNoise(seed: number): NoiseSource {
  let state = seed | 0;
  const word = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
  const generator = xoroshiro128plusFromState([word(), word(), word(), word() | 1]);
  return {
    secret: false,
    fill(bytes) {
      for (let at = 0; at < bytes.length; at++) bytes[at] = generator.next() >>> 24;
    },
  };
}

const bufferBytes = 4096;

/**
 * Exact chance from random bytes: whole numbers and fractions only. No floating point enters, so every probability is
 * exactly what it says (Canonne, Kamath and Steinke 2020, section 5).
 */
export class Chance {
  private readonly buffer = new Uint8Array(bufferBytes);
  private used = bufferBytes;

  constructor(readonly source: NoiseSource) {}

  /** Uniform in 0 to limit - 1; `limit` at most 2^48. Rejects rather than folds, so that no value is favoured. */
  below(limit: number): number {
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= 2 ** 48)) {
      throw new MoietyError("failed", "a draw needs a whole limit from 1 to 2^48");
    }
    if (limit === 1) return 0;
    let bytes = 1;
    while (256 ** bytes < limit) bytes++;
    const top = 256 ** bytes - (256 ** bytes % limit);
    for (;;) {
      let value = 0;
      for (let i = 0; i < bytes; i++) value = value * 256 + this.byte();
      if (value < top) return value % limit;
    }
  }

  /** As `below`, without a largest limit. */
  belowBig(limit: bigint): bigint {
    if (limit <= 2n ** 48n) return BigInt(this.below(Number(limit)));
    const bits = limit.toString(2).length;
    const bytes = Math.ceil(bits / 8);
    const spare = BigInt(8 * bytes - bits);
    for (;;) {
      let value = 0n;
      for (let i = 0; i < bytes; i++) value = (value << 8n) | BigInt(this.byte());
      value >>= spare;
      if (value < limit) return value;
    }
  }

  coin(): boolean {
    return (this.byte() & 1) === 1;
  }

  /** True with probability numerator / denominator. */
  fraction(numerator: bigint, denominator: bigint): boolean {
    return this.belowBig(denominator) < numerator;
  }

  /**
   * True with probability exp(-numerator / denominator). For x in [0, 1] the alternating series of exp(-x) is played:
   * the first k with a failed Bernoulli(x / k) is odd with that probability (algorithm 1).
   */
  decay(numerator: bigint, denominator: bigint): boolean {
    let rest = numerator;
    for (; rest > denominator; rest -= denominator) if (!this.decayOnce(1n, 1n)) return false;
    return this.decayOnce(rest, denominator);
  }

  private decayOnce(numerator: bigint, denominator: bigint): boolean {
    let k = 1n;
    while (this.fraction(numerator, denominator * k)) k++;
    return k % 2n === 1n;
  }

  private byte(): number {
    if (this.used === bufferBytes) {
      this.source.fill(this.buffer);
      this.used = 0;
    }
    const value = this.buffer[this.used];
    // A used byte is erased: memory tells nothing about what was drawn.
    this.buffer[this.used++] = 0;
    return value;
  }
}
