import { z } from "zod";

/** `Encoding` as model files hold it. */
export const encodingSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("numeric"),
    column: z.string(),
    shift: z.number(),
    scale: z.number(),
    mean: z.number().optional(),
  }),
  z.object({ kind: z.literal("categorical"), column: z.string(), levels: z.array(z.string()), weight: z.number() }),
]);
