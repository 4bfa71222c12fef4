import { MoietyError } from "../errors.js";
import { checkMissing } from "../table/checks.js";
import { encodeRows } from "../table/encode.js";
import type { Encoding, People, Table } from "../table/types.js";
import type { Model } from "./model.js";

const unknown = { who: "nobody has", remedy: "give another category" };

/** Given places (schools, clinics, offices), one in each row, as centres in the space of people: for `seats`. */
export function encodePlaces({ encodings }: Pick<People, "encodings">, table: Table): Float64Array[] {
  const columns = encodings.map(({ column }) => {
    const found = table.columns.find(({ name }) => name === column);
    if (found) return found;
    throw new MoietyError("input", `the places have no column '${column}': give every feature of people`);
  });
  checkMissing(columns, "a place needs a value in each column");
  const { n, dimensions } = encodeRows(table, encodings, {}, unknown);
  return Array.from({ length: n }, (_, row) => Float64Array.from(dimensions, (column) => column[row]));
}

/** The centres of a model in the space of other people, whose columns have other means and deviations: for `from`. */
export function centresFor({ encodings }: Pick<People, "encodings">, model: Model): Float64Array[] {
  if (model.clusters) {
    throw new MoietyError("usage", "the clusters of this model are made of cells: a run cannot begin from them");
  }
  const before = new Map(dimensionsOf(model.encodings).map((each) => [nameOf(each), each]));
  const after = dimensionsOf(encodings);
  const unknown = after.filter((each) => !before.has(nameOf(each)));
  if (unknown.length > 0 || after.length !== before.size) {
    const names = [...new Set(model.encodings.map(({ column }) => column))].join(", ");
    throw new MoietyError("usage", `the model was made from other columns or categories: use ${names}, as it does`);
  }
  return model.centres.map((centre) =>
    Float64Array.from(after, (now) => {
      const then = before.get(nameOf(now))!;
      const value = centre[then.dimension];
      if (then.encoding.kind === "categorical" || now.encoding.kind === "categorical") return value;
      return (value * then.encoding.scale + then.encoding.shift - now.encoding.shift) / now.encoding.scale;
    }),
  );
}

interface NamedDimension {
  readonly encoding: Encoding;
  readonly level: string;
  readonly dimension: number;
}

/** What each dimension stands for. */
function dimensionsOf(encodings: readonly Encoding[]): NamedDimension[] {
  const all = encodings.flatMap((encoding) =>
    (encoding.kind === "categorical" ? encoding.levels : [""]).map((level) => ({ encoding, level })),
  );
  return all.map((each, dimension) => ({ ...each, dimension }));
}

function nameOf({ encoding, level }: NamedDimension): string {
  return JSON.stringify([encoding.column, level]);
}
