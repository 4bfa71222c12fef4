import { defined } from "../defined.js";
import { classifications } from "../metrics/index.js";
import { attributesOf } from "./attributes.js";
import { controlMethod, usualMethod } from "./catalogue.js";
import type { Checkpoint } from "./checkpoint.js";
import { answersOf } from "./tally.js";
import type { FrontierPoint, LearningData, Trained, TrainOptions } from "./types.js";

/** The largest differences that models in one place are trained for: none, and some that cost less. */
const targets = [0, 0.02, 0.05, 0.1] as const;

/** A plain model as the control of other trainings, which then need not train it again. */
export function asControl({ model, controlCurve, result }: Trained): Checkpoint {
  const { rounds, modelRound, ended } = result;
  return {
    control: {
      training: { model, rounds, modelRound, ended, motion: { kind: "unknown" } },
      curve: controlCurve,
      weights: [],
    },
  };
}

/**
 * What the same net reaches where everybody is in one place: trained plainly, and for several differences. The best of these is as far as
 * a federated model can be expected to come.
 */
export async function frontierInOnePlace(
  data: LearningData,
  { fairness = usualMethod.fairness[0], onProgress, ...options }: TrainOptions,
  train: (data: LearningData, options: TrainOptions) => Promise<Trained>,
): Promise<{ readonly scores: Float32Array[]; readonly points: FrontierPoint[] }> {
  const { net, rounds, maxRounds, seed, threads, rate, clip, epochs, validation, signal } = options;
  const given = { net, rounds, maxRounds, seed, threads, rate, clip, epochs, validation, signal };
  const same: TrainOptions = { ...defined(given), parties: 1 };
  const follow = (before: number): TrainOptions["onProgress"] =>
    onProgress &&
    ((now) => {
      const done = before * now.all + now.done;
      onProgress({ ...now, run: "frontier", done, all: (1 + targets.length) * now.all });
    });
  const plain = await train(data, { ...same, algorithm: controlMethod.name, ...defined({ onProgress: follow(0) }) });
  const scores = [plain.scores];
  for (const [at, target] of targets.entries()) {
    const told = defined({ onProgress: follow(1 + at) });
    const asked = { ...same, algorithm: usualMethod.name, fairness, target, resume: asControl(plain), ...told };
    scores.push((await train(data, asked)).scores);
  }
  const attributes = attributesOf(data.attribute, data.test.groups);
  const points = scores.map((of, i) => {
    const measured = classifications(attributes, {
      scores: of,
      answers: answersOf(of, data.classes.length),
      labels: data.test.labels,
      classes: data.classes,
    });
    const { accuracy, dpd, eod, apd, positiveRate } = measured;
    return { target: i === 0 ? null : targets[i - 1], accuracy, dpd, eod, apd, positiveRate };
  });
  return { scores, points };
}
