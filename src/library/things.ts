import type { NumberArray, People, Table } from "../table/index.js";
import { type ArgumentRule, isList, isNumbers, isObject, object } from "./rules.js";

/** What users hand from one function of the library to the next. Only its shape is checked: it may be made elsewhere. */
export const table: ArgumentRule = object("a table, from readTable or tableFromRecords", isTable);
export const people: ArgumentRule = object("people, from preparePeople", isPeople);
/** People, as far as their rows and ids are concerned. */
export const placed: ArgumentRule = object("people, from preparePeople or predict", isPlaced);
export const grouped: ArgumentRule = object(
  "people, from preparePeople",
  (value) => isPlaced(value) && isList(value.attributes, isAttribute),
);
export const attribute: ArgumentRule = object("a protected attribute of people", isAttribute);
export const attributes: ArgumentRule = object("an array of protected attributes", (value) =>
  isList(value, isAttribute),
);
export const bounds: ArgumentRule = object("an array of bounds, from resolveBounds", (value) =>
  isList(value, isBounds),
);
export const points: ArgumentRule = object("an array of coordinates for each dimension", (value) =>
  isList(value, isFloats),
);
export const counts: ArgumentRule = object("people by group and cluster", (value) => isList(value, isNumbers));
/** The same for several attributes. */
export const tallies: ArgumentRule = object("people by group and cluster, for each attribute", (value) =>
  isList(value, (groups) => isList(groups, isNumbers)),
);
export const clustering: ArgumentRule = object(
  "a clustering, from cluster",
  ({ result, centres }) => isObject(result) && Array.isArray(centres),
);
export const encodings: ArgumentRule = object("encodings, as people have them", (value) => isList(value, isEncoding));

function isFloats(value: unknown): value is Float64Array | Float32Array {
  return value instanceof Float64Array || value instanceof Float32Array;
}

/** Whole numbers may be kept in narrower arrays. */
function isNumberArray(value: unknown): value is NumberArray {
  return [Float64Array, Float32Array, Int32Array, Int16Array, Int8Array].some((array) => value instanceof array);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTable(value: Partial<Table>): boolean {
  const { rows, columns } = value;
  return isCount(rows) && isList(columns, (column) => isColumn(column, rows));
}

function isColumn(value: unknown, rows: number): boolean {
  if (!isObject(value)) return false;
  const { kind, name, values, codes, levels, missing, notFinite } = value;
  if (typeof name !== "string" || !isCount(missing)) return false;
  if (kind === "numeric") return isNumberArray(values) && values.length === rows && isCount(notFinite);
  if (kind !== "text" || !(codes instanceof Int32Array) || codes.length !== rows) return false;
  return (
    isList(levels, (level) => typeof level === "string") && codes.every((code) => code < (levels as string[]).length)
  );
}

function isAttribute(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, groups, codes } = value;
  if (typeof name !== "string" || !isList(groups, (group) => typeof group === "string")) return false;
  return codes instanceof Uint16Array && codes.every((code) => code < (groups as string[]).length);
}

function isBounds(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { attribute: name, groups, lower, upper } = value;
  return typeof name === "string" && [groups, lower, upper].every(Array.isArray);
}

function isEncoding(value: unknown): boolean {
  return isObject(value) && typeof value.column === "string";
}

function isPlaced({ sourceRows, ids }: { sourceRows?: unknown; ids?: unknown }): boolean {
  return sourceRows instanceof Uint32Array && (ids === undefined || isObject(ids));
}

function isPeople(value: Partial<People>): boolean {
  const { n, dimensions, attributes: groups, holders } = value;
  if (!isCount(n) || !isPlaced(value) || value.sourceRows!.length !== n) return false;
  // Those of many people are made when they are looked at.
  const looked = value.readers ?? dimensions;
  if (!isList(looked, (each) => (value.readers || isFloats(each)) && (each as { length: number }).length === n))
    return false;
  if (!isList(groups, (each) => isAttribute(each) && (each as { codes: Uint16Array }).codes.length === n)) return false;
  return (
    Array.isArray(value.warnings) && Array.isArray(value.encodings) && (holders === undefined || isAttribute(holders))
  );
}
