import { comparedClasses } from "./compared-classes.js";
import { sum } from "./labelled-points.js";

/** A share of people, with an interval that holds the true one in 95 of 100 samples; null where nobody is concerned. */
export interface Rate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** How often one class is the answer, and whose label it is. */
export interface ClassRates {
  /** People whose label it is. */
  readonly positives: number;
  readonly positiveRate: Rate;
  readonly truePositiveRate: Rate;
  readonly falsePositiveRate: Rate;
}

/** The rates of a group. Of more than two classes none is the yes: rates are those of each class, and null here. */
export interface GroupRates extends Omit<ClassRates, "positives"> {
  readonly people: number;
  /** People whose label is yes. */
  readonly positives: number | null;
  readonly accuracy: Rate;
  readonly auc: number | null;
  readonly perClass?: Readonly<Record<string, ClassRates>>;
}

type Differences = Readonly<Record<"dpd" | "eod" | "apd", number | null>>;

/** How good and how fair answers are. Differences are between the highest and the lowest group; of more than two classes, the largest of any class. */
export interface Classification extends Differences {
  readonly n: number;
  readonly accuracy: number;
  /** Null when all labels are the same, and with more than two classes. */
  readonly auc: number | null;
  /** Demographic parity: of the rates of yes (4), or of a class. Null with fewer than two groups, or if nobody is concerned. */
  readonly dpd: number | null;
  /** Equal opportunity: of the rates of yes among those whose label is yes (5), or of a class among those whose label it is. */
  readonly eod: number | null;
  /** Accuracy parity: of the rates of errors. */
  readonly apd: number | null;
  /** Null with more than two classes. */
  readonly positiveRate: number | null;
  readonly perGroup: Readonly<Record<string, GroupRates>>;
  /** Of more than two classes: the rates of each among everybody, and its differences between groups. */
  readonly perClass?: Readonly<Record<string, ClassRates & Pick<Differences, "dpd" | "eod">>>;
  /** Of each of several attributes; the differences above are the largest of these, and groups are named with their attribute. */
  readonly perAttribute?: Readonly<Record<string, Differences>>;
  /** 95% intervals: Wilson's of rates, Newcombe's of differences, Hanley and McNeil's of the AUC. */
  readonly intervals: Readonly<Record<"accuracy" | "auc" | "dpd" | "eod" | "apd" | "positiveRate", Rate>>;
}

export interface ClassificationRequest {
  /** Larger is more of a yes. Of more than two classes they are not looked at. */
  readonly scores: ArrayLike<number>;
  /** Scores above it are a yes. Default 0. */
  readonly threshold?: number;
  /** Answers that are known, instead of a threshold. With more than two classes they have to be. */
  readonly answers?: ArrayLike<number>;
  /** Each person's class: of two, 1 for yes. */
  readonly labels: ArrayLike<number>;
  /** Default: two. */
  readonly classes?: readonly string[];
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
  const { scores, labels, groups, codes, answers, threshold = 0, classes = ["no", "yes"] } = request;
  const n = labels.length;
  const size = classes.length;
  // [group][label][answer]
  const cells = new Float64Array(groups.length * size ** 2);
  for (let i = 0; i < n; i++) {
    const answer = answers === undefined ? (scores[i] > threshold ? 1 : 0) : answers[i];
    cells[(codes[i] * size + labels[i]) * size + answer]++;
  }
  const ofGroups = groups.map((_, group) => cells.subarray(group * size ** 2, (group + 1) * size ** 2));
  const ofAll = Float64Array.from({ length: size ** 2 }, (_, cell) => sum(ofGroups.map((own) => own[cell])));
  const compared = comparedClasses(size);
  const countsBy = compared.map((each) => ofGroups.map((own) => countsOf(own, size, each)));
  const whole = compared.map((each) => countsOf(ofAll, size, each));
  const isBinary = compared.length === 1;
  const everybody = Array.from({ length: n }, (_, i) => i);
  const aucOf = (people: readonly number[]) => (isBinary ? areaUnderCurve(scores, labels, people) : null);
  const auc = aucOf(everybody);
  const dpds = countsBy.map((counts) => differenceOf(counts.map(({ yes }) => yes)));
  const eods = countsBy.map((counts) => differenceOf(counts.map(({ truePositives }) => truePositives)));
  const apd = differenceOf(countsBy[0].map(({ correct }) => correct));
  const [dpd, eod] = [widest(dpds), widest(eods)];
  const named = <Value>(values: readonly Value[]) =>
    Object.fromEntries(values.map((value, at) => [classes[at], value]));
  return {
    n,
    accuracy: whole[0].correct.hits / n,
    auc,
    dpd: dpd.value,
    eod: eod.value,
    apd: apd.value,
    positiveRate: isBinary ? whole[0].yes.hits / n : null,
    perGroup: Object.fromEntries(
      groups.map((name, group) => {
        const counts = countsBy.map((each) => each[group]);
        const { correct } = counts[0];
        const { positives, ...own } = isBinary ? ratesOf(counts[0]) : noRates;
        const rates: GroupRates = {
          people: correct.of,
          positives,
          accuracy: wilson(correct),
          ...own,
          auc: aucOf(everybody.filter((i) => codes[i] === group)),
          ...(isBinary ? {} : { perClass: named(counts.map(ratesOf)) }),
        };
        return [name, rates];
      }),
    ),
    ...(isBinary
      ? {}
      : {
          perClass: named(
            whole.map((counts, at) => ({ ...ratesOf(counts), dpd: dpds[at].value, eod: eods[at].value })),
          ),
        }),
    intervals: {
      accuracy: wilson(whole[0].correct),
      auc: aucInterval(auc, whole[0].truePositives.of, whole[0].falsePositives.of),
      dpd,
      eod,
      apd,
      positiveRate: isBinary ? wilson(whole[0].yes) : unknown,
    },
  };
}

const noRates = { positives: null, positiveRate: unknown, truePositiveRate: unknown, falsePositiveRate: unknown };

function ratesOf({ yes, truePositives, falsePositives }: ReturnType<typeof countsOf>): ClassRates {
  return {
    positives: truePositives.of,
    positiveRate: wilson(yes),
    truePositiveRate: wilson(truePositives),
    falsePositiveRate: wilson(falsePositives),
  };
}

/** The largest difference, with its interval. */
function widest(differences: readonly Rate[]): Rate {
  return differences.reduce((a, b) => ((b.value ?? -1) > (a.value ?? -1) ? b : a));
}

/** The same of one attribute, or of several at once. */
export function classifications(
  attributes: readonly (Pick<ClassificationRequest, "groups" | "codes"> & { readonly name: string })[],
  request: Omit<ClassificationRequest, "groups" | "codes">,
): Classification {
  const each = attributes.map(({ groups, codes }) => classification({ ...request, groups, codes }));
  const [first] = each as [Classification];
  if (each.length === 1) return first;
  const worst = (key: keyof Differences) => widest(each.map(({ intervals }) => intervals[key]));
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
    ...(first.perClass ? { perClass: worstByClass(each.map(({ perClass }) => perClass!)) } : {}),
    intervals: { ...first.intervals, dpd, eod, apd },
  };
}

/** Of each class, the largest differences that several attributes have. */
function worstByClass(each: readonly NonNullable<Classification["perClass"]>[]) {
  const [first] = each as [NonNullable<Classification["perClass"]>];
  const largest = (name: string, key: "dpd" | "eod") => {
    const known = each.map((of) => of[name][key]).filter((value) => value !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  return Object.fromEntries(
    Object.entries(first).map(([name, rates]) => [
      name,
      { ...rates, dpd: largest(name, "dpd"), eod: largest(name, "eod") },
    ]),
  );
}

/** People of [label][answer], as far as they concern one class. */
function countsOf(cells: Float64Array, classes: number, of: number) {
  const count = (wanted: (label: number, answer: number) => boolean) =>
    cells.reduce((all, people, cell) => all + (wanted(Math.floor(cell / classes), cell % classes) ? people : 0), 0);
  return {
    correct: { hits: count((label, answer) => label === answer), of: count(() => true) },
    yes: { hits: count((_, answer) => answer === of), of: count(() => true) },
    truePositives: {
      hits: count((label, answer) => label === of && answer === of),
      of: count((label) => label === of),
    },
    falsePositives: {
      hits: count((label, answer) => label !== of && answer === of),
      of: count((label) => label !== of),
    },
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
