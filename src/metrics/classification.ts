import { sum } from "./labelled-points.js";

/** A share of people, with an interval that holds the true one in 95 of 100 samples; null where nobody is concerned. */
export interface Rate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export interface GroupRates {
  readonly people: number;
  /** People whose label is yes. */
  readonly positives: number;
  readonly accuracy: Rate;
  readonly positiveRate: Rate;
  readonly truePositiveRate: Rate;
  readonly falsePositiveRate: Rate;
  readonly auc: number | null;
}

/** How good and how fair answers of yes and no are. Differences are between the highest and the lowest group. */
export interface Classification {
  readonly n: number;
  readonly accuracy: number;
  /** Null when all labels are the same. */
  readonly auc: number | null;
  /** Demographic parity: of the rates of yes (4). Null with fewer than two groups, or if nobody is concerned. */
  readonly dpd: number | null;
  /** Equal opportunity: of the rates of yes among those whose label is yes (5). */
  readonly eod: number | null;
  /** Accuracy parity: of the rates of errors. */
  readonly apd: number | null;
  readonly positiveRate: number;
  readonly perGroup: Readonly<Record<string, GroupRates>>;
  /** Of each of several attributes; the differences above are the largest of these, and groups are named with their attribute. */
  readonly perAttribute?: Readonly<Record<string, Readonly<Record<"dpd" | "eod" | "apd", number | null>>>>;
  /** 95% intervals: Wilson's of rates, Newcombe's of differences, Hanley and McNeil's of the AUC. */
  readonly intervals: Readonly<Record<"accuracy" | "auc" | "dpd" | "eod" | "apd" | "positiveRate", Rate>>;
}

export interface ClassificationRequest {
  /** Larger is more of a yes. */
  readonly scores: ArrayLike<number>;
  /** Scores above it are a yes. Default 0. */
  readonly threshold?: number;
  /** Answers that are known, instead of a threshold. */
  readonly answers?: ArrayLike<number>;
  /** 1 for yes. */
  readonly labels: ArrayLike<number>;
  readonly groups: readonly string[];
  /** The group of each person. */
  readonly codes: ArrayLike<number>;
}

/** 97.5% of a standard normal distribution lie below it. */
const z = 1.959963984540054;
const unknown: Rate = { value: null, low: null, high: null };

interface Count {
  readonly hits: number;
  readonly of: number;
}

export function classification(request: ClassificationRequest): Classification {
  const { scores, labels, groups, codes, answers, threshold = 0 } = request;
  const n = scores.length;
  // [group][label][answer]
  const cells = new Float64Array(groups.length * 4);
  for (let i = 0; i < n; i++) {
    const answer = answers === undefined ? (scores[i] > threshold ? 1 : 0) : answers[i];
    cells[codes[i] * 4 + labels[i] * 2 + answer]++;
  }
  const counts = groups.map((_, group) => countsOf(cells.subarray(group * 4, group * 4 + 4)));
  const whole = countsOf([0, 1, 2, 3].map((cell) => sum(groups.map((_, group) => cells[group * 4 + cell]))));
  const everybody = Array.from({ length: n }, (_, i) => i);
  const auc = areaUnderCurve(scores, labels, everybody);
  const dpd = differenceOf(counts.map(({ yes }) => yes));
  const eod = differenceOf(counts.map(({ truePositives }) => truePositives));
  const apd = differenceOf(counts.map(({ correct }) => correct));
  return {
    n,
    accuracy: whole.correct.hits / n,
    auc,
    dpd: dpd.value,
    eod: eod.value,
    apd: apd.value,
    positiveRate: whole.yes.hits / n,
    perGroup: Object.fromEntries(
      groups.map((name, group) => {
        const { correct, yes, truePositives, falsePositives } = counts[group];
        const members = everybody.filter((i) => codes[i] === group);
        const rates: GroupRates = {
          people: yes.of,
          positives: truePositives.of,
          accuracy: wilson(correct),
          positiveRate: wilson(yes),
          truePositiveRate: wilson(truePositives),
          falsePositiveRate: wilson(falsePositives),
          auc: areaUnderCurve(scores, labels, members),
        };
        return [name, rates];
      }),
    ),
    intervals: {
      accuracy: wilson(whole.correct),
      auc: aucInterval(auc, whole.truePositives.of, whole.falsePositives.of),
      dpd,
      eod,
      apd,
      positiveRate: wilson(whole.yes),
    },
  };
}

/** The same of one attribute, or of several at once. */
export function classifications(
  attributes: readonly (Pick<ClassificationRequest, "groups" | "codes"> & { readonly name: string })[],
  request: Omit<ClassificationRequest, "groups" | "codes">,
): Classification {
  const each = attributes.map(({ groups, codes }) => classification({ ...request, groups, codes }));
  const [first] = each as [Classification];
  if (each.length === 1) return first;
  const worst = (key: "dpd" | "eod" | "apd") =>
    each.map(({ intervals }) => intervals[key]).reduce((a, b) => ((b.value ?? -1) > (a.value ?? -1) ? b : a));
  const [dpd, eod, apd] = [worst("dpd"), worst("eod"), worst("apd")];
  return {
    ...first,
    dpd: dpd.value,
    eod: eod.value,
    apd: apd.value,
    perGroup: Object.fromEntries(
      each.flatMap(({ perGroup }, i) =>
        Object.entries(perGroup).map(([group, rates]) => [`${attributes[i].name} ${group}`, rates]),
      ),
    ),
    perAttribute: Object.fromEntries(
      each.map((own, i) => [attributes[i].name, { dpd: own.dpd, eod: own.eod, apd: own.apd }]),
    ),
    intervals: { ...first.intervals, dpd, eod, apd },
  };
}

function countsOf([noNo, noYes, yesNo, yesYes]: Float64Array | number[]) {
  const of = noNo! + noYes! + yesNo! + yesYes!;
  return {
    correct: { hits: noNo! + yesYes!, of },
    yes: { hits: noYes! + yesYes!, of },
    truePositives: { hits: yesYes!, of: yesNo! + yesYes! },
    falsePositives: { hits: noYes!, of: noNo! + noYes! },
  };
}

/** Wilson's score interval. */
function wilson({ hits, of }: Count): Rate {
  if (of === 0) return unknown;
  const p = hits / of;
  const centre = p + z ** 2 / (2 * of);
  const half = z * Math.sqrt((p * (1 - p)) / of + z ** 2 / (4 * of ** 2));
  const scale = 1 + z ** 2 / of;
  // At the ends rounding could leave the rate itself outside.
  return {
    value: p,
    low: Math.max(0, Math.min(p, (centre - half) / scale)),
    high: Math.min(1, Math.max(p, (centre + half) / scale)),
  };
}

/** Of the extreme groups, with Newcombe's hybrid score interval; the size of a difference is never below 0. */
function differenceOf(counts: readonly Count[]): Rate {
  const rates = counts.filter(({ of }) => of > 0).map(wilson);
  if (rates.length < 2) return unknown;
  const most = rates.reduce((a, b) => (b.value! > a.value! ? b : a));
  const least = rates.reduce((a, b) => (b.value! < a.value! ? b : a));
  const value = most.value! - least.value!;
  const below = Math.hypot(most.value! - most.low!, least.high! - least.value!);
  const above = Math.hypot(most.high! - most.value!, least.value! - least.low!);
  return { value, low: Math.max(0, value - below), high: Math.min(1, value + above) };
}

/** The chance that somebody with label yes has a larger score than somebody with no; ties count half. */
function areaUnderCurve(
  scores: ArrayLike<number>,
  labels: ArrayLike<number>,
  people: readonly number[],
): number | null {
  const order = Float64Array.from(people).sort((a, b) => scores[a] - scores[b]);
  let positives = 0;
  let ranks = 0;
  for (let i = 0; i < order.length; ) {
    let end = i;
    let yes = 0;
    while (end < order.length && scores[order[end]] === scores[order[i]]) yes += labels[order[end++]];
    ranks += yes * ((i + end + 1) / 2);
    positives += yes;
    i = Math.max(end, i + 1);
  }
  const negatives = order.length - positives;
  if (positives === 0 || negatives === 0) return null;
  return (ranks - (positives * (positives + 1)) / 2) / (positives * negatives);
}

/** Hanley and McNeil 1982. */
function aucInterval(auc: number | null, positives: number, negatives: number): Rate {
  if (auc === null) return unknown;
  const q1 = auc / (2 - auc);
  const q2 = (2 * auc ** 2) / (1 + auc);
  const variance =
    (auc * (1 - auc) + (positives - 1) * (q1 - auc ** 2) + (negatives - 1) * (q2 - auc ** 2)) / (positives * negatives);
  const half = z * Math.sqrt(Math.max(0, variance));
  return { value: auc, low: Math.max(0, auc - half), high: Math.min(1, auc + half) };
}

/** The threshold at which the rate of yes comes nearest to the given one: what a control of an unfair model needs. */
export function thresholdFor(scores: ArrayLike<number>, positiveRate: number): number {
  const sorted = Float64Array.from(scores).sort().reverse();
  const wanted = Math.round(positiveRate * sorted.length);
  if (wanted <= 0) return Number.POSITIVE_INFINITY;
  if (wanted >= sorted.length) return Number.NEGATIVE_INFINITY;
  return (sorted[wanted - 1] + sorted[wanted]) / 2;
}
