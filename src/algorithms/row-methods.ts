import type { Question } from "../parties/questions.js";
import { rowQuestions } from "../parties/row-questions.js";
import type { RowSite } from "../parties/row-site.js";
import { runF3kmOnRows } from "./f3km/rows.js";
import { refine } from "./fkm/refine.js";
import { runFkm } from "./fkm/run.js";
import { runFkmPlus } from "./fkm-plus/run.js";
import { runKfed } from "./kfed/run.js";
import { type RowAlgorithm, summarise } from "./row-start.js";
import type { RowAlgorithmName } from "./types.js";

/** A method over split rows, and all that it may ask the parties. */
export interface RowMethod {
  readonly run: RowAlgorithm;
  readonly questions: readonly Question<RowSite, unknown>[];
}

export const rowMethods: Readonly<Record<RowAlgorithmName, RowMethod>> = {
  fkm: { run: runFkm, questions: [...rowQuestions, summarise, refine] },
  "fkm-plus": { run: runFkmPlus, questions: [...rowQuestions, summarise] },
  kfed: { run: runKfed, questions: [...rowQuestions, summarise] },
  f3km: { run: runF3kmOnRows, questions: [...rowQuestions, summarise] },
};
