import { createHash } from "node:crypto";
import { MoietyError } from "../../errors.js";
import { compareBytes } from "../../table/order.js";
import { deriveKey, encodeLabel, type LabelPart } from "../derive.js";
import { type AgreementKeys, agree, newAgreementKeys } from "../keys.js";
import type { RandomBytes } from "../random.js";

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

/** Keys that were drawn for one attempt of a job and are forgotten with it: this party's pair, and the others' public ones. */
export interface FreshKeys {
  readonly own: AgreementKeys;
  /** Of those who are there in this attempt. */
  readonly others: ReadonlyMap<string, Uint8Array>;
}

/**
 * What this party shares with each of the others in one attempt of a job. All its masks, shares and letters derive from it.
 *
 * Promise: a pair's key is known to its two ends only, as long as both keep their pinned keys; and no earlier attempt had it
 * if either end has drawn its fresh key for this one, whatever the coordinator repeats and whatever the other end has
 * forgotten. Fresh keys come through the coordinator: one of its own making opens nothing, since the pinned ones enter too.
 */
export class PairKeys {
  /** Everybody's ids, in the order that all agree on. */
  readonly ids: readonly string[];
  /** A digest of the fresh keys: the name of this attempt in what its parties sign. */
  readonly attempt: string;
  private readonly keys: ReadonlyMap<string, Buffer>;

  constructor(
    readonly me: string,
    secretKey: Uint8Array,
    { job, epoch, participants }: MaskJob,
    { own, others }: FreshKeys,
  ) {
    this.ids = participantIds(participants);
    if (!this.ids.includes(me)) throw new MoietyError("input", `${me} is not among the job's participants`);
    const drawn = this.ids.flatMap((id) => [id, (id === me ? own.publicKey : others.get(id)) ?? ""]);
    this.attempt = createHash("sha256")
      .update(encodeLabel(["life", job, epoch, ...drawn]))
      .digest("hex");
    this.keys = new Map(
      participants.flatMap(({ id, publicKey }) => {
        const fresh = others.get(id);
        if (!fresh || id === me) return [];
        const both = compareBytes(me, id) < 0 ? [own.publicKey, fresh] : [fresh, own.publicKey];
        const secret = Buffer.concat([agree(secretKey, publicKey), agree(own.secretKey, fresh)]);
        return [[id, deriveKey(secret, ["pair", job, epoch, ...this.ids, ...pair(me, id), ...both], 32)] as const];
      }),
    );
  }

  /** Those of the others who are there. */
  get others(): string[] {
    return [...this.keys.keys()];
  }

  /** 32 bytes for one purpose, the same at both ends. */
  of(other: string, purpose: readonly LabelPart[]): Buffer {
    const key = this.keys.get(other);
    if (!key) throw new MoietyError("failed", `${other} is not there: nothing can be hidden together with it`);
    return deriveKey(key, purpose, 32);
  }
}

/** Everybody's keys for one attempt of a job, where all of them are in one process. */
export function pairKeysOfAll(ids: readonly string[], random: RandomBytes): PairKeys[] {
  const pinned = ids.map(() => newAgreementKeys(random));
  const fresh = ids.map(() => newAgreementKeys(random));
  const participants = ids.map((id, at) => ({ id, publicKey: pinned[at].publicKey }));
  const others = new Map(ids.map((id, at) => [id, fresh[at].publicKey]));
  const job = { job: "one process", epoch: 0, participants };
  return ids.map((id, at) => new PairKeys(id, pinned[at].secretKey, job, { own: fresh[at], others }));
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
