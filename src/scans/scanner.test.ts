import { describe, expect, it } from "vitest";
import type { Table } from "../table/types.js";
import { hashRange, idOfHash, jitterOf, wholeHash } from "./scanner.js";
import { MemoryScanner } from "./testing/memory-scanner.js";

/** As SQL would, over whole numbers of 64 bits. */
function hashed(id: bigint): bigint {
  const q = 67108859n;
  const u = id >= 0n ? 2n * id : -2n * id - 1n;
  let [a, b] = [u / q, u % q];
  for (const c of [12345677n, 40503011n, 28411979n]) [a, b] = [b, (a + b * ((b + c) % q)) % q];
  return a * q + b;
}

describe("hashes", () => {
  const ids = [0, 1, -1, 2, 99, 1e6, -1e6, 2 ** 31, 2 ** 50 - 1, -(2 ** 50) + 1, 123_456_789_012];

  it("are those of exact arithmetic, within their range", () => {
    for (const id of ids) {
      expect(BigInt(wholeHash(id))).toBe(hashed(BigInt(id)));
      expect(wholeHash(id)).toBeLessThan(hashRange.number);
      expect(idOfHash(wholeHash(id))).toBe(id);
    }
  });

  it("tell all people apart and deal them out evenly, also among every tenth", () => {
    const hashes = Float64Array.from({ length: 100_000 }, (_, id) => wholeHash(id));
    expect(new Set(hashes).size).toBe(100_000);
    const low = Array.from(hashes.keys()).filter((id) => hashes[id] < hashRange.number / 10);
    expect(Math.abs(low.length - 10_000)).toBeLessThan(400);
    expect(Math.abs(low.filter((id) => id % 10 === 0).length - 1000)).toBeLessThan(150);
  });

  it("give jitter as exact arithmetic does, from 0 to below the amplitude", () => {
    for (const id of ids) {
      for (const cluster of [0, 1, 63, 65_535]) {
        const factor = 1n + (((BigInt(cluster) + 1n) * 1664525n) % 2097143n);
        const exact = (((BigInt(wholeHash(id)) % 2147483647n) * factor) % 2147483647n) % 1000n;
        expect(BigInt(jitterOf(wholeHash(id), cluster, 1000))).toBe(exact);
        expect(jitterOf(wholeHash(id), cluster, 0)).toBe(0);
      }
    }
  });
});

describe("the scanner of a table in memory", () => {
  const table: Table = {
    rows: 5,
    columns: [
      { kind: "numeric", name: "age", values: Float64Array.of(20, 40, Number.NaN, 60, 25), missing: 1, notFinite: 0 },
      { kind: "text", name: "sex", codes: Int32Array.of(0, 1, 0, -1, 1), levels: ["f", "m"], missing: 1 },
    ],
  };

  it("counts people, others, intervals and whole moments", async () => {
    const survey = await new MemoryScanner(table).survey({
      complete: ["sex"],
      columns: ["age", "sex"],
      distinct: ["sex"],
      tallies: [{ keys: [{ column: "sex" }, { column: "age", cuts: [25, 50] }], most: 10 }],
      moments: [{ column: "age", shift: 30, step: 4 }],
    });
    expect(survey).toEqual({
      rows: 5,
      people: 4,
      columns: [
        { missing: 1, notFinite: 0, least: 20, most: 40, whole: true, known: 3 },
        { missing: 1, notFinite: 0, least: 0, most: 0, whole: false, known: 4 },
      ],
      distinct: [2],
      tallies: [
        {
          cells: [
            { values: ["f", 0], people: 1, others: 0, weight: 1 },
            { values: ["m", 1], people: 2, others: 0, weight: 2 },
            { values: ["f", null], people: 1, others: 0, weight: 1 },
            { values: [null, 2], people: 0, others: 1, weight: 0 },
          ],
          tooMany: false,
        },
      ],
      // -2.5, 2.5 and -1.25 plus a half, rounded down.
      moments: [{ people: 3, sum: -2 + 3 - 1, squares: 4 + 9 + 1 }],
    });
  });
});
