import type { Command } from "commander";
import type { Model } from "../algorithms/model.js";
import { defined } from "../defined.js";
import { readSource } from "../engines/read-source.js";
import { MoietyError } from "../errors.js";
import { type ColumnsUsed, type MissingRule, parseProtected, type Table } from "../table/index.js";
import { readBounds } from "./bounds.js";
import { addReadingOptions, missingRule, type ReadingFlags, readingOf } from "./columns.js";
import { readJson } from "./input-files.js";
import { protectList } from "./values.js";

/** What assign and update are asked with. */
export interface NewcomerFlags extends ReadingFlags {
  readonly protect?: readonly string[];
  readonly bounds?: string;
  readonly tolerance?: number;
  readonly id?: string;
  readonly weights?: string;
  readonly missing?: MissingRule;
  readonly labels?: string;
  readonly threads?: number;
  readonly json?: boolean;
}

export function addNewcomerOptions(command: Command): Command {
  command
    .option("--protect <names>", "protected attributes of the model (default: all of them)", protectList)
    .option("--bounds <file>", 'other bounds than the model\'s, as JSON: {"sex": {"F": {"min": 0.3, "max": 0.5}}}')
    .option("--tolerance <number>", "how many people a group may be beyond its bounds (default: the model's)")
    .option("--id <name>", "the column that names people")
    .option("--weights <name>", "the column that says how many people each newcomer counts for")
    .option("--missing <rule>", "error, drop or mean (default: error)", missingRule);
  return addReadingOptions(command)
    .option("--labels <file>", "write row,cluster (or id,cluster) as CSV or .parquet; - is standard output")
    .option("--threads <number>", "number of threads; labels do not depend on it (default: the number of cores)")
    .option("--json", "print the result as JSON");
}

/** The model of clusters that newcomers join. */
export async function readClusters(path: string): Promise<Model> {
  const json = await readJson("model", path);
  const { isClassifier } = await import("../learning/format.js");
  if (isClassifier(json)) throw new MoietyError("usage", "a classifier has no clusters to join: use moiety predict");
  const { parseModel } = await import("../algorithms/model.js");
  return parseModel(json, path);
}

/** The newcomers' columns that the model looks at, and their groups. */
export async function readNewcomers(
  source: string,
  model: Model,
  flags: NewcomerFlags,
): Promise<{ table: Table; used: ColumnsUsed }> {
  const { askedAttributes, promisesIn } = await import("../algorithms/newcomers.js");
  const asked = askedAttributes(promisesIn(model), flags.protect);
  const features = model.encodings.map(({ column }) => column);
  const groups = asked.flatMap(({ protect }) => parseProtected(protect).map(({ column }) => column));
  const named = flags.id === undefined ? [] : [flags.id];
  const weighing = flags.weights === undefined ? [] : [flags.weights];
  const columns = [...new Set([...features, ...groups, ...named, ...weighing])];
  const table = await readSource(source, { ...readingOf(flags), columns, text: named });
  const leftOut = (table.unread ?? []).map((column) => ({ column, why: "not in the model" }));
  return { table, used: { features, leftOut } };
}

/** The options of the library that the flags stand for. */
export async function newcomerOptions(flags: NewcomerFlags) {
  const { protect, tolerance, id, weights, missing, threads, bounds: file } = flags;
  return defined({ protect, tolerance, id, weights, missing, threads, bounds: await readBounds(file) });
}
