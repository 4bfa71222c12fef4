import type { Classification, GroupRates, Rate } from "../metrics/index.js";
import type { Training } from "./checkpoint.js";
import { differenceWords, type Fairness } from "./tally.js";

/** What a model is worth, before anything is said of its fairness. */
export interface ModelAssessment {
  /** Whether it answers better than one answer for everybody, and orders people better than chance. */
  readonly useful: boolean;
  /** Whether its measures, and the control's, had come to rest. */
  readonly settled: boolean;
  /** Than the control, in what was asked for; null where that cannot be said: see the doubts. */
  readonly fairer: boolean | null;
  /** Why not to rely on it, in sentences. */
  readonly doubts: readonly string[];
  /** Always answering with the commoner class. */
  readonly baseline: { readonly answer: string; readonly accuracy: number };
}

/** Standard deviations on either side of a 95% interval. */
const z = 1.96;
/** An AUC nearer to 0.5 than this is of no use, however many people were measured. */
const leastAucGain = 0.02;

/** What is to be said of a model, and of the control that it is compared with. */
export function assess(
  own: Classification,
  control: Classification,
  training: Training,
  /** Undefined where the model is its own control. */
  controlTraining: Training | undefined,
  classes: readonly string[],
  /** `settles`: whether the number of rounds was left open. */
  { fairness, settles }: { readonly fairness: Fairness | undefined; readonly settles: boolean },
): ModelAssessment {
  const counts = countsOf(own, classes);
  const useless = [...answersDoubt(own, counts, classes), ...orderDoubt(own)];
  const unsettled = [
    ...settlingDoubt(training, settles, "its"),
    ...(controlTraining && controlTraining !== training
      ? settlingDoubt(controlTraining, settles, "the control's")
      : []),
  ];
  const [useful, settled] = [useless.length === 0, unsettled.length === 0];
  const [mine, other] = fairness ? [own[`${fairness}d`], control[`${fairness}d`]] : [null, null];
  return {
    useful,
    settled,
    fairer: useful && settled && controlTraining && mine !== null && other !== null ? mine < other : null,
    doubts: [...new Set([...useless, ...unsettled])],
    baseline: { answer: classes[counts.commoner], accuracy: counts.most / own.n },
  };
}

/**
 * The commonest label, and how many have it; and how many people are given another answer: rightly, as it is their label, or
 * wrongly.
 */
function countsOf(own: Classification, classes: readonly string[]) {
  const labels = peopleByLabel(own, classes);
  const commoner = labels.reduce((most, { people }, label) => (people > labels[most].people ? label : most), 0);
  const { people: most, right } = labels[commoner];
  const rightly = labels.reduce((sum, label) => sum + label.right, 0) - right;
  return { commoner, most, rightly, wrongly: most - right };
}

/** How many people have each label, and how many of them get it as answer. */
function peopleByLabel({ perGroup, perClass, n }: Classification, classes: readonly string[]) {
  const hits = (rate: Rate, of: number) => Math.round((rate.value ?? 0) * of);
  if (perClass) {
    return classes.map((name) => {
      const { positives, truePositiveRate } = perClass[name];
      return { people: positives, right: hits(truePositiveRate, positives) };
    });
  }
  const sum = (of: (group: GroupRates, positives: number) => number) =>
    Object.values(perGroup).reduce((all, group) => all + of(group, group.positives ?? 0), 0);
  const positives = sum((_, yes) => yes);
  const truly = sum(({ truePositiveRate }, yes) => hits(truePositiveRate, yes));
  const falsely = sum(({ falsePositiveRate, people }, yes) => hits(falsePositiveRate, people - yes));
  return [
    { people: n - positives, right: n - positives - falsely },
    { people: positives, right: truly },
  ];
}

/**
 * A model and one answer for everybody differ where the model gives the other answer: rightly, or not. By chance alone
 * the two numbers would differ by the root of their sum (McNemar 1947).
 */
function answersDoubt(
  { n, accuracy, positiveRate, perClass }: Classification,
  { commoner, most, rightly, wrongly }: ReturnType<typeof countsOf>,
  classes: readonly string[],
): string[] {
  const only = classes.find((name, at) => (perClass ? perClass[name].positiveRate.value === 1 : positiveRate === at));
  if (only !== undefined) {
    return [`One answer: it predicts '${only}' for every person, which makes every difference 0.`];
  }
  const margin = z * Math.sqrt(rightly + wrongly);
  if (rightly - wrongly > margin) return [];
  const error = rightly > wrongly ? `, within the sampling error of ${points(margin / n)} points` : "";
  const numbers = `${points(accuracy)}% against ${points(most / n)}%${error}`;
  return [
    `Near the commoner class: right no more often than always answering '${classes[commoner]}' would be, ${numbers}.`,
  ];
}

function orderDoubt({ auc, n, perGroup }: Classification): string[] {
  if (auc === null) return [];
  const positives = Object.values(perGroup).reduce((sum, group) => sum + (group.positives ?? 0), 0);
  // The Mann-Whitney statistic's, where scores say nothing of labels.
  const margin = Math.max(leastAucGain, z * Math.sqrt((n + 1) / (12 * positives * (n - positives))));
  if (auc > 0.5 + margin) return [];
  const chance = `chance has 0.5, give or take ${margin.toFixed(3)}`;
  return [`No better than chance: it puts people in order with an AUC of ${auc.toFixed(3)}, where ${chance}.`];
}

function settlingDoubt({ ended, rounds, modelRound, motion }: Training, settles: boolean, whose: string): string[] {
  if (ended === "diverged") {
    const kept =
      modelRound === 0
        ? "what was kept is the start, which has learnt nothing"
        : `the model of round ${modelRound}, the best before it, was kept`;
    const advice = "try a lower `rate`, `eta` or `beta`";
    return [`Diverged: ${whose} training was beyond hope in round ${rounds}, and ${kept}; ${advice}.`];
  }
  if (motion.kind === "settled") return [];
  const advice = settles
    ? ended === "patience"
      ? "give more `patience`, or none"
      : "give more `maxRounds`, a larger `rate` or fewer `parties`"
    : "leave out `rounds`, and it goes on until it settles";
  const after = `${rounds} ${rounds === 1 ? "round" : "rounds"}`;
  if (motion.kind === "unknown") return [`Not settled, as far as ${after} can tell: ${advice}.`];
  const { what } = motion;
  const name =
    what === "loss" || what === "accuracy"
      ? what
      : `${differenceWords[what].fairness} difference (${what.toUpperCase()})`;
  const value = (of: number) => (what === "loss" ? of.toFixed(3) : `${points(of)} points`);
  const moved =
    motion.kind === "drifting"
      ? `went from ${value(motion.before)} to ${value(motion.after)}`
      : `still swung by ${value(motion.by)} from round to round`;
  return [`Not settled after ${after}: ${whose} ${name} ${moved} at the end, among the people learnt from; ${advice}.`];
}

function points(share: number): string {
  return (100 * share).toFixed(1);
}
