import type { Fairness } from "./tally.js";
import type { LossTerm } from "./trainer.js";
import type { WholeNumbers } from "./whole.js";

/** What every party is told at the beginning of a round. */
export interface TrainOrder {
  readonly round: number;
  readonly model: Float32Array;
  readonly rate: number;
  readonly clip: number;
  readonly epochs: number;
  readonly loss: LossTerm;
  /** How much a party's update counts: by its people, or FairFed's weight, which the party keeps. */
  readonly weighting:
    | { readonly kind: "people" }
    | { readonly kind: "gaps"; readonly beta: number; readonly meanGap: number; readonly everybody: number };
  /** No update has a larger number, by the clipping; and the fraction bits of updates. */
  readonly bound: number;
  readonly bits: number;
}

/** FairFed's question: how far is your own difference from everybody's? */
export interface GapOrder {
  readonly fairness: Fairness;
  readonly reference: number;
  /** Of each group to the reference group, over all parties; NaN where a group is absent. */
  readonly differences: Float64Array;
  readonly accuracy: number;
}

/** Fraction bits of gaps; of FairFed's weights, which are between 0 and 1; and of measures of groups, cut at `largestDual`. */
export const gapBits = 30;
export const weightBits = 20;
export const dualBits = 20;
export const largestDual = 64;

/**
 * The sums of answers to `train`: the weight of the updates; steps left out; for each group the people of parties that
 * could measure it and their measure times people (of FFALM, mu_group - mu_reference, or of FPFL, |L - mu_group|, of the party's
 * own new model on all its people); and the updates times weights.
 */
export class TrainAnswer {
  static length(groups: number, parameters: number): number {
    return 2 + 2 * groups + parameters;
  }

  constructor(
    readonly numbers: WholeNumbers,
    readonly groups: number,
  ) {}

  get weight(): number {
    return this.numbers[0];
  }

  get skipped(): number {
    return this.numbers[1];
  }

  /** The mean of the parties' measures, weighted by people; 0 when no party could measure the group. */
  dual(group: number): number {
    const people = this.numbers[2 + group];
    return people === 0 ? 0 : this.numbers[2 + this.groups + group] / 2 ** dualBits / people;
  }

  get updates(): WholeNumbers {
    return this.numbers.subarray(2 + 2 * this.groups);
  }
}
