import * as z from "zod";
import { memberName } from "../identity/kit.js";

const whole = z.number().int().min(0);
const texts = z.record(memberName, z.string().max(200));
const names = z.array(z.string().max(600)).max(20_000);

/** What is asked before a run with columns split: whom all sites hold, and which columns are held twice. */
const question = z.discriminatedUnion("ask", [
  /** How many ids there are, and which alignment is kept. */
  z.strictObject({ ask: z.literal("open"), consents: texts }),
  // The private intersection, letter by letter.
  z.strictObject({ ask: z.literal("chunk"), number: whole }),
  z.strictObject({ ask: z.literal("relay"), owner: memberName, number: whole }),
  z.strictObject({ ask: z.literal("accept") }),
  /** The kept alignment is good enough. */
  z.strictObject({ ask: z.literal("keep") }),
  // A key that the coordinator lacks, and with it the proof that all mean the same people.
  z.strictObject({ ask: z.literal("letters") }),
  z.strictObject({ ask: z.literal("key"), letters: texts }),
  z.strictObject({ ask: z.literal("proofs"), proofs: texts }),
  // What one site says of everybody: who counts how, and who goes with whom. Sealed: the coordinator carries it.
  z.strictObject({ ask: z.literal("links") }),
  z.strictObject({ ask: z.literal("linked"), owner: memberName }),
  /** Digests of columns: of a few people, or of everybody for these columns. */
  z.strictObject({ ask: z.literal("columns"), of: names.optional() }),
  /** Columns that are left out because another site's copy counts. */
  z.strictObject({ ask: z.literal("leave"), columns: names }),
]);

export const prepareSchema = z.strictObject({
  job: z.string().regex(/^[0-9a-f]{64}$/),
  epoch: whole,
  question,
});

export type PrepareQuestion = z.infer<typeof question>;

/** What a party answers to `open`. */
export const openedSchema = z.strictObject({
  /** Different ids; null where the card names no column of ids. The coordinator needs some 40 bytes for each. */
  ids: whole.max(2 ** 26).nullable(),
  /** The name of the alignment that is kept here for such jobs. */
  kept: z.string().max(100).nullable(),
  /** Whether this very job has found it, in an earlier attempt. */
  own: z.boolean(),
});

export const lettersSchema = z.strictObject({ letters: texts });
export const proofSchema = z.strictObject({ proof: z.string().max(200) });
/** Columns by what they are and are called, and their digests. */
export const columnsSchema = z.strictObject({ columns: z.record(z.string().max(600), z.string().max(100)) });
