import { methods, valuesOf } from "../algorithms/catalogue.js";
import type { PredictOptions } from "../algorithms/model.js";
import type { SweepOptions } from "../algorithms/sweep-types.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { methodNames, methodsWith } from "../learning/catalogue.js";
import type { ClassifyOptions } from "../learning/model.js";
import { netNames } from "../learning/net/nets.js";
import type { PrepareOptions } from "../learning/prepare.js";
import { fairnessNames } from "../learning/tally.js";
import type { TrainOptions } from "../learning/types.js";
import type { ReadOptions } from "../table/disk/index.js";
import type { CsvOptions, EncodeOptions, GenerateOptions, PeopleOptions } from "../table/index.js";
import {
  action,
  anything,
  choice,
  either,
  flag,
  isNumbers,
  list,
  number,
  numbers,
  type OptionRules,
  object,
  options,
  text,
  texts,
} from "./rules.js";
import { table } from "./things.js";

const missing = choice("error", "drop", "mean");
const record = object("an object");
const box = object("an object of bounds, such as { age: [0, 100] }", (value) =>
  Object.values(value).every(Array.isArray),
);
const shares = object("an object such as { sex: { F: { min: 0.3 } } }", (value) =>
  Object.values(value).every((groups) => {
    const isObject = (each: unknown) => typeof each === "object" && each !== null;
    return isObject(groups) && Object.values(groups as object).every(isObject);
  }),
);
const balance = either(number, choice("hard"));
const centres = object("an array of centres", (value) => Array.isArray(value) && value.every(isNumbers));
const signal = object("an AbortSignal", (value) => value instanceof AbortSignal);
const noise = object("a source of noise", (value) => typeof value.fill === "function");
const ledger = object("a Ledger", (value) => typeof value.spend === "function");

const reading: OptionRules<ReadOptions> = { columns: texts, text: texts, na: texts, decimal: choice("point", "comma") };
export const readOptions = options(reading);

const csv: OptionRules<CsvOptions> = { text: texts, na: texts, decimal: choice("point", "comma") };
export const csvOptions = options(csv);

const people: OptionRules<PeopleOptions> = {
  features: texts,
  categorical: texts,
  protect: texts,
  maxGroups: number,
  id: text,
  splitBy: text,
  scale: choice("standard", "minmax", "none"),
  missing,
  box,
  exclude: texts,
  measure: action,
  levels: record,
  partial: flag,
};
export const peopleOptions = options(people);

const encoding: OptionRules<EncodeOptions> = { id: text, missing };
export const encodeOptions = options(encoding);

const generating: OptionRules<GenerateOptions> = {
  ...{ n: number, seed: number, d: number, k: number, sd: number, beta: number, parties: number },
};
export const generateOptions = options(generating);

const search = {
  algorithm: choice(...methods.map(({ name }) => name)),
  bounds: shares,
  tolerance: number,
  minSize: either(number, choice("meaningful")),
  maxSize: number,
  rule: choice(...valuesOf("rule")),
  solver: choice(...valuesOf("solver")),
  init: choice("kmeans++", "random"),
  starts: number,
  maxIterations: number,
  block: number,
  seed: number,
  threads: number,
  parties: number,
  split: choice("columns", "rows"),
  minCount: number,
  bareSeeds: flag,
  protection: choice("masked", "means"),
  clock: action,
  signal,
  epsilon: number,
  private: choice("attribute", "all"),
  deltaDp: number,
  epsilonLabel: number,
  components: number,
  lambda: number,
  minCellShare: number,
  refine: choice("auto", "on", "off"),
  noise,
  ledger,
  compareEpsilons: flag,
};
const clustering: OptionRules<ClusterOptions> = {
  ...search,
  k: number,
  delta: number,
  balance,
  from: centres,
  onProgress: action,
};
export const clusterOptions = options(clustering, ["k"]);

const sweeping: OptionRules<SweepOptions> = {
  ...search,
  k: numbers,
  delta: numbers,
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

const { partial: _, box: __, measure: ___, levels: ____, ...ofPeople } = people;
const preparing: OptionRules<PrepareOptions> = {
  ...ofPeople,
  label: text,
  positive: text,
  protect: text,
  test: number,
  testTable: table,
  seed: number,
  images: record,
  imageShape: shape,
};
export const prepareOptions = options(preparing, ["label", "protect"]);

const training: OptionRules<TrainOptions> = {
  algorithm: choice(...methodNames),
  fairness: choice(...fairnessNames),
  net: choice(...netNames),
  parties: number,
  skew: number,
  partyOf: numbers,
  rounds: number,
  maxRounds: number,
  seed: number,
  threads: number,
  batch: number,
  epochs: number,
  rate: number,
  clip: number,
  beta: number,
  eta: number,
  schedule: choice(...methodsWith("schedule").flatMap(({ values = [] }) => values)),
  patience: number,
  onProgress: action,
  clock: action,
  signal,
  resume: anything,
  onCheckpoint: action,
};
export const trainOptions = options(training);
