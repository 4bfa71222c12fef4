import { expect, it } from "vitest";
import { tableFromColumns } from "./make.js";
import { preparePeople } from "./people.js";

const n = 1000;
const draw = (i: number, salt: number) => ((i * 7919 + salt * 104_729) % 1009) / 1009;
const columns = {
  small: Array.from({ length: n }, (_, i) => draw(i, 1)),
  large: Array.from({ length: n }, (_, i) => 1000 * draw(i, 2)),
  kind: Array.from({ length: n }, (_, i) => "abc"[i % 3]),
};
const table = tableFromColumns(columns);
const features = ["small", "large"];

it("one column that decides over half of all distances is warned of, with what to do", () => {
  expect(preparePeople(table, { features }).warnings).toEqual([]);
  expect(preparePeople(table, { features, scale: "none" }).warnings).toEqual([
    "column 'large' decides 100% of all distances: use `scale: standard`, or leave it out",
  ]);
  expect(preparePeople(table, { features: ["large"], scale: "none" }).warnings).toEqual([]);
  const weighed = (categoryWeight: number) => preparePeople(table, { features, categorical: ["kind"], categoryWeight });
  expect(weighed(1).warnings).toEqual([]);
  expect(weighed(4).warnings[0]).toMatch(/column 'kind' decides 73% of all distances: use a smaller `categoryWeight`/);
});

it("people who differ in one category only are as far apart as its weight says", () => {
  for (const categoryWeight of [0.5, 1, 3]) {
    const { dimensions } = preparePeople(tableFromColumns({ x: [1, 1, 2], kind: ["a", "b", "a"] }), {
      features: ["x"],
      categorical: ["kind"],
      categoryWeight,
    });
    const squared = dimensions.reduce((sum, column) => sum + (column[0] - column[1]) ** 2, 0);
    expect(Math.sqrt(squared)).toBeCloseTo(categoryWeight, 5);
  }
  expect(() => preparePeople(table, { features, categoryWeight: 2 })).toThrow(
    /does nothing where no column is a category/,
  );
  expect(() => preparePeople(table, { features, categoryWeight: 0 })).toThrow(
    /categoryWeight is 0: give a number above 0/,
  );
});
