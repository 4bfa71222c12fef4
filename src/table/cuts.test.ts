import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { preparePeople } from "./people.js";
import { attributeName, groupsOfCuts, parseProtected } from "./protect.js";
import { dateIn, dateOf } from "./spelling.js";
import { failure, numbers, tableOf, texts } from "./testing/fixtures.js";
import type { Attribute, Table } from "./types.js";

const ages = [18, 24, 25, 30, 39, 40, 41, 64, 65, 70, 80, 24.9];
const table = tableOf(
  numbers("x", ages.map((_, i) => i * i)), // biome-ignore format: one line
  numbers("age", ages),
  texts("sex", ages.map((_, i) => (i % 2 ? "F" : "M"))), // biome-ignore format: one line
  numbers("coded:3", ages.map((_, i) => i % 3)), // biome-ignore format: one line
);

function sizes({ groups, codes }: Attribute): Record<string, number> {
  return Object.fromEntries(groups.map((group, g) => [group, codes.filter((code) => code === g).length]));
}

function protect(...names: string[]): readonly Attribute[] {
  return preparePeople(table, { features: ["x"], protect: names }).attributes;
}

describe("cuts", () => {
  test("make groups, a cut belonging to the group above it", () => {
    const [age] = protect("age:25,40,65");
    expect(age.name).toBe("age");
    expect(sizes(age)).toEqual({ "<25": 3, "25 to <40": 3, "40 to <65": 3, "65+": 3 });
    expect(age.groups).toEqual(groupsOfCuts("age:25,40,65"));
    expect(sizes(protect("age:-0.5,24.9")[0])).toEqual({ "-0.5 to <24.9": 2, "24.9+": 10 });
  });

  test("in an intersection", () => {
    const [both] = protect("sex*age:40");
    expect(both.name).toBe("sex*age");
    expect(both.groups).toEqual(["F & <40", "F & 40+", "M & <40", "M & 40+"]);
    expect(protect(" age : 40, 65 * sex")[0].name).toBe("age*sex");
  });

  test("can be made again from what the attribute says of itself", () => {
    const [age] = protect("age:quartiles");
    expect(age.cut).toEqual({ spec: "age:25,40,65", byData: true });
    expect(protect(age.cut!.spec)[0]).toEqual({ ...age, cut: { spec: age.cut!.spec, byData: false } });
  });

  test("a column may itself have a colon in its name", () => {
    expect(protect("coded:3")[0].groups).toEqual(["0", "1", "2"]);
    expect(protect("coded:3:1")[0].groups).toEqual(["<1", "1+"]);
  });

  test.each([
    [
      "age:40,25",
      /cuts of 'age' are '40,25': give numbers from small to large, such as age:25,40,65, or age:quartiles/,
    ],
    ["age:40,40", /from small to large/],
    ["age:", /cuts of 'age' are ''/],
    ["age:old", /cuts of 'age' are 'old'/],
    ["age:quartils", /cuts of 'age' are 'quartils'; did you mean 'quartiles'\?/],
    ["aeg:40", /unknown column 'aeg'; did you mean 'age'\?/],
    ["sex:40", /'sex' is not numeric, and cannot be cut/],
    ["age:200", /'age' has 1 group/],
    ["age:25*age:40", /names column 'age' twice/],
  ])("%s is refused", async (name, says) => {
    expect(await failure(() => protect(name))).toMatch(says);
  });

  test("days are written as they were read", () => {
    fc.assert(
      fc.property(fc.integer({ min: -700_000, max: 2_000_000 }), (day) => {
        const text = new Date(day * 86_400_000).toISOString().slice(0, 10);
        expect(dateOf(day)).toBe(text);
        expect(dateIn(text)).toBe(day);
      }),
    );
  });

  test("of dates are dates", async () => {
    const born = ["1950-03-01", "1980-01-01", "1979-12-31", "1990-05-05", "1961-01-01", "2001-02-02"];
    const dates = tableOf(numbers("x", [1, 4, 9, 16, 25, 36]), { ...texts("born", born), spells: "date" });
    const by = (spec: string) => preparePeople(dates, { features: ["x"], protect: [`born:${spec}`] }).attributes[0];
    expect(sizes(by("1960-01-01,1980-01-01"))).toEqual({
      "<1960-01-01": 1,
      "1960-01-01 to <1980-01-01": 2,
      "1980-01-01+": 3,
    });
    expect(by("tertiles").cut?.spec).toBe("born:1979-12-31,1990-05-05");
    expect(sizes(by("tertiles"))).toEqual(sizes(by("1979-12-31,1990-05-05")));
    expect(await failure(() => by("1980"))).toMatch(/'born' holds dates: cut it at dates, such as born:1980-01-01/);
    expect(await failure(() => by("1980-01-31,1980-01-01"))).toMatch(/cuts of 'born'/);
    expect(await failure(() => protect("age:1980-01-01"))).toMatch(/'age' holds no dates/);
  });

  test("two ways of cutting one column are refused: they would have one name", async () => {
    expect(await failure(() => protect("age:25", "age:40"))).toMatch(/'age:25' and 'age:40' are made from the same/);
    expect(await failure(() => protect("coded:3", "coded:3"))).toMatch(/named twice/);
  });

  test("every number is in the group whose name says so", () => {
    const cut = fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 6 });
    const values = fc.array(fc.double({ min: -60, max: 60, noNaN: true }), { minLength: 4, maxLength: 60 });
    fc.assert(
      fc.property(cut, values, (unsorted, cells) => {
        const cuts = unsorted.sort((a, b) => a - b);
        const spec = `v:${cuts.join(",")}`;
        const people = preparePeople(
          tableOf(
            numbers("x", cells.map((_, i) => i * i)), // biome-ignore format: one line
            numbers("v", cells),
          ),
          { features: ["x"], protect: [spec], partial: true },
        );
        const [{ groups, codes }] = people.attributes;
        cells.forEach((value, i) => {
          const place = cuts.filter((each) => each <= value).length;
          expect(groups[codes[i]]).toBe(groupsOfCuts(spec)![place]);
        });
      }),
    );
  });
});

describe("quantiles", () => {
  const among = (cells: readonly (number | null)[], by: string): Attribute => {
    const wide: Table = tableOf(numbers("x", cells.map((_, i) => i * i)), numbers("v", cells)); // biome-ignore format: one line
    return preparePeople(wide, { features: ["x"], protect: [`v:${by}`], missing: "drop" }).attributes[0];
  };

  test.each([
    ["tertiles", 3],
    ["quartiles", 4],
    ["quintiles", 5],
    ["deciles", 10],
  ])("%s", (word, parts) => {
    const cells = Array.from({ length: 100 }, (_, i) => (i * 37) % 100);
    const counts = Object.values(sizes(among(cells, word as string)));
    expect(counts).toHaveLength(parts as number);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  test("ties stay together, no group is empty, or it is refused", async () => {
    const cells = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 8, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(cells, async (values) => {
        let attribute: Attribute;
        try {
          attribute = among(values, "quartiles");
        } catch {
          expect(await failure(() => among(values, "quartiles"))).toMatch(
            /'v:quartiles' cannot be made: too many people have the same value; give cuts, such as v:25,40,65/,
          );
          return;
        }
        expect(attribute.groups).toHaveLength(4);
        expect(Object.values(sizes(attribute)).every((count) => count > 0)).toBe(true);
        const groupOf = new Map<number, number>();
        values.forEach((value, i) => {
          expect(groupOf.get(value) ?? attribute.codes[i]).toBe(attribute.codes[i]);
          groupOf.set(value, attribute.codes[i]);
        });
      }),
    );
  });

  test("are those of the people who stay", () => {
    expect(sizes(among([1, 2, 3, null, 4, null, 5, 6, 7, 8], "quartiles"))).toEqual({
      "<3": 2,
      "3 to <5": 2,
      "5 to <7": 2,
      "7+": 2,
    });
  });
});

test("names on a card, which knows no table", () => {
  expect(attributeName("sex * age:25,40")).toBe("sex*age");
  expect(attributeName("age:quartiles")).toBe("age");
  expect(attributeName("marital")).toBe("marital");
  expect(groupsOfCuts("age:25,40")).toEqual(["<25", "25 to <40", "40+"]);
  expect(groupsOfCuts("age:quartiles")).toBeUndefined();
  expect(groupsOfCuts("sex*age:25,40")).toBeUndefined();
  expect(groupsOfCuts("sex")).toBeUndefined();
  expect(parseProtected("sex*a:b", (name) => name === "a:b").map(({ column }) => column)).toEqual(["sex", "a:b"]);
});
