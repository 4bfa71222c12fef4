import fc from "fast-check";
import { expect, test } from "vitest";
import { preparePeople } from "./people.js";
import { numbers, tableOf, texts } from "./testing/fixtures.js";

const x = [1, null, 4, 9, null, 25, null, 49, 64, 81];
const table = tableOf(
  numbers("x", x),
  texts("sex", ["F", "F", "F", "M", "M", "M", "F", "M", "M", null]),
  numbers("age", [20, 30, 40, 50, 60, 70, 80, 20, 30, 40]),
);

test("people left out for missing values are counted by group", () => {
  const { dropped, warnings } = preparePeople(table, { features: ["x"], protect: ["sex", "age:45"], missing: "drop" });
  expect(dropped).toEqual({
    rows: 4,
    of: 10,
    groups: {
      sex: { F: { people: 2, before: 4 / 9, after: 2 / 6 }, M: { people: 1, before: 5 / 9, after: 4 / 6 } },
      age: { "<45": { people: 2, before: 0.6, after: 4 / 6 }, "45+": { people: 2, before: 0.4, after: 2 / 6 } },
    },
  });
  expect(warnings).toEqual([
    "4 of 10 rows left out: a value is missing in a column that is used",
    "the rows left out change the share of groups by over 5%: sex F 44.4% to 33.3%, sex M 55.6% to 66.7%, age <45 60.0% to 66.7%, age 45+ 40.0% to 33.3%",
  ]);
});

test("nobody is, where nothing is missing", () => {
  expect(preparePeople(table, { features: ["age"], missing: "drop" }).dropped).toBeUndefined();
});

test("a group that is gone is named", () => {
  const gone = tableOf(numbers("x", [1, 4, null, 16]), texts("g", ["a", "b", "c", "b"]));
  const { dropped, warnings, attributes } = preparePeople(gone, { features: ["x"], protect: ["g"], missing: "drop" });
  expect(attributes[0].groups).toEqual(["a", "b"]);
  expect(dropped?.groups.g.c).toEqual({ people: 1, before: 0.25, after: 0 });
  expect(warnings[1]).toMatch(/g c 25\.0% to 0\.0%/);
});

test("members before less members after are those left out, and shares add up", () => {
  const row = fc.record({
    x: fc.option(fc.integer({ min: 0, max: 90 })),
    g: fc.option(fc.constantFrom("a", "b", "c"), { freq: 8 }),
  });
  fc.assert(
    fc.property(fc.array(row, { minLength: 12, maxLength: 80 }), (rows) => {
      const kept = rows.filter((each) => each.x !== null && each.g !== null);
      fc.pre(new Set(kept.map((each) => each.x)).size > 1 && new Set(kept.map((each) => each.g)).size > 1);
      fc.pre(kept.length < rows.length && kept.length > 8);
      const cells = tableOf(
        numbers("x", rows.map((each) => each.x)), // biome-ignore format: one line
        texts("g", rows.map((each) => each.g)), // biome-ignore format: one line
      );
      const { dropped, warnings } = preparePeople(cells, { features: ["x"], protect: ["g"], missing: "drop" });
      const known = rows.filter((each) => each.g !== null);
      expect(dropped).toMatchObject({ rows: rows.length - kept.length, of: rows.length });
      let changed = false;
      for (const [group, { people, before, after }] of Object.entries(dropped!.groups.g)) {
        const members = (among: typeof rows) => among.filter((each) => each.g === group).length;
        expect(people).toBe(members(known) - members(kept));
        expect(before).toBeCloseTo(members(known) / known.length, 12);
        expect(after).toBeCloseTo(members(kept) / kept.length, 12);
        if (Math.abs(after - before) > 0.05 * before) changed = true;
      }
      expect(warnings.some((warning) => /change the share/.test(warning))).toBe(changed);
    }),
  );
});
