/**
 * Who was in each cell when its sums were last released. Two sums of the same cell differ by the people who joined or left it in
 * between. If that is one person, the difference is that person's record; so the next sums wait until more have moved.
 */
export class ReleasedMembers {
  private readonly words: number;
  /** One bit for each person and cell. */
  private readonly released: Uint32Array;

  constructor(
    private readonly n: number,
    private readonly k: number,
    released?: Uint32Array,
  ) {
    this.words = Math.ceil(k / 32);
    this.released = released ?? new Uint32Array(n * this.words);
  }

  get state(): Uint32Array {
    return this.released;
  }

  /** For each cell, how many people its sums would change by: those who are in it and were not, or were and are not. */
  changed(labels: Uint16Array): Float64Array {
    const { words, released, n } = this;
    const moved = new Float64Array(this.k);
    for (let word = 0; word < words; word++) {
      for (let i = 0; i < n; i++) {
        let differing = released[i * words + word];
        if (labels[i] >> 5 === word) differing ^= 1 << (labels[i] & 31);
        while (differing !== 0) {
          moved[word * 32 + 31 - Math.clz32(differing & -differing)]++;
          differing &= differing - 1;
        }
      }
    }
    return moved;
  }

  /** Notes that the sums of these cells are released. */
  release(labels: Uint16Array, due: Uint8Array): void {
    const { words, released, n } = this;
    const cells = new Uint32Array(words);
    for (let m = 0; m < this.k; m++) if (due[m] !== 0) cells[m >> 5] |= 1 << (m & 31);
    for (let i = 0; i < n; i++) {
      for (let word = 0; word < words; word++) released[i * words + word] &= ~cells[word];
      const label = labels[i];
      if (due[label] !== 0) released[i * words + (label >> 5)] |= 1 << (label & 31);
    }
  }
}
