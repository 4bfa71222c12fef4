import { derive, uniform } from "../solver/seeded-chance.js";
import {
  dualBits,
  type GapOrder,
  gapBits,
  type LossTerm,
  largestDual,
  TrainAnswer,
  type TrainOrder,
  weightBits,
} from "./orders.js";
import { AnswerTally, type Cells, comparisons } from "./tally.js";
import { type Examples, inOrder, type Loaded, type Trainer } from "./trainer.js";
import { toWhole, type WholeNumbers } from "./whole.js";

/** A party that learns from its people. Every answer is a vector of whole numbers, of which only sums over parties are seen. */
export class Learner {
  /** FairFed's weight, which is the party's own affair; undefined before the first round. */
  weight: number | undefined;
  private readonly loaded: Loaded;
  private tallied: AnswerTally | undefined;
  private gapTo = 0;

  constructor(
    private readonly trainer: Trainer,
    private readonly examples: Examples,
    private readonly cells: Cells,
    private readonly seed: number,
    private readonly signal?: AbortSignal,
  ) {
    this.loaded = trainer.load(examples);
  }

  /** `AnswerTally` of the model's answers on the party's people. */
  async tally(model: Float32Array): Promise<WholeNumbers> {
    this.tallied = await this.measure(model);
    return Float64Array.from(this.tallied.numbers);
  }

  /** Of the model that was last tallied. */
  ownTally(cells: Cells): AnswerTally {
    return new AnswerTally(this.tallied!.numbers, cells);
  }

  /** The gap with `gapBits` fraction bits, and 1 for having answered. Concerns the model that was last tallied. */
  async gap({ fairness, reference, differences, accuracy }: GapOrder): Promise<WholeNumbers> {
    const tally = this.tallied!;
    let gap = Number.NaN;
    const { groups, classes } = this.cells;
    comparisons(fairness, classes).forEach((answer, at) => {
      for (let group = 0; group < groups; group++) {
        if (group === reference) continue;
        const own = tally.rate(fairness, group, answer) - tally.rate(fairness, reference, answer);
        const away = Math.abs(own - differences[at * groups + group]);
        if (!Number.isNaN(away) && !(away <= gap)) gap = away;
      }
    });
    // A party that lacks a group has no difference of its own: FairFed then compares accuracies.
    this.gapTo = Number.isNaN(gap) ? (this.examples.n === 0 ? 0 : Math.abs(tally.accuracy - accuracy)) : gap;
    return Float64Array.of(toWhole(this.gapTo, 2, gapBits), 1);
  }

  /** See `TrainAnswer`. */
  async train(order: TrainOrder & { readonly loss: LossTerm }): Promise<WholeNumbers> {
    const { model, bound, bits } = order;
    const { groups } = this.cells;
    let parameters = model;
    let skipped = 0;
    const batch = batchOf(this.examples.n, this.trainer.batch, order);
    for (let epoch = 0; epoch < order.epochs && this.examples.n > 0; epoch++) {
      const trained = await this.trainer.train(
        parameters,
        this.loaded,
        { ...order, batch, order: this.shuffled(order.round * order.epochs + epoch) },
        this.signal,
      );
      parameters = trained.parameters;
      skipped += trained.skipped;
    }
    const numbers = new Float64Array(TrainAnswer.length(groups, model.length));
    const weight = this.weigh(order.weighting);
    numbers[0] = weight;
    numbers[1] = skipped;
    await this.addDuals(numbers, order.loss, parameters);
    const first = 2 + 2 * groups;
    const unit = 2 ** bits;
    // As `toWhole`, of millions: skipped steps keep all parameters finite.
    for (let i = 0; i < model.length; i++) {
      const update = parameters[i] - model[i];
      numbers[first + i] = weight * Math.round(Math.min(bound, Math.max(-bound, update)) * unit);
    }
    return numbers;
  }

  /** The measure of each group on all local people by the party's own new model: (13), not the last batch. */
  private async addDuals(numbers: WholeNumbers, loss: LossTerm, parameters: Float32Array): Promise<void> {
    if (loss.kind === "given" || this.examples.n === 0) return;
    const tally = await this.measure(parameters);
    const { groups: count } = this.cells;
    const other = loss.kind === "from-reference" ? tally.groupLoss(loss.reference) : tally.loss;
    for (let group = 0; group < count; group++) {
      const away = tally.groupLoss(group) - other;
      // A party that lacks a group has no part in its average.
      if (Number.isNaN(away)) continue;
      const value = loss.kind === "from-reference" ? away : Math.abs(away);
      numbers[2 + group] = this.examples.n;
      numbers[2 + count + group] = this.examples.n * toWhole(value, largestDual, dualBits);
    }
  }

  private weigh(weighting: TrainOrder["weighting"]): number {
    if (weighting.kind === "people") return this.examples.n;
    const { beta, meanGap, everybody } = weighting;
    const before = this.weight ?? this.examples.n / everybody;
    this.weight = Math.min(1, Math.max(0, before - beta * (this.gapTo - meanGap)));
    return Math.round(this.weight * 2 ** weightBits);
  }

  private async measure(parameters: Float32Array): Promise<AnswerTally> {
    const { labels, groups } = this.examples;
    const scores = await this.trainer.score(parameters, this.loaded, this.signal);
    return AnswerTally.of(scores, labels, groups, this.cells);
  }

  /** A new order of the people for each epoch, which depends on nothing else. */
  private shuffled(epoch: number): Uint32Array {
    const seed = derive(this.seed, epoch);
    const order = inOrder(this.examples.n);
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(uniform(seed, i) * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}

/** With fewer people in a step, chance would outweigh what they have in common. */
const leastBatch = 8;

/** How many people are in a step of a party that has so many: few enough for the fewest steps of a pass, and at most `most`. */
function batchOf(people: number, most: number, { leastSteps, loss }: Pick<TrainOrder, "leastSteps" | "loss">): number {
  // Where groups are compared within a batch, a small one would lack one of them.
  if (loss.kind !== "given") return most;
  return Math.min(most, Math.max(leastBatch, Math.ceil(people / leastSteps)));
}
