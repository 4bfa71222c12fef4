import { MoietyError } from "../../errors.js";

/** What a mask is for: a round of messages, and a block within it. */
export interface MaskLabel {
  readonly round: number;
  readonly block: number;
}

/**
 * Promise: no label passes twice. A mask that hides two messages shows their difference. Rounds must rise; within a round
 * blocks may come in any order, so that only the present round's blocks need to be kept.
 */
export class UsedLabels {
  private round = -1;
  private readonly blocks = new Set<number>();

  use({ round, block }: MaskLabel): void {
    if (!Number.isSafeInteger(round) || !Number.isSafeInteger(block) || round < 0 || block < 0) {
      throw new MoietyError("failed", `round ${round}, block ${block} is no label: both must be whole numbers from 0`);
    }
    if (round < this.round || (round === this.round && this.blocks.has(block))) {
      throw new MoietyError("failed", `round ${round}, block ${block} was masked before: refused, nothing was sent`);
    }
    if (round > this.round) this.blocks.clear();
    this.round = round;
    this.blocks.add(block);
  }
}

/** Where a party keeps the highest epoch of each job that it took part in. It must outlive the process. */
export interface EpochMemory {
  highest(job: string): Promise<number | undefined>;
  /** Returns only when it is safe on disk. */
  raise(job: string, epoch: number): Promise<void>;
}

/**
 * Promise: each epoch of a job is begun once on this party, even if the process dies at any moment, since the epoch is
 * written down before the first message is masked. Refuses an epoch that is not above all before.
 */
export async function beginEpoch(memory: EpochMemory, job: string, epoch: number): Promise<void> {
  const highest = await memory.highest(job);
  if (!Number.isSafeInteger(epoch) || epoch < 0 || (highest !== undefined && epoch <= highest)) {
    throw new MoietyError(
      "failed",
      `epoch ${epoch} of this job cannot begin: it must be above ${highest ?? -1}, or masks would be used twice`,
    );
  }
  await memory.raise(job, epoch);
}
