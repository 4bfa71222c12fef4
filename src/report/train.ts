import { controlMethod, usualMethod } from "../learning/catalogue.js";
import { differences, differenceWords } from "../learning/tally.js";
import type { TrainResult } from "../learning/types.js";
import type { Classification, Rate } from "../metrics/index.js";
import { columnLines } from "./columns.js";
import { formatCount, formatList, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { textTable } from "./table.js";

/** What a training was to make the same in all groups; empty when nothing. */
export function aimOf({ fairness }: Pick<TrainResult, "fairness">): string {
  return fairness === null ? "" : ` for ${differenceWords[`${fairness}d`].fairness}`;
}

/** A classifier, what it is compared with, and its groups, for the terminal. */
export function trainReport(result: TrainResult, files: readonly string[]): string {
  const { algorithm, net, trained, n, parties, seed, rounds, seconds, doubts } = result;
  const where = `${formatPeople(trained)} of ${formatCount(parties, "party", "parties")}`;
  return [
    ...(doubts.length > 0 ? [...doubts, ""] : []),
    `${algorithm}${aimOf(result)}, ${net}: ${where}, measured on ${formatPeople(n)}, seed ${seed}`,
    ...columnLines({ features: [], leftOut: [], ...result }),
    "",
    modelsTable(result),
    "",
    `yes is '${result.label.positive}'. Differences are in points, the group of ${result.protected} with the most less the one with the least:`,
    ...differenceLines(),
    "",
    groupsTable(result),
    "",
    controlSentence(result),
    `${formatCount(rounds, "round", "rounds")}${endOf(result)}; ${formatSeconds(seconds.total)} in all, of which ${formatSeconds(seconds.read)} reading.`,
    ...(files.length > 0 ? [`Wrote ${formatList(files)}.`] : []),
  ].join("\n");
}

/** What the names of differences mean. */
export function differenceLines(): string[] {
  return differences.map((each) => {
    const { fairness, share } = differenceWords[each];
    return `  ${each.toUpperCase()} (${fairness} difference): ${share}`;
  });
}

export function endOf({ ended, modelRound }: TrainResult): string {
  if (ended === "rounds") return "";
  if (ended === "settled") return ", settled";
  return ended === "patience"
    ? `, stopped early: the model of round ${modelRound}`
    : `, diverged: the model of round ${modelRound}`;
}

/** The model and, unless it is the plain one itself, those that it is compared with. */
export function modelsOf(result: TrainResult, control: string): (readonly [string, Classification])[] {
  if (result.algorithm === controlMethod.name) return [[controlMethod.name, result]];
  return [
    [result.algorithm, result],
    [controlMethod.name, result.fedavg],
    [control, result.control],
  ];
}

function modelsTable(result: TrainResult): string {
  return textTable(modelsOf(result, `control: ${controlMethod.name}, one threshold`), [
    ["model", ([name]) => name],
    ["accuracy", ([, { accuracy }]) => formatShare(accuracy), "right"],
    ["AUC", ([, { auc }]) => (auc === null ? "–" : auc.toFixed(3)), "right"],
    ["DPD", ([, { dpd }]) => points(dpd), "right"],
    ["EOD", ([, { eod }]) => points(eod), "right"],
    ["APD", ([, { apd }]) => points(apd), "right"],
    ["says yes", ([, { positiveRate }]) => formatShare(positiveRate), "right"],
  ]);
}

export function points(difference: number | null): string {
  return difference === null ? "–" : (100 * difference).toFixed(1);
}

export function groupsTable({ perGroup }: Pick<Classification, "perGroup">): string {
  return textTable(Object.entries(perGroup), [
    ["group", ([name]) => name],
    ["people", ([, { people }]) => formatNumber(people), "right"],
    ["label yes", ([, { positives }]) => formatNumber(positives), "right"],
    ["right", ([, { accuracy }]) => withInterval(accuracy), "right"],
    ["yes", ([, { positiveRate }]) => withInterval(positiveRate), "right"],
    ["yes where label is yes", ([, { truePositiveRate }]) => withInterval(truePositiveRate), "right"],
  ]);
}

function withInterval({ value, low, high }: Rate): string {
  if (value === null) return "–";
  return `${formatShare(value)} (${(100 * low!).toFixed(1)} to ${(100 * high!).toFixed(1)})`;
}

/** Whether the same could have been had by saying yes less, or more, often. */
export function controlSentence(result: TrainResult): string {
  const { fairness, control, algorithm } = result;
  if (algorithm === controlMethod.name || fairness === null)
    return `No fairness was asked for: ${usualMethod.name} seeks it.`;
  const [own, other] = [result[`${fairness}d`], control[`${fairness}d`]];
  if (own === null || other === null) return "A group has no people to compare: the difference is unknown.";
  const name = `${fairness.toUpperCase()}D`;
  const { low, high } = result.intervals[`${fairness}d`];
  const numbers = `${name} ${points(own)} (${points(low)} to ${points(high)} in 95 of 100 samples) against ${points(other)}, with ${formatShare(result.accuracy)} right against ${formatShare(control.accuracy)}`;
  if (result.fairer === null)
    return `No verdict against the control, which says yes as often, for the reasons given first: ${numbers}.`;
  const verb = result.fairer ? "Fairer than" : "No fairer than";
  return `${verb} the control, which says yes as often: ${numbers}.`;
}
