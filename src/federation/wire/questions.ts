import { z } from "zod";
import { lettersSchema } from "./masked-rounds.js";

const row = z.number().int().min(0);

/** A question that the job's method declares: see src/parties/questions.ts. Its lists of numbers are in the body. */
const declared = z.strictObject({
  ask: z.literal("question"),
  name: z.string().max(100),
  request: z.unknown(),
});

export type DeclaredQuestion = z.infer<typeof declared>;

/** With a site's own answer: how long each of its fields is. */
export const ownLengths = z.strictObject({ lengths: z.array(row).max(100) });

/** All that a coordinator may ask a holder of rows during a run. Whatever has another shape is refused. */
const question = z.discriminatedUnion("ask", [
  // Kept on the party's disk; answered when it is there.
  z.strictObject({ ask: z.literal("checkpoint"), position: row }),
  declared,
]);

export type WireQuestion = z.infer<typeof question>;

/** A question in its place: numbers rise, so that none is answered twice. */
const stepSchema = z.strictObject({
  step: row,
  question,
  /** Of the batch's body, in order. */
  bytes: row.default(0),
});

/** Several questions at once, of which only the last one may be answered. */
export const batchSchema = z.strictObject({
  job: z.string(),
  epoch: row,
  steps: z.array(stepSchema).min(1).max(10_000),
  /** With rows split: the other parties' keys and shares for the sum that is asked for, sealed. */
  letters: lettersSchema.optional(),
});

export type BatchStep = z.infer<typeof stepSchema>;
