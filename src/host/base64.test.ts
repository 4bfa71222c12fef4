import { expect, it } from "vitest";
import { base64Of, bytesOf } from "./base64.js";

it.each([0, 1, 2, 3, 4, 6143, 6144, 6145, 12289, 40_000])(
  "base64 of %i bytes is Node's, and is read back",
  (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * i) >> 3);
    const text = base64Of(bytes);
    expect(text).toBe(Buffer.from(bytes).toString("base64"));
    expect(bytesOf(text)).toEqual(bytes);
  },
);
