import type { Command } from "commander";
import { reachHelp } from "../algorithms/reach.js";
import { defined } from "../defined.js";
import { namesIn, readSource } from "../engines/read-source.js";
import { MoietyError } from "../errors.js";
import { formatNumber } from "../report/format.js";
import { isStandardInput, type ReadOptions, type ReadProgress, readTable } from "../table/disk/index.js";
import {
  asLevels,
  type DistinctIds,
  type MissingRule,
  type NormaliseStep,
  type PeopleOptions,
  parseProtected,
  type Scaling,
  sortBytesInTurns,
  spellings,
  type Table,
} from "../table/index.js";
import type { Session } from "./session.js";
import { choice, list, protectList } from "./values.js";

/** The options that say which columns play which part; those of the library, by the same names. */
export type ColumnFlags = ReadingFlags &
  Pick<
    PeopleOptions,
    | ("features" | "categorical" | "categoryWeight" | "protect" | "maxGroups")
    | ("id" | "scale" | "missing" | "exclude" | "splitBy" | "weights" | "together" | "apart")
  >;

/** How the cells of the source are to be read. */
export type ReadingFlags = Pick<ReadOptions, "na" | "decimal">;

export const sourceDescription =
  "a CSV (also .gz), Parquet or JSON file, a SELECT query in quotes, or - for standard input";

/** Of commands that also work on people who stay in an engine. */
export const scannedDescription = `${sourceDescription}; or people in an engine: file.duckdb?table=people, postgres://…?table=people, sc://…?table=people`;

export function addColumnOptions(command: Command): Command {
  const scalings: readonly Scaling[] = ["standard", "minmax", "none"];
  command
    .optionsGroup("Columns:")
    .option("--features <names>", "numeric columns (default: all without another role)", list("--features"))
    .option("--exclude <names>", "columns to leave out of the default features", list("--exclude"))
    .option("--categorical <names>", "columns to encode as one dimension per category", list("--categorical"))
    .option(
      "--category-weight <number>",
      "how far apart two people are who differ in one category only, where a number's deviation is 1 (default: 1)",
    )
    .option(
      "--protect <names>",
      "protected attributes; sex*race is an intersection, age:25,40,65 and age:quartiles make groups of numbers",
      protectList,
    )
    .option("--max-groups <number>", "the most groups of one attribute (default: 100; 20 for numbers without cuts)")
    .option("--id <name>", "the column that names people; never a feature")
    .option("--split-by <name>", "rows split: the column that says which party holds a row; never a feature")
    .option("--scale <how>", "standard, minmax or none (default: standard)", choice("value of --scale", scalings))
    .option("--missing <rule>", "error, drop or mean (default: error)", missingRule);
  return addReadingOptions(command);
}

/** Who counts how much, and who goes with whom. */
export function addLinkOptions(command: Command): Command {
  return command
    .optionsGroup("Weights and links:")
    .option(
      "--weights <name>",
      "the column that says how many people somebody counts for; sizes and bounds are then in weight",
    )
    .option(
      "--together <name>",
      `people with the same value of this column, such as a household, share a cluster${reachHelp("together")}`,
    )
    .option("--apart <name>", `people with the same value of this column never share a cluster${reachHelp("apart")}`);
}

export function addReadingOptions(command: Command): Command {
  const marks = ["point", "comma"] as const;
  return command
    .option(
      "--na <values>",
      "further values that mean missing, in any column; in numbers NA, ?, - and the like always do",
      list("--na", "NA,?"),
    )
    .option(
      "--decimal <mark>",
      "the decimal mark, point or comma, where 1,234 could be read either way",
      choice("value of --decimal", marks),
    );
}

export function readingOf({ na, decimal }: ReadingFlags): ReadingFlags {
  return defined({ na, decimal });
}

/** The one protected attribute of a classifier. */
export function someAttributes(protect: readonly string[] = []): readonly string[] {
  if (protect.length > 0) return protect;
  const advice = "give one or more, such as --protect sex,race, or an intersection, such as --protect 'sex*race'";
  throw new MoietyError("usage", `--protect names no attribute: ${advice}`);
}

/** Standard input can be read once. */
export function checkInputs(option: string, ...sources: readonly (string | undefined)[]): void {
  if (sources.filter((source) => source !== undefined && isStandardInput(source)).length < 2) return;
  throw new MoietyError("usage", `standard input can be read once: name a file for ${option}`);
}

export const missingRule = choice<MissingRule>("value of --missing", ["error", "drop", "mean"]);

/** As `readColumns`, of people who may be many: whole numbers that name them stay numbers, and the line tells how far it is. */
export function readManyPeople(
  source: string,
  { id, threads, ...flags }: ColumnFlags & Pick<ReadOptions, "threads">,
  { progress }: Session,
): Promise<Table> {
  const tell = progress.say("reading");
  const onProgress = (read: ReadProgress) => tell(` ${formatRead(read)}`);
  return readColumns(source, flags, id === undefined ? [] : [id], defined({ id, threads, onProgress }));
}

/** 1,200,000 rows, 24 of 99 MB */
function formatRead({ rows, bytes = 0, ofBytes }: ReadProgress): string {
  const megabytes = (count: number) => formatNumber(Math.round(count / 1e6));
  const part = ofBytes === undefined ? "" : `, ${megabytes(bytes)} of ${megabytes(ofBytes)} MB`;
  return `${formatNumber(rows)} rows${part}`;
}

/** Reads no more than the columns that are asked for; ids as text, digit for digit. */
export async function readColumns(
  source: string,
  flags: ColumnFlags,
  others: readonly string[] = [],
  more: Pick<ReadOptions, "id" | "threads" | "onProgress"> = {},
): Promise<Table> {
  const options = { ...readingOf(flags), ...more, text: flags.id === undefined ? [] : [flags.id] };
  // Without --features every numeric column is one, and only reading tells which are.
  if (flags.features === undefined) return readSource(source, options);
  if (flags.exclude !== undefined) {
    throw new MoietyError("usage", "--exclude does nothing beside --features: leave it out");
  }
  const { splitBy, weights, together, apart } = flags;
  const roles = [splitBy, weights, together, apart].filter((name) => name !== undefined);
  const named = [...flags.features, ...(flags.categorical ?? []), ...options.text, ...roles, ...others];
  const protect = await protectedColumns(source, flags.protect ?? []);
  return readSource(source, { ...options, columns: [...named, ...protect] });
}

async function protectedColumns(source: string, protect: readonly string[]): Promise<string[]> {
  if (!protect.some((name) => /[*:]/.test(name))) return [...protect];
  // A column may itself have a star or a colon in its name.
  const known = new Set(await namesIn(source));
  return protect.flatMap((name) => parseProtected(name, (column) => known.has(column)).map(({ column }) => column));
}

interface IdFlags extends ReadingFlags {
  readonly normalise?: readonly NormaliseStep[];
}

/** The different ids of a source as they are spelt there, by what `normalise` makes of them. */
export async function readSpellings(
  source: string,
  id: string,
  { normalise = [], ...flags }: IdFlags = {},
): Promise<{ readonly spelt: ReadonlyMap<string, string>; readonly rows: number }> {
  const { columns, rows } = await readTable(source, { ...readingOf(flags), columns: [id], text: [id] });
  const { levels, missing } = asLevels(columns[0]);
  if (missing > 0) {
    const advice = "every person needs one: remove these rows";
    throw new MoietyError("input", `${source}: ${missing} rows have no ${id}; ${advice}`);
  }
  return { spelt: spellings(levels, normalise, id), rows };
}

/** The different ids of a source. */
export async function readIds(source: string, id: string, flags?: IdFlags): Promise<DistinctIds> {
  const { spelt, rows } = await readSpellings(source, id, flags);
  return { sorted: await sortBytesInTurns([...spelt.keys()]), duplicates: rows - spelt.size };
}
