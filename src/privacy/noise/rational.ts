/** A positive fraction of whole numbers. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A double is a fraction already: this is its exact value. */
export function exactly(value: number): Rational {
  let denominator = 1n;
  let scaled = value;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    denominator *= 2n;
  }
  return { numerator: BigInt(scaled), denominator };
}

/** The smallest multiple of 2^-bits that is not below numerator / denominator: noise is rounded up, never down. */
export function roundUp({ numerator, denominator }: Rational, bits: bigint): Rational {
  const unit = 1n << bits;
  return { numerator: (numerator * unit + denominator - 1n) / denominator, denominator: unit };
}

/** The largest whole number whose square is not above the value. */
export function rootBelow(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = BigInt(Math.floor(Math.sqrt(Number(value))));
  while (guess * guess > value) guess--;
  while ((guess + 1n) * (guess + 1n) <= value) guess++;
  return guess;
}
