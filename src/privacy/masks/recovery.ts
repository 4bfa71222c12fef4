import { MoietyError } from "../../errors.js";
import type { Integers } from "../integers.js";
import { agree, agreementKeysOf } from "../keys.js";
import { addPairMask, type Disclosure, selfStream } from "./double.js";
import { joinShares, type Share } from "./shamir.js";

/** What the coordinator knows of a round of double masks. */
export interface MaskedRound {
  readonly threshold: number;
  /** The public keys that the round's members announced. */
  readonly members: ReadonlyMap<string, Uint8Array>;
  /** Those of the members whose numbers arrived, all blocks of them. */
  readonly survivors: readonly string[];
  /** Answers of at least `threshold` survivors. */
  readonly disclosures: readonly Disclosure[];
}

/**
 * The coordinator's side of double masks: opens the survivors' self masks and the pairwise keys of those who dropped out.
 * Promise: what it needs is no more than the parties disclose; it refuses when too few answered, or when a
 * recovered key is not the one that was announced.
 */
export class MaskRecovery {
  private readonly seeds: readonly Uint8Array[];
  private readonly dropped: readonly { readonly id: string; readonly secretKey: Uint8Array }[];

  constructor(private readonly round: MaskedRound) {
    const { members, survivors } = round;
    this.seeds = survivors.map((id) => this.open(id, ({ selfMasks }) => selfMasks.get(id)));
    const gone = [...members.keys()].filter((id) => !survivors.includes(id));
    this.dropped = gone.map((id) => {
      const secretKey = this.open(id, ({ pairKeys }) => pairKeys.get(id));
      if (!Buffer.from(agreementKeysOf(secretKey).publicKey).equals(members.get(id)!)) {
        throw new MoietyError("failed", `the recovered key of ${id} is not the announced one: a share was wrong`);
      }
      return { id, secretKey };
    });
  }

  /** Takes all masks off the survivors' sum of a block, in place. */
  unmask(block: number, sum: Integers): Integers {
    const { members, survivors } = this.round;
    for (const seed of this.seeds) selfStream(seed, block).subtractFrom(sum);
    for (const { id, secretKey } of this.dropped) {
      for (const survivor of survivors) {
        addPairMask(sum, survivor, id, agree(secretKey, members.get(survivor)!), block, true);
      }
    }
    return sum;
  }

  private open(id: string, pick: (disclosure: Disclosure) => Share | undefined): Uint8Array {
    const shares = this.round.disclosures.flatMap((disclosure) => pick(disclosure) ?? []);
    if (shares.length < this.round.threshold) {
      const needed = this.round.threshold;
      throw new MoietyError(
        "failed",
        `only ${shares.length} parties helped to open a mask of ${id}: ${needed} are needed`,
      );
    }
    return joinShares(shares.slice(0, this.round.threshold));
  }
}
