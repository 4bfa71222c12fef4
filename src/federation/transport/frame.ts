import { failed, type MoietyError } from "../../errors.js";

/** The versions of the wire contract in proto/federation.proto that this side speaks: with masks that do not depend on the question it speaks none. */
export const wireVersions = { oldest: 3, newest: 3 } as const;

export const kinds = { ask: 1, askPart: 2, answer: 3, answerPart: 4, fail: 5, beat: 6 } as const;
export type FrameKind = keyof typeof kinds;

/** The one message of the wire contract. */
export interface Frame {
  readonly kind: FrameKind;
  readonly call: number;
  readonly method: string;
  readonly meta: Uint8Array;
  readonly body: Uint8Array;
  /** Of the wire contract, where it is to be sent: the oldest until both sides have agreed on another. */
  readonly version?: number;
}

/** No frame may be larger: what is longer goes in parts. */
export const mostFrameBytes = 4 << 20;
/** Bytes of a part's body: enough that few frames are needed, and so few that several parties' parts need little memory. */
export const partBytes = 1 << 20;

const kindNames = new Map<number, FrameKind>(
  Object.entries(kinds).map(([name, number]) => [number, name as FrameKind]),
);
const nothing = new Uint8Array(0);

/** A frame without the fields that it does not need. */
export function frame(kind: FrameKind, fields: Partial<Omit<Frame, "kind">> = {}): Frame {
  return { kind, call: 0, method: "", meta: nothing, body: nothing, ...fields };
}

/**
 * Protocol buffers by hand, because bodies are millions of numbers that must not be copied more than once. A test holds
 * this against the schema.
 */
export function encodeFrame({ kind, call, method, meta, body, version = wireVersions.oldest }: Frame): Buffer {
  const name = Buffer.from(method);
  const head = Buffer.allocUnsafe(40 + name.length + meta.length);
  let at = writeNumber(head, 0, 1, version);
  at = writeNumber(head, at, 2, kinds[kind]);
  if (call > 0) at = writeNumber(head, at, 3, call);
  if (name.length > 0) at = writeBytes(head, at, 4, name);
  if (meta.length > 0) at = writeBytes(head, at, 5, meta);
  if (body.length === 0) return head.subarray(0, at);
  head[at++] = (6 << 3) | 2;
  at = writeVarint(head, at, body.length);
  return Buffer.concat([head.subarray(0, at), body]);
}

/** Throws "failed" on anything that is not a frame of a version that this side speaks. */
export function decodeFrame(bytes: Uint8Array): Frame {
  let version = 0;
  let kind = 0;
  let call = 0;
  let method = "";
  let meta: Uint8Array = nothing;
  let body: Uint8Array = nothing;
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at++];
    const field = tag >> 3;
    const number = (tag & 7) === 0 && field >= 1 && field <= 3;
    const text = (tag & 7) === 2 && field >= 4 && field <= 6;
    if (!number && !text) throw malformed();
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 28) throw malformed();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    if (value > 0xffffffff) throw malformed();
    if (field === 1) version = value;
    else if (field === 2) kind = value;
    else if (field === 3) call = value;
    else {
      if (value > bytes.length - at) throw malformed();
      // Not a Buffer: its slices would be views of the same memory, and readers may expect copies.
      const content = new Uint8Array(bytes.buffer, bytes.byteOffset + at, value);
      at += value;
      if (field === 4) method = Buffer.from(content).toString("utf8");
      else if (field === 5) meta = content;
      else body = content;
    }
  }
  const { oldest, newest } = wireVersions;
  if (version < oldest || version > newest) {
    throw failed(
      `the other side speaks version ${version} of the wire contract, this side ${oldest} to ${newest}: install a newer moiety`,
    );
  }
  const name = kindNames.get(kind);
  if (name === undefined || method.length > 64) throw malformed();
  return { kind: name, call, method, meta, body };
}

function malformed(): MoietyError {
  return failed("the other side sent something that is no frame of the wire contract");
}

function writeNumber(target: Buffer, at: number, field: number, value: number): number {
  target[at] = field << 3;
  return writeVarint(target, at + 1, value);
}

function writeBytes(target: Buffer, at: number, field: number, bytes: Uint8Array): number {
  target[at] = (field << 3) | 2;
  const from = writeVarint(target, at + 1, bytes.length);
  target.set(bytes, from);
  return from + bytes.length;
}

function writeVarint(target: Buffer, at: number, value: number): number {
  let rest = value;
  let place = at;
  while (rest > 127) {
    target[place++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  target[place++] = rest;
  return place;
}

export function toJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value ?? null));
}

export function fromJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return null;
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
  } catch {
    throw failed("the other side sent something that is not JSON");
  }
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0];
  const whole = new Uint8Array(pieces.reduce((bytes, each) => bytes + each.length, 0));
  let at = 0;
  for (const each of pieces) {
    whole.set(each, at);
    at += each.length;
  }
  return whole;
}
