import { MoietyError } from "../errors.js";
import { cellOfHistogram, edgeOf, steps } from "./histogram.js";
import type { Fairness } from "./tally.js";
import type { WholeNumbers } from "./whole.js";

/** What is asked of thresholds by group. */
export interface GroupRequest {
  readonly fairness: Fairness;
  /** The largest difference between groups, among the people whom thresholds are chosen on. */
  readonly target: number;
  /** No count of fewer people is looked at, unless it is 0. */
  readonly minCount: number;
}

/** One threshold for each group: scores above it are a yes. */
export interface GroupThresholds {
  readonly target: number;
  /** What was kept, to half a person of each group: the target, or the least difference that there could be if that is more. */
  readonly kept: number;
  /** Whom they were chosen on, and the difference and the accuracy among them. */
  readonly people: number;
  readonly difference: number;
  readonly accuracy: number;
  /** By group, as logits. */
  readonly thresholds: Readonly<Record<string, number>>;
}

/** The share of the people to learn from that thresholds are chosen on instead: a model is too sure of those it has learnt from. */
export const validationShare = 0.25;

/** Who uses the group in decisions has to know this. */
export const useGroupWarning =
  "thresholds by group treat people differently because of their group. This is disparate treatment, and unlawful in many places: in employment, credit and housing in the United States, in the European Union unless the law justifies it. `useGroup` is for the cases in which it is lawful: take legal advice";

/** What to know of thresholds by group: the law, and whether they are what was asked for. */
export function thresholdWarnings({ target, kept, people }: GroupThresholds): string[] {
  const beyond = `no thresholds have a difference of ${points(target)} points or less among the ${people} people they are chosen on: the least is ${points(kept)}`;
  return [useGroupWarning, ...(kept > target ? [beyond] : [])];
}

function points(share: number): string {
  return (100 * share).toFixed(1);
}

/** 1 for a score above the threshold of the person's group. */
export function answersByGroup(
  scores: ArrayLike<number>,
  codes: ArrayLike<number>,
  groups: readonly string[],
  { thresholds }: Pick<GroupThresholds, "thresholds">,
): Uint8Array {
  const of = groups.map((group) => thresholds[group]);
  return Uint8Array.from(scores, (score, i) => (score > of[codes[i]] ? 1 : 0));
}

/** What a threshold would do to one group. */
interface Threshold {
  readonly threshold: number;
  /** Right answers. */
  readonly right: number;
  /** What is to be the same in all groups; NaN where nobody is concerned. */
  readonly rate: number;
  /** Half a person, as a share of those concerned: a rate of few people cannot be nearer to another one. */
  readonly half: number;
}

/**
 * The thresholds with the most right answers among those with which rates differ by at most `target`, to half a person of each group (Hardt, Price and Srebro 2016, without
 * chance: two people of a group with the same score get the same answer). Where there are none, those with the least difference.
 * `counts` is a histogram of scores, as `countScores` makes it.
 */
export function chooseThresholds(
  counts: WholeNumbers,
  groups: readonly string[],
  { fairness, target, minCount }: GroupRequest,
): GroupThresholds {
  const people = counts.reduce((sum, count) => sum + count, 0);
  const candidates = groups.map((name, group) => {
    const [no, yes] = [0, 1].map((label) => cellOfHistogram(counts, group, label)) as [WholeNumbers, WholeNumbers];
    const found = candidatesOf(no, yes, fairness, minCount);
    if (found.length > 0) return found;
    const seen = `of group '${name}' fewer than ${minCount} people of a label are left to choose a threshold on`;
    throw new MoietyError("input", `${seen}: merge groups, or lower minCount`);
  });
  const concerned = candidates.map((each) => each.filter(({ rate }) => !Number.isNaN(rate)));
  const starts = [...new Set(concerned.flat().map(({ rate, half }) => rate + half))].sort((a, b) => a - b);
  // The least difference that all groups can have, which may be more than was asked for.
  const least = starts.reduce((width, low) => Math.min(width, widthFrom(concerned, low)), Number.POSITIVE_INFINITY);
  const width = Math.max(target, Number.isFinite(least) ? least : 0);
  let best: { right: number; chosen: Threshold[] } | undefined;
  for (const low of starts.length === 0 ? [0] : starts) {
    const chosen = candidates.map((each) => bestWithin(each, low, low + width + rounding));
    if (chosen.includes(undefined)) continue;
    const right = chosen.reduce((sum, candidate) => sum + candidate!.right, 0);
    if (!best || right > best.right) best = { right, chosen: chosen as Threshold[] };
  }
  const { right, chosen } = best!;
  const rates = chosen.map(({ rate }) => rate).filter((rate) => !Number.isNaN(rate));
  return {
    target,
    kept: width,
    people,
    difference: rates.length < 2 ? 0 : Math.max(...rates) - Math.min(...rates),
    accuracy: people === 0 ? 0 : right / people,
    thresholds: Object.fromEntries(groups.map((name, group) => [name, chosen[group].threshold])),
  };
}

/** Sums of shares are not exact. */
const rounding = 1e-12;

/**
 * What each threshold does to a group. A threshold lies where there is nobody of a label, or `minCount` people, between it and the one before:
 * smaller counts are merged before anything is learnt of them.
 */
function candidatesOf(no: WholeNumbers, yes: WholeNumbers, fairness: Fairness, minCount: number): Threshold[] {
  const sum = (values: WholeNumbers) => values.reduce((all, value) => all + value, 0);
  const [allNo, allYes] = [sum(no), sum(yes)];
  const enough = (count: number) => count === 0 || count >= minCount;
  const found: Threshold[] = [];
  /** People below the threshold, and below the one before. */
  let [noBelow, yesBelow, noBefore, yesBefore] = [0, 0, 0, 0];
  for (let edge = 1; edge < steps; edge++) {
    noBelow += no[edge - 1];
    yesBelow += yes[edge - 1];
    const inside = enough(noBelow - noBefore) && enough(yesBelow - yesBefore);
    if (!inside || !enough(allNo - noBelow) || !enough(allYes - yesBelow)) continue;
    [noBefore, yesBefore] = [noBelow, yesBelow];
    const right = noBelow + allYes - yesBelow;
    const [hits, of] =
      fairness === "eo"
        ? [allYes - yesBelow, allYes]
        : [fairness === "dp" ? allNo + allYes - noBelow - yesBelow : allNo + allYes - right, allNo + allYes];
    found.push({ threshold: edgeOf(edge), right, rate: hits / of, half: 0.5 / of });
  }
  return found;
}

/** How far the rates of all groups reach, none being below `low`; to half a person. */
function widthFrom(candidates: readonly (readonly Threshold[])[], low: number): number {
  let most = low;
  for (const each of candidates) {
    if (each.length === 0) continue;
    const least = each.reduce(
      (next, { rate, half }) => (rate + half >= low ? Math.min(next, rate - half) : next),
      Number.POSITIVE_INFINITY,
    );
    most = Math.max(most, least);
  }
  return most - low;
}

/** The one with the most right answers whose rate is within, to half a person; of several, the one nearest to an even chance. */
function bestWithin(candidates: readonly Threshold[], low: number, high: number): Threshold | undefined {
  let best: Threshold | undefined;
  for (const each of candidates) {
    if (each.rate + each.half < low || each.rate - each.half > high) continue;
    const nearer = best && each.right === best.right && Math.abs(each.threshold) < Math.abs(best.threshold);
    if (!best || each.right > best.right || nearer) best = each;
  }
  return best;
}
