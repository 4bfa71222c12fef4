import type { AssignOptions } from "../algorithms/assign.js";
import { methods, valuesOf } from "../algorithms/catalogue.js";
import type { PredictOptions } from "../algorithms/model.js";
import type { SweepOptions } from "../algorithms/sweep-types.js";
import type { ClusterOptions } from "../algorithms/types.js";
import type { UpdateOptions } from "../algorithms/update.js";
import type { LotteryOptions } from "../grouping/lottery/types.js";
import type { TeamOptions } from "../grouping/types.js";
import { methodNames, methodsWith } from "../learning/catalogue.js";
import type { ClassifyOptions } from "../learning/model.js";
import { netNames } from "../learning/net/nets.js";
import type { PrepareOptions } from "../learning/prepare.js";
import { fairnessNames } from "../learning/tally.js";
import { fairnessLevels, type TrainOptions } from "../learning/types.js";
import { notionNames } from "../metrics/index.js";
import type { BuildIndexOptions } from "../neighbours/vectors.js";
import type { ReadOptions } from "../table/disk/index.js";
import type { CsvOptions, EncodeOptions, GenerateOptions, PeopleOptions } from "../table/index.js";
import type { EngineOptions } from "./engines.js";
import {
  action,
  anything,
  choice,
  each,
  either,
  flag,
  isNumbers,
  isObject,
  list,
  number,
  numbers,
  type OptionRules,
  object,
  options,
  text,
  texts,
} from "./rules.js";
import type { SourceOptions } from "./sources.js";
import { table } from "./things.js";

const missing = choice("error", "drop", "mean");
const record = object("an object");
const box = object("an object of bounds, such as { age: [0, 100] }", (value) =>
  Object.values(value).every(Array.isArray),
);
const shares = object("an object such as { sex: { F: { min: 0.3 } } }", (value) =>
  Object.values(value).every((groups) => isObject(groups) && Object.values(groups).every(isObject)),
);
const notion = choice(...notionNames);
const balance = either(number, choice("hard"));
const centres = object("an array of centres", (value) => Array.isArray(value) && value.every(isNumbers));
const signal = object("an AbortSignal", (value) => value instanceof AbortSignal);
const noise = object("a source of noise", (value) => typeof value.fill === "function");
const ledger = object("a Ledger", (value) => typeof value.spend === "function");

const csv: OptionRules<CsvOptions> = { text: texts, na: texts, decimal: choice("point", "comma") };
export const csvOptions = options(csv);

const reading: OptionRules<ReadOptions> = { ...csv, columns: texts, id: text, threads: number, onProgress: action };
export const readOptions = options(reading);

const people: OptionRules<PeopleOptions> = {
  ...each(texts, "features", "categorical", "protect", "exclude"),
  ...each(text, "id", "splitBy", "weights", "together", "apart"),
  ...each(number, "maxGroups", "categoryWeight"),
  scale: choice("standard", "minmax", "none"),
  missing,
  box,
  measure: action,
  ...each(record, "levels", "linked"),
  ...each(flag, "partial", "namedGroups", "consume"),
};
export const peopleOptions = options(people);

const naming = { id: text, protect: texts, missing };
const encoding: OptionRules<EncodeOptions> = { ...naming, ...each(text, "weights", "together", "apart") };
export const encodeOptions = options(encoding);

const generating: OptionRules<GenerateOptions> = each(number, "n", "seed", "d", "k", "sd", "beta", "parties");
export const generateOptions = options(generating);

const search = {
  ...each(number, "tolerance", "maxSize", "starts", "maxIterations", "block", "seed", "threads", "parties", "minCount"),
  ...each(number, "epsilon", "deltaDp", "epsilonLabel", "components", "balanceTarget", "lambda", "minCellShare"),
  localClusters: number,
  ...each(flag, "bareSeeds", "compareEpsilons"),
  algorithm: choice(...methods.map(({ name }) => name)),
  bounds: shares,
  minSize: either(number, choice("meaningful")),
  rule: choice(...valuesOf("rule")),
  solver: choice(...valuesOf("solver")),
  distance: choice(...valuesOf("distance")),
  init: choice("kmeans++", "random"),
  effort: choice("lean", "quick", "normal", "best"),
  split: choice("columns", "rows"),
  protection: choice("masked", "means"),
  private: choice("attribute", "all"),
  refine: choice("auto", "on", "off"),
  labelling: choice("nearest", "density"),
  clock: action,
  signal,
  noise,
  ledger,
};
const { distance: _distance, ...withoutDistance } = search;
const atCost: OptionRules<Omit<ClusterOptions, "k" | "seats" | "distance">> = {
  ...withoutDistance,
  ...each(number, "delta", "represent", "inClusters", "factor"),
  notion,
  balance,
  from: centres,
  present: object("an object such as { sex: { F: [10, 20] } }"),
  capacity: object("an array of sizes, such as [{ min: 10, max: 30 }]", (value) => {
    return Array.isArray(value) && value.every(isObject);
  }),
  onProgress: action,
};
export const costOptions = options(atCost);

const clustering: OptionRules<ClusterOptions> = { ...search, ...atCost, k: number, seats: centres };
export const clusterOptions = options(clustering, ["k"]);

const teaming: OptionRules<TeamOptions> = {
  ...each(number, "size", "teams", "delta", "tolerance", "seed"),
  capacity: atCost.capacity,
  alike: choice("means", "spread"),
  bounds: shares,
  onProgress: action,
  clock: action,
  signal,
};
export const teamOptions = options(teaming);

const drawing: OptionRules<LotteryOptions> = {
  ...each(number, "seats", "seed"),
  quotas: shares,
  ...each(action, "chance", "onProgress", "clock"),
  signal,
};
export const lotteryOptions = options(drawing, ["seats", "quotas"]);

const indexing: OptionRules<BuildIndexOptions> = {
  ...each(number, "lists", "evenness", "border", "k", "seed", "threads"),
  bytes: flag,
  features: texts,
  id: text,
  onProgress: action,
  signal,
};
export const indexOptions = options(indexing);

const joining: OptionRules<Omit<AssignOptions, "together" | "online">> = {
  ...naming,
  weights: text,
  ...each(number, "tolerance", "threads", "seed"),
  bounds: shares,
  signal,
  onProgress: action,
};
const assigning: OptionRules<AssignOptions> = { ...joining, together: flag, online: flag };
export const assignOptions = options(assigning);

const updating: OptionRules<UpdateOptions> = { ...joining, forget: number };
export const updateOptions = options(updating);

const inEngine: OptionRules<EngineOptions> = { ...clustering, labelsTable: text, onLabels: action };
export const engineOptions = options(inEngine, ["k"]);

const ofSource: OptionRules<SourceOptions> = {
  ...clustering,
  ...each(text, "memory", "labels"),
  na: texts,
  decimal: csv.decimal,
};
export const sourceOptions = options(ofSource, ["k"]);

const sweeping: OptionRules<SweepOptions> = {
  ...search,
  ...each(numbers, "k", "delta"),
  balance: either(list, balance),
  onValue: action,
};
export const sweepOptions = options(sweeping, ["k"]);

const predicting: OptionRules<PredictOptions> = { ...encoding, threads: number };
export const predictOptions = options(predicting);

const shape = object("a width, a height and channels", ({ width, height, channels }) => {
  return [width, height, channels].every((each) => Number.isSafeInteger(each) && (each as number) > 0);
});
const pictures = object("pictures, from readImages", (value) => value.pixels instanceof Float32Array);

const classifying: OptionRules<ClassifyOptions> = { ...predicting, pictures };
export const classifyOptions = options(classifying);

const { partial: _, box: __, measure: ___, levels: ____, consume: _____, namedGroups: ______, ...ofPeople } = people;
const preparing: OptionRules<PrepareOptions> = {
  ...ofPeople,
  ...each(text, "label", "positive"),
  protect: either(text, texts),
  ...each(number, "test", "seed"),
  testTable: table,
  images: record,
  imageShape: shape,
};
export const prepareOptions = options(preparing, ["label", "protect"]);

const training: OptionRules<TrainOptions> = {
  ...each(number, "parties", "skew", "rounds", "maxRounds", "patience", "seed", "threads"),
  ...each(number, "batch", "epochs", "rate", "clip", "beta", "eta", "target", "validation"),
  ...each(flag, "useGroup", "frontier"),
  ...each(action, "onProgress", "onCheckpoint", "clock"),
  algorithm: choice(...methodNames),
  fairness: choice(...fairnessNames),
  net: choice(...netNames),
  schedule: choice(...methodsWith("schedule").flatMap(({ values = [] }) => values)),
  ...each(numbers, "partyOf", "testPartyOf"),
  partyNames: texts,
  fairnessLevel: choice(...fairnessLevels),
  signal,
  resume: anything,
};
export const trainOptions = options(training);
