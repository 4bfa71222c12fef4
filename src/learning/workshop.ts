import { type Crew, openCrew } from "../kernels/crew.js";
import { derive } from "../solver/chance.js";
import { pickExamples } from "./examples.js";
import { Together } from "./learner.js";
import { LocalLearner } from "./local.js";
import { federate, type RoundState } from "./rounds.js";
import { makeMethod, type TrainSettings } from "./settings.js";
import { Tally } from "./tally.js";
import { type Loaded, Trainer } from "./trainer.js";
import type { CurvePoint, CurveValues, LearningData, RunRecord } from "./types.js";

/** Uses of the seed. */
export const use = { start: 1, deal: 2, party: 1000 } as const;

interface RunWatch {
  readonly onPoint: (point: CurvePoint) => void;
  readonly onRecord: (record: RunRecord) => Promise<void>;
}

/** The in-process parties of a training, the nets that they take turns with, and the people to measure on. */
export class Workshop {
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
      const trainer = this.trainers[party % this.trainers.length]!;
      return new LocalLearner(
        trainer,
        pickExamples(data.train, people),
        groups,
        derive(seed, use.party + party),
        signal,
      );
    });
    this.test = this.trainers[0]!.load(data.test);
  }

  get parameterCount(): number {
    return this.trainers[0]!.parameterCount;
  }

  scores(model: Float32Array): Promise<Float32Array> {
    return this.trainers[0]!.score(model, this.test, this.signal);
  }

  /** One run from its start, or from what is recorded of it. */
  async run(settings: TrainSettings, recorded: RunRecord | undefined, watch: RunWatch): Promise<RunRecord> {
    const { groups, seed } = settings;
    const curve = [...(recorded?.curve ?? [])];
    this.learners.forEach((learner, i) => {
      learner.weight = recorded?.weights[i] ?? undefined;
    });
    const start: Float32Array | RoundState = recorded?.state ?? this.trainers[0]!.start(derive(seed, use.start));
    const training = await federate(new Together(this.learners), makeMethod(settings), settings, start, {
      signal: this.signal,
      onModel: async (round, model, tally) => {
        const { labels, groups: codes } = this.data.test;
        const point: CurvePoint = {
          round,
          train: valuesOf(tally),
          test: valuesOf(Tally.of(await this.scores(model), labels, codes, groups)),
        };
        curve[round] = point;
        watch.onPoint(point);
      },
      onState: (state) => watch.onRecord({ state, curve: [...curve], weights: this.weights() }),
    });
    const record: RunRecord = { training, curve, weights: this.weights() };
    await watch.onRecord(record);
    return record;
  }

  async close(): Promise<void> {
    await Promise.all(this.crews.map((crew) => crew.close()));
  }

  private weights(): (number | null)[] {
    return this.learners.map(({ weight }) => weight ?? null);
  }
}

function valuesOf(tally: Tally): CurveValues {
  return {
    loss: tally.loss,
    accuracy: tally.accuracy,
    dpd: tally.difference("dp"),
    eod: tally.difference("eo"),
    apd: tally.difference("ap"),
    positiveRate: tally.positiveRate,
  };
}
