import { train } from "../../learning/train.js";
import type { Checkpoint, LearningData, Trained, TrainOptions, TrainResult } from "../../learning/types.js";
import { figure } from "../figure.js";
import type { Bench, Figure } from "../types.js";

/** The paper's four, its schedule as printed, and ours for each fairness. FedAvg is the control of all others. */
export const methods = {
  FedAvg: { algorithm: "fedavg" },
  FairFed: { algorithm: "fairfed" },
  FPFL: { algorithm: "fpfl" },
  FFALM: { algorithm: "ffalm" },
  "FFALM, printed schedule": { algorithm: "ffalm", schedule: "printed" },
  "ffalm-global, eo": { algorithm: "ffalm-global", fairness: "eo" },
  "ffalm-global, dp": { algorithm: "ffalm-global", fairness: "dp" },
  "ffalm-global, ap": { algorithm: "ffalm-global", fairness: "ap" },
} as const satisfies Record<string, TrainOptions>;
export type Method = keyof typeof methods;

/** Table II: accuracy, DPD and EOD in points. */
const paper: Partial<Record<Method, Record<"CelebA" | "UTKFace", readonly [number, number, number]>>> = {
  FedAvg: { CelebA: [74.66, 39.54, 21.11], UTKFace: [86.22, 13.07, 19.12] },
  FairFed: { CelebA: [73.27, 37.36, 19.5], UTKFace: [79.54, 10.8, 17.92] },
  FPFL: { CelebA: [74.58, 30.87, 9.71], UTKFace: [86.73, 7.97, 15.85] },
  FFALM: { CelebA: [74.06, 28.92, 6.82], UTKFace: [86.02, 6.6, 13.87] },
};

/** All the methods on one split of one set of people, FedAvg trained once. */
export async function compare(
  bench: Bench,
  data: LearningData,
  wanted: readonly Method[],
  options: TrainOptions,
  say: (method: Method) => void,
): Promise<Map<Method, TrainResult>> {
  const { threads } = bench.options;
  const results = new Map<Method, TrainResult>();
  let control: Checkpoint = {};
  for (const method of wanted) {
    say(method);
    const trained = await train(data, {
      ...options,
      ...methods[method],
      threads,
      signal: bench.signal,
      clock: () => performance.now(),
      resume: method === "FedAvg" ? {} : control,
    });
    if (method === "FedAvg") control = asControl(trained);
    results.set(method, trained.result);
  }
  return results;
}

function asControl({ model, controlCurve, result }: Trained): Checkpoint {
  const { rounds, modelRound, ended } = result;
  return { control: { training: { model, rounds, modelRound, ended }, curve: controlCurve, weights: [] } };
}

/** In points, with the paper's beside, and the one-threshold control's where there is one. */
export function figuresOf(method: Method, runs: readonly TrainResult[]): Record<string, Figure> {
  const points = (pick: (result: TrainResult) => number | null) => runs.map((result) => 100 * (pick(result) ?? 0));
  const beside = (column: number) => {
    const known = paper[method];
    if (known === undefined) return {};
    return { beside: { "paper, CelebA": known.CelebA[column]!, "paper, UTKFace": known.UTKFace[column]! } };
  };
  return {
    accuracy: figure(
      points(({ accuracy }) => accuracy),
      "",
      beside(0),
    ),
    DPD: figure(
      points(({ dpd }) => dpd),
      "",
      beside(1),
    ),
    EOD: figure(
      points(({ eod }) => eod),
      "",
      beside(2),
    ),
    APD: figure(
      points(({ apd }) => apd),
      "",
    ),
    "says yes": figure(
      points(({ positiveRate }) => positiveRate),
      "",
    ),
    ...(method === "FedAvg"
      ? {}
      : {
          "control's DPD": figure(
            points(({ control }) => control.dpd),
            "",
          ),
          "control's EOD": figure(
            points(({ control }) => control.eod),
            "",
          ),
        }),
  };
}

export function remarkOf(runs: readonly TrainResult[]): { remark?: string } {
  const diverged = runs.filter(({ ended }) => ended === "diverged").length;
  return diverged === 0 ? {} : { remark: `diverged in ${diverged} of ${runs.length} runs: the best model before that` };
}
