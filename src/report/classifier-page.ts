import type { FederatedTraining } from "../federation/results/training.js";
import { controlMethod, methods } from "../learning/catalogue.js";
import { type ClassNames, classesOf } from "../learning/classes.js";
import { comparedShare, type Difference, differences, differenceWords } from "../learning/tally.js";
import type { LearningData, Trained, TrainResult } from "../learning/types.js";
import type { Classification, Rate } from "../metrics/index.js";
import { curvesSection, tradeOffSection } from "./classifier-plots.js";
import { columnsSection } from "./columns.js";
import { sitesSection } from "./federated-page.js";
import { formatCount, formatFixed, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { html, type Markup, name, type Piece, spoken } from "./html/markup.js";
import {
  numberTable,
  type PageSection,
  type Provenance,
  provenanceSection,
  reportPage,
  section,
  verdictHeader,
} from "./html/parts.js";
import { heard, say, told } from "./language.js";
import type { ReportParts } from "./report.js";
import { speaking } from "./speaking.js";
import {
  aimOf,
  controlSentence,
  endOf,
  isControl,
  modelsOf,
  partyDifference,
  partyLines,
  points,
  probabilityAt,
  thresholdLines,
} from "./train.js";
import type { Tone } from "./verdict.js";

interface ClassifierReport extends Provenance {
  readonly trained: Trained;
  readonly data: LearningData;
  /** Of a federation: what left each site. */
  readonly sites?: FederatedTraining["sites"];
}

/** A classifier as one page that needs nothing else: how good and how fair it is, groups, trade-offs and learning curves. */
export function classifierPage(report: ClassifierReport): string {
  return speaking(report.language, () => {
    const { summary, opening, sections } = classifierParts(report);
    return reportPage(summary, report.made, opening, sections);
  });
}

/** The same part by part, for pages that show it in a frame of their own. */
export function classifierParts(report: ClassifierReport): ReportParts {
  return speaking(report.language, () => partsOf(report));
}

function partsOf({ trained, data, sites, ...from }: ClassifierReport): ReportParts {
  const { result } = trained;
  const { features } = result;
  const summary = say`A classifier${aimOf(result)} of ${formatPeople(result.trained)}`;
  const sections = [
    modelsSection(result),
    groupsSection(result),
    partiesSection(result),
    tradeOffSection(trained, data),
    curvesSection(result, trained.controlCurve),
    features && columnsSection({ features, leftOut: [], ...result }),
    sites && sitesSection(sites),
    provenance(result, from),
  ].filter((each) => each !== undefined);
  return { summary, opening: header(result), sections };
}

/** What speaks against the model comes first; without that, whether it is fairer. */
function header(result: TrainResult): Markup {
  const { accuracy, auc, baseline, control, fairness, positiveRate, n, rounds, seconds, doubts, warnings, label } =
    result;
  const [first = verdictSentence(result), ...further] = doubts.map(heard);
  const aimed = fairness === null ? undefined : (`${fairness}d` as const);
  return verdictHeader({
    ...standing(result),
    sentence: first,
    notes: [
      ...further,
      ...(doubts.length > 0 ? [verdictSentence(result)] : []),
      ...(aimed && result[aimed] !== null && result.fairer !== null ? [controlSentence(result)] : []),
      ...thresholdLines(result),
      "positive" in label
        ? html`It predicts whether a person’s label is ${name(label.positive)}, and ${result.useGroup ? say`needs to know` : say`does not use`} the groups of ${name(result.protected)}.`
        : html`It predicts which of ${formatNumber(label.classes.length)} labels a person has, and does not use the groups of ${name(result.protected)}.`,
    ],
    warnings,
    numbers: [
      [
        "Accuracy",
        formatShare(accuracy),
        say`${formatShare(baseline.accuracy)} by always answering ${spoken(classIn(label, baseline.answer))}`,
      ],
      ...(positiveRate === null
        ? []
        : [["AUC", auc === null ? "–" : formatFixed(auc, 3), "0.5 is chance, 1 is perfect"] as const]),
      aimed
        ? [aimed.toUpperCase(), points(result[aimed]), say`points, the control ${points(control[aimed])}`]
        : ["Fairness", "–", say`nothing was asked for`],
      ...(positiveRate === null ? [] : [["Says yes", formatShare(positiveRate), "of all people measured on"] as const]),
      ["Measured on", formatNumber(n), say`people; learnt from ${formatNumber(result.trained)}`],
      [
        "Rounds",
        formatNumber(rounds),
        `${result.settled ? say`settled` : say`not settled`}, ${formatSeconds(seconds.total)}`,
      ],
    ],
  });
}

/** A class, by its name; of several others together nobody but us named the no. */
function classIn(label: ClassNames, answer: string): string {
  return "positive" in label && answer === `not ${label.positive}` ? say`not ${label.positive}` : answer;
}

function standing({ useful, settled, fairer, ended }: TrainResult): { word: string; tone: Tone } {
  if (!useful) return { word: "Of no use as it is", tone: "bad" };
  if (!settled)
    return ended === "diverged" ? { word: "Diverged", tone: "bad" } : { word: "Not settled", tone: "doubtful" };
  if (fairer === null) return { word: "Measured", tone: "none" };
  return fairer
    ? { word: "Fairer than the control", tone: "good" }
    : { word: "No fairer than the control", tone: "bad" };
}

/** For whoever has never heard of these names. */
function verdictSentence(result: TrainResult): Markup {
  const { fairness, control, label } = result;
  if (isControl(result) || fairness === null) return html`${controlSentence(result)}`;
  const key = `${fairness}d` as const;
  const [own, other] = [result[key], control[key]];
  if (own === null || other === null) return html`${controlSentence(result)}`;
  if (!("positive" in label)) {
    const compared = told(comparedShare(key, label.classes.length));
    return html`Between groups of ${name(result.protected)}, ${compared}, differs by ${points(own)} points, from the highest to the lowest (${told(differenceWords[key].fairness)} difference, ${key.toUpperCase()}); with the plain model, the control, by ${points(other)}.`;
  }
  const who = fairness === "eo" ? html`Of those whose label is ${name(label.positive)}, groups of` : html`Groups of`;
  const what = fairness === "ap" ? say`a wrong answer` : say`a yes`;
  return html`${who} ${name(result.protected)} get ${what} at rates that differ by ${points(own)} points, from the highest to the lowest (${told(differenceWords[key].fairness)} difference, ${key.toUpperCase()}); with a plain model that says yes as often, the control, they differ by ${points(other)}.`;
}

function modelsSection(result: TrainResult): PageSection {
  const { label } = result;
  const isBinary = "positive" in label;
  const keys = ["accuracy", "dpd", "eod", "apd", ...(isBinary ? (["positiveRate"] as const) : [])] as const;
  const titles = ["Model", "Accuracy", "DPD", "EOD", "APD", ...(isBinary ? [say`Says yes`, "AUC"] : [])];
  const row = ([title, model]: readonly [string, Classification]) =>
    [
      title,
      ...keys.map((key) => withIntervalBelow(model.intervals[key], points)),
      ...(isBinary ? [model.auc === null ? "–" : formatFixed(model.auc, 3)] : []),
    ] as const;
  const shareOf = (key: Difference) => told(comparedShare(key, classesOf(label).length));
  const body = html`<p>In points, with 95% intervals below. Differences are between groups, the highest less the lowest:</p>
<dl class="terms">${differences.map((key) => html`<div><dt>${key.toUpperCase()}</dt><dd>${told(differenceWords[key].fairness)} difference: ${shareOf(key)}</dd></div>`)}${isBinary ? html`<div><dt>AUC</dt><dd>how often a person whose label is yes has a higher score than a person whose label is no</dd></div>` : undefined}</dl>
${isControl(result) || !isBinary ? undefined : html`<p>The control is ${controlMethod.name}, the plain model, with one threshold for all people, moved until it says yes as often as this one: what it reaches is possible without any fairness method.</p>`}
${numberTable("Accuracy and fairness", titles, modelsOf(result, say`control`).map(row))}`;
  return section("models", "Models", "Accuracy and fairness", body);
}

function groupsSection(result: TrainResult): PageSection {
  const { perGroup, perClass, perAttribute, protected: attribute, useGroup } = result;
  const titles = [
    ...["Group", "People", "Label yes", "Accuracy", "Yes", "Yes where label is yes", "Yes where label is no"],
    ...(useGroup ? [say`Yes above`] : []),
  ];
  if (perClass) return groupsByClass(result, perClass);
  const rows = Object.entries(perGroup).map(([group, rates]) => {
    const { accuracy, positiveRate, truePositiveRate, falsePositiveRate } = rates;
    const shares = [accuracy, positiveRate, truePositiveRate, falsePositiveRate];
    const cells = shares.map((rate) => withIntervalBelow(rate, formatShare));
    const above = useGroup ? [formatShare(probabilityAt(useGroup.thresholds[group]))] : [];
    return [name(group), formatNumber(rates.people), formatNumber(rates.positives ?? 0), ...cells, ...above] as const;
  });
  const body = html`<p>Of each group of ${name(attribute)}, among the people measured on, with 95% intervals: the fewer people, the wider.</p>
${useGroup ? html`<p>Each group has its own threshold: a person gets a yes if the model’s probability is above it.</p>` : undefined}
${attributesTable(perAttribute)}
${numberTable("Group by group", titles, rows)}`;
  return section("groups", "Groups", "Group by group", body);
}

function attributesTable(perAttribute: TrainResult["perAttribute"]): Markup | undefined {
  if (!perAttribute) return undefined;
  return html`<p>Each attribute is to be fair by itself: a difference above is the largest of these, in points.</p>
${numberTable(
  "Attribute by attribute",
  ["Attribute", "DPD", "EOD", "APD"],
  Object.entries(perAttribute).map(
    ([own, { dpd, eod, apd }]) => [name(own), points(dpd), points(eod), points(apd)] as const,
  ),
)}`;
}

/** Of more than two classes: each class, and each group's rates of it. */
function groupsByClass(
  { perGroup, perAttribute, protected: attribute }: TrainResult,
  perClass: NonNullable<TrainResult["perClass"]>,
): PageSection {
  const classes = Object.entries(perClass).map(
    ([own, { positives, positiveRate, truePositiveRate, dpd, eod }]) =>
      [
        name(own),
        formatNumber(positives),
        ...[positiveRate, truePositiveRate].map((rate) => withIntervalBelow(rate, formatShare)),
        ...[dpd, eod].map(points),
      ] as const,
  );
  const groups = Object.entries(perGroup).map(
    ([group, { people, accuracy }]) =>
      [name(group), formatNumber(people), withIntervalBelow(accuracy, formatShare)] as const,
  );
  const cells = Object.entries(perGroup).flatMap(([group, rates]) =>
    Object.entries(rates.perClass ?? {}).map(
      ([own, { positives, positiveRate, truePositiveRate }]) =>
        [
          html`${name(group)}, ${name(own)}`,
          formatNumber(positives),
          ...[positiveRate, truePositiveRate].map((rate) => withIntervalBelow(rate, formatShare)),
        ] as const,
    ),
  );
  const body = html`<p>Of each class, and of each group of ${name(attribute)}, among the people measured on, with 95% intervals: the fewer people, the wider. No class is the yes: a difference above is the largest of any class.</p>
${numberTable("Class by class", ["Class", "Has it", "Gets it", "Gets it who has it", "DPD", "EOD"], classes)}
${attributesTable(perAttribute)}
${numberTable("Group by group", ["Group", "People", "Accuracy"], groups)}
${numberTable("Group and class", ["Group and class", "Has it", "Gets it", "Gets it who has it"], cells)}`;
  return section("groups", "Groups", "Group by group", body);
}

/** What the model does at each party, where there are several and their people are known here. */
function partiesSection(result: TrainResult): PageSection | undefined {
  const { perParty } = result;
  if (!perParty || perParty.length < 2) return undefined;
  const titles = [
    "Party",
    "People",
    "Accuracy",
    ...(result.positiveRate === null ? [] : [say`Says yes`]),
    "DPD",
    "EOD",
    "APD",
    say`Control’s ${partyDifference(result).toUpperCase()}`,
    "Lacks",
    result.positiveRate === null ? say`Not every label of` : "No label yes of",
  ];
  const share = (value: number | null) => (value === null ? "–" : formatShare(value));
  const rows = perParty.map(
    ({ party, people, accuracy, positiveRate, dpd, eod, apd, control, lacks, lacksYes }) =>
      [
        name(party),
        formatNumber(people),
        share(accuracy),
        ...(result.positiveRate === null ? [] : [share(positiveRate)]),
        ...[dpd, eod, apd, control[partyDifference(result)]].map(points),
        ...[lacks, lacksYes].map((groups) => (groups.length === 0 ? "" : name(groups.join(", ")))),
      ] as const,
  );
  const body = html`<p>A model that is fair among everybody may be unfair at each party, and the other way round. Of each party’s own people measured on, in points; a party that lacks a group cannot be judged, and with few people differences are largely chance.</p>
${partyLines(result).map((line) => html`<p>${line}</p>`)}
${numberTable("Party by party", titles, rows)}`;
  return section("parties", "Parties", "Party by party", body);
}

function withIntervalBelow({ value, low, high }: Rate, format: (value: number) => string): Piece {
  return value === null ? "–" : html`${format(value)}<small>${points(low)} to ${points(high)}</small>`;
}

const aside =
  "Fair here means that the stated share is much the same in every group, among the people measured on. It says nothing about whether the labels are fair, and nothing about groups that were not protected.";

function provenance(result: TrainResult, from: Provenance): PageSection {
  const { algorithm, seed, net, parameters, parties, skew, label, rounds, seconds } = result;
  const about = methods.find(({ name: each }) => each === algorithm);
  const times = say`${formatSeconds(seconds.read)} reading, ${formatSeconds(seconds.train)} training, ${formatSeconds(seconds.total)} in all`;
  return provenanceSection(
    from,
    result,
    [
      ["Algorithm", `${algorithm}${aimOf(result)}${about ? `: ${heard(about.summary)}` : ""}`],
      ["Paper", told(about?.paper)],
      ["Net", say`${net} with ${formatCount(parameters, "parameter", "parameters")}`],
      ["Parties", `${formatNumber(parties)}${skew === null ? "" : say`, labels dealt unevenly (skew ${skew})`}`],
      [
        "Label",
        "positive" in label
          ? html`yes is ${name(label.positive)}, no is ${name(classIn(label, label.negative))}`
          : name(label.classes.join(", ")),
      ],
      ["Protected", name(result.protected)],
      ["Seed", say`${seed}; the same people, options and seed give the same model`],
      ["Rounds", `${formatNumber(rounds)}${endOf(result)}`],
      ["Time", times],
    ],
    aside,
  );
}
