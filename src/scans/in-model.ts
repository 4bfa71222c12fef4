import type { Model } from "../algorithms/model.js";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { completeIn, type EncodeOptions, meanUnknown, rolesIn, unseenCategory } from "../table/encode.js";
import type { Attribute, Weights } from "../table/types.js";
import { intoMemory } from "./checks.js";
import { changed, SurveyedColumns } from "./columns.js";
import { type Everybody, type PreparedScan, preparedOf, surveyPeople } from "./prepare.js";
import type { ScanDecision, ScanDimension, ScanMovers, ScannedPeople, Scanner } from "./scanner.js";
import { inWeight } from "./weights.js";

export interface InModelOptions extends Pick<EncodeOptions, "id" | "protect" | "missing" | "weights"> {
  /** Whether hashes of ids decide anything. Default: true. */
  readonly idsDecide?: boolean;
}

export const nobody: ScanMovers = { hashes: new Float64Array(0), clusters: new Uint16Array(0) };

/** New people in the space of a model: what `encodePeople` finds out from whole columns, from a few scans. */
export async function prepareInModel(
  scanner: Scanner,
  model: Model,
  { idsDecide, missing: rule = "error", ...asked }: InModelOptions,
  /** The groups that a model knows, of each attribute that was found. */
  inGroups: (attributes: readonly Attribute[]) => readonly Attribute[] = (found) => found,
): Promise<PreparedScan> {
  const kind = model.clusters ? "cells" : model.distance ? "Manhattan distances" : undefined;
  if (kind) throw new MoietyError("usage", `a model of ${kind} needs people in memory: ${intoMemory(scanner.method)}`);
  const { encodings, gridBits, dimensions: dimensionNames } = model;
  const columns = await SurveyedColumns.of(scanner);
  const first = await columns.look(rolesIn(columns.table, encodings, asked));
  const roles = rolesIn(columns.table, encodings, asked);
  columns.checkNumbers(roles.features, () => "is text: the model needs its numbers");
  const complete = completeIn(roles, rule);
  const found = await surveyPeople(columns, roles, first, complete, { partial: true, ...defined({ idsDecide }) });
  const groups = { ...found.groups, attributes: inGroups(found.groups.attributes) };
  const [, ...categories] = groups.survey.tallies;
  const unit = 2 ** gridBits;
  const dimensions = encodings.flatMap((encoding): ScanDimension[] => {
    const { column } = encoding;
    if (encoding.kind === "numeric") {
      const { shift, scale, mean } = encoding;
      if (rule === "mean" && mean === undefined && columns.extent(column).missing > 0) throw meanUnknown(column);
      return [{ kind: "numeric", column, shift, scale, unit, mean: mean ?? 0 }];
    }
    const at = roles.categorical.findIndex(({ name }) => name === column);
    const here = new Map(groups.levels[at].map(({ level, value }) => [level, value]));
    const known = new Set(encoding.levels.map((level) => here.get(level)));
    const unseen = categories[at].cells.filter(({ values }) => !known.has(values[0]));
    const rows = unseen.reduce((sum, { people }) => sum + people, 0);
    if (rows > 0) throw unseenCategory(column, rows, groups.survey.people);
    const own = Math.floor(encoding.weight * unit + 0.5);
    return encoding.levels.map((level) => {
      return { kind: "level", column, level: here.get(level) ?? null, own: here.has(level) ? own : 0 };
    });
  });
  const drawn = { dimensionNames, dimensions, gridBits, encodings, leftOut: roles.leftOut, warnings: [] };
  return preparedOf({ ...found, groups }, drawn);
}

/** These people as points, and the centres of the model among them. */
export async function openInModel(
  scanner: Scanner,
  { space, everybody, counts, gridBits }: PreparedScan,
  model: Model,
): Promise<{ people: ScannedPeople; nearest: ScanDecision }> {
  const people = inWeight(await scanner.open(space), space.weights?.unit ?? 1);
  if (people.people !== everybody.n || people.counts.some((count, at) => count !== counts[at])) throw changed(scanner);
  const across = people.least.reduce((sum, low, j) => sum + Math.max(low ** 2, people.most[j] ** 2), 0);
  const centres = Float64Array.from(model.centres.flat(), (value) => Math.round(value * 2 ** gridBits));
  const reach = centres.reduce((most, c) => Math.max(most, Math.abs(c)), 0) * Math.sqrt(space.dimensions.length);
  if (4 * (Math.sqrt(across) + reach) ** 2 >= 2 ** 53) {
    throw new MoietyError(
      "input",
      "some people are too far from the model's for exact distances: leave the outliers out",
    );
  }
  const { k } = model;
  return { people, nearest: { k, centres, offsets: new Float64Array(counts.length * k), jitter: 0 } };
}

/** Counts by pattern and cluster as people with labels: one of each pattern in each cluster, who counts for all that are there. */
export function countedPeople(
  { attributes, weights }: Pick<Everybody, "attributes" | "weights">,
  counts: Float64Array,
  k: number,
): { people: { attributes: Attribute[]; weights: Weights }; labels: Uint16Array } {
  const cells = Array.from(counts.keys()).filter((cell) => counts[cell] > 0);
  const values = Float64Array.from(cells, (cell) => counts[cell]);
  const total = values.reduce((sum, people) => sum + people, 0);
  return {
    people: {
      attributes: attributes.map((attribute) => {
        const codes = Uint16Array.from(cells, (cell) => attribute.codes[Math.floor(cell / k)]);
        return { ...attribute, codes, people: values };
      }),
      weights: { ...{ column: "people", total, unit: 1 }, ...weights, values },
    },
    labels: Uint16Array.from(cells, (cell) => cell % k),
  };
}
