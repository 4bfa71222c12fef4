import { type Crew, openCrew } from "../kernels/crew.js";
import { derive } from "../solver/chance.js";
import { use, type Workplace } from "./conduct.js";
import { pickExamples } from "./examples.js";
import { type Learner, Together } from "./learner.js";
import { LocalLearner } from "./local.js";
import type { TrainSettings } from "./settings.js";
import { Tally } from "./tally.js";
import { type Loaded, Trainer } from "./trainer.js";
import type { LearningData } from "./types.js";

/** The in-process parties of a training, the nets that they take turns with, and the people to measure on. */
export class Workshop implements Workplace {
  private readonly crews: readonly Crew[];
  private readonly trainers: readonly Trainer[];
  private readonly learners: readonly LocalLearner[];
  private readonly test: Loaded;

  constructor(
    private readonly data: LearningData,
    settings: TrainSettings,
    dealt: readonly Uint32Array[],
    private readonly signal?: AbortSignal,
  ) {
    const { threads, net, batch, groups, seed } = settings;
    // Threads share the steps of a large net; small ones are done before threads could meet, so each has parties of its own.
    this.crews =
      net === "resnet18" || threads === 1
        ? [openCrew(threads === 1 && net !== "resnet18" ? "inline" : threads)]
        : Array.from({ length: Math.min(threads, dealt.length) }, () => openCrew(1));
    this.trainers = this.crews.map((crew) => new Trainer(crew, net, data.shape, groups, batch));
    this.learners = dealt.map((people, party) => {
      const trainer = this.trainers[party % this.trainers.length];
      return new LocalLearner(
        trainer,
        pickExamples(data.train, people),
        groups,
        derive(seed, use.party + party),
        signal,
      );
    });
    this.test = this.trainers[0].load(data.test);
  }

  get parameterCount(): number {
    return this.trainers[0].parameterCount;
  }

  scores(model: Float32Array): Promise<Float32Array> {
    return this.trainers[0].score(model, this.test, this.signal);
  }

  /** Once for each run. */
  open(weights: readonly (number | null)[] | undefined): Learner {
    this.learners.forEach((learner, i) => {
      learner.weight = weights?.[i] ?? undefined;
    });
    return new Together(this.learners);
  }

  start(seed: number): Float32Array {
    return this.trainers[0].start(seed);
  }

  async measure(model: Float32Array): Promise<Tally> {
    const { test, attribute } = this.data;
    return Tally.of(await this.scores(model), test.labels, test.groups, attribute.groups.length);
  }

  async close(): Promise<void> {
    await Promise.all(this.crews.map((crew) => crew.close()));
  }

  weights(): (number | null)[] {
    return this.learners.map(({ weight }) => weight ?? null);
  }
}
