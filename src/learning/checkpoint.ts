import { z } from "zod";
import { fromBase64, toBase64 } from "./model.js";
import { differences } from "./tally.js";
import type { Checkpoint } from "./types.js";

const model = z.string().transform(fromBase64);
const values = z.object({
  loss: z.number(),
  accuracy: z.number(),
  dpd: z.number(),
  eod: z.number(),
  apd: z.number(),
  positiveRate: z.number(),
});
const what = z.enum(["loss", "accuracy", ...differences]);
const motion = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("settled") }),
  z.object({ kind: z.literal("unknown") }),
  z.object({
    kind: z.literal("drifting"),
    what,
    rounds: z.number(),
    before: z.number(),
    after: z.number(),
  }),
  z.object({ kind: z.literal("swinging"), what, rounds: z.number(), by: z.number() }),
]);
const record = z.object({
  training: z
    .object({
      model,
      rounds: z.number(),
      modelRound: z.number(),
      ended: z.enum(["settled", "rounds", "patience", "diverged"]),
      motion: motion.default({ kind: "unknown" }),
    })
    .optional(),
  state: z
    .object({
      round: z.number(),
      model,
      memory: z.array(z.number()),
      firstLoss: z.number(),
      best: z.object({ merit: z.number(), round: z.number(), model }),
      // Earlier versions lowered no rate by themselves.
      lowered: z.object({ times: z.number(), round: z.number() }).default({ times: 0, round: 0 }),
    })
    .optional(),
  curve: z.array(z.object({ round: z.number(), train: values, test: values })),
  weights: z.array(z.number().nullable()),
});

/** A `Checkpoint` as JSON has it. */
export const checkpointSchema = z.object({ control: record.optional(), method: record.optional() });

/** Models become text. */
export function checkpointJson(checkpoint: Checkpoint): unknown {
  return JSON.parse(
    JSON.stringify(checkpoint, (_, value) => (value instanceof Float32Array ? toBase64(value) : value)),
  );
}

export function checkpointOf(json: unknown): Checkpoint {
  return checkpointSchema.parse(json) as Checkpoint;
}
