import type { LossTerm, TrainAnswer } from "../orders.js";
import type { AnswerTally } from "../tally.js";
import type { TrainingStrategy } from "./method.js";

/** Methods with one dual variable for each group, which rises with the parties' mean measure of the group. */
export class GroupDuals implements TrainingStrategy {
  memory: number[] = [];

  constructor(
    private readonly kind: "from-reference" | "from-everybody",
    private readonly beta: number,
    /** Of a round: the factor of the measure. */
    private readonly eta: (round: number) => number,
    /** The largest absolute value of a dual. */
    private readonly cap = Number.POSITIVE_INFINITY,
  ) {}

  plan(tally: AnswerTally): LossTerm {
    if (this.memory.length === 0) this.memory = new Array(tally.groups).fill(0);
    const { kind, beta } = this;
    return { kind, lambda: Float64Array.from(this.memory), beta, reference: tally.largestGroup };
  }

  learn(answer: TrainAnswer, round: number): void {
    // The mean of lambda_i = lambda + eta Delta_i, (15) of FFALM, is lambda + eta times the mean of Delta_i.
    this.memory = this.memory.map((before, group) => {
      const after = before + this.eta(round) * answer.dual(group);
      return Math.min(this.cap, Math.max(-this.cap, after));
    });
  }
}
