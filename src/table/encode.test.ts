import { describe, expect, test } from "vitest";
import { encodePeople } from "./encode.js";
import { preparePeople } from "./people.js";
import { failure, numbers, tableOf, texts } from "./testing/fixtures.js";

const table = tableOf(
  texts("id", ["z", "é", "a", "B"]),
  numbers("age", [20, 30, 40, 50]),
  numbers("income", [1, 5, 2, 8]),
  texts("job", ["x", "y", "x", "z"]),
);

describe("encoding new people", () => {
  const options = { features: ["age", "income"], categorical: ["job"], id: "id" };
  const model = preparePeople(table, options);

  test("the same people get the same points", () => {
    for (const scale of ["standard", "minmax", "none"] as const) {
      const first = preparePeople(table, { ...options, scale });
      const again = encodePeople(table, first.encodings, { id: "id" });
      expect(again.dimensions).toEqual(first.dimensions);
      expect(again.dimensionNames).toEqual(first.dimensionNames);
      expect(again.ids).toEqual(first.ids);
      expect(again.attributes).toEqual([]);
    }
  });

  test("new numbers are scaled by the model's numbers", () => {
    const { shift, scale } = model.encodings[0] as { shift: number; scale: number };
    const newcomer = tableOf(numbers("age", [99]), numbers("income", [3]), texts("job", ["y"]));
    const { dimensions } = encodePeople(newcomer, model.encodings);
    expect(dimensions[0][0]).toBe((99 - shift) / scale);
    expect(dimensions.slice(2).map((values) => values[0])).toEqual([0, Math.SQRT1_2, 0]);
  });

  test("unseen categories and missing values", async () => {
    const age = numbers("age", [1, 2]);
    const odd = tableOf(age, numbers("income", [1, 2]), texts("job", ["x", "astronaut"]));
    const message = await failure(() => encodePeople(odd, model.encodings), "input", ["astronaut"]);
    expect(message).toMatch(/column 'job' has a category that the model has never seen in 1 of 2 rows/);
    const gap = tableOf(age, numbers("income", [null, 2]), texts("job", ["x", "x"]));
    expect(await failure(() => encodePeople(gap, model.encodings))).toMatch(/'income' has 1 missing value/);
    expect(Array.from(encodePeople(gap, model.encodings, { missing: "drop" }).sourceRows)).toEqual([1]);
    expect(encodePeople(gap, model.encodings, { missing: "mean" }).dimensions[1][0]).toBe(0);
    expect(await failure(() => encodePeople(tableOf(age), model.encodings))).toMatch(/unknown column 'income'/);
  });
});
