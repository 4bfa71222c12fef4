import { Random } from "../../table/generators/random.js";
import { tableFromColumns } from "../../table/make.js";
import type { Column, People, Table } from "../../table/types.js";

/** People of a shape as a table: features and the names of groups. */
export function tableOfShape({ n, dimensions, dimensionNames, attributes }: People): Table {
  const features = dimensions.map((values, j): Column => {
    return { kind: "numeric", name: dimensionNames[j], values, missing: 0, notFinite: 0 };
  });
  const groups = attributes.map(({ name, groups: levels, codes }): Column => {
    return { kind: "text", name, codes: Int32Array.from(codes), levels, missing: 0 };
  });
  return { rows: n, columns: [...features, ...groups] };
}

/** A table of what troubles readers: missing cells, text ids, heavy tails, duplicates, a constant, categories, numbers to cut. */
export function awkwardTable(rows: number): Table {
  const draws = new Random(7);
  const list = <T>(draw: (row: number) => T) => Array.from({ length: rows }, (_, row) => draw(row));
  const sometimes = <T>(value: T, share: number) => (draws.uniform() < share ? null : value);
  return tableFromColumns({
    person: list((row) => `p-${(row * 7919) % 100_003}${row % 3 === 0 ? "ü" : ""}`),
    income: list(() => draws.normal() / Math.sqrt((draws.normal() ** 2 + draws.normal() ** 2) / 2 + 1e-9)),
    age: list(() => sometimes(18 + draws.below(60), 0.05)).map((value) => value),
    score: list(() => sometimes(draws.below(4), 0.03)),
    offset: list(() => 1e9 + draws.normal()),
    constant: list(() => 5),
    sex: list(() => sometimes(draws.uniform() < 0.4 ? "f" : "m", 0.02)),
    region: list(() => ["north", "east", "south", "Übersee"][draws.below(4)]),
    group: list((row) => ["a", "b", "c"][(row + draws.below(2)) % 3]),
    job: list(() => sometimes(["clerk", "nurse", "driver"][draws.below(3)], 0.04)),
  });
}
