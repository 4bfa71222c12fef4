/** A table as it was read: whole columns in typed arrays, never row objects. */
export interface Table {
  readonly rows: number;
  readonly columns: readonly Column[];
  /** Names of the source's other columns, where only some were asked for. */
  readonly unread?: readonly string[];
  /** The number that readers of the source give to its first row: 2 where a spreadsheet shows the header as 1. Default 0. */
  readonly firstRow?: number;
  /** What the user should know of how it was read. */
  readonly warnings?: readonly string[];
}

/** A table of more rows than are held at once: its parts have the same columns. */
export interface TableParts {
  /** Of all parts. */
  readonly rows: number;
  readonly parts: Iterable<Table>;
}

export type Column = NumericColumn | TextColumn;

/** What a column holds. Booleans and dates are kept as the texts that they are; named as features, they are numbers. */
export type ColumnKind = "numeric" | "text" | "boolean" | "date";

/** Numbers of a column. Whole numbers without a gap may be in the narrowest array that holds them. */
export type NumberArray = Float64Array | Float32Array | Int32Array | Int16Array | Int8Array;

/** Numbers. A missing value is NaN and counted in `missing`; so is NaN in the source; infinity is counted in `notFinite`. */
export interface NumericColumn {
  readonly kind: "numeric";
  readonly name: string;
  readonly values: NumberArray;
  /** The source has these numbers in single precision, though another array than Float32Array holds them. */
  readonly single?: true;
  readonly missing: number;
  readonly notFinite: number;
}

/** Text, booleans and everything else that is compared but not added: codes into `levels`, -1 where missing. */
export interface TextColumn {
  readonly kind: "text";
  readonly name: string;
  readonly codes: Int32Array;
  readonly levels: readonly string[];
  readonly missing: number;
  /** What every cell spells, where that is more than text: the column can be a feature, but only where it is named. */
  readonly spells?: "number" | "boolean" | "date";
  /** With numbers: they have decimal commas. */
  readonly decimal?: "comma";
  /**
   * The column looks like numbers and cannot be read as such: a few cells are none ("cells"), or its commas and points
   * could be decimal marks as well as thousands separators ("marks"). It may be protected, a category or an id, but it
   * may not be left out of the default features in silence.
   */
  readonly doubt?: "cells" | "marks";
  /** Where the first cells are that are no numbers (or are in doubt), as readers of the source would look for them: B17. */
  readonly notNumbers?: readonly string[];
  /** Of a column in doubt whose cells are elsewhere: how many are no numbers, of how many that are there. */
  readonly odd?: { readonly cells: number; readonly of: number };
}

/** A protected attribute: every person is in exactly one of its groups. */
export interface Attribute {
  readonly name: string;
  readonly groups: readonly string[];
  /** The group of each person, an index into `groups`. Every group has at least one member. */
  readonly codes: Uint16Array;
  /** Where people are only counted: how many each code stands for. */
  readonly people?: Float64Array;
  /** Where numbers were cut into groups: what makes the same groups again, such as age:25,40,65, and who said where. */
  readonly cut?: { readonly spec: string; readonly byData: boolean };
}

/**
 * How one column of the table became one or more dimensions; enough to encode new people in the same way. A number x
 * becomes (x - shift) / scale, and `mean` stands in for a missing one where that is allowed. A category becomes one
 * dimension for each level: `weight` at its own level, 0 elsewhere.
 */
export type Encoding =
  | {
      readonly kind: "numeric";
      readonly column: string;
      readonly shift: number;
      readonly scale: number;
      readonly mean?: number | undefined;
    }
  | {
      readonly kind: "categorical";
      readonly column: string;
      readonly levels: readonly string[];
      readonly weight: number;
    };

/** A column that plays no part, and why not. */
export interface LeftOut {
  readonly column: string;
  readonly why: string;
}

/** Rows that were left out because a value was missing in a column that is used. */
export interface Dropped {
  readonly rows: number;
  /** The rows of the source. */
  readonly of: number;
  /** attribute -> group; of those whose group is known */
  readonly groups: Readonly<Record<string, Readonly<Record<string, DroppedGroup>>>>;
}

export interface DroppedGroup {
  /** Members who were left out. */
  readonly people: number;
  /** The group's share before and after. */
  readonly before: number;
  readonly after: number;
}

/** The coordinates of all people in one dimension, worked out where they are read: what they are made of takes less memory. */
export interface Dimension {
  readonly length: number;
  /** In single precision, as the source is. */
  readonly single: boolean;
  /** A person's. */
  at(person: number): number;
  /** Those of the people [from, to), to `into` from `at`, in single precision. */
  read(from: number, to: number, into: Float32Array, at: number): void;
  /** All of them. */
  whole(): Float64Array | Float32Array;
  /** As `read`, for the last time: whoever takes them all over has them from then on, and says how they are read. */
  take?(from: number, to: number, into: Float32Array, at: number): void;
  takenBy?(reader: Pick<Dimension, "read">): void;
}

/** What an algorithm works on: people as points in the scaled space, and the groups that they belong to. */
export interface People {
  readonly n: number;
  /**
   * One array of length n for each dimension, already encoded and scaled. Where people are many they are in single precision,
   * or made when they are first looked at, and take memory from then on.
   */
  readonly dimensions: readonly (Float64Array | Float32Array)[];
  /** The same dimensions, where people are many, for whoever reads them a stretch at a time or looks at few people. */
  readonly readers?: readonly (Dimension | Float64Array | Float32Array)[];
  readonly dimensionNames: readonly string[];
  readonly encodings: readonly Encoding[];
  readonly attributes: readonly Attribute[];
  /** Which party holds each person's row, where a column says so. */
  readonly holders?: Attribute;
  /** How many people each person counts for, where a column says so; the attributes' `people` are the same numbers. */
  readonly weights?: Weights;
  /** People who must share a cluster, and people who must not, where a column says so. */
  readonly together?: Links;
  readonly apart?: Links;
  /** The rows of the table that they were made from, those that were left out too. */
  readonly rows?: number;
  /** The source's 0-based row of each person: ascending, or ordered by id when there are ids. */
  readonly sourceRows: Uint32Array;
  /**
   * Ids as text, when an id column was named, in people's order. Where all are whole numbers written plainly they are kept as
   * `numbers`, and the texts are made when they are first looked at.
   */
  readonly ids?: { readonly column: string; readonly values: readonly string[]; readonly numbers?: Float64Array };
  /** Scaled by bounds that were given, to [-1, 1], and by nothing that the people themselves say. */
  readonly publicBounds?: true;
  /** The columns of the table that play no part, in the table's order. */
  readonly leftOut?: readonly LeftOut[];
  /** Who was left out for a missing value; absent where nobody was. */
  readonly dropped?: Dropped;
  /** One line each for what the user should know: dropped constant columns, dropped rows. */
  readonly warnings: readonly string[];
}

/** Weights of people: whole multiples of a power of two, so fine that sums of everybody's are exact. */
export interface Weights {
  readonly column: string;
  /** Of each person; above 0. */
  readonly values: Float64Array;
  readonly total: number;
  /** What the weights are whole multiples of. */
  readonly unit: number;
}

/** What is known of weights without looking at single people. */
export type WeightFacts = Omit<Weights, "values">;

/** What another holder of the same people says of them, in the same order. */
export type LinkedBy = Pick<People, "weights" | "together">;

/** People with the same value of a column. Who has none is linked with nobody. */
export interface Links {
  readonly column: string;
  /** The number of each person's value, from 0 on; a value that nobody shares is one too. */
  readonly codes: Int32Array;
  /** Different values. */
  readonly count: number;
}

/** What is publicly known about each feature: the bounds of a number, or the levels of a category. */
export type PublicBox = Readonly<Record<string, readonly [number, number] | readonly string[]>>;

export interface Moments {
  readonly mean: number;
  /** Of the population: the divisor is n. */
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
}

export type Scaling = "standard" | "minmax" | "none";

/** What to do about missing values: refuse, leave those people out, or fill in the column's mean. */
export type MissingRule = "error" | "drop" | "mean";

export interface PeopleOptions {
  /** Numeric columns; default: all numeric ones that play no other part, do not look like an id and are not constant. */
  readonly features?: readonly string[];
  /** Columns to encode as one dimension per level. */
  readonly categorical?: readonly string[];
  /** Protected columns; `sex*race` is the intersection of two, and `age:25,40,65` or `age:quartiles` make groups of numbers. */
  readonly protect?: readonly string[];
  /** The most groups of one protected attribute; default 100, and 20 different numbers of a column that is not cut. */
  readonly maxGroups?: number;
  /** The column that names people; they are then ordered by it. */
  readonly id?: string;
  /** The column that says which party holds each person's row; never a feature. */
  readonly splitBy?: string;
  /** The column of numbers above 0 that says how many people each person counts for; never a feature. */
  readonly weights?: string;
  /** People with the same value of this column, such as a household, share a cluster; never a feature. */
  readonly together?: string;
  /** With columns elsewhere: what their holders say of the same people, in the order that these will have. */
  readonly linked?: LinkedBy;
  /** People with the same value of this column never share a cluster; never a feature. */
  readonly apart?: string;
  /** Default standard. */
  readonly scale?: Scaling;
  /** How far apart two people are who differ in a category and in nothing else; a standard deviation of a number is 1. Default 1. */
  readonly categoryWeight?: number;
  /** Default error. */
  readonly missing?: MissingRule;
  /** Public bounds of every feature: scaling then looks at nobody. Replaces `scale`. */
  readonly box?: PublicBox;
  /** Columns that are not to be features by default. */
  readonly exclude?: readonly string[];
  /**
   * The table is not used again: its numbers are let go of as they become coordinates, which saves memory where people are many. Their
   * coordinates move into the solver's memory when it takes them in, and are those of its grid from then on.
   */
  readonly consume?: boolean;
  /** How columns are measured before they are scaled; NaN is missing. */
  readonly measure?: (values: Float64Array | Float32Array) => Moments;
  /** With `partial`: all levels of the categorical columns, in order, since those who are here may not have them all. */
  readonly levels?: Readonly<Record<string, readonly string[]>>;
  /** These are some of the people only, and others are elsewhere: here a column or a group may be the same for all. */
  readonly partial?: boolean;
  /** All groups are known beforehand: everybody here may be in the same one. */
  readonly namedGroups?: boolean;
}
