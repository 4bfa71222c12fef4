import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guarded, withoutGuard } from "./spreadsheet.js";

const hostile = fc
  .tuple(fc.constantFrom("", "'", "''"), fc.constantFrom(..."=+-@\t\r"), fc.string())
  .map((parts) => parts.join(""));

describe("an id in a CSV file", () => {
  it("never begins like a formula", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), hostile), (id) => {
        const cell = guarded(id);
        if (/^[=+\-@\t\r]/.test(cell)) expect(Number.isNaN(Number(cell.replaceAll(",", "")))).toBe(false);
      }),
    );
    expect(guarded("=HYPERLINK(1)")).toBe("'=HYPERLINK(1)");
  });

  it("is the same after it was written and read", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), hostile), (id) => {
        expect(withoutGuard(guarded(id))).toBe(id);
      }),
    );
  });

  it("keeps its sign where it is a number, and its apostrophe where it is a name", () => {
    for (const id of ["-5", "+49301234", "'s-Hertogenbosch", "O'Neill", "a=b"]) expect(guarded(id)).toBe(id);
  });
});
