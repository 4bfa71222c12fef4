import * as z from "zod";
import { reaches } from "../parties/column-reach.js";
import { count, float64s, questionsTo } from "../parties/questions.js";
import { moments } from "../parties/row-questions.js";
import { histogramLength } from "./histogram.js";
import type { LearningSite } from "./learning-site.js";
import { run, TrainAnswer, trainRequest } from "./orders.js";
import { AnswerTally, type Cells } from "./tally.js";
import { largestSum } from "./whole.js";

/** The largest number of a site in a sum; `fractionBits` keeps the sums of all sites below it too. */
export const most = largestSum;

const model = z.instanceof(Float32Array);

const { question, instruction } = questionsTo<LearningSite>();

/** How many groups there are, and how many classes where they are more than two. */
const sizes = { groups: count, classes: count.min(3).exactOptional() };
type Sizes = Pick<Cells, "groups"> & Partial<Pick<Cells, "classes">>;

/** As questions name them. */
export function sizesOf({ groups, classes }: Cells): Sizes {
  return classes === 2 ? { groups } : { groups, classes };
}

function cellsOf({ groups, classes = 2 }: Sizes): Cells {
  return { groups, classes };
}

/** Whether a question is about the groups and classes of the job. */
function isAbout({ settings }: LearningSite, asked: Sizes): boolean {
  const { groups, classes } = cellsOf(asked);
  return groups === settings.groups && classes === settings.classes;
}

/** How many people of each group and label there are, to learn from and to measure on. */
export const people = question({
  name: "people",
  request: z.strictObject(sizes),
  leaves: "sum",
  shape: ({ groups, classes = 2 }) => ({ train: classes * groups, test: classes * groups }),
  guard: isAbout,
  answer: ({ cells }) => ({ train: cells.train.slice(), test: cells.test.slice() }),
  journal: { what: "people of each group and label", shape: "groups x labels x 2" },
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
  request: z.strictObject({ run, model, ...sizes }),
  leaves: "sum",
  shape: (asked) => ({ train: AnswerTally.length(cellsOf(asked)), test: AnswerTally.length(cellsOf(asked)) }),
  guard: (site, request) => isAbout(site, request) && site.mayTally(request),
  answer: (site, request) => site.tally(request),
  journal: { what: "answers of a model", shape: "(groups x (labels x answers + 1) + 1) x 2" },
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

/** How many people to measure on have scores in each step of a histogram; with more than two classes, how many get each answer. */
export const scores = question({
  name: "scores",
  request: z.strictObject({ model, ...sizes }),
  leaves: "sum",
  shape: (asked) => ({ counts: histogramLength(cellsOf(asked)) }),
  guard: (site, request) => isAbout(site, request) && site.isModel(request.model),
  answer: async (site, request) => ({ counts: await site.countScores(request.model) }),
  journal: { what: "histogram of scores", shape: "groups x labels x 128 steps, or answers" },
  most,
});

/** The same of people whom thresholds by group are chosen on. Only where the card says that groups may be used. */
export const validationScores = question({
  name: "validationScores",
  request: z.strictObject({ model, ...sizes }),
  leaves: "sum",
  shape: (asked) => ({ counts: histogramLength(cellsOf(asked)) }),
  guard: (site, request) =>
    site.settings.useGroup !== undefined && isAbout(site, request) && site.isModel(request.model),
  answer: async (site, request) => ({ counts: await site.countValidation(request.model) }),
  journal: { what: "histogram of scores, for thresholds by group", shape: "groups x 2 labels x 128 steps" },
  most,
});

/** `AnswerTally` of the answers that the model which was last tallied gives about the people set aside. Only where the card says that some are. */
export const validationTally = question({
  name: "validationTally",
  request: z.strictObject(sizes),
  leaves: "sum",
  shape: (asked) => ({ numbers: AnswerTally.length(cellsOf(asked)) }),
  guard: (site, request) => isAbout(site, request) && site.mayValidate,
  answer: async (site) => ({ numbers: await site.tallyValidation() }),
  journal: { what: "answers of a model about people set aside", shape: "groups x (labels x answers + 1) + 1" },
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
