import type { Attribute, NumericColumn, People, Table } from "../table/types.js";
import { Draws } from "./draws.js";

/** People whose coordinates are taken as they are. Group codes may be any numbers; groups are those that occur. */
export function peopleOf(
  columns: readonly (readonly number[])[],
  codes: readonly (readonly number[])[] = [],
  groupNames: (code: number) => string = (code) => `group ${code}`,
): People {
  const n = columns[0].length;
  const names = columns.map((_, j) => `x${j}`);
  return {
    n,
    dimensions: columns.map((column) => Float64Array.from(column)),
    dimensionNames: names,
    encodings: names.map((column) => ({ kind: "numeric", column, shift: 0, scale: 1 })),
    attributes: codes.map((list, a) => attributeOf(`attribute ${a}`, list, groupNames)),
    sourceRows: Uint32Array.from({ length: n }, (_, i) => i),
    warnings: [],
  };
}

/** The same people, each of whom counts so often. */
export function weighed(people: People, values: readonly number[], unit = 1): People {
  const weights = { column: "w", values: Float64Array.from(values), unit, total: values.reduce((a, b) => a + b, 0) };
  return { ...people, weights, attributes: people.attributes.map((each) => ({ ...each, people: weights.values })) };
}

/** So many copies of each person, and whose copy everybody is. */
export function copied(people: People, times: readonly number[]): { copies: People; source: number[] } {
  const source = times.flatMap((count, i) => new Array<number>(count).fill(i));
  const columns = people.dimensions.map((values) => source.map((i) => values[i]));
  const codes = people.attributes.map((attribute) => source.map((i) => attribute.codes[i]));
  return { copies: peopleOf(columns, codes), source };
}

function attributeOf(name: string, codes: readonly number[], groupNames: (code: number) => string): Attribute {
  const present = [...new Set(codes)].sort((a, b) => a - b);
  return { name, groups: present.map(groupNames), codes: Uint16Array.from(codes, (code) => present.indexOf(code)) };
}

/** The table from which such people come back, without their groups. */
export function tableOfPeople({ n, dimensions, dimensionNames }: People): Table {
  const columns = dimensions.map(
    (values, j): NumericColumn => ({
      kind: "numeric",
      name: dimensionNames[j],
      values,
      missing: values.filter(Number.isNaN).length,
      notFinite: 0,
    }),
  );
  return { rows: n, columns };
}

export const landscapes = ["spread", "duplicates", "outliers", "flat", "apart", "line"] as const;
export type Landscape = (typeof landscapes)[number];

/** Coordinates of the kinds that trouble clusterers. In "apart" and "line" the place tells the first group. */
export function drawColumns(landscape: Landscape, n: number, dims: number, codes: readonly number[], draws: Draws) {
  const far = draws.between(1, 3);
  return Array.from({ length: dims }, () =>
    draws.list(n, (i) => {
      if (landscape === "duplicates") return draws.below(3);
      if (landscape === "flat") return i < far ? draws.between(1, 2) : 0;
      if (landscape === "outliers") return i < far ? 100 * draws.normal() : draws.normal();
      if (landscape === "apart") return 4 * (codes[i] ?? 0) + draws.normal();
      if (landscape === "line") return (codes[i] ?? 0) * n + i;
      return draws.normal();
    }),
  );
}

/** Codes of uneven groups, each with at least one member. */
export function drawCodes(n: number, groups: number, draws: Draws): number[] {
  const skew = 1 + 3 * draws.next();
  const codes = draws.list(n, (i) => (i < groups ? i : Math.floor(draws.next() ** skew * groups)));
  for (let i = n - 1; i > 0; i--) {
    const other = draws.below(i + 1);
    [codes[i], codes[other]] = [codes[other], codes[i]];
  }
  return codes;
}

/** Three blobs with whole-number coordinates: many ties and exact duplicates, and groups that the blobs tell apart. */
export function tiedPeople(n: number, dims: number, attributes: number, seed: number): People {
  const draws = new Draws(seed);
  const blob = draws.list(n, () => draws.below(3));
  const codes = Array.from({ length: attributes }, (_, a) =>
    draws.list(n, (i) => (draws.next() < 0.3 ? draws.below(2 + a) : blob[i] % (2 + a))),
  );
  const columns = Array.from({ length: dims }, (_, j) =>
    draws.list(n, (i) => 3 * ((blob[i] + j) % 3) + draws.below(4)),
  );
  return peopleOf(columns, codes);
}
