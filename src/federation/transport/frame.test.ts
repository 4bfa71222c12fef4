import { fileURLToPath } from "node:url";
import { loadSync } from "@grpc/proto-loader";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MoietyError } from "../../errors.js";
import { decodeFrame, encodeFrame, type Frame, type FrameKind, kinds, wireVersions } from "./frame.js";

const schema = loadSync(fileURLToPath(new URL("../../../proto/federation.proto", import.meta.url)), {
  enums: Number,
  defaults: true,
});
const method = (schema["moiety.v1.Federation"] as unknown as Record<string, Record<string, unknown>>).Connect;
const serialize = method.requestSerialize as (value: object) => Buffer;
const deserialize = method.requestDeserialize as (bytes: Buffer) => Record<string, unknown>;

const frames: fc.Arbitrary<Frame> = fc.record({
  kind: fc.constantFrom(...(Object.keys(kinds) as FrameKind[])),
  call: fc.integer({ min: 0, max: 0xffffffff }),
  method: fc.string({ maxLength: 20 }),
  meta: fc.uint8Array({ maxLength: 300 }),
  body: fc.uint8Array({ maxLength: 70_000 }),
});

const same = (a: unknown, b: Uint8Array) => Buffer.compare(Buffer.from(a as Uint8Array), b) === 0;

describe("frames", () => {
  it("are those of the schema, both ways", () => {
    fc.assert(
      fc.property(frames, (each) => {
        const read = deserialize(encodeFrame(each));
        expect(read).toMatchObject({
          version: wireVersions.oldest,
          kind: kinds[each.kind],
          call: each.call,
          method: each.method,
        });
        expect(same(read.meta, each.meta) && same(read.body, each.body)).toBe(true);
        const back = decodeFrame(serialize({ ...each, version: wireVersions.oldest, kind: kinds[each.kind] }));
        expect(back).toMatchObject({ kind: each.kind, call: each.call, method: each.method });
        expect(same(back.meta, each.meta) && same(back.body, each.body)).toBe(true);
      }),
    );
  });

  it("of another version are refused by name", () => {
    const other = serialize({ version: 4, kind: 1, call: 1 });
    expect(() => decodeFrame(other)).toThrow(/speaks version 4 .* this side 3/);
  });

  it("that are garbage are refused, whatever they are", () => {
    const refuses = (bytes: Uint8Array) => {
      try {
        decodeFrame(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(MoietyError);
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), refuses), { numRuns: 2000 });
    fc.assert(
      fc.property(frames, fc.nat(), fc.integer({ min: 0, max: 255 }), (each, at, value) => {
        const bytes = encodeFrame(each);
        bytes[at % Math.min(bytes.length, 30)] = value;
        refuses(bytes);
        refuses(bytes.subarray(0, at % bytes.length));
      }),
    );
  });
});
