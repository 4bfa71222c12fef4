import type { Answer } from "../../learner.js";
import type { Tally } from "../../tally.js";
import type { LossTerm } from "../../trainer.js";
import type { Method } from "../method.js";

/** Each group's loss is held to everybody's: d_s = |L - mu_s|, with lambda_s += eta d_s (16). */
export class Fpfl implements Method {
  private lambda: number[] = [];

  constructor(
    private readonly beta: number,
    private readonly eta: number,
  ) {}

  get memory(): number[] {
    return this.lambda;
  }

  set memory(lambda: number[]) {
    this.lambda = lambda;
  }

  plan(tally: Tally): LossTerm {
    if (this.lambda.length === 0) this.lambda = new Array(tally.groups).fill(0);
    return { kind: "fpfl", lambda: Float64Array.from(this.lambda), beta: this.beta, reference: 0 };
  }

  learn(answer: Answer): void {
    this.lambda = this.lambda.map((before, group) => before + this.eta * answer.dual(group));
  }
}
