import { z } from "zod";

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** What a party is asked of a job as a whole, beside the questions of its preparation and of its run. */
export const considerSchema = z.strictObject({ card: z.unknown(), signature: z.string() });

export const beginSchema = z.strictObject({
  job: hash,
  epoch: z.number().int().min(0),
  consents: z.record(z.string(), z.string()),
  /** Of the checkpoint to go on from; null to begin anew. */
  position: z.number().int().min(0).nullable(),
});

/** How many people a party holds, as far as that may be known, and how many answers it has beyond the checkpoint. */
export const begunSchema = z.object({ rows: z.number().int().min(1), answered: z.number().int().min(0) });

/** Asked of a site that paused a job, until it has nothing against going on. */
export const recheckSchema = z.strictObject({ job: hash });

/** With rows split the coordinator alone can say what everybody is like together; kept beside the labels. */
export const finishSchema = z.strictObject({ job: hash, whole: z.record(z.string(), z.unknown()).optional() });

export const releaseSchema = z.strictObject({ job: hash, state: z.enum(["done", "failed"]) });

export type Begin = z.infer<typeof beginSchema>;
export type Begun = z.infer<typeof begunSchema>;
export type Finish = z.infer<typeof finishSchema>;
export type ReleaseRequest = z.infer<typeof releaseSchema>;
