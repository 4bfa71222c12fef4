import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asLevels, shortestSingle } from "./levels.js";
import { compareBytes, distinctIds, sortBytes, sortBytesInTurns } from "./order.js";
import { isNumber } from "./spelling.js";
import { editDistance, nearestName, unknownName } from "./suggest.js";
import { numbers, texts } from "./testing/fixtures.js";

describe("near names", () => {
  test("slips are found, other words are not", () => {
    const names = ["age", "balance", "duration", "marital"];
    expect(nearestName("agee", names)).toBe("age");
    expect(nearestName("Balance", names)).toBe("balance");
    expect(nearestName("maritla", names)).toBe("marital");
    expect(nearestName("income", names)).toBeUndefined();
  });

  test("edit distance is a metric on short words", () => {
    const word = fc.string({ maxLength: 6, unit: fc.constantFrom("a", "b") });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, b, 2)).toBe(Math.min(2, editDistance(a, b)));
      }),
    );
  });

  test("a long list is not printed", () => {
    const names = Array.from({ length: 60 }, (_, i) => `column${i}`);
    expect(unknownName("column", "colum7", names)).toBe("unknown column 'colum7'; did you mean 'column7'?");
  });
});

describe("order", () => {
  test("is that of UTF-8 bytes", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(fc.array(text), text, text, (list, a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const expected = [...list].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
        expect(sortBytes([...list])).toEqual(expected);
      }),
    );
  });

  test.each([
    ["plain texts", (at: number) => `${(at * 7919) % 100_003}`],
    ["texts in order", (at: number) => String(at).padStart(7, "0")],
    ["texts beyond 16 bits", (at: number) => `${["\uffff", "😀", "x"][at % 3]}${(at * 7919) % 100_003}😀`],
  ])("is the same where others have their turns: %s", async (_, text) => {
    const list = Array.from({ length: 100_001 }, (_, at) => text(at));
    let turns = 0;
    const count = () => {
      turns++;
      waiting = setImmediate(count);
    };
    let waiting = setImmediate(count);
    const sorted = await sortBytesInTurns([...list]);
    clearImmediate(waiting);
    const expected = sortBytes([...list]);
    expect(sorted.every((each, at) => each === expected[at]) && sorted.length === list.length).toBe(true);
    expect(turns).toBeGreaterThan(5);
    const ids = await distinctIds([...list, list[0], list[7], list[0]]);
    const distinct = new Set(list);
    expect(ids.duplicates).toBe(list.length + 3 - distinct.size);
    expect(ids.sorted).toEqual(sortBytes([...distinct]));
  });
});

describe("levels of numbers", () => {
  test("are in numeric order and as short as can be", () => {
    expect(asLevels(numbers("x", [10, 2, null, -1, 2, 0.1]))).toEqual({
      kind: "text",
      name: "x",
      codes: Int32Array.of(3, 2, -1, 0, 2, 1),
      levels: ["-1", "0.1", "2", "10"],
      missing: 1,
    });
    const single = { kind: "numeric", name: "x", values: Float32Array.of(0.1, 3), missing: 0, notFinite: 0 } as const;
    expect(asLevels(single).levels).toEqual(["0.1", "3"]);
    const text = texts("t", ["b", "a"]);
    expect(asLevels(text)).toBe(text);
  });

  test("shortest texts of single precision read back", () => {
    fc.assert(fc.property(fc.float({ noNaN: true }), (x) => Math.fround(Number(shortestSingle(x))) === x));
  });

  test("what is a number", () => {
    for (const text of ["1", "-1.5", ".5", "5.", "1e-3", " 7 ", "+2"]) expect(isNumber(text, "point")).toBe(true);
    for (const text of ["", " ", "0x10", "1,5", "NA", "1 2", "Infinity", "nan"])
      expect(isNumber(text, "point")).toBe(false);
  });
});
