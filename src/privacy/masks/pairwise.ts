import { MoietyError } from "../../errors.js";
import { compareBytes } from "../../table/order.js";
import { deriveKey, expandKey } from "../derive.js";
import type { Integers } from "../integers.js";
import { agree } from "../keys.js";
import { KeyStream } from "../stream.js";
import { type MaskLabel, UsedLabels } from "./labels.js";

/** A party as the others know it: its public key is pinned at provisioning. */
export interface PinnedParty {
  readonly id: string;
  readonly publicKey: Uint8Array;
}

export interface MaskJob {
  /** Names the job for good: the hash of its card. */
  readonly job: string;
  /** Rises on every resume; see `beginEpoch`. */
  readonly epoch: number;
  /** Everybody who takes part, this party included. Fixed for the job: "again without one" would reveal that one. */
  readonly participants: readonly PinnedParty[];
}

/**
 * Promise: to anybody who lacks the keys, what `mask` returns is uniformly random, and only the sum over all participants
 * of the job, under the same label, means anything: there the masks cancel mod 2^64. It holds against a coordinator and any
 * other parties as long as two participants keep their keys: a coordinator with all parties but one reveals that one.
 * Refuses a label that was used before. Numbers must keep the bounds that `proveHeadroom` was given.
 */
export class PairwiseMasks {
  private readonly secrets: { readonly secret: Buffer; readonly adds: boolean }[];
  private readonly used = new UsedLabels();

  constructor(me: string, secretKey: Uint8Array, { job, epoch, participants }: MaskJob) {
    const ids = participantIds(participants);
    if (!ids.includes(me)) throw new MoietyError("input", `${me} is not among the job's participants`);
    if (ids.length < 2)
      throw new MoietyError("input", "masks need at least 2 participants: there is nobody to hide among");
    this.secrets = participants
      .filter(({ id }) => id !== me)
      .map(({ id, publicKey }) => ({
        secret: deriveKey(agree(secretKey, publicKey), ["mask", job, epoch, ...ids, ...pair(me, id)], 32),
        adds: compareBytes(me, id) < 0,
      }));
  }

  /** Masks the numbers in place. */
  mask(label: MaskLabel, values: Integers): Integers {
    this.used.use(label);
    for (const { secret, adds } of this.secrets) {
      const stream = new KeyStream(expandKey(secret, ["block", label.round, label.block]));
      if (adds) stream.addTo(values);
      else stream.subtractFrom(values);
    }
    return values;
  }
}

/** The participants' ids in the one order that all agree on. */
export function participantIds(participants: readonly { readonly id: string }[]): string[] {
  const ids = participants.map(({ id }) => id).sort(compareBytes);
  const twice = ids.find((id, at) => id === ids[at + 1]);
  if (twice !== undefined) throw new MoietyError("input", `participant ${twice} is named twice`);
  return ids;
}

export function pair(a: string, b: string): [string, string] {
  return compareBytes(a, b) < 0 ? [a, b] : [b, a];
}
