import { MoietyError } from "../../errors.js";
import type { Integers } from "../integers.js";
import { agree, agreementKeysOf } from "../keys.js";
import { addPairMask, type Commitment, commitmentTo, type Disclosure, selfStream } from "./double.js";
import { joinShares, type Share } from "./shamir.js";

/** What the coordinator knows of a round of double masks. */
export interface MaskedRound {
  readonly threshold: number;
  /** What the round's members announced. */
  readonly members: ReadonlyMap<string, Commitment>;
  /** Those of the members whose numbers arrived, all blocks of them. */
  readonly survivors: readonly string[];
  /** A digest of the question that all of them answered, as they say. */
  readonly asked: string;
  /** Answers of at least `threshold` survivors. */
  readonly disclosures: readonly Disclosure[];
}

/**
 * The coordinator's side of double masks: opens the survivors' self masks and the pairwise keys of those who dropped out.
 * Promise: what it needs is no more than the parties disclose; it refuses when too few answered, or when a
 * recovered secret is not the one that was announced: a wrong share ends the run and never changes a sum.
 */
export class MaskRecovery {
  private readonly seeds: readonly Uint8Array[];
  private readonly dropped: readonly { readonly id: string; readonly secretKey: Uint8Array }[];

  constructor(private readonly round: MaskedRound) {
    const { members, survivors } = round;
    this.seeds = survivors.map((id) => {
      const seed = this.open(id, ({ selfMasks }) => selfMasks.get(id));
      this.check(id, "mask", commitmentTo(seed), members.get(id)!.seed);
      return seed;
    });
    const gone = [...members.keys()].filter((id) => !survivors.includes(id));
    this.dropped = gone.map((id) => {
      const secretKey = this.open(id, ({ pairKeys }) => pairKeys.get(id));
      this.check(id, "key", agreementKeysOf(secretKey).publicKey, members.get(id)!.publicKey);
      return { id, secretKey };
    });
  }

  /** Takes all masks off the survivors' sum of a block, in place. */
  unmask(block: number, sum: Integers): Integers {
    const { members, survivors, asked } = this.round;
    for (const seed of this.seeds) selfStream(seed, block).subtractFrom(sum);
    for (const { id, secretKey } of this.dropped) {
      for (const survivor of survivors) {
        addPairMask(sum, survivor, id, agree(secretKey, members.get(survivor)!.publicKey), { block, asked }, true);
      }
    }
    return sum;
  }

  private check(id: string, what: string, recovered: Uint8Array, announced: Uint8Array): void {
    if (Buffer.from(recovered).equals(announced)) return;
    throw new MoietyError("failed", `the recovered ${what} of ${id} is not the announced one: a share was wrong`);
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
