import { z } from "zod";
import { MoietyError } from "../../errors.js";
import { fewestBytes } from "../../privacy/integers.js";
import { partBytes } from "../transport/frame.js";

/** What a party hands to the coordinator next. All parties of a run hand over the same, each its own part of it. */
export type Handing =
  /** Rows, of numbers of so many bytes each: the coordinator answers with the position of the smallest in each. */
  | { readonly kind: "rows"; readonly rows: number; readonly width: number; readonly bytes: number }
  /** Numbers to be added up: the coordinator answers with the sums, which it cannot read. */
  | { readonly kind: "sums"; readonly count: number }
  /** A checkpoint that is safe on this party's disk: the coordinator writes down its number, and answers with nothing. */
  | { readonly kind: "checkpoint"; readonly position: number }
  /** The end of the run. */
  | { readonly kind: "end" };

const kinds = ["rows", "sums", "checkpoint", "end"] as const;
export const headerBytes = 16;

/** The first piece of what is handed over: the kind, and up to three numbers. */
export function encodeHanding(handing: Handing): Uint8Array {
  const numbers =
    handing.kind === "rows"
      ? [handing.rows, handing.width, handing.bytes]
      : handing.kind === "sums"
        ? [handing.count]
        : handing.kind === "checkpoint"
          ? [handing.position]
          : [];
  return new Uint8Array(
    Uint32Array.of(kinds.indexOf(handing.kind), numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0).buffer,
  );
}

export function decodeHanding(bytes: Uint8Array): Handing {
  if (bytes.length !== headerBytes) throw broken();
  const [kind, first, second, third] = new Uint32Array(new Uint8Array(bytes).buffer);
  switch (kinds[kind]) {
    case "rows":
      if (second < 2 || second > 255 || third < fewestBytes || third > 8) throw broken();
      return { kind: "rows", rows: first, width: second, bytes: third };
    case "sums":
      return { kind: "sums", count: first };
    case "checkpoint":
      return { kind: "checkpoint", position: first };
    case "end":
      return { kind: "end" };
    default:
      throw broken();
  }
}

/** Rows that fill a piece of the wire: every party sends the same pieces. */
export function rowsPerPiece({ width, bytes }: { readonly width: number; readonly bytes: number }): number {
  return Math.max(1, Math.floor(partBytes / bytes / (width - 1)));
}

/** Whether the first piece and all that follows fit one piece of the wire, and travel as one. */
export function isShort(handing: Handing): boolean {
  return handing.kind !== "rows" || handing.rows * (handing.width - 1) * handing.bytes <= partBytes - headerBytes;
}

const number = z.number();
const whole = z.number().int().min(0);

/** How far a run has come: all that a coordinator is told on the way, beside the number of people. */
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
  return new MoietyError("failed", "a party hands over something that this version does not know");
}
