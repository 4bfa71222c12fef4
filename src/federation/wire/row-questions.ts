import { z } from "zod";
import { MoietyError } from "../../errors.js";
import type { Reach, RowQuestion, RowRequest, SummableQuestion, Whole } from "../../parties/row-types.js";

const number = z.number();
const count = z.number().int().min(0);
const listed = (length: number) => z.array(count).length(length);
const slot = z.enum(["start", "query", "best"]);

/**
 * What a holder of rows is asked. Lists of numbers travel in the body, eight bytes each; `lengths` says how many are in
 * each of them.
 */
const row = z.discriminatedUnion("rows", [
  // Answered by masked numbers.
  z.strictObject({ rows: z.literal("moments"), lengths: listed(2) }),
  z.strictObject({ rows: z.literal("open"), k: count, bits: z.number().int().min(-60).max(60), lengths: listed(0) }),
  z.strictObject({ rows: z.literal("place"), lengths: listed(2) }),
  z.strictObject({ rows: z.literal("totals"), lengths: listed(2) }),
  z.strictObject({ rows: z.literal("assign"), lengths: listed(1) }),
  z.strictObject({ rows: z.literal("below"), lengths: listed(3) }),
  z.strictObject({ rows: z.literal("gather"), lengths: listed(0) }),
  z.strictObject({ rows: z.literal("silhouette"), lengths: listed(1) }),
  // Answered in the open, where card and policies allow it. Raw records ("seeds") are nothing that can be asked for.
  z.strictObject({
    rows: z.literal("summarise"),
    clusters: count.min(1),
    peopleEach: count.min(1),
    least: count,
    small: z.enum(["drop", "merge"]),
    method: z.enum(["step", "lloyd"]),
    starts: count.min(1).max(100),
    seed: count,
    lengths: listed(0),
  }),
  z.strictObject({ rows: z.literal("refine"), least: count, lengths: listed(1) }),
  // Not answered.
  z.strictObject({ rows: z.literal("rescale"), lengths: listed(4) }),
  z.strictObject({ rows: z.literal("measure"), jitter: number.min(0), lengths: listed(1) }),
  z.strictObject({ rows: z.literal("settle"), lengths: listed(1) }),
  z.strictObject({ rows: z.literal("transfer"), lengths: listed(3) }),
  z.strictObject({ rows: z.literal("remember"), slot, lengths: listed(0) }),
  z.strictObject({ rows: z.literal("recall"), slot, lengths: listed(0) }),
]);

export type RowWireQuestion = z.infer<typeof row>;

export const rowQuestions = [
  z.strictObject({ ask: z.literal("rows"), row }),
  /** How many people are in each combination of the card's groups: masked. */
  z.strictObject({ ask: z.literal("census") }),
  /** The number of this site's first person; which combinations occur is in the body. */
  z.strictObject({ ask: z.literal("enrol"), first: count }),
  /** Whether the largest value of each column, and of each negated one, reaches some levels: masked yes or no. */
  z.strictObject({ ask: z.literal("reaches"), shift: z.number().int().min(0).max(60) }),
  /** How many people of each occurring combination are in each cluster: masked. */
  z.strictObject({ ask: z.literal("tally") }),
] as const;

/** The fields that are lists of numbers, in the order of the body. */
const lists = {
  moments: ["shift", "step"],
  place: ["numbers", "centres"],
  totals: ["numbers", "due"],
  assign: ["offsets"],
  settle: ["offsets"],
  below: ["moves", "gaps", "persons"],
  silhouette: ["sizes"],
  refine: ["centres"],
  rescale: ["shift", "scale", "mean", "kept"],
  measure: ["centres"],
  transfer: ["moves", "gaps", "persons"],
} as const satisfies Partial<Record<RowQuestion, readonly string[]>>;

function listsOf(question: string): readonly string[] {
  return question in lists ? lists[question as keyof typeof lists] : [];
}

/** A request as it travels. */
export function packRow<Q extends RowQuestion>(
  question: Q,
  request: RowRequest<Q>,
): { readonly row: RowWireQuestion; readonly body: Uint8Array } {
  const names = listsOf(question);
  const fields = request as Readonly<Record<string, unknown>>;
  const values = names.map((name) => {
    const list = fields[name] as ArrayLike<number> | readonly Float64Array[];
    // Several sets of centres are laid end to end.
    return Array.isArray(list)
      ? Float64Array.from(list.flatMap((each: Float64Array) => Array.from(each)))
      : Float64Array.from(list as ArrayLike<number>);
  });
  const scalars = Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
  const body = Buffer.concat(values.map((list) => new Uint8Array(list.buffer)));
  const lengths = values.map((list) => list.length);
  return { row: { rows: question, ...scalars, lengths } as unknown as RowWireQuestion, body };
}

/** The lists of a request that arrived. Throws "failed" when the body has not what the question says. */
export function unpackRow(
  { rows, lengths }: RowWireQuestion,
  body: Uint8Array,
): Readonly<Record<string, Float64Array>> {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (body.length !== 8 * total)
    throw new MoietyError("failed", `a body of ${body.length} bytes should have ${8 * total}`);
  const values = new Float64Array(new Uint8Array(body).buffer);
  let at = 0;
  const entries = listsOf(rows).map((name, index): [string, Float64Array] => {
    const from = at;
    at += lengths[index];
    return [name, values.slice(from, at)];
  });
  for (const value of values) if (!Number.isFinite(value)) throw new MoietyError("failed", "a number is not finite");
  return Object.fromEntries(entries);
}

/** The numbers of an answer that is added up, field by field. */
export function rowShape(
  { rows, lengths }: RowWireQuestion,
  { k, columns }: { readonly k: number; readonly columns: number },
): readonly (readonly [string, number])[] {
  const shapes: Record<SummableQuestion, () => readonly (readonly [string, number])[]> = {
    moments: () => [
      ["people", columns],
      ["sums", columns],
      ["squares", columns],
    ],
    open: () => [["squares", 1]],
    place: () => [
      ["moved", lengths[1] / columns],
      ["counts", lengths[1] / columns],
      ["cost", lengths[0]],
    ],
    totals: () => [
      ["counts", lengths[1]],
      ["sums", lengths[1] * columns],
    ],
    assign: () => [
      ["counts", lengths[0]],
      ["cost", 1],
    ],
    below: () => [["counts", lengths[1]]],
    gather: () => [
      ["counts", k],
      ["sums", k * columns],
    ],
    silhouette: () => [["total", 1]],
  };
  return shapes[rows as SummableQuestion]();
}

/** Fields one after the other, and back. */
export function joinFields(
  shape: readonly (readonly [string, number])[],
  answer: Readonly<Record<string, Whole>>,
): Whole {
  const joined = new Float64Array(shape.reduce((sum, [, length]) => sum + length, 0));
  let at = 0;
  for (const [field, length] of shape) {
    if (answer[field].length !== length) throw new MoietyError("failed", `an answer has another number of ${field}`);
    joined.set(answer[field], at);
    at += length;
  }
  return joined;
}

export function splitFields(
  shape: readonly (readonly [string, number])[],
  joined: ArrayLike<number>,
): Record<string, Whole> {
  let at = 0;
  return Object.fromEntries(
    shape.map(([field, length]) => {
      const part = Float64Array.from({ length }, (_, i) => joined[at + i]);
      at += length;
      return [field, part];
    }),
  );
}

/** Numbers as whole ones in the same order, from 0 up: the largest can be found bit by bit. */
function orderedBits(value: number): bigint {
  const words = new BigUint64Array(Float64Array.of(value + 0).buffer);
  const bits = words[0];
  return bits >> 63n === 1n ? BigInt.asUintN(64, ~bits) : bits | (1n << 63n);
}

export function fromOrderedBits(order: bigint): number {
  const bits = order >> 63n === 1n ? order & ~(1n << 63n) : BigInt.asUintN(64, ~order);
  return new Float64Array(BigUint64Array.of(bits).buffer)[0];
}

/** Levels that are asked about at once: four bits of the largest value. */
export const levelsAtOnce = 15;

/** Whether the largest value of each column, and of each negated one, reaches the levels above what is known of it. */
export function levelsReached({ least, most }: Reach, shift: number, body: Uint8Array): boolean[] {
  const largest = [...most, ...least.map((value) => -value)];
  if (body.length !== 8 * largest.length || shift % 4 !== 0) {
    throw new MoietyError("failed", "a question is out of place: it asks for other levels than there are");
  }
  const known = new BigUint64Array(new Uint8Array(body).buffer);
  return largest.flatMap((value, at) =>
    Array.from(
      { length: levelsAtOnce },
      (_, level) => orderedBits(value) >= known[at] + (BigInt(level + 1) << BigInt(shift)),
    ),
  );
}
