import * as z from "zod";
import { reaches } from "../parties/column-reach.js";
import { count, float64s, questionsTo } from "../parties/questions.js";
import { moments } from "../parties/row-questions.js";
import { histogramLength } from "./histogram.js";
import type { LearningSite } from "./learning-site.js";
import { run, TrainAnswer, trainRequest } from "./orders.js";
import { AnswerTally } from "./tally.js";
import { largestSum } from "./whole.js";

/** The largest number of a site in a sum; `fractionBits` keeps the sums of all sites below it too. */
export const most = largestSum;

const model = z.instanceof(Float32Array);

const { question, instruction } = questionsTo<LearningSite>();

/** How many people of each group and label there are, to learn from and to measure on. */
export const people = question({
  name: "people",
  request: z.strictObject({ groups: count }),
  leaves: "sum",
  shape: ({ groups }) => ({ train: 2 * groups, test: 2 * groups }),
  guard: ({ settings }, { groups }) => groups === settings.groups,
  answer: ({ cells }) => ({ train: cells.train.slice(), test: cells.test.slice() }),
  journal: { what: "people of each group and label", shape: "groups x 2 labels x 2" },
  most,
});

/** What all sites agreed on: a missing x is the mean, and x becomes (x - shift) / scale, in each column of numbers. */
export const agreeOnScale = instruction({
  name: "agreeOnScale",
  request: z.strictObject({ shift: float64s, scale: float64s, mean: float64s }),
  guard: ({ columns, showsColumns }, { shift, scale, mean }) =>
    showsColumns && [shift, scale, mean].every(({ length }) => length === columns) && scale.every((width) => width > 0),
  answer: (site, scaling) => {
    site.agreed = scaling;
  },
});

/** `AnswerTally` of the model's answers on the party's people, to learn from and to measure on. */
export const tally = question({
  name: "tally",
  request: z.strictObject({ run, model, groups: count }),
  leaves: "sum",
  shape: ({ groups }) => ({ train: AnswerTally.length(groups), test: AnswerTally.length(groups) }),
  guard: (site, request) => request.groups === site.settings.groups && site.mayTally(request),
  answer: (site, request) => site.tally(request),
  journal: { what: "answers of a model", shape: "(groups x 5 + 1) x 2" },
  most,
  passes: 1,
});

/** One round from the model that was last tallied: see `TrainAnswer`. Steps are as long, and as many, as the terms say. */
export const train = question({
  name: "train",
  request: trainRequest,
  leaves: "sum",
  shape: ({ groups, parameters }) => ({ numbers: TrainAnswer.length(groups, parameters) }),
  guard: (site, request) => site.mayTrain(request, most),
  answer: async (site, request) => ({ numbers: await site.train(request) }),
  journal: { what: "update of the model", shape: "parameters, groups x 2, weight" },
  most,
  passes: 1,
});

/** How many people to measure on have scores in each step of a histogram. */
export const scores = question({
  name: "scores",
  request: z.strictObject({ model, groups: count }),
  leaves: "sum",
  shape: ({ groups }) => ({ counts: histogramLength(groups) }),
  guard: (site, request) => request.groups === site.settings.groups && site.isModel(request.model),
  answer: async (site, request) => ({ counts: await site.countScores(request.model) }),
  journal: { what: "histogram of scores", shape: "groups x 2 labels x 128 steps" },
  most,
});

/** The same of people whom thresholds by group are chosen on. Only where the card says that groups may be used. */
export const validationScores = question({
  name: "validationScores",
  request: z.strictObject({ model, groups: count }),
  leaves: "sum",
  shape: ({ groups }) => ({ counts: histogramLength(groups) }),
  guard: (site, request) =>
    site.settings.useGroup !== undefined && request.groups === site.settings.groups && site.isModel(request.model),
  answer: async (site, request) => ({ counts: await site.countValidation(request.model) }),
  journal: { what: "histogram of scores, for thresholds by group", shape: "groups x 2 labels x 128 steps" },
  most,
});

/** `AnswerTally` of the answers that the model which was last tallied gives about the people set aside. Only where the card says that some are. */
export const validationTally = question({
  name: "validationTally",
  request: z.strictObject({ groups: count }),
  leaves: "sum",
  shape: ({ groups }) => ({ numbers: AnswerTally.length(groups) }),
  guard: (site, request) => site.mayValidate(request),
  answer: async (site) => ({ numbers: await site.tallyValidation() }),
  journal: { what: "answers of a model about people set aside", shape: "groups x 5 + 1" },
  most,
});

/** What every method that learns may ask; a method's descriptor lists its own questions. */
export const learningQuestions = [
  people,
  reaches,
  moments,
  agreeOnScale,
  tally,
  train,
  scores,
  validationScores,
  validationTally,
] as const;
