import * as z from "zod";
import { fromBase64, toBase64 } from "./model.js";
import { type CurveValues, differences } from "./tally.js";

const model = z.string().transform(fromBase64);
const values = z.object({
  loss: z.number(),
  accuracy: z.number(),
  dpd: z.number(),
  eod: z.number(),
  apd: z.number(),
  positiveRate: z.number().nullable(),
});
const what = z.enum(["loss", "accuracy", ...differences]);
const motion = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("settled") }),
  // Too few rounds to tell.
  z.object({ kind: z.literal("unknown") }),
  // The average of the last `rounds` is another than that of as many before.
  z.object({ kind: z.literal("drifting"), what, rounds: z.number(), before: z.number(), after: z.number() }),
  // The average stays, and the last `rounds`, or the very last, are this far from it.
  z.object({ kind: z.literal("swinging"), what, rounds: z.number(), by: z.number() }),
]);
/** How a model's measures on the people it learns from moved at the end. */
export type Motion = z.infer<typeof motion>;

const training = z.object({
  model,
  /** Rounds that were made, and the one that the model is from. */
  rounds: z.number(),
  modelRound: z.number(),
  ended: z.enum(["settled", "rounds", "patience", "diverged"]),
  motion: motion.default({ kind: "unknown" }),
});
/** A run that has ended. */
export type Training = z.infer<typeof training>;

const state = z.object({
  round: z.number(),
  model,
  /** What the method remembers. */
  memory: z.array(z.number()),
  /** A loss that is many times this one has diverged. */
  firstLoss: z.number(),
  /** The model with the least errors and difference, and their sum. */
  best: z.object({ merit: z.number(), round: z.number(), model }),
  /** How often the rate was lowered to settle, and in which round last; earlier versions did not do so. */
  lowered: z.object({ times: z.number(), round: z.number() }).default({ times: 0, round: 0 }),
});
/** What the coordinator needs to continue after some rounds. */
export interface RoundState extends z.infer<typeof state> {
  /** Measures of all models before this one, on the people it learns from. */
  readonly course: readonly CurveValues[];
}

const record = z.object({
  training: training.optional(),
  state: state.optional(),
  curve: z
    .array(
      z.object({
        round: z.number(),
        train: values,
        test: values,
        validation: values.extend({ people: z.number() }).optional(),
      }),
    )
    .readonly(),
  /** What in-process parties remember: FairFed's weights. */
  weights: z.array(z.number().nullable()).readonly(),
  /** Where each party keeps its own prices: what it remembers. */
  memories: z.array(z.array(z.number())).readonly().optional(),
});
/** One finished or unfinished run of a method. The course of its state is the curve. */
export type RunRecord = z.infer<typeof record>;

/** Everything that a training continues from, as JSON has it. */
export const checkpointSchema = z.object({ control: record.optional(), method: record.optional() });
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** Models become text. */
export function checkpointJson(checkpoint: Checkpoint): unknown {
  return JSON.parse(
    JSON.stringify(checkpoint, (_, value) => (value instanceof Float32Array ? toBase64(value) : value)),
  );
}

export function checkpointOf(json: unknown): Checkpoint {
  return checkpointSchema.parse(json);
}
