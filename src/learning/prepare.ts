import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { exactMoments } from "../solver/exact-moments.js";
import { checkMissing } from "../table/checks.js";
import { columnFinder } from "../table/choose.js";
import { droppedFrom, droppedWarnings } from "../table/dropped.js";
import { holdersOf } from "../table/groups.js";
import { idLikeness } from "../table/ids.js";
import {
  type Attribute,
  attributeOf,
  type Column,
  type ColumnsUsed,
  checkShape,
  type Encoding,
  encodePeople,
  originOf,
  type People,
  type PeopleOptions,
  type Pictures,
  parseProtected,
  preparePeople,
  type Table,
} from "../table/index.js";
import { selectRows } from "../table/rows.js";
import { joinAttributes } from "./attributes.js";
import { examplesOf, pickExamples, rowMajor } from "./examples.js";
import { checkSplit, splitPeople } from "./hold-out.js";
import { type Label, readLabel, withLabel } from "./label.js";
import type { Shape } from "./net/nets.js";
import { measurePixels, pixelColumns, scalePixels } from "./pictures.js";
import type { Examples } from "./trainer.js";
import type { LearningData } from "./types.js";

/** How a table's rows become a net's numbers; a model keeps it for new people. */
export type ModelInput =
  | { readonly kind: "columns"; readonly encodings: readonly Encoding[] }
  | ({ readonly kind: "pixels"; readonly columns: readonly string[] } & Pixels)
  | ({ readonly kind: "images"; readonly column: string } & Pixels);

/** A pixel x becomes (x - shift) / scale. */
interface Pixels {
  readonly shape: Shape;
  readonly shift: number;
  readonly scale: number;
}

export interface PrepareOptions
  extends Omit<
    PeopleOptions,
    | ("protect" | "box" | "measure" | "levels" | "partial" | "namedGroups" | "consume")
    | ("weights" | "together" | "apart")
  > {
  readonly label: string;
  readonly positive?: string;
  /** Protected attributes, each of which is to be fair; sex*race is an intersection. */
  readonly protect: string | readonly string[];
  /** The share of people to measure on. Default 0.3. */
  readonly test?: number;
  /** Others to measure on, instead of a share. */
  readonly testTable?: Table;
  readonly seed?: number;
  /** Pictures of the table's rows, and of the other table's, and the column that names them. */
  readonly images?: { readonly column: string; readonly pictures: Pictures; readonly testPictures?: Pictures };
  /** The numeric columns are the pixels of a picture of this shape. */
  readonly imageShape?: Shape;
}

export interface Prepared {
  readonly data: LearningData;
  readonly input: ModelInput;
  readonly label: Label;
  /** The party of each person to learn from, when a column says so, and of each person to measure on; and the parties' names. */
  readonly partyOf?: Uint32Array;
  readonly testPartyOf?: Uint32Array;
  readonly partyNames?: readonly string[];
  readonly warnings: readonly string[];
}

/** A text column with more values than this is no category, unless `categorical` names it. */
const mostCategories = 50;

/** People as they are read of a table: their numbers or pixels, how these were made, and the protected attribute. */
interface ReadPeople {
  readonly people: Pick<People, "n" | "dimensions" | "sourceRows" | "warnings" | "dropped">;
  readonly attributes: readonly Attribute[];
  readonly pixels?: Float32Array;
  readonly input: ModelInput;
  readonly shape: Shape;
  readonly columns: ColumnsUsed;
}

/** A table as people to learn from and others to measure on. */
export function prepareLearning(whole: Table, options: PrepareOptions): Prepared {
  const table = options.missing === "drop" ? withLabel(whole, options.label) : whole;
  const label = readLabel(table, options.label, options.positive === undefined ? {} : { positive: options.positive });
  checkProtected(table, options);
  const read = readPeople(table, options);
  const { codes, ...attribute } = joinAttributes(read.attributes, listed(options.protect));
  const all = examplesOf(read.people, label, codes, read.pixels);
  const { testTable } = options;
  const holders = options.splitBy === undefined ? undefined : partiesOf(table, options.splitBy, read.people);
  const share = options.test ?? 0.3;
  const split =
    testTable === undefined
      ? splitPeople(all, share, options.seed ?? 1, { classes: label.classes.length }, holders?.codes)
      : undefined;
  if (split) checkSplit({ train: split.train.length, test: split.test.length }, share);
  const { dropped, warnings } = droppedPeople(whole, table, options, read);
  const partyOf = (people: Uint32Array) => Uint32Array.from(people, (person) => holders!.codes[person]);
  return {
    data: {
      shape: read.shape,
      classes: label.classes,
      attribute,
      train: split ? pickExamples(all, split.train) : all,
      test: split ? pickExamples(all, split.test) : testExamples(testTable!, options, read, label),
      origin: { ...read.columns, dropped },
    },
    input: read.input,
    label,
    ...(holders && {
      partyNames: holders.groups,
      partyOf: split ? partyOf(split.train) : Uint32Array.from(holders.codes),
      ...(split ? { testPartyOf: partyOf(split.test) } : {}),
    }),
    warnings,
  };
}

/** How many rows were left out, those without a label among them, and the warnings about it. */
function droppedPeople(whole: Table, table: Table, { protect }: PrepareOptions, { people, attributes }: ReadPeople) {
  if (people.n === whole.rows) return { dropped: null, warnings: people.warnings };
  const dropped = droppedFrom(whole, listed(protect), attributes, people.n);
  const unlabelled = whole.rows - table.rows;
  if (unlabelled === 0) return { dropped, warnings: people.warnings };
  const partly = new Set(people.dropped ? droppedWarnings(people.dropped) : []);
  const others = people.warnings.filter((warning) => !partly.has(warning));
  const why = `${unlabelled} of ${whole.rows} rows left out: the label is missing`;
  return { dropped, warnings: [why, ...others, ...droppedWarnings(dropped)] };
}

function readPeople(table: Table, options: PrepareOptions): ReadPeople {
  checkPictures(options);
  const { images, imageShape } = options;
  if (images) return readPixels(table, options, [images.column], images.pictures);
  if (imageShape) {
    const columns = options.features ?? numericColumns(table, options);
    return readPixels(table, options, columns, { pixels: pixelColumns(table, columns, imageShape), shape: imageShape });
  }
  const people = preparePeople(table, peopleOptions(table, options));
  const shape = { height: 1, width: 1, channels: people.dimensions.length };
  const { features, leftOut } = originOf(people);
  // The label and the column of parties are excluded from the features, but they are used: they are not listed as left out.
  const columns = { features, leftOut: leftOut.filter(({ column }) => !takenColumns(table, options).has(column)) };
  return {
    people,
    attributes: people.attributes,
    input: { kind: "columns", encodings: people.encodings },
    shape,
    columns,
  };
}

/** Pictures, whose files one column names, or whose pixels are columns. No other column is a feature then. */
function readPixels(
  table: Table,
  options: PrepareOptions,
  features: readonly string[],
  { pixels, shape }: Pick<Pictures, "pixels" | "shape">,
): ReadPeople {
  const measured = measurePixels(pixels);
  const people = everybody(table);
  const used = takenColumns(table, options);
  for (const column of features) used.add(column);
  const others = [...table.columns.map(({ name }) => name), ...(table.unread ?? [])].filter((name) => !used.has(name));
  return {
    people,
    attributes: listed(options.protect).map((spec) => attributeOf(table, spec, people.sourceRows, options)),
    pixels: scalePixels(pixels, measured),
    input: options.images
      ? { kind: "images", column: options.images.column, shape, ...measured }
      : { kind: "pixels", columns: features, shape, ...measured },
    shape,
    columns: { features, leftOut: others.map((column) => ({ column, why: "no part of the pictures" })) },
  };
}

function checkProtected(table: Table, { label, protect }: PrepareOptions): void {
  if (listed(protect).length === 0) throw new MoietyError("usage", "`protect` names no attribute: give one or more");
  if (!protectedNames(table, protect).includes(label)) return;
  throw new MoietyError("usage", `'${label}' is the label, and cannot be protected too: name another column`);
}

/** Refuses options that do nothing with pictures: these are scaled as a whole, and all their pixels are features. */
function checkPictures({ images, imageShape, features, exclude, categorical, scale, missing }: PrepareOptions): void {
  if (images === undefined && imageShape === undefined) return;
  const unused = { categorical, scale, missing, ...(images ? { features, exclude, imageShape } : {}) };
  for (const [option, value] of Object.entries(unused)) {
    if (value !== undefined)
      throw new MoietyError("usage", `\`${option}\` does nothing where pictures are learnt from: leave it out`);
  }
}

/** By default features are all numbers and all texts of few values. Neither the label nor the column of parties is ever one. */
function peopleOptions(table: Table, options: PrepareOptions): PeopleOptions {
  const { label, protect, splitBy, exclude = [], ...others } = options;
  const { features, categorical } = options;
  const taken = new Set([...takenColumns(table, options), ...exclude]);
  const free = table.columns.filter((column) => !taken.has(column.name) && isCategory(column));
  const chosen = categorical ?? (features === undefined ? free.map(({ name }) => name) : []);
  if (features?.includes(label) || categorical?.includes(label)) {
    throw new MoietyError(
      "usage",
      `'${label}' is the label, and cannot be a feature too: leave it out of the features`,
    );
  }
  return {
    ...others,
    protect: listed(protect),
    measure: exactMoments,
    exclude: [...new Set([label, ...(splitBy === undefined ? [] : [splitBy]), ...exclude])],
    categorical: chosen,
  };
}

function isCategory(column: Column): boolean {
  // A column that looks like numbers is no category unless `categorical` names it.
  if (column.kind !== "text" || column.doubt !== undefined) return false;
  return column.levels.length >= 2 && column.levels.length <= mostCategories && idLikeness(column) === undefined;
}

function takenColumns(table: Table, { label, splitBy, id, protect }: PrepareOptions): Set<string | undefined> {
  return new Set([label, splitBy, id, ...protectedNames(table, protect)]);
}

function listed(protect: PrepareOptions["protect"]): readonly string[] {
  return typeof protect === "string" ? [protect] : protect;
}

function protectedNames(table: Table, protect: PrepareOptions["protect"]): string[] {
  const known = new Set(table.columns.map(({ name }) => name));
  return listed(protect).flatMap((spec) =>
    parseProtected(spec, (column) => known.has(column)).map(({ column }) => column),
  );
}

function numericColumns(table: Table, options: PrepareOptions): string[] {
  const taken = new Set([...takenColumns(table, options), ...(options.exclude ?? [])]);
  const free = table.columns.filter((column) => column.kind === "numeric" && !taken.has(column.name));
  return free.filter((column) => idLikeness(column) === undefined).map(({ name }) => name);
}

/** All rows, ordered by id where there is one; their numbers are pictures. */
function everybody(table: Table, id?: string): Pick<People, "n" | "dimensions" | "sourceRows" | "ids" | "warnings"> {
  const { sourceRows, ids } = selectRows(table.rows, [], id === undefined ? undefined : columnFinder(table)(id));
  return { n: table.rows, dimensions: [], sourceRows, ...(ids ? { ids } : {}), warnings: table.warnings ?? [] };
}

/** The people of another table to measure on, encoded as those learnt from. */
function testExamples(
  whole: Table,
  options: PrepareOptions,
  { input, attributes }: Pick<ReadPeople, "input" | "attributes">,
  label: Label,
): Examples {
  const table = options.missing === "drop" ? withLabel(whole, label.column) : whole;
  const { people, rows } = encodeTable(table, input, options, options.images?.testPictures);
  const specs = listed(options.protect);
  const same = attributes.map(({ groups, cut }, i) => {
    // Groups of equal size are those of the people learnt from.
    const attribute = attributeOf(table, cut?.spec ?? specs[i], people.sourceRows, options);
    const codes = attribute.groups.map((name) => groups.indexOf(name));
    if (codes.includes(-1)) {
      const seen = `the test file has a group of '${attribute.name}' that does not occur in the training data`;
      throw new MoietyError("input", `${seen}: leave those rows out`);
    }
    return { ...attribute, groups, codes: attribute.codes.map((code) => codes[code]) };
  });
  const { codes } = joinAttributes(same, specs);
  return examplesOf(people, readLabel(table, label.column, { like: label.classes }), codes, rows);
}

/** New people's numbers for a model, row by row. */
export function encodeTable(
  table: Table,
  input: ModelInput,
  { id, missing }: Pick<PeopleOptions, "id" | "missing">,
  pictures?: Pictures,
): { people: Pick<People, "n" | "dimensions" | "sourceRows" | "ids" | "warnings">; rows: Float32Array } {
  if (input.kind === "columns") {
    const people = encodePeople(table, input.encodings, defined({ id, missing }));
    return { people, rows: rowMajor(people) };
  }
  const people = everybody(table, id);
  const inOrder = (pixels: Float32Array) => {
    const width = pixels.length / people.n;
    const rows = new Float32Array(pixels.length);
    people.sourceRows.forEach((row, i) => {
      rows.set(pixels.subarray(row * width, (row + 1) * width), i * width);
    });
    return scalePixels(rows, input);
  };
  if (input.kind === "pixels") return { people, rows: inOrder(pixelColumns(table, input.columns, input.shape)) };
  checkShape(pictures!.shape, input.shape, "the model has seen");
  return { people, rows: inOrder(pictures!.pixels) };
}

/** The party of each person, and the names of all. */
function partiesOf(table: Table, column: string, { sourceRows }: Pick<People, "sourceRows">): Attribute {
  const found = columnFinder(table)(column);
  checkMissing([found], "the party of a row cannot be filled in: leave those rows out");
  return holdersOf(found, sourceRows);
}
