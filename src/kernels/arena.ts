import { MoietyError } from "../errors.js";

const page = 65536;
const largest = 65536 * page;

/** Hands out pieces of one WebAssembly memory, 16-byte aligned, and takes them back. First fit over a short free list. */
export class Arena {
  private free: { at: number; bytes: number }[];
  private readonly used = new Map<number, number>();

  constructor(readonly memory: WebAssembly.Memory) {
    // The first page belongs to the kernels' own constants; address 0 means "none".
    this.free = [{ at: page, bytes: memory.buffer.byteLength - page }];
  }

  allocate(bytes: number): number {
    const wanted = Math.max(16, Math.ceil(bytes / 16) * 16);
    let hole = this.free.find((candidate) => candidate.bytes >= wanted);
    if (!hole) {
      this.grow(wanted);
      hole = this.free[this.free.length - 1];
    }
    const at = hole.at;
    hole.at += wanted;
    hole.bytes -= wanted;
    if (hole.bytes === 0) this.free = this.free.filter((candidate) => candidate !== hole);
    this.used.set(at, wanted);
    return at;
  }

  /** Makes one piece of free memory that holds so much: what is used for a while then leaves no holes that are too small for the rest. */
  reserve(bytes: number): void {
    this.release(this.allocate(bytes));
  }

  release(at: number): void {
    const bytes = this.used.get(at);
    if (bytes === undefined) return;
    this.used.delete(at);
    this.free.push({ at, bytes });
    this.free.sort((a, b) => a.at - b.at);
    const merged: { at: number; bytes: number }[] = [];
    for (const hole of this.free) {
      const last = merged[merged.length - 1];
      if (last && last.at + last.bytes === hole.at) last.bytes += hole.bytes;
      else merged.push(hole);
    }
    this.free = merged;
  }

  private grow(wanted: number): void {
    const end = this.memory.buffer.byteLength;
    const last = this.free[this.free.length - 1];
    const tail = last && last.at + last.bytes === end ? last : undefined;
    const pages = Math.ceil((wanted - (tail?.bytes ?? 0)) / page);
    if (end + pages * page > largest) {
      throw new MoietyError("failed", "one lane needs more than 4 GB: use more threads, so that each holds fewer rows");
    }
    this.memory.grow(pages);
    if (tail) tail.bytes += pages * page;
    else this.free.push({ at: end, bytes: pages * page });
  }
}
