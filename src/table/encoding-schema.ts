import * as z from "zod";

/** Beyond these, products and squares of coordinates are no numbers any more. */
const measure = z.number().min(-1e150).max(1e150);
const factor = z.number().min(1e-150).max(1e150);

const encoding = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("numeric"),
    column: z.string(),
    shift: measure,
    scale: factor,
    mean: measure.optional(),
  }),
  z.object({
    kind: z.literal("categorical"),
    column: z.string(),
    levels: z.array(z.string()).min(1).refine(differ, "categories must differ"),
    weight: factor,
  }),
]);

/** Encodings as model files hold them: of different columns, one at least. */
export const encodingsSchema = z
  .array(encoding)
  .min(1)
  .refine((all) => differ(all.map(({ column }) => column)), "columns must differ");

function differ(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
