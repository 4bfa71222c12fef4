import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { preparePeople, preparePeopleInTurns } from "./people.js";
import { failure, numbers, tableOf, texts } from "./testing/fixtures.js";
import type { People } from "./types.js";

const table = tableOf(
  texts("id", ["z", "é", "a", "\u{1f600}", "\uffee", "B"]),
  numbers("age", [20, 30, 40, 50, 60, 70]),
  numbers("income", [1, 5, 2, 8, 3, 9]),
  numbers("coded", [0, 1, 0, 1, 0, 1]),
  texts("job", ["x", "y", "x", "z", "y", "x"]),
  texts("sex", ["f", "m", "f", "f", "m", "m"]),
  texts("race", ["b", "b", "w", "w", "w", "w"]),
);
const main = { features: ["age", "income"] };

function distance(people: People, a: number, b: number): number {
  return people.dimensions.reduce((sum, values) => sum + (values[a] - values[b]) ** 2, 0);
}

test("people of a table that is consumed are the same, and its numbers are gone; so are those with turns for others", async () => {
  const asked = { id: "id", protect: ["sex"], categorical: ["job"] };
  const own = { ...table, columns: table.columns.map((column) => ({ ...column })) };
  const people = preparePeople(table, asked);
  expect(preparePeople(own, { ...asked, consume: true })).toEqual(people);
  const left = own.columns.flatMap((column) => (column.kind === "numeric" ? [column.values.length] : []));
  expect(left).toEqual([0, 0, 0]);
  expect(preparePeople(table, asked)).toEqual(people);
  expect(await preparePeopleInTurns(table, asked)).toEqual(people);
});

describe("features", () => {
  test("by default all numeric columns that have no other part", () => {
    const { dimensionNames } = preparePeople(table, { protect: ["coded"], exclude: ["income"] });
    expect(dimensionNames).toEqual(["age"]);
  });

  test("standard scores have mean 0 and deviation 1", () => {
    const column = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 9000 });
    fc.assert(
      fc.property(column, (cells) => {
        fc.pre(Math.max(...cells) - Math.min(...cells) > 1e-3);
        const { dimensions, n } = preparePeople(tableOf(numbers("x", cells)));
        const scores = Array.from(dimensions[0]);
        const mean = scores.reduce((sum, x) => sum + x, 0) / n;
        const variance = scores.reduce((sum, x) => sum + x * x, 0) / n;
        expect(Math.abs(mean)).toBeLessThan(1e-6);
        expect(variance).toBeCloseTo(1, 6);
      }),
      { numRuns: 50 },
    );
  });

  test("minmax spans 0 to 1, none leaves numbers alone", () => {
    const { dimensions } = preparePeople(table, { features: ["income"], scale: "minmax" });
    expect(Array.from(dimensions[0])).toEqual([0, 0.5, 0.125, 0.875, 0.25, 1]);
    const raw = preparePeople(table, { features: ["income"], scale: "none" });
    expect(Array.from(raw.dimensions[0])).toEqual([1, 5, 2, 8, 3, 9]);
  });

  test("single precision stays single", () => {
    const x = { kind: "numeric", name: "x", values: Float32Array.of(1, 2, 4), missing: 0, notFinite: 0 } as const;
    const { dimensions } = preparePeople(tableOf(x, texts("c", ["a", "b", "a"])), { categorical: ["c"] });
    for (const values of dimensions) expect(values).toBeInstanceOf(Float32Array);
  });

  test("a changed category is a squared distance of 1", () => {
    const people = preparePeople(table, { features: ["income"], scale: "none", categorical: ["job", "coded"] });
    expect(people.dimensionNames).toEqual(["income", "job=x", "job=y", "job=z", "coded=0", "coded=1"]);
    expect(distance(people, 0, 2)).toBeCloseTo(1, 12); // income differs by one, nothing else does
    expect(distance(people, 1, 3)).toBeCloseTo(9 + 1, 12); // income by three, and the job
    expect(distance(people, 0, 1)).toBeCloseTo(16 + 1 + 1, 12);
  });

  test("constant columns: a warning when chosen by default, an error when named", async () => {
    const constant = tableOf(numbers("x", [1, 2]), numbers("tenth", [0.1, 0.1]), texts("c", ["k", "k"]));
    const { dimensionNames, warnings } = preparePeople(constant);
    expect(dimensionNames).toEqual(["x"]);
    expect(warnings).toEqual(["column 'tenth' has the same value for all people: left out"]);
    const many = preparePeople(
      tableOf(numbers("x", [1, 2]), ..."abcdefg".split("").map((name) => numbers(name, [3, 3]))),
    );
    expect(many.warnings).toEqual([
      "columns 'a', 'b', 'c', 'd', 'e' and 2 others each have the same value for all people: left out",
    ]);
    expect(await failure(() => preparePeople(constant, { features: ["x", "tenth"] }))).toMatch(/'tenth'/);
    expect(await failure(() => preparePeople(constant, { categorical: ["c"] }))).toMatch(/'c'/);
    expect(await failure(() => preparePeople(tableOf(numbers("x", [1, 1]))))).toMatch(/no features are left/);
  });

  test("text in a numeric feature: where and how many, not what", async () => {
    const mixed = tableOf(texts("x", ["1", "secret", null, "2", "secret2"]), numbers("y", [1, 2, 3, 4, 5]));
    const message = await failure(() => preparePeople(mixed, { features: ["x"] }), "input", ["secret"]);
    expect(message).toMatch(
      /column 'x' is not numeric: 2 cells \(row 1 and row 4\) are not numbers; use `categorical: x`/,
    );
    const spelled = preparePeople(tableOf(texts("x", ["1", "02"])), { features: ["x"], scale: "none" });
    expect(Array.from(spelled.dimensions[0])).toEqual([1, 2]);
  });

  test("infinity is an error under every rule", async () => {
    const broken = tableOf(numbers("x", [1, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 2]));
    for (const missing of ["error", "drop", "mean"] as const) {
      expect(await failure(() => preparePeople(broken, { missing }))).toMatch(/'x' has 2 cells with infinity/);
    }
  });
});

describe("names", () => {
  test.each([
    [{ features: ["agee"] }, /unknown column 'agee'; did you mean 'age'/],
    [{ protect: ["sexx"] }, /did you mean 'sex'/],
    [{ protect: ["sex*rase"] }, /unknown column 'rase'; did you mean 'race'/],
    [{ id: "ids" }, /did you mean 'id'/],
    [
      { features: ["age"], protect: ["age"] },
      /'age' is named both among the protected attributes and among the features/,
    ],
    [{ features: ["age"], categorical: ["age"] }, /both among the categorical columns and among the features/],
    [{ features: ["age", "age"] }, /'age' is named twice among the features/],
    [{ ...main, protect: ["sex", "sex"] }, /twice among the protected attributes/],
    [{ ...main, protect: ["sex*sex"] }, /names column 'sex' twice/],
    [{ ...main, protect: ["sex*race", "race*sex"] }, /are made from the same columns/],
    [{ id: "sex", protect: ["sex"] }, /both/],
    [{ features: [] }, /no features/],
  ])("%j", async (options, expected) => {
    expect(await failure(() => preparePeople(table, options))).toMatch(expected);
  });
});

describe("protected groups", () => {
  test("a column, coded numbers and an intersection of those that occur", () => {
    const { attributes } = preparePeople(table, { ...main, protect: ["sex", "coded", "sex*race"] });
    expect(attributes.map(({ name, groups }) => [name, groups])).toEqual([
      ["sex", ["f", "m"]],
      ["coded", ["0", "1"]],
      ["sex*race", ["f & b", "f & w", "m & b", "m & w"]],
    ]);
    expect(Array.from(attributes[0].codes)).toEqual([0, 1, 0, 0, 1, 1]);
    expect(Array.from(attributes[2].codes)).toEqual([0, 2, 1, 1, 3, 3]);
    const absent = tableOf(numbers("x", [1, 2, 3]), texts("a", ["p", "p", "q"]), texts("b", ["r", "r", "s"]));
    expect(preparePeople(absent, { protect: ["a*b"] }).attributes[0].groups).toEqual(["p & r", "q & s"]);
  });

  test("one group, or one for each person, is refused with the count", async () => {
    const n = 30;
    const many = tableOf(
      numbers(
        "x",
        Array.from({ length: n }, (_, i) => i * i),
      ),
      texts(
        "key",
        Array.from({ length: n }, (_, i) => `key${i >> 1 === 14 ? 0 : i}`),
      ),
      texts("one", Array<string>(n).fill("k")),
    );
    expect(await failure(() => preparePeople(many, { protect: ["one"] }))).toMatch(/'one' has 1 group/);
    const message = await failure(() => preparePeople(many, { protect: ["key"] }), "input", ["key0", "key7"]);
    expect(message).toMatch(/'key' has 28 groups among 30 people; it looks like an id/);
    expect(await failure(() => preparePeople(table, { ...main, protect: ["id"] }))).toMatch(/6 groups among 6 people/);
  });
});

describe("ids", () => {
  test("people are ordered by the bytes of their ids", () => {
    const { ids, sourceRows, dimensions } = preparePeople(table, { features: ["age"], scale: "none", id: "id" });
    const sorted = ["z", "é", "a", "\u{1f600}", "\uffee", "B"].sort((a, b) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    );
    expect(ids).toEqual({ column: "id", values: sorted });
    expect(Array.from(sourceRows)).toEqual([5, 2, 0, 1, 4, 3]);
    expect(Array.from(dimensions[0])).toEqual([70, 40, 20, 30, 60, 50]);
  });

  test("a permutation of the rows changes nothing but row numbers", () => {
    const rows = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.double({ min: -9, max: 9, noNaN: true })), {
      minLength: 2,
      selector: ([id]) => id,
    });
    fc.assert(
      fc.property(rows, fc.infiniteStream(fc.nat()), (pairs, order) => {
        fc.pre(new Set(pairs.map(([, x]) => x)).size > 1 && pairs.some(([, x]) => Math.abs(x - pairs[0][1]) > 1e-9));
        const prepare = (list: typeof pairs) =>
          preparePeople(tableOf(texts("id", list.map(([id]) => id)), numbers("x", list.map(([, x]) => x))), { id: "id" }); // biome-ignore format: one line
        const shuffled = pairs.map((pair) => ({ pair, key: order.next().value })).sort((a, b) => a.key - b.key);
        const first = prepare(pairs);
        const second = prepare(shuffled.map(({ pair }) => pair));
        expect(second.ids).toEqual(first.ids);
        expect(second.dimensions).toEqual(first.dimensions);
      }),
      { numRuns: 50 },
    );
  });

  test("numeric ids sort as text; repeated, missing and inexact ones are refused", async () => {
    const x = numbers("x", [1, 2, 3]);
    const { ids, sourceRows } = preparePeople(tableOf(x, numbers("id", [9, 10, 2])), { id: "id" });
    expect(ids?.values).toEqual(["10", "2", "9"]);
    expect(Array.from(sourceRows)).toEqual([1, 2, 0]);
    const say = (id: Parameters<typeof tableOf>[0]) =>
      failure(() => preparePeople(tableOf(x, id), { id: "id" }), "input", ["tom"]);
    expect(await say(texts("id", ["tom", "tim", "tom"]))).toMatch(/repeats an id in 1 rows/);
    expect(await say(texts("id", ["tom", null, "tim"]))).toMatch(
      /1 missing value; a group or an id cannot be filled in/,
    );
    expect(await say(numbers("id", [1, 2, 2 ** 60]))).toMatch(/too large/);
  });
});

describe("missing values", () => {
  const gaps = tableOf(
    numbers("x", [1, null, 3, 8]),
    texts("c", ["a", "b", null, "a"]),
    texts("g", ["p", "q", "q", "p"]),
    texts("h", ["p", null, "q", "p"]),
    texts("id", ["4", "3", "2", "1"]),
  );

  test("error names the column, the count and what to do", async () => {
    expect(await failure(() => preparePeople(gaps))).toMatch(
      /column 'x' has 1 missing value; use `missing: drop` or `missing: mean`/,
    );
    expect(await failure(() => preparePeople(gaps, { features: [], categorical: ["c"] }))).toMatch(/column 'c'/);
  });

  test("drop leaves people out, and says so", () => {
    const people = preparePeople(gaps, { protect: ["h"], missing: "drop", scale: "none", id: "id" });
    expect(people.ids?.values).toEqual(["1", "2", "4"]);
    expect(Array.from(people.sourceRows)).toEqual([3, 2, 0]);
    expect(Array.from(people.dimensions[0])).toEqual([8, 3, 1]);
    expect(people.warnings).toEqual(["1 of 4 rows left out: a value is missing in a column that is used"]);
  });

  test("what is left after dropping is judged as it is", async () => {
    const message = await failure(() => preparePeople(gaps, { categorical: ["c"], missing: "drop" }));
    expect(message).toMatch(/column 'c' has the same category for all people/);
  });

  test("mean fills numbers, and a missing category is one of its own", () => {
    const people = preparePeople(gaps, { categorical: ["c"], protect: ["g"], missing: "mean", scale: "none" });
    expect(Array.from(people.dimensions[0])).toEqual([1, 4, 3, 8]);
    expect(people.dimensionNames).toEqual(["x", "c=a", "c=b", "c=(missing)"]);
  });

  test("mean never invents a group", async () => {
    const message = await failure(() => preparePeople(gaps, { protect: ["h"], missing: "mean" }));
    expect(message).toMatch(/'h' has 1 missing value; a group or an id cannot be filled in: use `missing: drop`/);
  });
});

describe("names that every object answers to", () => {
  test.each(["__proto__", "constructor", "toString"])("'%s' names no group, attribute or party", async (name) => {
    const x = numbers("x", [1, 2, 3, 4]);
    const groups = ["a", name, "a", name];
    const message = (protect: string, options = {}) =>
      failure(() => preparePeople(tableOf(x, texts(protect, groups)), { features: ["x"], ...options }));
    expect(await message("sex", { protect: ["sex"] })).toMatch(/cannot name a group of 'sex'/);
    expect(await message(name, { protect: [name] })).toMatch(/cannot name a protected attribute/);
    expect(await message("site", { splitBy: "site" })).toMatch(/cannot name a party/);
  });
});
