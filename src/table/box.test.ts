import { describe, expect, it } from "vitest";
import { encodePeople } from "./encode.js";
import { preparePeople } from "./people.js";
import type { Table } from "./types.js";

const table: Table = {
  rows: 4,
  columns: [
    { kind: "numeric", name: "age", values: Float64Array.of(0, 50, 100, 150), missing: 0, notFinite: 0 },
    { kind: "numeric", name: "same", values: Float64Array.of(7, 7, 7, 7), missing: 0, notFinite: 0 },
    { kind: "text", name: "job", codes: Int32Array.of(0, 1, 0, 1), levels: ["a", "b"], missing: 0 },
  ],
};
const box = { age: [0, 100], same: [0, 10], job: ["b", "a", "c"] } as const;
const options = { categorical: ["job"], box };

describe("a public box", () => {
  it("scales by what was given and by nothing that people say", () => {
    const people = preparePeople(table, options);
    expect(people.publicBounds).toBe(true);
    expect(people.dimensionNames).toEqual(["age", "same", "job=b", "job=a", "job=c"]);
    expect([...people.dimensions[0]]).toEqual([-1, 0, 1, 2]);
    // Of a column that is the same for all, others may not learn even that.
    expect([...people.dimensions[1]]).toEqual([0.4, 0.4, 0.4, 0.4].map((value) => expect.closeTo(value, 9)));
    const fewer = {
      rows: 1,
      columns: table.columns.map((column) =>
        column.kind === "numeric"
          ? { ...column, values: column.values.slice(0, 1) }
          : { ...column, codes: column.codes.slice(0, 1) },
      ),
    };
    expect(preparePeople(fewer, options).encodings).toEqual(people.encodings);
    expect([...encodePeople(table, people.encodings).dimensions[0]]).toEqual([-1, 0, 1, 2]);
  });

  it("warns of values beyond it", () => {
    expect(preparePeople(table, options).warnings).toEqual([expect.stringMatching(/25% of 'age' lies beyond/)]);
  });

  it.each([
    [{ age: [0, 100], job: ["a", "b"] }, /says nothing about 'same'/],
    [{ ...box, other: [0, 1] }, /names 'other', which is not a feature/],
    [{ ...box, age: [100, 0] }, /should be two numbers, the lower first/],
    [{ ...box, age: ["a", "b"] }, /should be two numbers/],
    [{ ...box, job: ["a", "a"] }, /each once/],
    [{ ...box, job: ["a", "z"] }, /a category that the box does not name in 2 of 4 rows; .* add it to the box/],
  ])("refuses %j", (wrong, message) => {
    expect(() => preparePeople(table, { categorical: ["job"], box: wrong as never })).toThrow(message);
  });

  it("refuses means, which come from the data", () => {
    expect(() => preparePeople(table, { ...options, missing: "mean" })).toThrow(/`missing: mean`/);
  });
});
