import { MoietyError } from "../../errors.js";

const wordsPerDigest = 4;
const missing = 0xffffffff;

/**
 * Which digests are in all of several sets: an open hash table over typed arrays. Digests look random, so their first word
 * is a good place to look. The sets may come in any order, in chunks. Memory: about 40 bytes for each entry of all sets.
 */
export class CommonTable {
  /** For each set, where the digest of each of its entries lies. */
  private readonly places: readonly Uint32Array[];
  private readonly slots: number;
  private readonly words: Uint32Array;
  /** For each digest the sets that hold it, one bit each; 0 where no digest lies. */
  private readonly holders: Uint32Array;
  private readonly all: number;

  constructor(sizes: readonly number[]) {
    if (sizes.length > 32) throw new MoietyError("input", `${sizes.length} parties are too many to align: at most 32`);
    const entries = sizes.reduce((sum, size) => sum + size, 0);
    this.slots = Math.ceil(entries * 1.4) + 1;
    this.words = new Uint32Array(this.slots * wordsPerDigest);
    this.holders = new Uint32Array(this.slots);
    this.all = 2 ** sizes.length - 1;
    this.places = sizes.map((size) => new Uint32Array(size).fill(missing));
  }

  /** Takes the digests of a set's entries from `from` on. */
  add(set: number, from: number, digests: Uint8Array): void {
    const places = this.places[set];
    const count = digests.length / (4 * wordsPerDigest);
    if (!Number.isInteger(count) || from + count > places.length) {
      throw new MoietyError("failed", `${digests.length} bytes of digests came for entry ${from} of ${places.length}`);
    }
    const words = new Uint32Array(Uint8Array.from(digests).buffer);
    for (let at = 0; at < count; at++) {
      if (places[from + at] !== missing) throw new MoietyError("failed", `entry ${from + at} of a set came twice`);
      const slot = this.place(words, at * wordsPerDigest);
      places[from + at] = slot;
      if ((this.holders[slot] >>> set) & 1) throw new MoietyError("failed", "a set holds the same id twice");
      this.holders[slot] |= 1 << set;
    }
  }

  /** One bit for each entry of a set: whether all sets hold it. */
  common(set: number): Uint8Array {
    const places = this.places[set];
    const bits = new Uint8Array(Math.ceil(places.length / 8));
    places.forEach((slot, at) => {
      if (slot === missing) throw new MoietyError("failed", `entry ${at} of a set never came`);
      if (this.holders[slot] === this.all) bits[at >> 3] |= 1 << (at & 7);
    });
    return bits;
  }

  count(): number {
    return this.holders.reduce((count, holders) => count + (holders === this.all ? 1 : 0), 0);
  }

  private place(words: Uint32Array, at: number): number {
    let slot = Math.floor(words[at] * 2 ** -32 * this.slots);
    while (this.holders[slot] !== 0 && !this.same(slot, words, at)) slot = slot + 1 === this.slots ? 0 : slot + 1;
    if (this.holders[slot] === 0) this.words.set(words.subarray(at, at + wordsPerDigest), slot * wordsPerDigest);
    return slot;
  }

  private same(slot: number, words: Uint32Array, at: number): boolean {
    const start = slot * wordsPerDigest;
    for (let word = 0; word < wordsPerDigest; word++) if (this.words[start + word] !== words[at + word]) return false;
    return true;
  }
}
