import * as z from "zod";
import { failed, type MoietyError } from "../../errors.js";
import { fewestBytes } from "../../privacy/integers.js";
import { partBytes } from "../transport/frame.js";

/** What a party hands to the coordinator next. All parties of a run hand over the same, each its own part of it. */
export type Handover =
  /** Rows, of numbers of so many bytes each: the coordinator answers with the position of the smallest in each. */
  | { readonly kind: "rows"; readonly rows: number; readonly width: number; readonly bytes: number }
  /** Numbers to be added up: the coordinator answers with the sums, which it cannot read. */
  | { readonly kind: "sums"; readonly count: number }
  /** A checkpoint that is safe on this party's disk: the coordinator writes down its number, and answers with nothing. */
  | { readonly kind: "checkpoint"; readonly position: number }
  /** The end of the run. */
  | { readonly kind: "end" };

/** The numbers of each kind, in the order in which they travel. */
const fields = { rows: ["rows", "width", "bytes"], sums: ["count"], checkpoint: ["position"], end: [] } as const;
const kinds = Object.keys(fields) as Handover["kind"][];
export const headerBytes = 16;

/** The first piece of what is handed over: the kind, and up to three numbers. */
export function encodeHandover(handover: Handover): Uint8Array {
  const { kind, ...rest } = handover;
  const numbers = fields[kind].map((name) => (rest as Record<string, number>)[name]);
  const header = new Uint32Array(headerBytes / 4);
  header.set([kinds.indexOf(kind), ...numbers]);
  return new Uint8Array(header.buffer);
}

export function decodeHandover(bytes: Uint8Array): Handover {
  if (bytes.length !== headerBytes) throw broken();
  const [number, ...numbers] = new Uint32Array(new Uint8Array(bytes).buffer);
  if (number >= kinds.length) throw broken();
  const kind = kinds[number];
  const handover = { kind, ...Object.fromEntries(fields[kind].map((name, at) => [name, numbers[at]])) } as Handover;
  if (handover.kind === "rows") {
    const { width, bytes: size } = handover;
    if (width < 2 || width > 255 || size < fewestBytes || size > 8) throw broken();
  }
  return handover;
}

/** Rows that fill a piece of the wire: every party sends the same pieces. */
export function rowsPerPiece({ width, bytes }: { readonly width: number; readonly bytes: number }): number {
  return Math.max(1, Math.floor(partBytes / bytes / (width - 1)));
}

/** Whether the first piece and all that follows fit one piece of the wire, and travel as one. */
export function isShort(handover: Handover): boolean {
  return handover.kind !== "rows" || handover.rows * (handover.width - 1) * handover.bytes <= partBytes - headerBytes;
}

const number = z.number();
const whole = z.number().int().min(0);

/** How far a run has come: all that a coordinator learns on the way, beside the number of people. */
const progressSchema = z.strictObject({
  phase: z.enum(["seed", "sample", "descent", "fair", "even", "mixture"]),
  start: whole,
  starts: whole,
  pass: whole,
  passes: whole,
  sse: number,
  violation: number,
});

/** What the leading party tells the coordinator, in the open. */
export const leaderReportSchema = z
  .strictObject({
    progress: progressSchema.optional(),
    /** At the end. */
    solution: z
      .strictObject({
        outcome: z.strictObject({ passes: whole, converged: z.boolean() }),
        history: z.array(progressSchema).max(100_000),
        seeding: number,
        unconstrainedSse: number.nullable(),
        sse: number,
      })
      .optional(),
  })
  .nullable();

export type LeaderReport = z.infer<typeof leaderReportSchema>;

export const relaySchema = z.strictObject({
  job: z.string(),
  epoch: whole,
  /** Rises by one: nothing is handed over twice. */
  step: whole,
  /** With the first one: how many answers beyond the checkpoint all parties have from an earlier attempt. */
  answered: whole.optional(),
});

export type Relay = z.infer<typeof relaySchema>;

function broken(): MoietyError {
  return failed("a party hands over something that this version does not know");
}
