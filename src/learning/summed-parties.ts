import type { Group } from "../parties/questions.js";
import type { LearningSite } from "./learning-site.js";
import { gap } from "./methods/fairfed/gap.js";
import { type GapOrder, gapBits, TrainAnswer, type TrainOrder } from "./orders.js";
import { sizesOf, tally, train, validationTally } from "./questions.js";
import { AnswerTally, type Cells } from "./tally.js";
import type { RunName } from "./types.js";

/** All parties in one run of a method: their answers are added up, here or behind a secure sum, and only sums are seen. */
export class SummedParties {
  constructor(
    private readonly group: Group<LearningSite>,
    private readonly run: RunName,
    private readonly cells: Cells,
  ) {}

  /** The model's answers about the people to learn from and to measure on. */
  async tally(model: Float32Array): Promise<Readonly<Record<"train" | "test", AnswerTally>>> {
    const { run, cells } = this;
    const sums = await this.group.ask(tally, { run, model, ...sizesOf(cells) });
    return { train: new AnswerTally(sums.train, cells), test: new AnswerTally(sums.test, cells) };
  }

  /** The answers of the model that was tallied last about the people set aside. */
  async validate(): Promise<AnswerTally> {
    const { numbers } = await this.group.ask(validationTally, sizesOf(this.cells));
    return new AnswerTally(numbers, this.cells);
  }

  /** The mean of the parties' gaps. */
  async gap(order: GapOrder): Promise<number> {
    const { numbers } = await this.group.ask(gap, { run: this.run, ...order });
    return numbers[0] / 2 ** gapBits / numbers[1];
  }

  /** The parties have the model: it is the one that was tallied last. */
  async train({ model, clip: _, epochs: __, leastSteps: ___, ...order }: TrainOrder): Promise<TrainAnswer> {
    const {
      run,
      cells: { groups },
    } = this;
    const { numbers } = await this.group.ask(train, { run, ...order, groups, parameters: model.length });
    return new TrainAnswer(numbers, groups);
  }
}
