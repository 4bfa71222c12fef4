import type { Model } from "../algorithms/model.js";
import { MoietyError } from "../errors.js";
import { checkFinite, checkMissing } from "../table/checks.js";
import { meanUnknown } from "../table/encode.js";
import { shortestSingle } from "../table/levels.js";
import { checkRepeated, nobodyLeft } from "../table/rows.js";
import { unknownName } from "../table/suggest.js";
import type { Column, MissingRule } from "../table/types.js";
import { intoMemory } from "./checks.js";
import { rowsWithoutNumbers } from "./columns.js";
import type { LabelSink, ScanDimension, ScannedColumn, ScannedValue, Scanner, ScanSpace, Survey } from "./scanner.js";

/** More categories than this are a mistake. */
const mostLevels = 100_000;
/** Larger whole numbers are hashed by their text. */
const largestWholeId = 2 ** 50;
const missingName = "(missing)";

export interface ScannedPrediction {
  readonly n: number;
  readonly sizes: readonly number[];
  readonly leftOut: readonly { readonly column: string; readonly why: string }[];
  readonly warnings: readonly string[];
}

/** Labels people who are only scanned by the nearest centre of a model, as `predict` does. */
export async function predictScanned(
  scanner: Scanner,
  model: Model,
  { id, missing: rule = "error" }: { readonly id?: string; readonly missing?: MissingRule },
  sink: LabelSink,
): Promise<ScannedPrediction> {
  const kind = model.clusters ? "cells" : model.distance ? "Manhattan distances" : undefined;
  if (kind) throw new MoietyError("usage", `a model of ${kind} needs people in memory: ${intoMemory(scanner.method)}`);
  const known = await scanner.columns();
  const find = (name: string): ScannedColumn => {
    const column = known.find((each) => each.name === name);
    if (column) return column;
    throw new MoietyError(
      "input",
      unknownName(
        "column",
        name,
        known.map((each) => each.name),
      ),
    );
  };
  const ids = id === undefined ? [] : [find(id)];
  const used = model.encodings.map(({ column }) => find(column));
  const numeric = model.encodings.filter(({ kind }) => kind === "numeric").map(({ column }) => column);
  const categories = model.encodings.flatMap((each) => (each.kind === "categorical" ? [each] : []));
  const text = numeric.find((name) => find(name).kind === "text");
  if (text !== undefined) throw new MoietyError("input", `column '${text}' is text: the model needs its numbers`);
  const named = ids.map(({ name }) => name);
  const complete = rule === "drop" ? [...new Set([...used.map(({ name }) => name), ...named])] : [];
  const looked = [...numeric, ...named];
  const survey = await scanner.survey({
    complete,
    columns: looked,
    distinct: named,
    tallies: categories.map(({ column }) => ({ keys: [{ column }], most: mostLevels })),
    moments: [],
  });
  const counted = (name: string): Column => {
    const { missing, notFinite } = survey.columns[looked.indexOf(name)];
    return { kind: "numeric", name, values: new Float64Array(0), missing, notFinite };
  };
  checkFinite(looked.map(counted));
  if (rule === "error") checkMissing(numeric.map(counted), "use `missing: drop` or `missing: mean`");
  if (rule !== "drop") checkMissing(named.map(counted), "an id cannot be filled in: use `missing: drop`");
  if (survey.people === 0) throw nobodyLeft();

  const unit = 2 ** model.gridBits;
  const dimensions = model.encodings.flatMap((encoding): ScanDimension[] => {
    const { column } = encoding;
    if (encoding.kind === "numeric") {
      const { shift, scale, mean } = encoding;
      if (rule === "mean" && mean === undefined && counted(column).missing > 0) throw meanUnknown(column);
      return [{ kind: "numeric", column, shift, scale, unit, mean: mean ?? 0 }];
    }
    const cells = survey.tallies[categories.indexOf(encoding)].cells.filter(({ people }) => people > 0);
    const own = Math.floor(encoding.weight * unit + 0.5);
    const valueNamed = new Map(cells.map(({ values: [value] }) => [levelOf(value, find(column)), value]));
    const unseen = cells.filter(({ values: [value] }) => !encoding.levels.includes(levelOf(value, find(column))));
    if (unseen.length > 0) {
      const rows = unseen.reduce((sum, { people }) => sum + people, 0);
      const what = `column '${column}' has a category that the model has never seen in ${rows} of ${survey.people} rows`;
      throw new MoietyError("input", `${what}; leave those rows out or train again`);
    }
    return encoding.levels.map((level) => {
      const here = valueNamed.has(level);
      return { kind: "level", column, level: here ? (valueNamed.get(level) ?? null) : null, own: here ? own : 0 };
    });
  });
  const space: ScanSpace = { ...{ complete, dimensions, keys: [], patterns: [[]] }, id: idOf(scanner, ids, survey) };
  const people = await scanner.open(space);
  const across = people.least.reduce((sum, low, j) => sum + Math.max(low ** 2, people.most[j] ** 2), 0);
  const centres = Float64Array.from(model.centres.flat(), (value) => Math.round(value * unit));
  const reach = centres.reduce((most, c) => Math.max(most, Math.abs(c)), 0) * Math.sqrt(dimensions.length);
  if (people.people > 0 && 4 * (Math.sqrt(across) + reach) ** 2 >= 2 ** 53) {
    throw new MoietyError(
      "input",
      "some people are too far from the model's for exact distances: leave the outliers out",
    );
  }
  const decision = { k: model.k, centres, offsets: new Float64Array(model.k), jitter: 0 };
  const sizes = await people.labels(decision, { hashes: new Float64Array(0), clusters: new Uint16Array(0) }, sink);
  const names = new Set([...used.map(({ name }) => name), ...named]);
  const dropped = survey.rows - people.people;
  return {
    n: people.people,
    sizes: Array.from(sizes),
    leftOut: known
      .filter(({ name }) => !names.has(name))
      .map(({ name }) => ({ column: name, why: "not in the model" })),
    warnings:
      dropped > 0 ? [`${dropped} of ${survey.rows} rows left out: a value is missing in a column that is used`] : [],
  };
}

/** What hashes are made of: an id of each person's own, or the numbers of rows. */
function idOf(scanner: Scanner, [id]: readonly ScannedColumn[], survey: Survey): ScanSpace["id"] {
  if (id === undefined) {
    if (scanner.numbered) return { kind: "row" };
    throw rowsWithoutNumbers(scanner);
  }
  checkRepeated(id, survey.people - survey.distinct[0]);
  const { whole, least, most } = survey.columns[survey.columns.length - 1];
  const numbered = id.kind === "numeric" && whole && Math.max(-least, most) < largestWholeId;
  return { kind: numbered ? "number" : "text", column: id.name };
}

function levelOf(value: ScannedValue, { single }: ScannedColumn): string {
  if (value === null) return missingName;
  return typeof value === "string" ? value : single ? shortestSingle(value) : String(value);
}
