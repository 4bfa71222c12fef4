import type { Checkpoint } from "../../src/learning/checkpoint.js";
import { asControl } from "../../src/learning/frontier.js";
import { train } from "../../src/learning/train.js";
import type { LearningData, TrainOptions, TrainResult } from "../../src/learning/types.js";
import { figure } from "../figure.js";
import type { Bench, Figure, Goal, Sheet } from "../types.js";

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

/** Table II, in points. */
const measured = ["accuracy", "DPD", "EOD"] as const;
const paper: Partial<Record<Method, Record<"CelebA" | "UTKFace", readonly [number, number, number]>>> = {
  FedAvg: { CelebA: [74.66, 39.54, 21.11], UTKFace: [86.22, 13.07, 19.12] },
  FairFed: { CelebA: [73.27, 37.36, 19.5], UTKFace: [79.54, 10.8, 17.92] },
  FPFL: { CelebA: [74.58, 30.87, 9.71], UTKFace: [86.73, 7.97, 15.85] },
  FFALM: { CelebA: [74.06, 28.92, 6.82], UTKFace: [86.02, 6.6, 13.87] },
};

/** What a method lowers in the paper's CelebA, against FedAvg; undefined for those that it does not have. */
export function paperChanges(method: Method): Record<(typeof measured)[number], number> | undefined {
  const [own, plain] = [paper[method]?.CelebA, paper.FedAvg!.CelebA];
  if (own === undefined) return undefined;
  const lower = (i: 0 | 1 | 2) => Number((plain[i] - own[i]).toFixed(2));
  return { accuracy: lower(0), DPD: lower(1), EOD: lower(2) };
}

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

/** In points, with the one-threshold control's where there is one. */
export function figuresOf(method: Method, runs: readonly TrainResult[]): Record<string, Figure> {
  const points = (pick: (result: TrainResult) => number | null) => inPoints(runs.map(pick));
  const own = {
    accuracy: points(({ accuracy }) => accuracy),
    DPD: points(({ dpd }) => dpd),
    EOD: points(({ eod }) => eod),
    APD: points(({ apd }) => apd),
    "says yes": points(({ positiveRate }) => positiveRate),
  };
  if (method === "FedAvg") return own;
  return {
    ...own,
    "control's DPD": points(({ control }) => control.dpd),
    "control's EOD": points(({ control }) => control.eod),
    "control's APD": points(({ control }) => control.apd),
  };
}

/** Shares as points, one for each seed; what could not be measured counts as no difference. */
export function inPoints(shares: readonly (number | null)[], goal?: Goal): Figure {
  const values = shares.map((share) => 100 * (share ?? 0));
  return figure(values, "points", goal ? { goal } : {});
}

/** What the paper found. */
export function paperSheet(): Sheet {
  const lines = Object.entries(paper).map(([method, sets]) => {
    const named = Object.entries(sets).flatMap(([name, values]) =>
      measured.map((what, i) => [`${name}: ${what}`, figure([values[i]], "points")] as const),
    );
    return { at: { method }, figures: Object.fromEntries(named) };
  });
  return { title: "The paper's Table II: ResNet-18 on pictures of faces (points)", lines, notes: [] };
}

export function remarkOf(runs: readonly TrainResult[]): { remark?: string } {
  const diverged = runs.filter(({ ended }) => ended === "diverged").length;
  return diverged === 0 ? {} : { remark: `diverged in ${diverged} of ${runs.length} runs: the best model before that` };
}
