import { MoietyError } from "../../errors.js";

/** What a field of a message can hold: a whole number from 0 to 2^53, a text, bytes, a message, or several of one kind. */
type FieldValue = number | boolean | string | Uint8Array | Message | readonly Message[];

/** A message as its fields by number. */
export interface Message {
  readonly [field: number]: FieldValue;
}

/** Protocol buffers by hand: the few messages that we send need no library. A test holds this against the schema. */
export function encodeMessage(message: Message): Buffer {
  const parts: Uint8Array[] = [];
  for (const [field, value] of Object.entries(message)) {
    const values = Array.isArray(value)
      ? (value as readonly Message[])
      : [value as Exclude<FieldValue, readonly Message[]>];
    for (const each of values) {
      if (typeof each === "number" || typeof each === "boolean") {
        parts.push(varint(Number(field) * 8), varint(Number(each)));
        continue;
      }
      const bytes =
        typeof each === "string" ? Buffer.from(each) : each instanceof Uint8Array ? each : encodeMessage(each);
      parts.push(varint(Number(field) * 8 + 2), varint(bytes.length), bytes);
    }
  }
  return Buffer.concat(parts);
}

/** The fields of a message that was received; messages within it are still bytes. */
export class ReceivedMessage {
  private readonly fields = new Map<number, (number | Uint8Array)[]>();

  constructor(bytes: Uint8Array) {
    let at = 0;
    const next = (): number => {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const byte = bytes[at++];
        if (byte === undefined || factor > 2 ** 63) throw malformed();
        value += (byte & 127) * factor;
        if (byte < 128) return value;
      }
    };
    while (at < bytes.length) {
      const tag = next();
      const type = tag % 8;
      let value: number | Uint8Array;
      if (type === 0) value = next();
      else {
        const length = type === 2 ? next() : type === 1 ? 8 : type === 5 ? 4 : Number.POSITIVE_INFINITY;
        if (length > bytes.length - at) throw malformed();
        value = bytes.subarray(at, at + length);
        at += length;
      }
      const field = Math.floor(tag / 8);
      this.fields.set(field, [...(this.fields.get(field) ?? []), value]);
    }
  }

  has(field: number): boolean {
    return this.fields.has(field);
  }

  number(field: number): number {
    const value = this.last(field);
    return typeof value === "number" ? value : 0;
  }

  bytes(field: number): Uint8Array {
    const value = this.last(field);
    return value instanceof Uint8Array ? value : new Uint8Array(0);
  }

  text(field: number): string {
    return Buffer.from(this.bytes(field)).toString("utf8");
  }

  message(field: number): ReceivedMessage {
    return new ReceivedMessage(this.bytes(field));
  }

  messages(field: number): ReceivedMessage[] {
    return (this.fields.get(field) ?? []).flatMap((value) =>
      value instanceof Uint8Array ? [new ReceivedMessage(value)] : [],
    );
  }

  private last(field: number): number | Uint8Array | undefined {
    return this.fields.get(field)?.at(-1);
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
}

function malformed(): MoietyError {
  return new MoietyError("failed", "the server sent something that is no message of Spark Connect");
}
