import { MoietyError } from "../../errors.js";
import { openCrew } from "../../kernels/crew.js";
import type { RunName, Workplace } from "../../learning/conduct.js";
import { histogramLength, scoresOf } from "../../learning/histogram.js";
import { Answer, type GapOrder, type Learner, type TrainOrder } from "../../learning/learner.js";
import type { Shape } from "../../learning/net/nets.js";
import type { TrainSettings } from "../../learning/settings.js";
import { Tally } from "../../learning/tally.js";
import { Trainer } from "../../learning/trainer.js";
import type { Whole } from "../../learning/whole.js";
import { toNumbers } from "../../privacy/integers.js";
import { gapQuestion, type LearnQuestion, modelBody, trainQuestion } from "../wire/learning-questions.js";
import type { Panel } from "./panel.js";

/**
 * The sites of a training as one learner: the method asks it as it would ask parties in its own process, and it sees
 * sums of masked numbers.
 */
export class LearnerConsortium implements Workplace, Learner {
  readonly parameterCount: number;
  private readonly begin: (seed: number) => Float32Array;
  private run: RunName = "method";
  /** Of the model that was tallied last, on the people to measure on. */
  private measured: Tally | undefined;

  constructor(
    private readonly panel: Panel,
    private readonly settings: TrainSettings,
    shape: Shape,
    /** Throws when somebody has left: two sums that are to be of the same people would not be. */
    private readonly rest: () => void,
    private readonly signal?: AbortSignal,
  ) {
    // Nobody is here to be learnt from: the net is only asked how large it is, and where it starts.
    const trainer = new Trainer(openCrew("inline"), settings.net, shape, settings.groups, 1);
    this.parameterCount = trainer.parameterCount;
    this.begin = (seed) => trainer.start(seed);
  }

  open(_weights: unknown, run: RunName): Learner {
    this.run = run;
    return this;
  }

  start(seed: number): Float32Array {
    return this.begin(seed);
  }

  async tally(model: Float32Array): Promise<Whole> {
    const { groups } = this.settings;
    const length = Tally.length(groups);
    const sums = await this.sum({ learn: "tally", run: this.run }, 2 * length, modelBody(model));
    this.measured = new Tally(sums.slice(length), groups);
    return sums.slice(0, length);
  }

  async measure(): Promise<Tally> {
    return this.measured!;
  }

  gap(order: GapOrder): Promise<Whole> {
    return this.sum(gapQuestion(this.run, order), 2);
  }

  train(order: TrainOrder): Promise<Whole> {
    return this.sum(trainQuestion(this.run, order), Answer.length(this.settings.groups, this.parameterCount));
  }

  /** Of stand-ins: nobody's own score is known here. */
  async scores(model: Float32Array, run: RunName): Promise<Float32Array> {
    const counts = await this.sum({ learn: "scores", run }, histogramLength(this.settings.groups), modelBody(model));
    this.rest();
    return scoresOf(counts);
  }

  /** FairFed's weights are the sites' own, and they keep them. */
  weights(): (number | null)[] {
    return [];
  }

  private async sum(learn: LearnQuestion, length: number, body?: Uint8Array): Promise<Whole> {
    if (this.signal?.aborted) throw new MoietyError("cancelled", "stopped before the end; nothing was written");
    return toNumbers(await this.panel.sum(0, { ask: "learn", learn }, length, body));
  }
}
