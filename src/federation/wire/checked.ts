import type { z } from "zod";
import { MoietyError } from "../../errors.js";

/** What arrived, if it has the shape that it should have. */
export function checked<Shape extends z.ZodType>(schema: Shape, value: unknown): z.infer<Shape> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new MoietyError("failed", "a message has not the shape of this version's contract");
}
