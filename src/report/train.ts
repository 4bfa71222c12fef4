import { controlMethod, usualMethod } from "../learning/catalogue.js";
import { type ClassNames, classesOf } from "../learning/classes.js";
import { comparedShare, type Difference, differences, differenceWords } from "../learning/tally.js";
import type { TrainResult } from "../learning/types.js";
import { worstParty } from "../learning/worst-party.js";
import type { Classification, GroupRates, Rate } from "../metrics/index.js";
import { columnLines } from "./columns.js";
import { capitalised } from "./costs.js";
import {
  formatCount,
  formatFixed,
  formatList,
  formatNumber,
  formatPeople,
  formatSeconds,
  formatShare,
} from "./format.js";
import { say, told } from "./language.js";
import { textTable } from "./table.js";

/** What a training was to make the same in all groups; empty when nothing. */
export function aimOf({ fairness }: Pick<TrainResult, "fairness">): string {
  return fairness === null ? "" : say` for ${told(differenceWords[`${fairness}d`].fairness)}`;
}

/** A classifier, what it is compared with, and its groups, for the terminal. */
export function trainReport(result: TrainResult, files: readonly string[]): string {
  const { net, trained, n, parties, seed, rounds, seconds, doubts } = result;
  const where = `${formatPeople(trained)} of ${formatCount(parties, "party", "parties")}`;
  return [
    ...(doubts.length > 0 ? [...doubts, ""] : []),
    `${modelName(result)}${aimOf(result)}, ${net}: ${where}, measured on ${formatPeople(n)}, seed ${seed}`,
    ...columnLines({ features: [], leftOut: [], ...result }),
    "",
    modelsTable(result),
    "",
    `${classesSentence(result.label)} Differences are in points, the group of ${result.protected} with the most less the one with the least${result.perAttribute ? "; of several attributes, the largest" : ""}:`,
    ...differenceLines(classesOf(result.label).length),
    "",
    ...attributeLines(result),
    ...classLines(result),
    groupsTable(result, result.useGroup?.thresholds),
    "",
    ...thresholdLines(result),
    controlSentence(result),
    ...partyLines(result),
    `${formatCount(rounds, "round", "rounds")}${endOf(result)}; ${formatSeconds(seconds.total)} in all, of which ${formatSeconds(seconds.read)} reading.`,
    ...(files.length > 0 ? [`Wrote ${formatList(files)}.`] : []),
  ].join("\n");
}

/** The algorithm, and that its answers depend on the group where they do. */
export function modelName({ algorithm, useGroup }: Pick<TrainResult, "algorithm" | "useGroup">): string {
  return useGroup ? say`${algorithm}, thresholds by group` : algorithm;
}

/** Whether a result is the plain model's as it is, so that there is nothing to compare it with. */
export function isControl({ algorithm, useGroup }: Pick<TrainResult, "algorithm" | "useGroup">): boolean {
  return algorithm === controlMethod.name && !useGroup;
}

/** The difference that is spoken of at parties: the one that was sought, else equal opportunity's. */
export function partyDifference({ fairness }: Pick<TrainResult, "fairness">): Difference {
  return fairness === null ? "eod" : `${fairness}d`;
}

/** How fair the model is at each party, in a sentence, and of which parties that cannot be said. */
export function partyLines(
  result: Pick<TrainResult, "fairness" | "perParty" | "fairnessLevel" | Difference>,
): string[] {
  const { perParty } = result;
  if (!perParty || perParty.length < 2) return [];
  const key = partyDifference(result);
  const name = key.toUpperCase();
  const worst = worstParty(perParty, key);
  if (!worst)
    return [say`Whether it is fair at each party cannot be said: every one of them lacks a group to compare.`];
  const { party, largest, mean, control, undecided } = worst;
  const decided = perParty.length - undecided.length;
  const sought = result.fairnessLevel === "party" ? ` ${say`(sought there)`}` : "";
  return [
    say`At each party by itself${sought}, ${name} is ${points(mean)} on average over ${formatCount(decided, "party", "parties")}${control === null ? "" : ` ${say`(the control: ${points(control)})`}`}, and ${points(largest)} at most, at ${party}; among everybody it is ${points(result[key])}.`,
    ...(undecided.length > 0
      ? [
          say`Undecidable at ${formatCount(undecided.length, "party", "parties")} that ${undecided.length === 1 ? say`lacks` : say`lack`} a group to compare: ${shortList(undecided)}.`,
        ]
      : []),
  ];
}

/** Parties that are named one by one. */
const mostNamed = 10;

function shortList(names: readonly string[]): string {
  return names.length <= mostNamed
    ? formatList(names)
    : say`${names.slice(0, mostNamed).join(", ")} and ${names.length - mostNamed} more`;
}

/** Whom thresholds by group were chosen on, and what they reach there. */
export function thresholdLines({ useGroup, fairness }: Pick<TrainResult, "useGroup" | "fairness">): string[] {
  if (!useGroup || fairness === null) return [];
  const { people, target, difference, accuracy } = useGroup;
  const reached = say`${formatShare(accuracy)} right at ${fairness.toUpperCase()}D ${points(difference)}`;
  return [
    say`Thresholds were chosen on ${formatPeople(people)} set aside from those to learn from: the most right answers with ${fairness.toUpperCase()}D at most ${points(target)}, to half a person of each group. There: ${reached}.`,
  ];
}

/** Which class is the yes, or that none is. */
function classesSentence(label: ClassNames): string {
  if ("positive" in label) return `yes is '${label.positive}'.`;
  return `${capitalised(classNames(label.classes))}.`;
}

export function classNames(classes: readonly string[]): string {
  return `the classes are ${formatList(classes.map((name) => `'${name}'`))}`;
}

/** What the names of differences mean. */
export function differenceLines(classes = 2): string[] {
  return differences.map(
    (each) => `  ${each.toUpperCase()} (${differenceWords[each].fairness} difference): ${comparedShare(each, classes)}`,
  );
}

export function endOf({ ended, modelRound, validation }: TrainResult): string {
  if (validation && (ended === "rounds" || ended === "settled")) {
    const chosen = say`the model of round ${modelRound}, the best among ${formatPeople(validation.people)} set aside`;
    return ended === "settled" ? say`, settled: ${chosen}` : `: ${chosen}`;
  }
  if (ended === "rounds") return "";
  if (ended === "settled") return say`, settled`;
  return ended === "patience"
    ? say`, stopped early: the model of round ${modelRound}`
    : say`, diverged: the model of round ${modelRound}`;
}

/** The model and, unless it is the plain one itself, those that it is compared with. */
export function modelsOf(result: TrainResult, control: string): (readonly [string, Classification])[] {
  if (isControl(result)) return [[controlMethod.name, result]];
  return [
    [modelName(result), result],
    [controlMethod.name, result.fedavg],
    // Of more than two classes the control is the plain model as it is.
    ...(result.positiveRate === null ? [] : [[control, result.control] as const]),
  ];
}

function modelsTable(result: TrainResult): string {
  const models = modelsOf(result, `control: ${controlMethod.name}, one threshold`);
  return textTable(models, [
    ["model", ([name]) => name],
    ["accuracy", ([, { accuracy }]) => formatShare(accuracy), "right"],
    ["AUC", ([, { auc }]) => (auc === null ? "–" : auc.toFixed(3)), "right"],
    ["DPD", ([, { dpd }]) => points(dpd), "right"],
    ["EOD", ([, { eod }]) => points(eod), "right"],
    ["APD", ([, { apd }]) => points(apd), "right"],
    ...(result.positiveRate === null
      ? []
      : [
          [
            "says yes",
            ([, of]: readonly [string, Classification]) => formatShare(of.positiveRate ?? 0),
            "right",
          ] as const,
        ]),
  ]);
}

/** Where there are more than two classes: what each of them has. */
export function classLines({ perClass }: Pick<Classification, "perClass">): string[] {
  if (!perClass) return [];
  const table = textTable(Object.entries(perClass), [
    ["class", ([name]) => name],
    ["has it", ([, { positives }]) => formatNumber(positives), "right"],
    ["gets it", ([, { positiveRate }]) => withInterval(positiveRate), "right"],
    ["gets it who has it", ([, { truePositiveRate }]) => withInterval(truePositiveRate), "right"],
    ["DPD", ([, { dpd }]) => points(dpd), "right"],
    ["EOD", ([, { eod }]) => points(eod), "right"],
  ]);
  return [table, ""];
}

/** Where there are several attributes: what each of them has. */
export function attributeLines({ perAttribute }: Pick<Classification, "perAttribute">): string[] {
  if (!perAttribute) return [];
  const table = textTable(Object.entries(perAttribute), [
    ["attribute", ([name]) => name],
    ["DPD", ([, { dpd }]) => points(dpd), "right"],
    ["EOD", ([, { eod }]) => points(eod), "right"],
    ["APD", ([, { apd }]) => points(apd), "right"],
  ]);
  return [table, ""];
}

export function points(difference: number | null): string {
  return difference === null ? "–" : formatFixed(100 * difference, 1);
}

export function groupsTable(
  { perGroup }: Pick<Classification, "perGroup">,
  thresholds?: Readonly<Record<string, number>>,
): string {
  type Row = readonly [string, GroupRates];
  const ofYes = [
    ["yes", ([, { positiveRate }]: Row) => withInterval(positiveRate), "right"],
    ["yes where label is yes", ([, { truePositiveRate }]: Row) => withInterval(truePositiveRate), "right"],
  ] as const;
  const isBinary = Object.values(perGroup).every(({ perClass }) => perClass === undefined);
  return textTable(Object.entries(perGroup), [
    ["group", ([name]) => name],
    ["people", ([, { people }]) => formatNumber(people), "right"],
    ...(isBinary ? [["label yes", ([, { positives }]: Row) => formatNumber(positives ?? 0), "right"] as const] : []),
    ["right", ([, { accuracy }]) => withInterval(accuracy), "right"],
    ...(isBinary ? ofYes : []),
    ...(thresholds
      ? [
          [
            "yes above",
            ([name]: readonly [string, unknown]) => formatShare(probabilityAt(thresholds[name])),
            "right",
          ] as const,
        ]
      : []),
  ]);
}

/** The probability of a yes, by the model, at a threshold that is a logit. */
export function probabilityAt(threshold: number): number {
  return 1 / (1 + Math.exp(-threshold));
}

function withInterval({ value, low, high }: Rate): string {
  if (value === null) return "–";
  return `${formatShare(value)} (${(100 * low!).toFixed(1)} to ${(100 * high!).toFixed(1)})`;
}

/** Whether the same could have been had by saying yes less, or more, often. */
export function controlSentence(result: TrainResult): string {
  const { fairness, control } = result;
  if (isControl(result) || fairness === null) return say`No fairness was asked for: ${usualMethod.name} seeks it.`;
  const [own, other] = [result[`${fairness}d`], control[`${fairness}d`]];
  if (own === null || other === null) return say`A group has no people to compare: the difference is unknown.`;
  const name = `${fairness.toUpperCase()}D`;
  const { low, high } = result.intervals[`${fairness}d`];
  const numbers = say`${name} ${points(own)} (${points(low)} to ${points(high)} in 95 of 100 samples) against ${points(other)}, with ${formatShare(result.accuracy)} right against ${formatShare(control.accuracy)}`;
  const plain = result.positiveRate === null;
  if (result.fairer === null) {
    return plain
      ? say`No verdict against the control, the plain model, for the reasons given first: ${numbers}.`
      : say`No verdict against the control, which says yes as often, for the reasons given first: ${numbers}.`;
  }
  const verb = result.fairer ? say`Fairer than` : say`No fairer than`;
  return plain
    ? say`${verb} the control, the plain model: ${numbers}.`
    : say`${verb} the control, which says yes as often: ${numbers}.`;
}
