import { classifications, thresholdFor } from "../metrics/index.js";
import type { Group } from "../parties/questions.js";
import { derive } from "../solver/seeded-chance.js";
import { version } from "../version.js";
import { assess } from "./assessment.js";
import { attributesOf } from "./attributes.js";
import { controlMethod, trainingMethodOf } from "./catalogue.js";
import type { Checkpoint, RunRecord } from "./checkpoint.js";
import { namesOf } from "./classes.js";
import { answersByGroup, chooseThresholds, type GroupThresholds, thresholdWarnings } from "./group-thresholds.js";
import type { LearningSite } from "./learning-site.js";
import { eachItsOwn } from "./methods/method.js";
import { measureParties } from "./per-party.js";
import { sizesOf, validationScores } from "./questions.js";
import { federate } from "./rounds.js";
import type { TrainSettings } from "./settings.js";
import { SummedParties } from "./summed-parties.js";
import { answersOf } from "./tally.js";
import type { Trainer } from "./trainer.js";
import type { CurvePoint, LearningData, RunName, Trained, TrainOptions, TrainResult } from "./types.js";

/** What the seed is used for: each use has draws of its own. */
export const seedUse = { start: 1, deal: 2, party: 1000 } as const;

/** The parties of a training, in this process or at several sites. */
export interface TrainingParties {
  readonly group: Group<LearningSite>;
  readonly trainer: Pick<Trainer, "parameterCount" | "start">;
  /** The scores of the people to measure on. */
  scores(model: Float32Array): Promise<Float32Array>;
  /** Begins a run, with what parties remember of an interrupted one. Sites keep theirs themselves. */
  begin?(run: RunName, recorded: Pick<RunRecord, "weights" | "memories"> | undefined): void;
  remembered?(): Pick<RunRecord, "weights" | "memories">;
}

interface TrainingRequest {
  /** Whose features are not looked at. */
  readonly data: LearningData;
  readonly settings: TrainSettings;
  readonly partySizes: readonly number[];
  readonly parties: TrainingParties;
  /** The party of each person to measure on, where that is known here. */
  readonly testParties?: { readonly of: Uint32Array; readonly names: readonly string[] } | undefined;
  readonly options: Pick<TrainOptions, "onProgress" | "onCheckpoint" | "resume" | "clock" | "signal">;
}

/** Trains the control, which is FedAvg, and the method, and says what both models are worth. FedAvg is its own control. */
export async function trainWithControl(request: TrainingRequest): Promise<Trained> {
  const { settings, parties, options } = request;
  const begun = options.clock?.() ?? 0;
  const records: Checkpoint = { ...options.resume };
  const plain = settings.algorithm === controlMethod.name;
  for (const run of plain ? (["method"] as const) : (["control", "method"] as const)) {
    if (records[run]?.training !== undefined) continue;
    const { rounds, settles, fairness } = settings;
    const before = run === "control" ? 0 : (records.control?.training?.rounds ?? 0);
    const all = before + rounds * (run === "control" ? 2 : 1);
    await perform(request, run, records[run], {
      onPoint({ round, train }) {
        const difference = fairness === undefined ? 0 : train[`${fairness}d`];
        const { accuracy } = train;
        options.onProgress?.({ run, round, rounds, settles, done: before + round, all, accuracy, difference });
      },
      async onRecord(record) {
        records[run] = record;
        await options.onCheckpoint?.({ ...records });
      },
    });
  }
  const method = records.method!;
  const control = plain ? method : records.control!;
  const { model } = method.training!;
  const scores = await parties.scores(model);
  const controlScores = plain ? scores : await parties.scores(control.training!.model);
  const groupThresholds = await thresholdsByGroup(request, model);
  const seconds = ((options.clock?.() ?? 0) - begun) / 1000;
  const controlRun = plain ? (settings.useGroup ? method : undefined) : control;
  const result = resultOf(request, { method, controlRun, scores, controlScores, seconds, groupThresholds });
  return { model, attribute: request.data.attribute, scores, controlScores, controlCurve: control.curve, result };
}

/** One run from its start, or from what is recorded of it. */
async function perform(
  { settings: asked, parties, options }: TrainingRequest,
  run: RunName,
  recorded: RunRecord | undefined,
  watch: { onPoint(point: CurvePoint): void; onRecord(record: RunRecord): Promise<void> },
): Promise<void> {
  const settings: TrainSettings =
    run === "control" ? { ...asked, algorithm: controlMethod.name, fairness: undefined, patience: 0 } : asked;
  const curve = [...(recorded?.curve ?? [])];
  const record = () => ({ curve: [...curve], weights: [], ...parties.remembered?.() });
  parties.begin?.(run, recorded);
  const start = recorded?.state
    ? { ...recorded.state, course: curve.slice(0, recorded.state.round).map(({ train }) => train) }
    : parties.trainer.start(derive(settings.seed, seedUse.start));
  const summed = new SummedParties(parties.group, run, settings);
  const method = trainingMethodOf(settings.algorithm);
  const atParties = run === "method" && settings.fairnessLevel === "party";
  const strategy = atParties ? eachItsOwn() : method.make(settings);
  const training = await federate(summed, strategy, settings, start, {
    signal: options.signal,
    onModel(round, train, test, validation) {
      const aside = validation && { validation: { people: validation.everybody, ...validation.values } };
      const point: CurvePoint = { round, train: train.values, test: test.values, ...aside };
      curve[round] = point;
      watch.onPoint(point);
    },
    onState: ({ course: _, ...state }) => watch.onRecord({ state, ...record() }),
  });
  await watch.onRecord({ training, ...record() });
}

/** Chosen by sums over all parties of people whom nobody has learnt from. */
async function thresholdsByGroup(
  { data, settings, parties }: TrainingRequest,
  model: Float32Array,
): Promise<GroupThresholds | null> {
  const { useGroup } = settings;
  if (!useGroup) return null;
  const { counts } = await parties.group.ask(validationScores, { model, ...sizesOf(settings) });
  return chooseThresholds(counts, data.attribute.groups, useGroup);
}

interface Finished {
  readonly method: RunRecord;
  /** Undefined where the method is its own control. */
  readonly controlRun: RunRecord | undefined;
  readonly scores: Float32Array;
  readonly controlScores: Float32Array;
  readonly groupThresholds: GroupThresholds | null;
  readonly seconds: number;
}

function resultOf(
  { data, settings, partySizes, parties, testParties }: TrainingRequest,
  { method, controlRun, scores, controlScores, groupThresholds, seconds }: Finished,
): TrainResult {
  const { training, curve } = method;
  const { test, attribute, classes } = data;
  const { labels } = test;
  const attributes = attributesOf(attribute, test.groups);
  const plain = (of: Float32Array) => answersOf(of, classes.length);
  const measure = (of: Float32Array, given: Uint8Array) =>
    classifications(attributes, { scores: of, answers: given, labels, classes });
  const answers = groupThresholds
    ? answersByGroup(scores, test.groups, attribute.groups, groupThresholds)
    : plain(scores);
  const own = measure(scores, answers);
  // Of more than two classes no threshold says how often each is the answer: the control is the plain model as it is.
  const threshold = own.positiveRate === null ? null : thresholdFor(controlScores, own.positiveRate);
  const controlAnswers =
    threshold === null ? plain(controlScores) : Uint8Array.from(controlScores, (score) => (score > threshold ? 1 : 0));
  const control = {
    ...measure(controlScores, controlAnswers),
    threshold: threshold !== null && Number.isFinite(threshold) ? threshold : null,
  };
  const { algorithm, seed, net } = settings;
  const fairness = settings.useGroup?.fairness ?? settings.fairness;
  const { rounds, modelRound, ended } = training!;
  const validation = curve[modelRound].validation ?? null;
  return {
    ...assess(own, control, training!, controlRun?.training, classes, { fairness, settles: settings.settles }),
    ...own,
    algorithm,
    fairness: fairness ?? null,
    version,
    seed,
    net,
    parameters: parties.trainer.parameterCount,
    label: namesOf(classes),
    protected: attribute.name,
    trained: data.train.n - (groupThresholds?.people ?? validation?.people ?? 0),
    parties: settings.parties,
    partySizes,
    fairnessLevel: settings.fairnessLevel,
    perParty: testParties
      ? measureParties({
          ...{ test, attribute, classes, answers, controlAnswers },
          ...{ partyOf: testParties.of, names: testParties.names },
        })
      : null,
    skew: settings.skew ?? null,
    ...data.origin,
    rounds,
    modelRound,
    ended,
    control,
    useGroup: groupThresholds,
    validation,
    fedavg: measure(controlScores, plain(controlScores)),
    curve,
    seconds: { read: 0, train: seconds, total: seconds },
    warnings: [...(groupThresholds ? thresholdWarnings(groupThresholds) : []), ...warningsOf(data, settings)],
  };
}

/** Of a group with fewer people to measure on, rates have wide intervals: a warning says so. */
const fewToMeasure = 30;

function warningsOf(data: LearningData, settings: TrainSettings): string[] {
  const doubt = trainingMethodOf(settings.algorithm).doubt?.(settings);
  const warnings = doubt === undefined ? [] : [doubt];
  const { train, test, attribute } = data;
  const measured = attributesOf(attribute, test.groups);
  attributesOf(attribute, train.groups).forEach(({ groups, codes }, i) => {
    groups.forEach((group, code) => {
      const people = (of: Uint8Array) => of.reduce((count, each) => count + (each === code ? 1 : 0), 0);
      const left = people(measured[i].codes);
      if (people(codes) === 0) warnings.push(`no person of group '${group}' is in the training data`);
      else if (left < fewToMeasure)
        warnings.push(`group '${group}' has ${left} people to measure on: see the intervals`);
    });
  });
  return warnings;
}
