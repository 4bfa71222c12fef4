/** `wanted` of n rows, every such set being equally likely, in ascending order. */
export function sampleRows(n: number, wanted: number, seed: number): Uint32Array {
  const rows = new Uint32Array(wanted);
  let state = seed | 0;
  let chosen = 0;
  for (let row = 0; chosen < wanted; row++) {
    // mulberry32: enough for a sample, and the room stays free of dependencies.
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    const uniform = ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
    if (uniform * (n - row) < wanted - chosen) rows[chosen++] = row;
  }
  return rows;
}
