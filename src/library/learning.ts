import {
  toClassifier as classifierOf,
  classify as classifyPeople,
  type PeopleAnswers,
  parseClassifier as parse,
} from "../learning/model.js";
import { prepareLearning as prepare } from "../learning/prepare.js";
import { train as trainPeople } from "../learning/train.js";
import { guarded, guardedLater } from "./guard.js";
import { byRow, leftOut } from "./labels.js";
import { classifyOptions, prepareOptions, trainOptions } from "./options.js";
import { anything, isObject, object, optional, text } from "./rules.js";
import { table } from "./things.js";

const clock = () => performance.now();
const data = object("data to learn from, from prepareLearning", ({ shape, classes, attribute, train: learnt, test }) =>
  [shape, classes, attribute, learnt, test].every(isObject),
);

/** A table as people to learn from and others to measure on. */
export const prepareLearning = guarded("prepareLearning", prepare, { table, options: prepareOptions });

/**
 * Trains a classifier over in-process parties, with FedAvg beside it as the control. The model depends on the people, the
 * options and the seed: not on threads or on the machine.
 *
 * @param data - from {@link prepareLearning}
 * @param options - the method, the fairness, and what is not to be as by default
 * @returns the model, and the result as `moiety train --json` prints it
 * @throws MoietyError "cancelled" on an abort
 */
export const train = guardedLater(
  "train",
  (...[from, asked]: Parameters<typeof trainPeople>) => trainPeople(from, { clock, ...asked }),
  { data, options: optional(trainOptions) },
);

/** A classifier as JSON that can answer about new people. */
export const toClassifier = guarded("toClassifier", classifierOf, {
  trained: object("a model, from train", ({ result }) => isObject(result)),
  input: object("the input that prepareLearning returns", ({ kind }) =>
    ["columns", "pixels", "images"].includes(kind as string),
  ),
  label: object("the label that prepareLearning returns", ({ column }) => typeof column === "string"),
  data: optional(text),
});

/** Throws "input" when the JSON is not a classifier that this version reads. */
export const parseClassifier = guarded("parseClassifier", parse, { json: anything });

/** The answers about new people. */
export interface ClassifierPrediction extends Omit<PeopleAnswers, "answers" | "scores"> {
  /** For each row of the table its class, of two 1 for yes and 0 for no; -1 where the row was left out for a missing value. */
  readonly answers: Int32Array;
  /** For each row the probability of a yes, by the model, or of more than two classes of each, row by row; NaN where it was left out. */
  readonly scores: Float64Array;
}

/** The model's answers about the rows of a table. No protected attribute is looked at. */
export const classify = guardedLater(
  "classify",
  async (...[model, from, asked]: Parameters<typeof classifyPeople>): Promise<ClassifierPrediction> => {
    const { answers, scores, ...rest } = await classifyPeople(parse(model), from, asked);
    const each = rest.classes.length === 2 ? 1 : rest.classes.length;
    const places = byRow(Int32Array.from(answers.keys()), { ...rest, rows: from.rows });
    return {
      ...rest,
      answers: places.map((person) => (person === leftOut ? leftOut : answers[person])),
      scores: Float64Array.from({ length: places.length * each }, (_, at) => {
        const person = places[Math.floor(at / each)];
        return person === leftOut ? Number.NaN : scores[person * each + (at % each)];
      }),
    };
  },
  { model: anything, table, options: optional(classifyOptions) },
);
