import { z } from "zod";

const count = z.number().int().min(0);

/** What a holder of rows is asked in a private job. Numbers travel in the body, eight bytes each. */
export const mixtureQuestions = [
  /** Sums of responsibilities times coordinates, [components][terms] of theta in the body: masked. */
  z.strictObject({
    ask: z.literal("mixture"),
    components: count.min(1).max(1000),
    hard: z.boolean(),
    people: count,
    /** Which question of the plan it is. */
    number: count,
  }),
  /** People of each group in the cell of each centre in the body: masked, and asked once. */
  z.strictObject({ ask: z.literal("groups") }),
  /** People in the cell of each centre in the body, where features are not private: masked. */
  z.strictObject({ ask: z.literal("cells") }),
  /** The cluster of each cell, after its centre: not answered. */
  z.strictObject({ ask: z.literal("clusters"), cells: count.min(1).max(1000) }),
] as const;
