import { z } from "zod";
import { learningQuestion } from "./learning-questions.js";
import { lettersSchema } from "./masked-rounds.js";
import { mixtureQuestions } from "./mixture-questions.js";

const number = z.number();
const row = z.number().int().min(0);
const cluster = z.number().int().min(0).max(65_000);
const range = z.strictObject({ from: row, to: row });
const slot = z.string().regex(/^[a-z]{1,20}$/);
const grid = z.strictObject({
  bits: z.number().int().min(-60).max(60),
  weightBits: z.number().int().min(0).max(20),
  quantum: number.positive(),
  reach: z.number().int().min(0).max(60),
});

const rule = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("nearest") }),
  z.strictObject({ kind: z.literal("descent") }),
  z.strictObject({ kind: z.literal("priced"), unit: number }),
  z.strictObject({ kind: z.literal("repair"), unit: number, pressure: number }),
  z.strictObject({ kind: z.literal("trade"), pressure: number }),
  z.strictObject({ kind: z.literal("polish") }),
  z.strictObject({ kind: z.literal("even") }),
  z.strictObject({ kind: z.literal("admm") }),
]);

/**
 * Whose clusters come first in ties: everybody's own, or the lowest number. Also whether a table is of differences in
 * that order.
 */
const order = z.enum(["own", "index"]);

/** A question that the job's method declares: see src/parties/questions.ts. Its lists of numbers are in the body. */
const declared = z.strictObject({
  ask: z.literal("question"),
  name: z.string().max(100),
  request: z.unknown(),
});

export type DeclaredQuestion = z.infer<typeof declared>;

/** With a site's own answer: how long each of its fields is. */
export const ownLengths = z.strictObject({ lengths: z.array(row).max(100) });

/** All that a coordinator may say to a party during a run. Whatever has another shape is refused. */
const question = z.discriminatedUnion("ask", [
  // Answered by masked numbers.
  z.strictObject({ ask: z.literal("spread") }),
  z.strictObject({ ask: z.literal("distances"), row }),
  z.strictObject({ ask: z.literal("table"), range, order }),
  z.strictObject({ ask: z.literal("scores"), range }),
  // At fixed centres: what distances are made of once, and what a rule adds for one person of each kind.
  z.strictObject({ ask: z.literal("squares"), cluster }),
  z.strictObject({ ask: z.literal("kinds") }),
  z.strictObject({ ask: z.literal("offsets"), rows: z.array(row).max(100_000) }),
  z.strictObject({ ask: z.literal("permit"), count: row }),
  z.strictObject({ ask: z.literal("judge"), count: row }),
  z.strictObject({ ask: z.literal("sse") }),
  z.strictObject({ ask: z.literal("gained") }),
  z.strictObject({ ask: z.literal("standing") }),
  // Answered by what every party knows alike.
  z.strictObject({ ask: z.literal("labels") }),
  z.strictObject({ ask: z.literal("sizes") }),
  z.strictObject({ ask: z.literal("vacate"), turn: row, draw: number.min(0).max(1) }),
  z.strictObject({ ask: z.literal("settle"), range, order }),
  // Not answered.
  z.strictObject({ ask: z.literal("open"), k: cluster.min(1), grid }),
  z.strictObject({ ask: z.literal("place"), cluster, row }),
  z.strictObject({ ask: z.literal("prepare"), rule }),
  z.strictObject({ ask: z.literal("adopt"), range }),
  z.strictObject({ ask: z.literal("apply"), count: row }),
  z.strictObject({ ask: z.literal("pin"), row }),
  z.strictObject({ ask: z.literal("unpin") }),
  z.strictObject({ ask: z.literal("recentre") }),
  z.strictObject({ ask: z.literal("restartPrices"), step: number, room: number }),
  z.strictObject({ ask: z.literal("adjustPrices") }),
  z.strictObject({ ask: z.literal("startAdmm"), rho: number }),
  z.strictObject({ ask: z.literal("stepAdmm"), raise: number }),
  z.strictObject({ ask: z.literal("remember"), slot }),
  z.strictObject({ ask: z.literal("recall"), slot }),
  z.strictObject({ ask: z.literal("sample"), as: row, count: row }),
  z.strictObject({ ask: z.literal("inherit"), from: row }),
  z.strictObject({ ask: z.literal("close") }),
  // Kept on the party's disk; answered when it is there.
  z.strictObject({ ask: z.literal("checkpoint"), position: row }),
  // To holders of rows, who have clusters or learn.
  declared,
  ...mixtureQuestions,
  learningQuestion,
]);

export type WireQuestion = z.infer<typeof question>;

/** A question in its place: numbers rise, so that none is answered twice; `of` is the people it is about, 0 for all. */
const stepSchema = z.strictObject({
  step: row,
  of: row,
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

export type Step = z.infer<typeof stepSchema>;
