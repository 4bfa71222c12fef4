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
  /** Made when they are first asked for: of many parties only some are neighbours. */
  private readonly keys = new Map<string, Buffer>();
  private readonly pinned: ReadonlyMap<string, Uint8Array>;
  /** A digest of all ids: a label has 1024 bytes at most. */
  private readonly everybody: Uint8Array;

  constructor(
    readonly me: string,
    private readonly secretKey: Uint8Array,
    private readonly job: MaskJob,
    private readonly fresh: FreshKeys,
  ) {
    const { epoch, participants } = job;
    const { own, others } = fresh;
    this.ids = participantIds(participants);
    if (!this.ids.includes(me)) throw new MoietyError("input", `${me} is not among the job's participants`);
    const drawn = this.ids.flatMap((id) => [id, (id === me ? own.publicKey : others.get(id)) ?? ""]);
    this.attempt = createHash("sha256")
      .update(encodeLabel(["life", job.job, epoch, ...drawn]))
      .digest("hex");
    this.everybody = createHash("sha256").update(encodeLabel(this.ids)).digest();
    const there = participants.filter(({ id }) => id !== me && others.has(id));
    this.pinned = new Map(there.map(({ id, publicKey }) => [id, publicKey]));
  }

  /** Those of the others who are there. */
  get others(): string[] {
    return [...this.pinned.keys()];
  }

  /** 32 bytes for one purpose, the same at both ends. */
  of(other: string, purpose: readonly LabelPart[]): Buffer {
    const key = this.keys.get(other) ?? this.agreedWith(other);
    this.keys.set(other, key);
    return deriveKey(key, purpose, 32);
  }

  private agreedWith(other: string): Buffer {
    const { own, others } = this.fresh;
    const [pinned, fresh] = [this.pinned.get(other), others.get(other)];
    if (!pinned || !fresh)
      throw new MoietyError("failed", `${other} is not there: nothing can be hidden together with it`);
    const { job, epoch } = this.job;
    const both = compareBytes(this.me, other) < 0 ? [own.publicKey, fresh] : [fresh, own.publicKey];
    const secret = Buffer.concat([agree(this.secretKey, pinned), agree(own.secretKey, fresh)]);
    return deriveKey(secret, ["pair", job, epoch, this.everybody, ...pair(this.me, other), ...both], 32);
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
