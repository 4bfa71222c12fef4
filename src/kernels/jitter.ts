/** A fixed pseudo-random whole number from 0 to below the amplitude, for person and cluster: `jitterOf` of the kernels. */
export function jitter(person: number, cluster: number, amplitude: number): number {
  if (amplitude <= 0) return 0;
  let h = Math.imul(person + 1, 0x9e3779b1) ^ Math.imul(cluster + 1, 0x85ebca77);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  h ^= h >>> 15;
  return Math.floor(((h >>> 0) / 2 ** 32) * amplitude);
}
