import { MoietyError } from "../errors.js";
import { deriveKey } from "./derive.js";
import type { PairKeys } from "./masks/pair-keys.js";
import type { RandomBytes } from "./random.js";
import { seal, unseal } from "./seal.js";

/**
 * A key that all participants of a job share and the coordinator lacks, though it carries their letters: each sends
 * every other one a sealed contribution, and the key is made of all of them.
 *
 * Promise: fresh if any participant's contribution is; unknown to everybody else unless a participant discloses it. Letters of
 * another job, another attempt of it or another sender are refused.
 */
export class GroupKey {
  private readonly contribution: Uint8Array;

  constructor(
    private readonly keys: PairKeys,
    private readonly random: RandomBytes,
  ) {
    this.contribution = random(32);
  }

  /** One for each other participant. */
  letters(): Map<string, Uint8Array> {
    const { me } = this.keys;
    return new Map(
      this.others.map((id) => [id, seal(this.letterKey(id), label(me, id), this.contribution, this.random)]),
    );
  }

  /** The key, 32 bytes, from the letters of all others. */
  open(letters: ReadonlyMap<string, Uint8Array>): Uint8Array {
    const { me, ids } = this.keys;
    const parts = new Map([[me, this.contribution]]);
    for (const id of this.others) {
      const letter = letters.get(id);
      if (!letter) throw new MoietyError("failed", `the letter of ${id} is missing: the parties cannot agree on a key`);
      parts.set(id, unseal(this.letterKey(id), label(id, me), letter));
    }
    return deriveKey(Buffer.concat(ids.map((id) => parts.get(id)!)), ["group", ...ids], 32);
  }

  private get others(): string[] {
    return this.keys.ids.filter((id) => id !== this.keys.me);
  }

  private letterKey(other: string): Buffer {
    return this.keys.of(other, ["group letter"]);
  }
}

function label(from: string, to: string): string[] {
  return ["group", from, to];
}
