import type { Question } from "../../parties/questions.js";
import type { LearningSite } from "../learning-site.js";
import type { AnyLossTerm, GapOrder, LossTerm, TrainAnswer, TrainOrder } from "../orders.js";
import type { AnswerTally, Cells, Fairness } from "../tally.js";
import type { TrainOptions } from "../types.js";

/** What a training method can do: all that settings, job cards, the command line, reports and docs know of it. */
export interface TrainingMethod<Name extends string = string> {
  readonly name: Name;
  /** One line. */
  readonly summary: string;
  readonly paper: string;
  /** That of somebody who names none; or the plain one that all others are compared with. */
  readonly role?: "default" | "control";
  /** What it can make alike between groups, the default first. */
  readonly fairness: readonly Fairness[];
  /** Set where each party can hold to its own people's difference. */
  readonly partyLevel?: true;
  /** Set where several protected attributes can be taken at once. */
  readonly severalAttributes?: true;
  /** Which of the options that not every method has, and what they are when they are not given. */
  readonly options: Readonly<Partial<Record<TrainingOption, TrainingOptionFacts>>>;
  /** What parties are told to minimise, and how their updates count: sites take no other orders. */
  readonly loss: LossTerm["kind"];
  readonly weighting: TrainOrder["weighting"]["kind"];
  /** What it asks parties beside what every method asks. */
  readonly questions?: () => Promise<readonly Question<LearningSite, unknown>[]>;
  make(settings: MethodSettings): TrainingStrategy;
  /** What speaks against these settings. */
  readonly doubt?: (settings: MethodSettings) => string | undefined;
}

type MethodSettings = { readonly [Option in TrainingOption | "fairness"]?: TrainOptions[Option] | undefined };

/** The options that some methods have and others do not. */
export const ownOptions = ["beta", "eta", "schedule", "target"] as const satisfies readonly (keyof TrainOptions)[];
export type TrainingOption = (typeof ownOptions)[number];

interface TrainingOptionFacts {
  readonly usual: number | string;
  readonly values?: readonly string[];
  /** One line for the help. */
  readonly help?: string;
}

/** What the coordinator of a method decides from sums over all parties, round by round. */
export interface TrainingStrategy {
  /** The term of this round's local steps, given what the model that is sent out does. */
  plan(tally: AnswerTally, round: number): AnyLossTerm;
  /** Where weights follow gaps: what parties are asked before they train, and how their updates then count. */
  question?(tally: AnswerTally): GapOrder;
  weighting?(meanGap: number, tally: AnswerTally): TrainOrder["weighting"];
  /** After the parties have trained. */
  learn?(answer: TrainAnswer, round: number): void;
  /** All that a method remembers between rounds, to go on from after an interruption. */
  memory: number[];
}

/** Each party has its own prices, by which it is told to go: nothing of them leaves it. */
export function eachItsOwn(): TrainingStrategy {
  return { memory: [], plan: () => ({ kind: "own" }) };
}

/** No fairness term. */
export function plainLoss({ groups, classes }: Cells): LossTerm & { kind: "given" } {
  const cells = groups * classes;
  return {
    kind: "given",
    entropyWeights: new Float64Array(cells).fill(1),
    rateWeights: new Float64Array(cells * (classes - 1)),
  };
}
