import { base64Of, bytesOf } from "../host/base64.js";

const arrays = { Float32Array, Uint32Array, Uint16Array, Uint8Array } as const;
type ArrayName = keyof typeof arrays;

interface Packed {
  readonly array: ArrayName;
  readonly base64: string;
}

/** A value as JSON, its typed arrays too. */
export function pack(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    const name = (Object.keys(arrays) as ArrayName[]).find((array) => each instanceof arrays[array]);
    if (name === undefined) return each;
    const { buffer, byteOffset, byteLength } = each as Uint8Array;
    return { array: name, base64: base64Of(new Uint8Array(buffer, byteOffset, byteLength)) } satisfies Packed;
  });
}

export function unpack(text: string): unknown {
  return JSON.parse(text, (_, each: unknown) => {
    if (!isPacked(each)) return each;
    return new arrays[each.array](bytesOf(each.base64).buffer);
  });
}

function isPacked(value: unknown): value is Packed {
  return typeof value === "object" && value !== null && Object.hasOwn(arrays, (value as Packed).array ?? "");
}
