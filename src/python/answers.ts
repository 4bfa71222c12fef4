import type { ClusterOptions } from "../algorithms/types.js";
import { MoietyError } from "../errors.js";
import { host } from "../host/index.js";
import { cluster as clusterPeople, parseModel, predict as predictPeople, toModel } from "../library/clustering.js";
import { guardedLater } from "../library/guard.js";
import type { Clustering } from "../library/labels.js";
import {
  classify as classifyPeople,
  prepareLearning,
  toClassifier,
  train as trainPeople,
} from "../library/learning.js";
import { peopleOptions } from "../library/options.js";
import { renderReport } from "../library/report.js";
import { anything } from "../library/rules.js";
import { classifierPage } from "../report/classifier-page.js";
import { clusterReport } from "../report/cluster.js";
import type { Provenance } from "../report/html/parts.js";
import { trainReport } from "../report/train.js";
import { verdictSentences } from "../report/verdict.js";
import type { ScaledFeature } from "../table/coordinates.js";
import { manyValues } from "../table/dimension.js";
import {
  type Column,
  type NumericColumn,
  type People,
  type PeopleOptions,
  preparePeopleInTurns,
  type Table,
} from "../table/index.js";
import { countMissing, sortedText } from "../table/texts.js";
import type { Numbers } from "./numbers.js";
import { asOptions, asParameters, withParameters } from "./parameters.js";
import type { FirstReader, PythonCall } from "./pipe.js";
import { scaledFrom } from "./scaling-threads.js";

/** What comes back: what JSON can say, and arrays. */
export interface PythonAnswer {
  readonly header: Readonly<Record<string, unknown>>;
  readonly arrays?: readonly Numbers[];
}

/** A protected column that comes as an array: codes of `levels`, -1 where missing, or numbers. */
interface GroupColumn {
  readonly name: string;
  readonly levels?: readonly string[];
}

/** What comes with the numbers of people. */
interface Request {
  readonly features: readonly string[];
  readonly groups?: readonly GroupColumn[];
  /** Protected attributes made of the group columns: `sex`, `sex*race`, `age:25,40`. Default: each of them. */
  readonly protect?: readonly string[] | null;
  readonly weighted?: boolean;
  readonly classes?: readonly string[];
  readonly scale?: "standard" | "minmax" | "none";
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly model?: string;
  /** The page is asked for: what it says of where it comes from. */
  readonly report?: Required<Provenance>;
}

const weightColumn = "sample_weight";
const labelColumn = "y";

/** What the Python package can ask. */
export const answers: Readonly<Record<string, (message: PythonCall) => Promise<PythonAnswer>>> = {
  cluster,
  predict,
  train,
  classify,
};

/** Where many people are clustered, their numbers become coordinates while they come: nobody else looks at them. */
export const readFirst: FirstReader = (header, shape, input) => {
  const { ask, report, weighted, scale = "none", parameters } = header as unknown as Request & { ask: string };
  const { type, rows, columns } = shape;
  const isMany = rows * columns > manyValues && type !== "int32";
  // A page looks at the numbers again, and weights count where they are scaled.
  if (ask !== "cluster" || report || weighted || !isMany) return undefined;
  const asked = Number(parameters?.n_jobs ?? host.cores);
  // Whether this is a number of threads at all is said later, when everything has come.
  return scaledFrom(input, { ...shape, type }, scale, asked >= 1 ? Math.min(Math.floor(asked), host.cores) : 1);
};

/** The options are the caller's. */
const prepare = guardedLater(
  "preparePeople",
  (table: Table, options: PeopleOptions, scaled?: ReadonlyMap<string, ScaledFeature>) =>
    preparePeopleInTurns(table, { ...options, ...(scaled ? { scaled } : {}) }),
  { table: anything, options: peopleOptions },
);

/** Fair, even or plain clusters: labels by row, and centres in the units of the features. */
async function cluster({ header, arrays, scaled }: PythonCall): Promise<PythonAnswer> {
  const request = header as unknown as Request;
  const table = tableOf(request, arrays, scaled?.[0].dimension.length);
  const places = featuresOf(table, request);
  const first = Float64Array.from(places, ({ values }, at) => scaled?.[at].found.min ?? values[0]);
  const options = {
    features: varyingOf(places, scaled),
    protect: protectedOf(request),
    scale: request.scale ?? "none",
    ...(request.weighted ? { weights: weightColumn } : {}),
    // A page looks at the people again.
    consume: !request.report,
  };
  const people = await prepare(
    table,
    options,
    scaled && new Map(request.features.map((name, at) => [name, scaled[at]])),
  );
  const clustering = await clusterPeople(people, asOptions(request.parameters ?? {}) as unknown as ClusterOptions);
  const { result } = clustering;
  const unkept = result.fair === false || result.sizesKept === false ? verdictSentences(result, "") : [];
  return {
    header: {
      result,
      text: withParameters(clusterReport(result, [])),
      model: JSON.stringify(toModel(people, clustering)),
      warnings: [...new Set([...unkept, ...people.warnings, ...result.warnings])],
      ...(request.report ? { page: renderReport({ people, clustering, ...request.report }) } : {}),
    },
    arrays: [clustering.labels, centresInUnits(people, clustering, request.features, first)],
  };
}

/** The centres in the units of all features; one that is the same for all people is that everywhere. */
function centresInUnits(
  { encodings }: People,
  { centres }: Clustering,
  features: readonly string[],
  first: Float64Array,
): Float64Array {
  const place = new Map(features.map((name, at) => [name, at]));
  const found = new Float64Array(centres.length * features.length);
  centres.forEach((centre, m) => {
    const row = found.subarray(m * features.length, (m + 1) * features.length);
    row.set(first);
    encodings.forEach((encoding, at) => {
      if (encoding.kind === "numeric") row[place.get(encoding.column)!] = centre[at] * encoding.scale + encoding.shift;
    });
  });
  return found;
}

/** The nearest centres. */
async function predict({ header, arrays }: PythonCall): Promise<PythonAnswer> {
  const request = header as unknown as Request;
  const { labels } = await predictPeople(parseModel(JSON.parse(request.model ?? "null")), tableOf(request, arrays));
  return { header: {}, arrays: [labels] };
}

/** A fair classifier, measured on the people that it learnt from. */
async function train({ header, arrays }: PythonCall): Promise<PythonAnswer> {
  const request = header as unknown as Request;
  const table = tableOf(request, arrays);
  const protect = protectedOf(request);
  if (protect.length === 0) {
    const advice = 'name one with `protect`, such as ["sex"] or ["sex*race"]';
    throw new MoietyError("usage", `a classifier is fair to the groups of an attribute, and there is none: ${advice}`);
  }
  const { scale } = request;
  const { classes = [] } = request;
  const positive = classes.length === 2 ? classes[1] : undefined;
  const { seed, ...options } = asOptions(request.parameters ?? {}) as { seed?: number };
  const prepared = prepareLearning(table, {
    features: varyingOf(featuresOf(table, request)),
    categorical: [],
    protect,
    label: labelColumn,
    testTable: table,
    ...(positive === undefined ? {} : { positive }),
    ...(scale === undefined ? {} : { scale }),
  });
  const { data, input, label } = prepared;
  const trained = await trainPeople(data, {
    parties: 1,
    frontier: request.report !== undefined,
    ...options,
    ...(seed === undefined ? {} : { seed }),
  });
  const result = { ...trained.result, doubts: trained.result.doubts.map(asParameters) };
  return {
    header: {
      result,
      text: withParameters(trainReport(result, [])),
      model: JSON.stringify(toClassifier(trained, input, label)),
      warnings: [...new Set([...prepared.warnings, ...result.warnings, ...result.doubts])],
      ...(request.report ? { page: classifierPage({ trained, data, ...request.report }) } : {}),
    },
  };
}

/** A classifier's answers, and how sure it is of a yes; of more than two classes, of each, by their names in the header. */
async function classify({ header, arrays }: PythonCall): Promise<PythonAnswer> {
  const request = header as unknown as Request;
  const found = await classifyPeople(JSON.parse(request.model ?? "null"), tableOf(request, arrays));
  return { header: { classes: found.classes }, arrays: [found.answers, found.scores] };
}

/** The arrays in their order: the numbers of the features, the group columns, then weights or the answers to learn. */
function tableOf(
  { features, groups = [], weighted, classes }: Request,
  [numbers, ...others]: PythonCall["arrays"],
  rows = numbers[0].length,
): Table {
  const columns: Column[] = features.map((name, at) => numeric(name, numbers[at]));
  groups.forEach(({ name, levels }, at) => {
    const [values] = others[at];
    columns.push(levels ? coded(name, values, levels) : numeric(name, values, missingIn(values)));
  });
  const [last] = others.at(-1) ?? [];
  if (weighted) columns.push(numeric(weightColumn, last));
  if (classes) columns.push(coded(labelColumn, last, classes));
  return { rows, columns };
}

/** Infinite numbers, and missing features, were refused before they came here. */
function numeric(name: string, values: Numbers, missing = 0): NumericColumn {
  return { kind: "numeric", name, values, missing, notFinite: 0 };
}

function missingIn(values: Numbers): number {
  let missing = 0;
  for (const value of values) if (Number.isNaN(value)) missing++;
  return missing;
}

function coded(name: string, codes: Numbers, levels: readonly string[]): Column {
  const whole = codes as Int32Array;
  return sortedText(name, whole, levels, countMissing(whole));
}

function featuresOf({ columns }: Table, { features }: Request): NumericColumn[] {
  return columns.slice(0, features.length) as NumericColumn[];
}

/** The names of the features that are not the same for everybody; all of them where none is, so that it is said. */
function varyingOf(features: readonly NumericColumn[], scaled?: PythonCall["scaled"]): string[] {
  const varying = features.filter(({ values }, at) =>
    scaled ? scaled[at].found.min < scaled[at].found.max : values.some((value) => value !== values[0]),
  );
  return (varying.length > 0 ? varying : features).map(({ name }) => name);
}

function protectedOf({ protect, groups = [] }: Request): readonly string[] {
  return protect ?? groups.map(({ name }) => name);
}
