import { type Classification, classification, thresholdFor } from "../metrics/index.js";
import { derive } from "../solver/chance.js";
import { version } from "../version.js";
import { dealPeople } from "./deal.js";
import type { Training } from "./rounds.js";
import { settleTraining, type TrainSettings } from "./settings.js";
import type { Examples } from "./trainer.js";
import type { Checkpoint, LearningData, RunRecord, Trained, TrainOptions, TrainResult } from "./types.js";
import { use, Workshop } from "./workshop.js";

/**
 * Trains a classifier over in-process parties, and FedAvg beside it as the control. The model depends on the people, the
 * options and the seed: not on threads or on the machine.
 */
export async function train(data: LearningData, options: TrainOptions = {}): Promise<Trained> {
  const begun = options.clock?.() ?? 0;
  const settings = settleTraining(data, options);
  const dealt = options.partyOf
    ? byParty(options.partyOf, settings.parties)
    : dealPeople(data.train.labels, settings.parties, settings.skew, derive(settings.seed, use.deal));
  const workshop = new Workshop(data, settings, dealt, options.signal);
  try {
    const records: { -readonly [Run in keyof Checkpoint]: Checkpoint[Run] } = { ...options.resume };
    const plain = settings.algorithm === "fedavg";
    const runs = plain ? (["method"] as const) : (["control", "method"] as const);
    for (const [index, run] of runs.entries()) {
      if (records[run]?.training !== undefined) continue;
      const which: TrainSettings =
        run === "control" ? { ...settings, algorithm: "fedavg", fairness: undefined, patience: 0 } : settings;
      records[run] = await workshop.run(which, records[run], {
        onPoint({ round, train }) {
          const difference = settings.fairness === undefined ? 0 : train[`${settings.fairness}d`];
          const { rounds } = settings;
          const done = index * rounds + round;
          options.onProgress?.({
            run,
            round,
            rounds,
            done,
            all: runs.length * rounds,
            accuracy: train.accuracy,
            difference,
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
    const scores = await workshop.scores(method.training!.model);
    const controlScores = plain ? scores : await workshop.scores(control.training!.model);
    const seconds = ((options.clock?.() ?? 0) - begun) / 1000;
    return {
      model: method.training!.model,
      scores,
      controlScores,
      controlCurve: control.curve,
      result: resultOf(data, settings, dealt, method, {
        scores,
        controlScores,
        parameters: workshop.parameterCount,
        seconds,
      }),
    };
  } finally {
    await workshop.close();
  }
}

function byParty(partyOf: Uint32Array, parties: number): Uint32Array[] {
  const dealt: number[][] = Array.from({ length: parties }, () => []);
  partyOf.forEach((party, i) => {
    dealt[party]!.push(i);
  });
  return dealt.map((people) => Uint32Array.from(people));
}

interface Scored {
  readonly scores: Float32Array;
  readonly controlScores: Float32Array;
  readonly parameters: number;
  readonly seconds: number;
}

function resultOf(
  data: LearningData,
  settings: TrainSettings,
  dealt: readonly Uint32Array[],
  { training, curve }: RunRecord,
  { scores, controlScores, parameters, seconds }: Scored,
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
  const { rounds, modelRound, ended } = training!;
  return {
    ...own,
    algorithm: settings.algorithm,
    fairness: settings.fairness ?? null,
    version,
    seed: settings.seed,
    net: settings.net,
    parameters,
    label: { negative: classes[0], positive: classes[1] },
    protected: attribute.name,
    trained: data.train.n,
    parties: settings.parties,
    partySizes: dealt.map((people) => people.length),
    skew: settings.skew ?? null,
    rounds,
    modelRound,
    ended,
    control: { ...measure(controlScores, threshold), threshold: Number.isFinite(threshold) ? threshold : null },
    fedavg: measure(controlScores, 0),
    curve,
    seconds: { read: 0, train: seconds, total: seconds },
    warnings: warningsOf(data, settings, training!, own),
  };
}

function warningsOf(
  data: LearningData,
  { algorithm, schedule }: TrainSettings,
  { ended, rounds, modelRound }: Training,
  { positiveRate }: Classification,
): string[] {
  const warnings: string[] = [];
  if (algorithm === "ffalm" && schedule === "printed") {
    warnings.push("the paper's schedule of eta grows without end and may diverge: --schedule safe does not");
  }
  if (ended === "diverged") {
    const kept = `the model of round ${modelRound}, the best before it, was kept`;
    warnings.push(`training diverged in round ${rounds}: ${kept}; try a lower --rate, --eta or --beta`);
  }
  if (positiveRate === 0 || positiveRate === 1) {
    const what = positiveRate === 0 ? "no" : "yes";
    warnings.push(`the model says ${what} to everybody, which makes every difference 0: it is of no use`);
  }
  const { train, test, attribute } = data;
  attribute.groups.forEach((group, code) => {
    const people = (of: Examples) => of.groups.reduce((count, each) => count + (each === code ? 1 : 0), 0);
    if (people(train) === 0) warnings.push(`nobody of group '${group}' is among the people to learn from`);
    else if (people(test) < 30)
      warnings.push(`group '${group}' has ${people(test)} people to measure on: see the intervals`);
  });
  return warnings;
}
