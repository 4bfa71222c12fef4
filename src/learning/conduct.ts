import { classification, thresholdFor } from "../metrics/index.js";
import { derive } from "../solver/seeded-chance.js";
import { version } from "../version.js";
import { controlMethod, trainingMethodOf } from "./catalogue.js";
import { federate, type Training } from "./rounds.js";
import type { TrainSettings } from "./settings.js";
import { standingOf } from "./standing.js";
import type { Together } from "./together.js";
import type { Examples } from "./trainer.js";
import type { Checkpoint, CurvePoint, LearningData, RunRecord, Trained, TrainOptions, TrainResult } from "./types.js";

/** Uses of the seed. */
export const use = { start: 1, deal: 2, party: 1000 } as const;

/** Where a training takes place: in this process, or at several sites. */
export interface Workplace {
  readonly parameterCount: number;
  /** The parties, for one run of a method. What they remember of an interrupted one is given back to them. */
  open(weights: readonly (number | null)[] | undefined, run: RunName): Together;
  start(seed: number): Float32Array;
  /** The scores of the people to measure on. */
  scores(model: Float32Array, run: RunName): Promise<Float32Array>;
  weights(): (number | null)[];
}

/** The control is FedAvg; when that is the method itself there is no other run. */
export type RunName = "control" | "method";

export interface Conducted {
  /** Whose features are not looked at. */
  readonly data: LearningData;
  readonly settings: TrainSettings;
  readonly partySizes: readonly number[];
  readonly workplace: Workplace;
  readonly options: Pick<TrainOptions, "onProgress" | "onCheckpoint" | "resume" | "clock" | "signal">;
}

/** The control's run, the method's, and what both models are worth. */
export async function conduct({ data, settings, partySizes, workplace, options }: Conducted): Promise<Trained> {
  const begun = options.clock?.() ?? 0;
  const records: { -readonly [Run in keyof Checkpoint]: Checkpoint[Run] } = { ...options.resume };
  const plain = settings.algorithm === controlMethod.name;
  const runs = plain ? (["method"] as const) : (["control", "method"] as const);
  for (const run of runs) {
    if (records[run]?.training !== undefined) continue;
    const before = run === "control" ? 0 : (records.control?.training?.rounds ?? 0);
    records[run] = await perform(workplace, run, settings, records[run], {
      signal: options.signal,
      onPoint({ round, train }) {
        const { rounds, settles, fairness } = settings;
        options.onProgress?.({
          run,
          round,
          rounds,
          settles,
          done: before + round,
          all: before + rounds * (run === "control" ? 2 : 1),
          accuracy: train.accuracy,
          difference: fairness === undefined ? 0 : train[`${fairness}d`],
        });
      },
      async onRecord(record) {
        records[run] = record;
        await options.onCheckpoint?.({ ...records });
      },
    });
  }
  const method = records.method!;
  const control = plain ? method : records.control!;
  const scores = await workplace.scores(method.training!.model, "method");
  const controlScores = plain ? scores : await workplace.scores(control.training!.model, "control");
  const seconds = ((options.clock?.() ?? 0) - begun) / 1000;
  const { parameterCount: parameters } = workplace;
  return {
    model: method.training!.model,
    scores,
    controlScores,
    controlCurve: control.curve,
    result: resultOf(data, settings, partySizes, method, {
      scores,
      controlScores,
      controlTraining: plain ? undefined : control.training,
      parameters,
      seconds,
    }),
  };
}

interface RunWatch {
  readonly onPoint: (point: CurvePoint) => void;
  readonly onRecord: (record: RunRecord) => Promise<void>;
  readonly signal: AbortSignal | undefined;
}

/** One run from its start, or from what is recorded of it. */
async function perform(
  workplace: Workplace,
  run: RunName,
  asked: TrainSettings,
  recorded: RunRecord | undefined,
  watch: RunWatch,
): Promise<RunRecord> {
  const settings: TrainSettings =
    run === "control" ? { ...asked, algorithm: controlMethod.name, fairness: undefined, patience: 0 } : asked;
  const curve = [...(recorded?.curve ?? [])];
  const learner = workplace.open(recorded?.weights, run);
  const start = recorded?.state
    ? { ...recorded.state, course: curve.slice(0, recorded.state.round).map(({ train }) => train) }
    : workplace.start(derive(settings.seed, use.start));
  const training = await federate(learner, trainingMethodOf(settings.algorithm).make(settings), settings, start, {
    signal: watch.signal,
    onModel: async (round, _, tally) => {
      const point: CurvePoint = { round, train: tally.values, test: learner.measured!.values };
      curve[round] = point;
      watch.onPoint(point);
    },
    onState: ({ course: _, ...state }) => watch.onRecord({ state, curve: [...curve], weights: workplace.weights() }),
  });
  const record: RunRecord = { training, curve, weights: workplace.weights() };
  await watch.onRecord(record);
  return record;
}

interface RunScores {
  readonly scores: Float32Array;
  readonly controlScores: Float32Array;
  /** Undefined where there was no other run. */
  readonly controlTraining: Training | undefined;
  readonly parameters: number;
  readonly seconds: number;
}

function resultOf(
  data: LearningData,
  settings: TrainSettings,
  partySizes: readonly number[],
  { training, curve }: RunRecord,
  { scores, controlScores, controlTraining, parameters, seconds }: RunScores,
): TrainResult {
  const { test, attribute, classes } = data;
  const measure = (of: Float32Array, threshold: number) =>
    classification({
      scores: of,
      threshold,
      labels: test.labels,
      groups: attribute.groups,
      codes: test.groups,
    });
  const own = measure(scores, 0);
  const threshold = thresholdFor(controlScores, own.positiveRate);
  const control = { ...measure(controlScores, threshold), threshold: Number.isFinite(threshold) ? threshold : null };
  const { fairness, settles } = settings;
  const { rounds, modelRound, ended } = training!;
  return {
    ...standingOf({ own, control, fairness, settles, classes, training: training!, controlTraining }),
    ...own,
    algorithm: settings.algorithm,
    fairness: fairness ?? null,
    version,
    seed: settings.seed,
    net: settings.net,
    parameters,
    label: { negative: classes[0], positive: classes[1] },
    protected: attribute.name,
    trained: data.train.n,
    parties: settings.parties,
    partySizes,
    skew: settings.skew ?? null,
    ...data.origin,
    rounds,
    modelRound,
    ended,
    control,
    fedavg: measure(controlScores, 0),
    curve,
    seconds: { read: 0, train: seconds, total: seconds },
    warnings: warningsOf(data, settings),
  };
}

function warningsOf(data: LearningData, settings: TrainSettings): string[] {
  const doubt = trainingMethodOf(settings.algorithm).doubt?.(settings);
  const warnings = doubt === undefined ? [] : [doubt];
  const { train, test, attribute } = data;
  attribute.groups.forEach((group, code) => {
    const people = (of: Examples) => of.groups.reduce((count, each) => count + (each === code ? 1 : 0), 0);
    if (people(train) === 0) warnings.push(`no person of group '${group}' is in the training data`);
    else if (people(test) < 30)
      warnings.push(`group '${group}' has ${people(test)} people to measure on: see the intervals`);
  });
  return warnings;
}
