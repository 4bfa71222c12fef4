import type { Group } from "../parties/questions.js";
import type { RunName } from "./conduct.js";
import type { GapOrder, Learner, TrainOrder } from "./learner.js";
import type { LearningSite } from "./learning-site.js";
import { gap } from "./methods/fairfed/gap.js";
import { tally, train } from "./questions.js";
import { AnswerTally } from "./tally.js";
import type { WholeNumbers } from "./whole.js";

/** All parties as one learner, in one run of a method: their answers are added up, here or behind a secure sum. */
export class Together implements Learner {
  /** Of the model that was tallied last, on the people to measure on. */
  measured: AnswerTally | undefined;

  constructor(
    private readonly group: Group<LearningSite>,
    private readonly run: RunName,
    private readonly groups: number,
  ) {}

  async tally(model: Float32Array): Promise<WholeNumbers> {
    const { groups, run } = this;
    const { train: own, test } = await this.group.ask(tally, { run, model, groups });
    this.measured = new AnswerTally(test, groups);
    return own;
  }

  async gap(order: GapOrder): Promise<WholeNumbers> {
    return (await this.group.ask(gap, { run: this.run, ...order })).numbers;
  }

  /** The parties have the model: it is the one that was tallied last. */
  async train({ model, clip: _, epochs: __, ...order }: TrainOrder): Promise<WholeNumbers> {
    const { groups, run } = this;
    return (await this.group.ask(train, { run, ...order, groups, parameters: model.length })).numbers;
  }
}
