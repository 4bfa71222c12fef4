import { type Crew, openCrew } from "../kernels/crew.js";
import { LocalGroup } from "../parties/local-group.js";
import { derive } from "../solver/seeded-chance.js";
import { type RunName, use, type Workplace } from "./conduct.js";
import { pickExamples } from "./examples.js";
import { LearningSite } from "./learning-site.js";
import { LocalLearner } from "./local.js";
import type { TrainSettings } from "./settings.js";
import { Together } from "./together.js";
import { type Loaded, Trainer } from "./trainer.js";
import type { LearningData } from "./types.js";

/** The in-process parties of a training, the nets that they take turns with, and the people to measure on. */
export class Workshop implements Workplace {
  private readonly crews: readonly Crew[];
  private readonly trainers: readonly Trainer[];
  private readonly learners: readonly LocalLearner[];
  private readonly sites: readonly LearningSite[];
  private readonly group: LocalGroup<LearningSite>;
  private readonly test: Loaded;

  constructor(
    data: LearningData,
    private readonly settings: TrainSettings,
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
    const test = { ...data.test, loaded: this.test };
    this.sites = this.learners.map((learner, party) => {
      const trainer = this.trainers[party % this.trainers.length];
      // The first one measures: there is one set of people to measure on.
      const loaded = { learner, trainer, ...(party === 0 ? { test } : {}) };
      return new LearningSite({ settings, load: () => loaded });
    });
    this.group = new LocalGroup(this.sites, signal);
  }

  get parameterCount(): number {
    return this.trainers[0].parameterCount;
  }

  scores(model: Float32Array): Promise<Float32Array> {
    return this.trainers[0].score(model, this.test, this.signal);
  }

  /** Once for each run. */
  open(weights: readonly (number | null)[] | undefined, run: RunName): Together {
    this.sites.forEach((site, i) => {
      site.begin(run, weights?.[i] ?? undefined);
    });
    return new Together(this.group, run, this.settings.groups);
  }

  start(seed: number): Float32Array {
    return this.trainers[0].start(seed);
  }

  async close(): Promise<void> {
    await Promise.all(this.crews.map((crew) => crew.close()));
  }

  weights(): (number | null)[] {
    return this.learners.map(({ weight }) => weight ?? null);
  }
}
