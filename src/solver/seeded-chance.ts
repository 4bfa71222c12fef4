/** Chance that depends on nothing but its arguments: the same for any number of threads, parties or restarts. */
function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A seed for one of several uses of another seed. */
export function derive(seed: number, use: number): number {
  return mix(mix(Math.floor(seed / 2 ** 32) >>> 0, seed >>> 0), use);
}

/** A uniform number in (0, 1) for each person: 52 bits, never 0 or 1. */
export function uniform(seed: number, person: number): number {
  const high = mix(seed, person) >>> 6;
  const low = mix(seed ^ 0x5bd1e995, person) >>> 6;
  return (high * 2 ** 26 + low + 0.5) * 2 ** -52;
}

/** One row from each of `size` equal stretches of the people: a sample in ascending order, without repetition. */
export function stratifiedSample(n: number, size: number, seed: number): Uint32Array {
  return Uint32Array.from({ length: size }, (_, index) => {
    const from = Math.floor((index * n) / size);
    const to = Math.floor(((index + 1) * n) / size);
    return from + Math.floor(uniform(seed, index) * (to - from));
  });
}
