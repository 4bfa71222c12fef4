import { MoietyError } from "../errors.js";
import { checkFinite, checkMissing, numericColumn } from "../table/checks.js";
import { columnFinder } from "../table/choose.js";
import { asLevels, type Table } from "../table/index.js";
import type { IndexOptions, Vectors } from "./types.js";

export interface VectorColumns {
  /** The columns that are dimensions (default: all numeric ones but the id). */
  readonly features?: readonly string[];
  /** The column that names vectors. */
  readonly id?: string;
}

/** What an index is made of, and how. */
export type BuildIndexOptions = IndexOptions & VectorColumns;

/** Vectors of a table, with the columns that they were read from. */
export interface NamedVectors extends Vectors {
  readonly columns: readonly string[];
  /** Where a column names them. */
  readonly names?: readonly string[];
}

/** The numeric columns of a table as vectors, unscaled. */
export function vectorsOf(table: Table, { features, id }: VectorColumns = {}): NamedVectors {
  const find = columnFinder(table);
  const numeric = table.columns.filter(({ kind, name }) => kind === "numeric" && name !== id);
  const chosen = features ? features.map(find) : numeric;
  const twice = features?.find((name, i) => features.indexOf(name) !== i);
  if (twice !== undefined) throw new MoietyError("usage", `\`features\` names '${twice}' twice: name each column once`);
  if (chosen.length === 0) throw new MoietyError("input", "no column has numbers: vectors need at least one");
  checkMissing(chosen, "vectors have all their numbers: leave those rows or that column out");
  const columns = chosen.map(numericColumn);
  checkFinite(columns);
  for (const { name, values } of columns) checkMagnitude(name, values);
  return {
    n: columns[0].values.length,
    columns: columns.map(({ name }) => name),
    dimensions: columns.map(({ values }) =>
      values instanceof Float32Array || values instanceof Float64Array ? values : Float64Array.from(values),
    ),
    ...(id === undefined ? {} : { names: namesIn(table, id) }),
  };
}

/** Distances are in single precision: the squares of numbers have to have room in it. */
const largest = 1e15;

function checkMagnitude(name: string, values: ArrayLike<number>): void {
  for (let i = 0; i < values.length; i++) {
    if (Math.abs(values[i]) <= largest) continue;
    const seen = `column '${name}' has ${values[i]}`;
    throw new MoietyError("input", `${seen}: vectors have numbers from -1e15 to 1e15; repair it, or scale the column`);
  }
}

/** The names of rows: all there, and no two alike. */
export function namesIn(table: Table, id: string): readonly string[] {
  const column = columnFinder(table)(id);
  checkMissing([column], "every row needs a name");
  const { codes, levels } = asLevels(column);
  const names = Array.from(codes, (code) => levels[code]);
  if (new Set(names).size < names.length) {
    const repeated = names.length - new Set(names).size;
    throw new MoietyError("input", `column '${id}' repeats ${repeated} names: each must name one vector`);
  }
  return names;
}
