import * as z from "zod";
import { count, float64s } from "../parties/questions.js";
import { fairnessNames } from "./tally.js";
import type { RunName } from "./types.js";
import type { WholeNumbers } from "./whole.js";

export const run = z.enum(["control", "method"] satisfies RunName[]);

/** The fairness term of a local step; assembly/learning/loss.ts takes its gradient. */
const loss = z.discriminatedUnion("kind", [
  // Factors [group][label] of the cross-entropy, and [group][label][class but the first] of the probability of a class.
  z.strictObject({ kind: z.literal("given"), entropyWeights: float64s, rateWeights: float64s }),
  // Each group's loss is held to the reference group's, or to everybody's.
  z.strictObject({
    kind: z.enum(["from-reference", "from-everybody"]),
    lambda: float64s,
    beta: z.number(),
    reference: count,
  }),
  // Each party makes its own factors of what the model does to its own people, by the terms of the job.
  z.strictObject({ kind: z.literal("own") }),
]);
export type AnyLossTerm = z.infer<typeof loss>;
/** What a kernel is told: a party's own term has become a given one by then. */
export type LossTerm = Exclude<AnyLossTerm, { kind: "own" }>;

/** How much a party's update counts: by its people, or FairFed's weight, which the party keeps. */
const weighting = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("people") }),
  z.strictObject({ kind: z.literal("gaps"), beta: z.number(), meanGap: z.number(), everybody: count }),
]);

/** What every party is told at the beginning of a round. It has the model: the one that was last tallied. */
export const trainRequest = z.strictObject({
  run,
  round: count,
  rate: z.number(),
  loss,
  weighting,
  /** No number of an update is larger, by the clipping. */
  bound: z.number().positive(),
  /** Fraction bits of updates. */
  bits: count.max(60),
  groups: count,
  parameters: count,
});
export type TrainRequest = z.infer<typeof trainRequest>;

/** The same with the model, and with what the terms of the job say. */
export type TrainOrder = Omit<TrainRequest, "run" | "groups" | "parameters" | "loss"> & {
  readonly loss: AnyLossTerm;
  readonly model: Float32Array;
  readonly clip: number;
  readonly epochs: number;
  readonly leastSteps: number;
};

/** FairFed's question: how far is your own difference from everybody's? */
export const gapRequest = z.strictObject({
  run,
  fairness: z.enum(fairnessNames),
  reference: count,
  /** [class that is compared][group]: of each group to the reference group, over all parties; NaN where a group is absent. */
  differences: z.instanceof(Float64Array),
  accuracy: z.number(),
});
export type GapOrder = Omit<z.infer<typeof gapRequest>, "run">;

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
