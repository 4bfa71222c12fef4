import { createHash } from "node:crypto";
import { failed } from "../../errors.js";
import { isDamage } from "../store/records.js";
import type { Store } from "../store/types.js";

const digestBytes = 8;
const headBytes = 4 + digestBytes;

/**
 * What a party of a run over columns was answered since its last checkpoint. A checkpoint reaches the disk, which takes longer
 * than a pass over few people; an answer is only handed to the operating system, so a process that is killed at any moment
 * has it in its next attempt and asks nobody again. A machine that dies may lose the last ones: then they are asked again.
 */
export class Answers {
  private replayed = 0;

  private constructor(
    private readonly store: Store,
    private readonly folder: string,
    /** Of the checkpoint that they follow; null for none. */
    private position: number | null,
    private past: readonly Uint8Array[],
  ) {}

  static async open(store: Store, folder: string, position: number | null): Promise<Answers> {
    const kept = await store.read(keyOf(folder, position)).catch((error) => {
      // Damaged answers are asked for again.
      if (!isDamage(error)) throw error;
      return undefined;
    });
    return new Answers(store, folder, position, kept ? decode(kept) : []);
  }

  /** How many there are to be replayed. */
  get count(): number {
    return this.past.length;
  }

  /** All parties have this many in common: what one of them has beyond it is asked again by all. */
  async agree(count: number): Promise<void> {
    if (count > this.past.length) throw failed("answers that were here are not there any more");
    this.past = this.past.slice(0, count);
    await this.store.write(keyOf(this.folder, this.position), encode(this.past));
  }

  /** The next answer of an earlier attempt, if there is one left. */
  next(): Uint8Array | undefined {
    return this.past[this.replayed++];
  }

  add(answer: Uint8Array): Promise<void> {
    return this.store.append(keyOf(this.folder, this.position), encode([answer]));
  }

  /** A checkpoint was made, and all know of it: what came before it is of no more use. */
  async follow(position: number): Promise<void> {
    this.past = this.past.slice(this.replayed);
    this.replayed = 0;
    const before = this.position;
    this.position = position;
    await this.store.write(keyOf(this.folder, position), encode(this.past));
    const kept = [keyOf(this.folder, before), keyOf(this.folder, position)];
    for (const key of await this.store.list(this.folder)) if (!kept.includes(key)) await this.store.remove(key);
  }
}

function keyOf(folder: string, position: number | null): string {
  return `${folder}${position ?? "begun"}`;
}

function encode(answers: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(
    answers.flatMap((answer) => [new Uint8Array(Uint32Array.of(answer.length).buffer), digestOf(answer), answer]),
  );
}

/** As many as were written whole: a process that is killed while it writes leaves a part of one. */
function decode(bytes: Uint8Array): Uint8Array[] {
  const answers: Uint8Array[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const from = at + headBytes;
    const to = from + view.getUint32(at, true);
    if (to > bytes.length) break;
    const answer = new Uint8Array(bytes.subarray(from, to));
    if (Buffer.compare(digestOf(answer), bytes.subarray(at + 4, from)) !== 0) break;
    answers.push(answer);
    at = to;
  }
  return answers;
}

function digestOf(answer: Uint8Array): Uint8Array {
  return createHash("sha256").update(answer).digest().subarray(0, digestBytes);
}
