import { MoietyError } from "../../errors.js";
import { compareBytes } from "../../table/order.js";
import { expandKey } from "../derive.js";
import type { Integers } from "../integers.js";
import { applyStreams, KeyStream } from "../stream.js";
import { type MaskLabel, UsedLabels } from "./labels.js";
import type { PairKeys } from "./pair-keys.js";

/**
 * Promise: to anybody who lacks the keys, what `mask` returns is uniformly random, and only the sum over all participants
 * of the job, under the same label, means anything: there the masks cancel mod 2^64. It holds against a coordinator and any
 * other parties as long as two participants keep their keys: a coordinator with all parties but one reveals that one.
 * Refuses a label that was used before. Numbers must keep the bounds that `proveHeadroom` was given.
 */
export class PairwiseMasks {
  private readonly secrets: { readonly secret: Buffer; readonly adds: boolean }[];
  private readonly used = new UsedLabels();

  constructor(keys: PairKeys) {
    if (keys.ids.length < 2)
      throw new MoietyError("input", "masks need at least 2 participants: a single one's numbers would be visible");
    this.secrets = keys.ids
      .filter((id) => id !== keys.me)
      .map((id) => ({ secret: keys.of(id, ["mask"]), adds: compareBytes(keys.me, id) < 0 }));
  }

  /** Masks the numbers in place. */
  mask({ round, block }: MaskLabel, values: Integers): Integers {
    this.used.use({ round, block });
    const label = ["block", round, block];
    applyStreams(
      values,
      this.secrets.map(({ secret, adds }) => ({ stream: new KeyStream(expandKey(secret, label)), adds })),
    );
    return values;
  }
}
