import { MoietyError } from "../errors.js";
import { deriveKey } from "./derive.js";
import { type MaskJob, participantIds } from "./masks/pairwise.js";
import type { RandomBytes } from "./random.js";
import { letterKey, seal, unseal } from "./seal.js";

/**
 * A key that all participants of a job share and the coordinator lacks, though it carries their letters: each sends
 * every other one a sealed contribution, and the key is made of all of them.
 *
 * Promise: fresh if any participant's contribution is; unknown to everybody else unless a participant tells. Letters of
 * another job, epoch or sender are refused.
 */
export class GroupKey {
  private readonly ids: readonly string[];
  private readonly contribution: Uint8Array;

  constructor(
    private readonly me: string,
    private readonly secretKey: Uint8Array,
    private readonly job: MaskJob,
    private readonly random: RandomBytes,
  ) {
    this.ids = participantIds(job.participants);
    if (!this.ids.includes(me)) throw new MoietyError("input", `${me} is not among the job's participants`);
    this.contribution = random(32);
  }

  /** One for each other participant. */
  letters(): Map<string, Uint8Array> {
    return new Map(
      this.others().map(({ id, publicKey }) => {
        const key = letterKey(this.secretKey, publicKey);
        return [id, seal(key, this.label(this.me, id), this.contribution, this.random)];
      }),
    );
  }

  /** The key, 32 bytes, from the letters of all others. */
  open(letters: ReadonlyMap<string, Uint8Array>): Uint8Array {
    const parts = new Map([[this.me, this.contribution]]);
    for (const { id, publicKey } of this.others()) {
      const letter = letters.get(id);
      if (!letter) throw new MoietyError("failed", `the letter of ${id} is missing: the parties cannot agree on a key`);
      parts.set(id, unseal(letterKey(this.secretKey, publicKey), this.label(id, this.me), letter));
    }
    const secret = Buffer.concat(this.ids.map((id) => parts.get(id)!));
    return deriveKey(secret, ["group", this.job.job, this.job.epoch, ...this.ids], 32);
  }

  private others() {
    return this.job.participants.filter(({ id }) => id !== this.me);
  }

  private label(from: string, to: string) {
    return ["group", this.job.job, this.job.epoch, from, to];
  }
}
