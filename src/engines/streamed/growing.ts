/** People who are chosen one by one, with some numbers each: arrays that double as they fill. */
export class Growing {
  private count = 0;
  private filled = 0;
  private ownHashes = new Float64Array(1024);
  private ownPatterns = new Uint16Array(1024);
  private ownWeights = new Float64Array(1024);
  /** All numbers, and room for more; another one after `push`. */
  buffer = new Float64Array(8192);

  /** Makes room for a person; returns where their numbers go. */
  push(hash: number, pattern: number, weight: number, width: number): number {
    if (this.count === this.ownHashes.length) {
      this.ownHashes = grown(this.ownHashes, Float64Array);
      this.ownPatterns = grown(this.ownPatterns, Uint16Array);
      this.ownWeights = grown(this.ownWeights, Float64Array);
    }
    while (this.filled + width > this.buffer.length) this.buffer = grown(this.buffer, Float64Array);
    this.ownHashes[this.count] = hash;
    this.ownWeights[this.count] = weight;
    this.ownPatterns[this.count++] = pattern;
    this.filled += width;
    return this.filled - width;
  }

  /** Forgets the last person. */
  pop(width: number): void {
    this.count--;
    this.filled -= width;
  }

  get hashes(): Float64Array {
    return this.ownHashes.subarray(0, this.count);
  }

  get patterns(): Uint16Array {
    return this.ownPatterns.subarray(0, this.count);
  }

  get weights(): Float64Array {
    return this.ownWeights.subarray(0, this.count);
  }

  get numbers(): Float64Array {
    return this.buffer.subarray(0, this.filled);
  }
}

function grown<A extends Float64Array | Uint16Array>(from: A, make: new (length: number) => A): A {
  const larger = new make(2 * from.length);
  larger.set(from);
  return larger;
}
