import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { readTable } from "./disk/index.js";
import { arePlain, sortByDigits } from "./order.js";
import { preparePeople } from "./people.js";
import { cellsOf, failure, Scratch } from "./testing/fixtures.js";

const scratch = new Scratch();
afterAll(() => scratch.remove());

describe("whole numbers in the order of their texts", () => {
  const number = fc.oneof(
    fc.nat(),
    fc.nat(1000),
    fc.maxSafeNat().map((big) => big % 1e14),
    fc.constantFrom(0, 1, 10, 100, 1e13, 1e14 - 1),
  );

  test("is that of sorted texts", () => {
    fc.assert(
      fc.property(fc.uniqueArray(number, { maxLength: 300 }), (numbers) => {
        expect(arePlain(numbers)).toBe(true);
        const rows = Uint32Array.from(numbers.keys());
        const sorted = sortByDigits(rows, numbers);
        expect(Array.from(sorted, String)).toEqual(numbers.map(String).sort());
        expect(Array.from(rows, (row) => numbers[row])).toEqual(Array.from(sorted));
      }),
    );
  });

  test.each([[-1], [0.5], [1e14], [Number.NaN], [Number.POSITIVE_INFINITY]])("%d is not plain", (odd) => {
    expect(arePlain([1, odd])).toBe(false);
  });
});

describe("ids that are whole numbers", () => {
  const rows = 5000;
  const csv = (id: (i: number) => string) =>
    `person,x,y\n${Array.from({ length: rows }, (_, i) => `${id(i)},${i % 17},${(i * 31) % 101}`).join("\n")}\n`;
  const plain = (i: number) => String((i * 7919) % 100_003);

  test("make the same people as ids that are texts", async () => {
    const path = scratch.file("plain.csv", csv(plain));
    const numbered = preparePeople(await readTable(path, { id: "person" }), { id: "person" });
    const texts = preparePeople(await readTable(path, { text: ["person"] }), { id: "person" });
    expect(numbered.ids?.numbers).toBeDefined();
    expect(texts.ids?.numbers).toBeUndefined();
    expect(numbered.ids?.values).toEqual(texts.ids?.values);
    expect(numbered.sourceRows).toEqual(texts.sourceRows);
    expect(numbered.dimensions).toEqual(texts.dimensions);
  });

  test.each([
    ["a zero in front", 4999, "007"],
    ["a letter", 3000, "x"],
    ["a sign", 0, "-5"],
    ["13 digits", 2500, "1234567890123"],
    ["a long text", 2047, "somebody with a long name"],
  ])("%s among them makes texts of all", async (_, at, odd) => {
    const path = scratch.file(
      "odd.csv",
      csv((i) => (i === at ? odd : plain(i))),
    );
    const [id] = (await readTable(path, { id: "person" })).columns;
    const [text] = (await readTable(path, { text: ["person"] })).columns;
    expect(id).toEqual(text);
    expect(cellsOf(id)[at]).toBe(odd);
  });

  test.each(["INTEGER", "UINTEGER", "BIGINT", "DOUBLE", "FLOAT"])(
    "of type %s are those of a CSV file",
    async (type) => {
      const path = scratch.file("typed.csv", csv(plain));
      const query = `SELECT person::${type} AS person, x, y FROM '${path}'`;
      const typed = preparePeople(await readTable(query, { id: "person" }), { id: "person" });
      const { ids, sourceRows } = preparePeople(await readTable(path, { id: "person" }), { id: "person" });
      expect(typed.ids?.numbers).toEqual(ids?.numbers);
      expect(typed.sourceRows).toEqual(sourceRows);
    },
  );

  test.each(["INTEGER", "DOUBLE"])("of type %s, some below zero: in the order of their texts", async (type) => {
    const path = scratch.file(
      "signed.csv",
      csv((i) => String(i - 2000)),
    );
    const query = `SELECT person::${type} AS person, x, y FROM '${path}'`;
    const typed = preparePeople(await readTable(query, { id: "person" }), { id: "person" });
    const texts = preparePeople(await readTable(path, { text: ["person"] }), { id: "person" });
    expect(typed.ids?.values).toEqual(texts.ids?.values);
    expect(typed.sourceRows).toEqual(texts.sourceRows);
  });

  test("repeated ones are counted", async () => {
    const path = scratch.file(
      "twice.csv",
      csv((i) => String(i % 4990)),
    );
    const table = await readTable(path, { id: "person" });
    expect(await failure(() => preparePeople(table, { id: "person" }))).toMatch(/repeats an id in 10 rows/);
  });
});
