import * as z from "zod";
import { failed, type MoietyError } from "../../errors.js";
import { lettersSchema, listSchema } from "./masked-rounds.js";

const row = z.number().int().min(0);

/** A question that the job's method declares: see src/parties/questions.ts. Its lists of numbers are in the body. */
const declared = z.strictObject({
  ask: z.literal("question"),
  name: z.string().max(100),
  request: z.unknown(),
});

export type DeclaredQuestion = z.infer<typeof declared>;

/** With a site's own answer: how long each of its fields is. */
export const ownLengths = z.strictObject({ lengths: z.array(row).max(100) });

/** All that a coordinator may ask a holder of rows during a run. Whatever has another shape is refused. */
const question = z.discriminatedUnion("ask", [
  // Kept on the party's disk; answered when it is there.
  z.strictObject({ ask: z.literal("checkpoint"), position: row }),
  declared,
]);

export type WireQuestion = z.infer<typeof question>;

/** A question in its place: numbers rise, so that none is answered twice. */
const stepSchema = z.strictObject({
  step: row,
  question,
  /** Of the batch's body, in order. */
  bytes: row.default(0),
});

/** Several questions at once: the last one is answered, and those before it whose answers are summed under the same mask. */
export const batchSchema = z.strictObject({
  job: z.string(),
  epoch: row,
  steps: z.array(stepSchema).min(1).max(10_000),
  /** With rows split: the other parties' keys and shares for the sum that is asked for, sealed. */
  letters: lettersSchema.optional(),
  /** The same of many parties: they need no letters. */
  list: listSchema.optional(),
});

export type BatchStep = z.infer<typeof stepSchema>;

/** Typed arrays as they are named in a request that travels. */
const lists = {
  f64: Float64Array,
  f32: Float32Array,
  u64: BigUint64Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
} as const;

type ListName = keyof typeof lists;
type List = InstanceType<(typeof lists)[ListName]>;

/** Requests are no deeper than this. */
const mostDepth = 5;

/** A request as it travels: its lists of numbers lie end to end in the body, in the order in which they are named. */
export interface PackedRequest {
  readonly request: unknown;
  readonly body: Uint8Array;
}

export function packRequest(request: unknown): PackedRequest {
  const parts: Uint8Array[] = [];
  const pack = (value: unknown): unknown => {
    if (ArrayBuffer.isView(value)) {
      const list = value as List;
      const [name] = Object.entries(lists).find(([, type]) => list instanceof type)!;
      parts.push(new Uint8Array(list.buffer, list.byteOffset, list.byteLength));
      return { list: name, length: list.length };
    }
    if (Array.isArray(value)) return value.map(pack);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, pack(field)]));
  };
  const packed = pack(request);
  return { request: packed, body: parts.length === 1 ? parts[0] : Buffer.concat(parts) };
}

/** A request that arrived, its lists in memory of their own. Throws "failed" when the body has not what it says. */
export function unpackRequest({ request, body }: PackedRequest): unknown {
  let at = 0;
  const unpack = (value: unknown, depth: number): unknown => {
    if (depth > mostDepth) throw broken();
    if (Array.isArray(value)) return value.map((each) => unpack(each, depth + 1));
    if (typeof value !== "object" || value === null) return value;
    if ("list" in value && "length" in value) {
      const type = Object.hasOwn(lists, String(value.list)) ? lists[value.list as ListName] : undefined;
      const { length } = value;
      if (!type || !Number.isSafeInteger(length)) throw broken();
      const from = at;
      at += (length as number) * type.BYTES_PER_ELEMENT;
      if ((length as number) < 0 || at > body.length) throw broken();
      return new type(new Uint8Array(body.subarray(from, at)).buffer);
    }
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, unpack(field, depth + 1)]));
  };
  const unpacked = unpack(request, 0);
  if (at !== body.length) throw broken();
  return unpacked;
}

function broken(): MoietyError {
  return failed("a question is out of place: its lists are not those that it names");
}
