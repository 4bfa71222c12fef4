import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idLikeness } from "./ids.js";
import { preparePeople } from "./people.js";
import { failure, numbers, tableOf, texts } from "./testing/fixtures.js";

const ids = [
  "id",
  "ID",
  "Id",
  "person_id",
  "personId",
  "PersonID",
  "customer-id",
  "caseid",
  "uuid",
  "user.uuid",
  "id2",
];
const more = ["key", "Kundennr", "kunden_nr", "PatientNo", "row_number", "index", "row", "ID_person", "patient_nbr"];
const notIds = ["income", "paid", "grid", "covid", "idea", "no_of_visits", "number_of_children", "age", "indexed_at"];

describe("what looks like an id", () => {
  const spread = [907, 15, 333, 48, 5021, 76, 21, 999];

  test.each([...ids, ...more])("distinct whole numbers called %s", (name) => {
    expect(idLikeness(numbers(name, spread))).toBe("looks like an id");
  });

  test.each(notIds)("but not distinct whole numbers called %s", (name) => {
    expect(idLikeness(numbers(name, spread))).toBeUndefined();
  });

  test("distinct texts with a name like one", () => {
    expect(idLikeness(texts("person_id", ["x7", "a1", "q9"]))).toBe("looks like an id");
    expect(idLikeness(texts("person_id", ["x7", "a1", "x7"]))).toBeUndefined();
    expect(idLikeness(texts("street", ["x7", "a1", "q9"]))).toBeUndefined();
  });

  test("whole numbers without a gap, whatever their name and order", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 10, max: 60 }), fc.nat(), (from, n, turn) => {
        const cells = Array.from({ length: n }, (_, i) => from + ((i + turn) % n));
        const why = "looks like an id (consecutive whole numbers)";
        expect(idLikeness(numbers("income", cells))).toBe(why);
        expect(idLikeness(numbers("income", [...cells, null]))).toBe(why);
        expect(idLikeness(numbers("income", [...cells, from]))).toBeUndefined();
        expect(idLikeness(numbers("income", [...cells, from + n + 1]))).toBeUndefined();
        expect(idLikeness(numbers("income", [...cells.slice(1), from + 0.5]))).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  test("a handful of ages without a gap is no row of numbers", () => {
    expect(idLikeness(numbers("age", [31, 33, 32]))).toBeUndefined();
  });

  test("what is called an id but repeats is a code, and one that only numbers things may count them", () => {
    expect(idLikeness(numbers("region_id", [3, 7, 3, 9]))).toBe("named like an id, but its values repeat");
    expect(idLikeness(numbers("patient_nbr", [3, 7, 3, 9]))).toBe("named like an id, but its values repeat");
    expect(idLikeness(numbers("education-num", [9, 13, 9, 10]))).toBeUndefined();
    expect(idLikeness(numbers("id", [0.5, 1.5, 2]))).toBeUndefined();
  });
});

describe("default features", () => {
  const n = 12;
  const count = Array.from({ length: n }, (_, i) => i);
  const table = tableOf(
    numbers("ID", count.map((i) => 1000 + 7 * i)), // biome-ignore format: one line
    numbers("place", count),
    numbers("age", count.map((i) => 20 + ((i * 5) % 7))), // biome-ignore format: one line
    numbers("cents", count.map((i) => 100 * i * i + 3)), // biome-ignore format: one line
    numbers("year", Array<number>(n).fill(2024)),
    texts("name", count.map((i) => `n${i}`)), // biome-ignore format: one line
    texts("sex", count.map((i) => (i % 2 ? "F" : "M"))), // biome-ignore format: one line
  );

  test("leave out ids, constants and text, and say why", () => {
    const people = preparePeople(table, { protect: ["sex"] });
    expect(people.dimensionNames).toEqual(["age", "cents"]);
    expect(people.leftOut).toEqual([
      { column: "ID", why: "looks like an id" },
      { column: "place", why: "looks like an id (consecutive whole numbers)" },
      { column: "year", why: "the same value for all people" },
      { column: "name", why: "text" },
    ]);
    expect(people.warnings).toEqual(["column 'year' has the same value for all people: left out"]);
  });

  test("what is named is used, whatever it looks like", () => {
    const people = preparePeople(table, { features: ["ID", "place"], protect: ["sex"] });
    expect(people.dimensionNames).toEqual(["ID", "place"]);
    expect(people.leftOut?.map(({ column }) => column)).toEqual(["age", "cents", "year", "name"]);
    expect(new Set(people.leftOut?.map(({ why }) => why))).toEqual(new Set(["not named among the features"]));
  });

  test("a table of ids has no features, and the error names them", async () => {
    const only = tableOf(table.columns[0], table.columns[1]);
    expect(await failure(() => preparePeople(only))).toMatch(/no features.*'ID', 'place'.*look.* like ids/);
  });

  test("what was not even read is named too", () => {
    const people = preparePeople({ ...table, unread: ["tall", "wide"] }, { features: ["age"], protect: ["sex"] });
    expect(people.leftOut?.slice(-2)).toEqual([
      { column: "tall", why: "not named among the features" },
      { column: "wide", why: "not named among the features" },
    ]);
  });

  test("with public bounds nobody's values decide what is a feature", () => {
    const box = { ID: [0, 5000], place: [0, 20], age: [0, 100], cents: [0, 1e5], year: [2000, 2100] } as const;
    expect(preparePeople(table, { protect: ["sex"], box }).dimensionNames).toEqual(Object.keys(box));
  });
});
