import type { AttributePart } from "./attributes.js";
import type { WholeNumbers } from "./whole.js";

/** What is to be the same in all groups: a yes (dp), a yes to those whose label is yes (eo), or errors (ap). */
export const fairnessNames = ["eo", "dp", "ap"] as const;
export type Fairness = (typeof fairnessNames)[number];
export type Difference = `${Fairness}d`;
export const differences = ["dpd", "eod", "apd"] as const satisfies readonly Difference[];

/** In words, wherever a difference is named for the first time: its fairness, and the share that is compared. */
export const differenceWords: Readonly<Record<Difference, { readonly fairness: string; readonly share: string }>> = {
  dpd: { fairness: "demographic parity", share: "the share that gets a yes" },
  eod: { fairness: "equal opportunity", share: "the share that gets a yes among those whose label is yes" },
  apd: { fairness: "accuracy parity", share: "the share that gets a wrong answer" },
};

/** Measures of one model on one set of people: what a learning curve is made of. */
export interface CurveValues extends Readonly<Record<Difference, number>> {
  readonly loss: number;
  readonly accuracy: number;
  readonly positiveRate: number;
}

/** No loss counts for more than this, so that sums have a bound. */
const largestLoss = 64;
const lossBits = 16;

/** Sums over people of a model's answers, by group and label: everything that the coordinator knows of the people. */
export class AnswerTally {
  static length(groups: number): number {
    return 5 * groups + 1;
  }

  constructor(
    readonly numbers: WholeNumbers,
    readonly groups: number,
    /** Where groups are combinations of several attributes' groups. */
    readonly parts?: readonly AttributePart[],
  ) {}

  /** Of scores, a yes being a score above 0. */
  static of(scores: ArrayLike<number>, labels: Uint8Array, codes: Uint8Array, groups: number): AnswerTally {
    const numbers = new Float64Array(AnswerTally.length(groups));
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i];
      const cell = (codes[i] * 2 + labels[i]) * 2;
      numbers[cell] += 1;
      if (score > 0) numbers[cell + 1] += 1;
      if (Number.isFinite(score)) {
        const away = labels[i] === 1 ? -score : score;
        const loss = away > 0 ? away + Math.log1p(Math.exp(-away)) : Math.log1p(Math.exp(away));
        numbers[4 * groups + codes[i]] += Math.round(Math.min(loss, largestLoss) * 2 ** lossBits);
      } else numbers[5 * groups] += 1;
    }
    return new AnswerTally(numbers, groups);
  }

  people(group: number, label?: number): number {
    if (label === undefined) return this.people(group, 0) + this.people(group, 1);
    return this.numbers[(group * 2 + label) * 2];
  }

  yes(group: number, label?: number): number {
    if (label === undefined) return this.yes(group, 0) + this.yes(group, 1);
    return this.numbers[(group * 2 + label) * 2 + 1];
  }

  errors(group: number): number {
    return this.yes(group, 0) + this.people(group, 1) - this.yes(group, 1);
  }

  get everybody(): number {
    return this.sum((group) => this.people(group));
  }

  get positiveRate(): number {
    return this.sum((group) => this.yes(group)) / this.everybody;
  }

  get accuracy(): number {
    return 1 - this.sum((group) => this.errors(group)) / this.everybody;
  }

  /** Mean cross-entropy. */
  get loss(): number {
    return this.sum((group) => this.groupLoss(group) * this.people(group)) / this.everybody;
  }

  groupLoss(group: number): number {
    return this.numbers[4 * this.groups + group] / 2 ** lossBits / this.people(group);
  }

  /** People whose score was not a finite number. */
  get broken(): number {
    return this.numbers[5 * this.groups];
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

  /** The people whom the fairness is about. */
  concerned(fairness: Fairness, group: number): number {
    return fairness === "eo" ? this.people(group, 1) : this.people(group);
  }

  /** A group's rate; NaN when nobody in it is concerned. */
  rate(fairness: Fairness, group: number): number {
    const hits = fairness === "dp" ? this.yes(group) : fairness === "eo" ? this.yes(group, 1) : this.errors(group);
    return hits / this.concerned(fairness, group);
  }

  /** The same sums by the groups of each attribute alone. */
  get views(): readonly AnswerTally[] {
    return this.parts?.map((part) => this.merged(part)) ?? [this];
  }

  private merged({ groups, of }: AttributePart): AnswerTally {
    const numbers = new Float64Array(AnswerTally.length(groups.length));
    of.forEach((to, from) => {
      for (let i = 0; i < 4; i++) numbers[4 * to + i] += this.numbers[4 * from + i];
      numbers[4 * groups.length + to] += this.numbers[4 * this.groups + from];
    });
    numbers[5 * groups.length] = this.broken;
    return new AnswerTally(numbers, groups.length);
  }

  /** Between the groups with the highest and the lowest rate, as in (4) and (5): rates are conditional. Of several attributes, the largest. */
  difference(fairness: Fairness): number {
    if (this.parts) return Math.max(...this.views.map((view) => view.difference(fairness)));
    const rates = this.range.map((group) => this.rate(fairness, group)).filter((rate) => !Number.isNaN(rate));
    return rates.length < 2 ? 0 : Math.max(...rates) - Math.min(...rates);
  }

  /** The difference's standard error, as of a sample. Agresti and Coull's: a rate of 0 or 1 is not certain either. */
  error(fairness: Fairness): number {
    if (this.parts) {
      const widest = this.views.reduce((a, b) => (b.difference(fairness) > a.difference(fairness) ? b : a));
      return widest.error(fairness);
    }
    const groups = this.range.filter((group) => this.concerned(fairness, group) > 0);
    const rate = (group: number) => this.rate(fairness, group);
    if (groups.length < 2) return 0;
    const extremes = [
      groups.reduce((a, b) => (rate(b) > rate(a) ? b : a)),
      groups.reduce((a, b) => (rate(b) < rate(a) ? b : a)),
    ];
    const variances = extremes.map((group) => {
      const people = this.concerned(fairness, group);
      const likely = (rate(group) * people + 2) / (people + 4);
      return (likely * (1 - likely)) / (people + 4);
    });
    return Math.sqrt(variances[0] + variances[1]);
  }

  private get range(): number[] {
    return Array.from({ length: this.groups }, (_, group) => group);
  }

  private sum(value: (group: number) => number): number {
    return this.range.reduce((total, group) => total + (this.people(group) === 0 ? 0 : value(group)), 0);
  }
}
