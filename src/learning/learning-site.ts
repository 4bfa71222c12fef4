import { MoietyError } from "../errors.js";
import type { ColumnHolder } from "../parties/column-reach.js";
import type { QuestionedSite } from "../parties/questions.js";
import type { RowScaling } from "../parties/row-scaling.js";
import type { People } from "../table/types.js";
import { controlMethod, trainingMethodOf } from "./catalogue.js";
import { answerCounts, countScores } from "./histogram.js";
import type { Learner } from "./learner.js";
import type { TrainingOption, TrainingStrategy } from "./methods/method.js";
import { type GapOrder, type LossTerm, type TrainRequest, weightBits } from "./orders.js";
import { ScaledColumns } from "./scaled-columns.js";
import type { TrainSettings } from "./settings.js";
import { AnswerTally, comparisons } from "./tally.js";
import type { Examples, Loaded, Trainer } from "./trainer.js";
import type { RunName } from "./types.js";
import type { WholeNumbers } from "./whole.js";

/** What a site works with once its people are loaded. */
export interface LoadedPeople {
  readonly learner: Learner;
  readonly trainer: Trainer;
  /** Those to measure on, if it has any. */
  readonly test?: MeasuredPeople;
  /** Those whom a model or thresholds by group are chosen on, if it has any. */
  readonly validation?: MeasuredPeople;
}

type MeasuredPeople = Pick<Examples, "labels" | "groups"> & { readonly loaded: Loaded };

export interface LearningSiteData {
  readonly settings: Pick<
    TrainSettings,
    "algorithm" | "groups" | "classes" | "rounds" | "rate" | "clip" | "epochs" | "leastSteps" | "useGroup"
  > &
    Partial<Pick<TrainSettings, "validation" | "parts" | "fairnessLevel" | "fairness" | TrainingOption>>;
  /** The net and the people in it, once the scale is known. */
  readonly load: (columns: ScaledColumns) => LoadedPeople;
  readonly close?: () => Promise<void>;
  /** Whose scale is agreed on; see `ScaledColumns`. */
  readonly columns?: { readonly dimensions: People["dimensions"]; readonly scaled: number | "pixels" };
  /** People of each group and label, to learn from and to measure on. */
  readonly cells?: { readonly train: Float64Array; readonly test: Float64Array };
  /** The run that comes first; default: the control's. */
  readonly first?: RunName;
}

interface SavedLearning {
  readonly scaling: RowScaling | undefined;
  readonly run: RunName;
  readonly round: number;
  readonly weight: number | undefined;
  /** Earlier versions had none. */
  readonly memory?: readonly number[];
  readonly ownAnswers?: Float64Array | undefined;
}

/**
 * A party of a training: its people, what it keeps from question to question, and whether a question is within the terms of
 * the job. Another loss, a longer step or a repeated round is refused.
 */
export class LearningSite extends ScaledColumns implements QuestionedSite, ColumnHolder {
  readonly labels = new Uint16Array(0);
  readonly settings: LearningSiteData["settings"];
  readonly cells: { readonly train: Float64Array; readonly test: Float64Array };
  private loaded: LoadedPeople | undefined;
  /** The model that was last tallied. */
  private model: Float32Array | undefined;
  private run: RunName;
  /** Where every party holds to its own difference: its prices, which it keeps to itself. */
  private prices: TrainingStrategy | undefined;
  /** People of each group and label whom the method's model was measured on, and how many of these got each answer but the first: [group][label][classes]. */
  ownAnswers: Float64Array | undefined;
  /** The last round of this run that this site has trained in. */
  private round = -1;

  constructor(private readonly data: LearningSiteData) {
    super(data.columns?.dimensions ?? [], data.columns?.scaled ?? 0);
    this.settings = data.settings;
    this.cells = data.cells ?? { train: new Float64Array(0), test: new Float64Array(0) };
    this.run = data.first ?? "control";
  }

  get here(): LoadedPeople {
    this.loaded ??= this.data.load(this);
    return this.loaded;
  }

  /** Until people are learnt from. */
  get showsColumns(): boolean {
    return this.loaded === undefined;
  }

  isModel(model: Float32Array): boolean {
    return model.length === this.here.trainer.parameterCount;
  }

  /** From the control to the method, and never back. */
  mayTally({ run, model }: { readonly run: RunName; readonly model: Float32Array }): boolean {
    return (run === this.run || run === "method") && this.isModel(model);
  }

  async tally({ run, model }: { readonly run: RunName; readonly model: Float32Array }) {
    // What the site remembers of the control's run does not enter the method's.
    if (run !== this.run) this.begin(run, undefined);
    this.model = model;
    const train = await this.here.learner.tally(model);
    return { train, test: await this.measure(model) };
  }

  /** Begins a run, with FairFed's weight of an interrupted one, and what its own prices were then. */
  begin(run: RunName, weight: number | undefined, memory: readonly number[] = []): void {
    this.run = run;
    this.round = -1;
    this.here.learner.weight = weight;
    this.remember(memory);
  }

  /** Of its own prices. */
  get memory(): readonly number[] {
    return this.prices?.memory ?? [];
  }

  private remember(memory: readonly number[]): void {
    if (this.settings.fairnessLevel !== "party") return;
    this.prices = trainingMethodOf(this.settings.algorithm).make(this.settings);
    this.prices.memory = [...memory];
  }

  private async measure(model: Float32Array): Promise<WholeNumbers> {
    const { test } = this.here;
    return test ? this.answers(model, test) : new Float64Array(AnswerTally.length(this.settings));
  }

  get mayValidate(): boolean {
    return this.settings.validation !== undefined && this.model !== undefined;
  }

  tallyValidation(): Promise<WholeNumbers> {
    return this.answers(this.model!, this.here.validation!);
  }

  private async answers(model: Float32Array, { loaded, labels, groups }: MeasuredPeople): Promise<WholeNumbers> {
    const scores = await this.here.trainer.score(model, loaded);
    return AnswerTally.of(scores, labels, groups, this.settings).numbers;
  }

  async countScores(model: Float32Array): Promise<WholeNumbers> {
    const counts = await this.count(model, this.here.test!);
    // The method's model is asked about first, and then the control's.
    this.ownAnswers ??= answerCounts(counts, this.settings);
    return counts;
  }

  countValidation(model: Float32Array): Promise<WholeNumbers> {
    return this.count(model, this.here.validation!);
  }

  private async count(model: Float32Array, people: MeasuredPeople): Promise<WholeNumbers> {
    return countScores(await this.here.trainer.score(model, people.loaded), people, this.settings);
  }

  mayCompare({ run, fairness, differences, reference }: GapOrder & { readonly run: RunName }): boolean {
    const { groups, classes } = this.settings;
    const compared = comparisons(fairness, classes).length;
    const isShaped = differences.length === compared * groups && reference < groups;
    return run === this.run && this.model !== undefined && isShaped;
  }

  /** Whether an order is within the terms. */
  mayTrain(
    { run, round, rate, loss, weighting, bound, bits, groups, parameters }: TrainRequest,
    most: number,
  ): boolean {
    const { settings, model } = this;
    const method = run === "control" ? controlMethod : trainingMethodOf(settings.algorithm);
    const cells = groups * settings.classes;
    const ofGroups =
      loss.kind === "given"
        ? loss.entropyWeights.length === cells && loss.rateWeights.length === cells * (settings.classes - 1)
        : loss.kind === "own" || (loss.lambda.length === groups && loss.reference < groups);
    const plain =
      loss.kind !== "given" ||
      (loss.entropyWeights.every((weight) => weight === 1) && loss.rateWeights.every((weight) => weight === 0));
    const allowed =
      run === this.run &&
      round > this.round &&
      round < settings.rounds &&
      rate > 0 &&
      rate <= settings.rate &&
      loss.kind === (run === "method" && settings.fairnessLevel === "party" ? "own" : method.loss) &&
      weighting.kind === method.weighting &&
      groups === settings.groups &&
      ofGroups &&
      (run !== "control" || plain) &&
      model?.length === parameters;
    if (!allowed) return false;
    const weights =
      method.weighting === "gaps" ? 2 ** weightBits : this.cells.train.reduce((sum, cell) => sum + cell, 0);
    if (weights * bound * 2 ** bits <= most) return true;
    throw new MoietyError("failed", `updates with ${bits} bits for fractions could leave the range of a sum: refused`);
  }

  train({ run: _, groups: __, parameters: ___, ...order }: TrainRequest): Promise<WholeNumbers> {
    const { clip, epochs, leastSteps } = this.settings;
    this.round = order.round;
    const loss = order.loss.kind === "own" ? this.ownTerm(order.round) : order.loss;
    return this.here.learner.train({ ...order, loss, model: this.model!, clip, epochs, leastSteps });
  }

  /** What the method makes of the model's answers about this party's people alone. A group that it lacks has no term. */
  private ownTerm(round: number): LossTerm {
    if (!this.prices) this.remember([]);
    return this.prices!.plan(this.here.learner.ownTally(this.settings), round) as LossTerm;
  }

  save(): SavedLearning {
    const { run, round, memory, ownAnswers } = this;
    return { scaling: this.agreed, run, round, weight: this.loaded?.learner.weight, memory: [...memory], ownAnswers };
  }

  async restore({ scaling, run, round, weight, memory = [], ownAnswers }: SavedLearning): Promise<void> {
    this.ownAnswers = ownAnswers;
    this.agreed = scaling;
    this.run = run;
    this.round = round;
    this.here.learner.weight = weight;
    this.remember(memory);
  }

  async close(): Promise<void> {
    await this.data.close?.();
  }
}
