import { comparedClasses } from "../metrics/compared-classes.js";
import type { AttributePart } from "./attributes.js";
import type { WholeNumbers } from "./whole.js";

/** What is to be the same in all groups: a yes (dp), a yes to those whose label is yes (eo), or errors (ap). */
export const fairnessNames = ["eo", "dp", "ap"] as const;
export type Fairness = (typeof fairnessNames)[number];
export type Difference = `${Fairness}d`;
export const differences = ["dpd", "eod", "apd"] as const satisfies readonly Difference[];

/** The answers whose rates are compared. Of errors there is one rate, whatever the answer. */
export function comparisons(fairness: Fairness, classes: number): readonly number[] {
  return fairness === "ap" ? [0] : comparedClasses(classes);
}

/** In words, wherever a difference is named for the first time: its fairness, and the share that is compared. */
export const differenceWords: Readonly<
  Record<Difference, { readonly fairness: string; readonly share: string; readonly shareOfClass: string }>
> = {
  dpd: {
    fairness: "demographic parity",
    share: "the share that gets a yes",
    shareOfClass: "the share that gets a class, whichever differs most",
  },
  eod: {
    fairness: "equal opportunity",
    share: "the share that gets a yes among those whose label is yes",
    shareOfClass: "the share that gets a class among those whose label it is, whichever differs most",
  },
  apd: {
    fairness: "accuracy parity",
    share: "the share that gets a wrong answer",
    shareOfClass: "the share that gets a wrong answer",
  },
};

/** The share that a difference compares: of two classes that of the yes, of more that of each class. */
export function comparedShare(difference: Difference, classes: number): string {
  return differenceWords[difference][classes === 2 ? "share" : "shareOfClass"];
}

/** Measures of one model on one set of people: what a learning curve is made of. */
export interface CurveValues extends Readonly<Record<Difference, number>> {
  readonly loss: number;
  readonly accuracy: number;
  /** Null with more than two classes. */
  readonly positiveRate: number | null;
}

/** No loss counts for more than this, so that sums have a bound. */
const largestLoss = 64;
const lossBits = 16;

/** What people are counted by: the group, of one attribute or of combinations of several, and the class that is their label. */
export interface Cells {
  readonly groups: number;
  readonly classes: number;
  readonly parts?: readonly AttributePart[] | undefined;
}

/** The answer to a person, of whom the scores are those of all classes but the first, less the first one's: the first of the highest. */
export function answerAt(scores: ArrayLike<number>, at: number, classes: number): number {
  let [answer, most] = [0, 0];
  for (let each = 1; each < classes; each++) {
    const score = scores[at * (classes - 1) + each - 1];
    if (score > most) [answer, most] = [each, score];
  }
  return answer;
}

/** The answer to everybody. */
export function answersOf(scores: ArrayLike<number>, classes: number): Uint8Array {
  return Uint8Array.from({ length: scores.length / (classes - 1) }, (_, i) => answerAt(scores, i, classes));
}

/** Minus the logarithm of the label's probability; NaN where a score is no finite number. */
function entropyAt(scores: ArrayLike<number>, at: number, label: number, classes: number): number {
  const first = at * (classes - 1) - 1;
  const score = (each: number) => (each === 0 ? 0 : scores[first + each]);
  const answer = answerAt(scores, at, classes);
  let others = 0;
  for (let each = 0; each < classes; each++) {
    if (!Number.isFinite(score(each))) return Number.NaN;
    if (each !== answer) others += Math.exp(score(each) - score(answer));
  }
  return score(answer) - score(label) + Math.log1p(others);
}

/** Sums over people of a model's answers, by group and label: everything that the coordinator knows of the people. */
export class AnswerTally {
  /** [group][label][people, those with each answer but the first]; [group] losses; people whose scores are broken. */
  static length({ groups, classes }: Cells): number {
    return groups * classes ** 2 + groups + 1;
  }

  readonly groups: number;
  readonly classes: number;
  /** Where groups are combinations of several attributes' groups. */
  readonly parts: readonly AttributePart[] | undefined;

  constructor(
    readonly numbers: WholeNumbers,
    { groups, classes, parts }: Cells,
  ) {
    this.groups = groups;
    this.classes = classes;
    this.parts = parts;
  }

  static of(scores: ArrayLike<number>, labels: Uint8Array, codes: Uint8Array, cells: Cells): AnswerTally {
    const { groups, classes } = cells;
    const numbers = new Float64Array(AnswerTally.length(cells));
    const losses = groups * classes ** 2;
    for (let i = 0; i < labels.length; i++) {
      const cell = (codes[i] * classes + labels[i]) * classes;
      const answer = answerAt(scores, i, classes);
      numbers[cell] += 1;
      if (answer > 0) numbers[cell + answer] += 1;
      const loss = entropyAt(scores, i, labels[i], classes);
      if (Number.isNaN(loss)) numbers[losses + groups] += 1;
      else numbers[losses + codes[i]] += Math.round(Math.min(loss, largestLoss) * 2 ** lossBits);
    }
    return new AnswerTally(numbers, cells);
  }

  people(group: number, label?: number): number {
    if (label === undefined) return this.overLabels((each) => this.people(group, each));
    return this.numbers[(group * this.classes + label) * this.classes];
  }

  /** People who get an answer. */
  given(answer: number, group: number, label?: number): number {
    if (label === undefined) return this.overLabels((each) => this.given(answer, group, each));
    const cell = (group * this.classes + label) * this.classes;
    if (answer > 0) return this.numbers[cell + answer];
    let others = 0;
    for (let each = 1; each < this.classes; each++) others += this.numbers[cell + each];
    return this.numbers[cell] - others;
  }

  errors(group: number): number {
    return this.people(group) - this.overLabels((label) => this.given(label, group, label));
  }

  private overLabels(count: (label: number) => number): number {
    let all = 0;
    for (let label = 0; label < this.classes; label++) all += count(label);
    return all;
  }

  get everybody(): number {
    return this.sum((group) => this.people(group));
  }

  /** Of more than two classes none is the yes. */
  get positiveRate(): number | null {
    return this.classes === 2 ? this.sum((group) => this.given(1, group)) / this.everybody : null;
  }

  get accuracy(): number {
    return 1 - this.sum((group) => this.errors(group)) / this.everybody;
  }

  /** Mean cross-entropy. */
  get loss(): number {
    return this.sum((group) => this.groupLoss(group) * this.people(group)) / this.everybody;
  }

  groupLoss(group: number): number {
    return this.numbers[this.losses + group] / 2 ** lossBits / this.people(group);
  }

  /** People whose score was not a finite number. */
  get broken(): number {
    return this.numbers[this.losses + this.groups];
  }

  /** Where the losses of groups begin. */
  private get losses(): number {
    return this.groups * this.classes ** 2;
  }

  get values(): CurveValues {
    return {
      loss: this.loss,
      accuracy: this.accuracy,
      dpd: this.difference("dp"),
      eod: this.difference("eo"),
      apd: this.difference("ap"),
      positiveRate: this.positiveRate,
    };
  }

  get largestGroup(): number {
    let largest = 0;
    for (let group = 1; group < this.groups; group++) if (this.people(group) > this.people(largest)) largest = group;
    return largest;
  }

  /** The people whom the fairness is about, as far as it is about one class. */
  concerned(fairness: Fairness, group: number, answer: number): number {
    return fairness === "eo" ? this.people(group, answer) : this.people(group);
  }

  /** How often a group gets an answer: all of it (dp), or those whose label it is (eo); or, whatever the answer, a wrong one (ap). NaN when nobody in it is concerned. */
  rate(fairness: Fairness, group: number, answer: number): number {
    const label = fairness === "eo" ? answer : undefined;
    const hits = fairness === "ap" ? this.errors(group) : this.given(answer, group, label);
    return hits / this.concerned(fairness, group, answer);
  }

  /** The same sums by the groups of each attribute alone. */
  get views(): readonly AnswerTally[] {
    return this.parts?.map((part) => this.merged(part)) ?? [this];
  }

  private merged({ groups: { length: groups }, of }: AttributePart): AnswerTally {
    const cells = { groups, classes: this.classes };
    const merged = new AnswerTally(new Float64Array(AnswerTally.length(cells)), cells);
    const each = this.classes ** 2;
    of.forEach((to, from) => {
      for (let i = 0; i < each; i++) merged.numbers[each * to + i] += this.numbers[each * from + i];
      merged.numbers[merged.losses + to] += this.numbers[this.losses + from];
    });
    merged.numbers[merged.losses + groups] = this.broken;
    return merged;
  }

  /**
   * Between the groups with the highest and the lowest rate, as in (4) and (5): rates are conditional. Of several attributes, and of
   * several classes, the largest.
   */
  difference(fairness: Fairness): number {
    return Math.max(...this.extremes(fairness).map(({ difference }) => difference));
  }

  /** The difference's standard error, as of a sample. Agresti and Coull's: a rate of 0 or 1 is not certain either. */
  error(fairness: Fairness): number {
    const { rates } = this.extremes(fairness).reduce((a, b) => (b.difference > a.difference ? b : a));
    const [high, low] = rates.map(({ rate, people }) => {
      const likely = (rate * people + 2) / (people + 4);
      return (likely * (1 - likely)) / (people + 4);
    });
    return Math.sqrt((high ?? 0) + (low ?? 0));
  }

  /** For each attribute and each class that is compared: the highest and the lowest rate; none where there are not two. */
  private extremes(fairness: Fairness): { difference: number; rates: { rate: number; people: number }[] }[] {
    if (this.parts) return this.views.flatMap((view) => view.extremes(fairness));
    return comparisons(fairness, this.classes).map((answer) => {
      const rates = this.range
        .map((group) => ({
          rate: this.rate(fairness, group, answer),
          people: this.concerned(fairness, group, answer),
        }))
        .filter(({ people }) => people > 0);
      if (rates.length < 2) return { difference: 0, rates: [] };
      const high = rates.reduce((a, b) => (b.rate > a.rate ? b : a));
      const low = rates.reduce((a, b) => (b.rate < a.rate ? b : a));
      return { difference: high.rate - low.rate, rates: [high, low] };
    });
  }

  private get range(): number[] {
    return Array.from({ length: this.groups }, (_, group) => group);
  }

  private sum(value: (group: number) => number): number {
    return this.range.reduce((total, group) => total + (this.people(group) === 0 ? 0 : value(group)), 0);
  }
}
