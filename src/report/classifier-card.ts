import { classesOf } from "../learning/classes.js";
import { differences, differenceWords } from "../learning/tally.js";
import type { TrainResult } from "../learning/types.js";
import type { ClassRates, GroupRates, Rate } from "../metrics/index.js";
import type { CardOrigin, ModelCard } from "./card.js";
import { auditParts, capital, chosenByOwner, leastPeople, originPart, useOf } from "./card-parts.js";
import { droppedSentences } from "./columns.js";
import { formatCount, formatList, formatNumber, formatPeople, formatShare } from "./format.js";
import { aimOf, controlSentence, modelName } from "./train.js";
import type { Tone } from "./verdict.js";

/** The card of a classifier. */
export function classifierCard(result: TrainResult, origin: CardOrigin): ModelCard {
  const { perGroup, doubts, trained, n, label, protected: attribute } = result;
  const highest = highestRates(result);
  /** A group's rates of a class: of two, the yes. */
  const rowOf = (group: string, each: GroupRates, rates: Omit<ClassRates, "positives">, of = "") => {
    if (each.people < leastPeople) return [group, `fewer than ${leastPeople}`, "–", "–", "–", "–"] as const;
    const { value } = rates.positiveRate;
    const most = highest.get(rateKey(attributeOf(group, attribute), of)) ?? 0;
    const ratio = value === null || most === 0 ? "–" : (value / most).toFixed(2);
    const shown = [rates.positiveRate, each.accuracy, rates.truePositiveRate].map(rateOf);
    return [group, formatNumber(each.people), shown[0], ratio, shown[1], shown[2]] as const;
  };
  const classes = classesOf(label);
  const isBinary = classes.length === 2;
  const summary = `${modelName(result)}${aimOf(result)}: ${classesOf(label)
    .toReversed()
    .map((name) => `'${name}'`)
    .join(" or ")}`;
  const tone: Tone = doubts.length > 0 ? "bad" : "none";
  return {
    summary,
    tags: ["fair-classification", "tabular-classification", result.algorithm],
    made: origin.made,
    verdict: {
      tone,
      word: doubts.length > 0 ? "Doubtful" : "Measured",
      sentence: doubts[0] ?? controlSentence(result),
    },
    parts: [
      {
        title: "Model",
        sentences: [
          `${summary}, ${result.net}, ${formatCount(result.parameters, "parameter", "parameters")}.`,
          ...doubts.slice(1),
        ],
      },
      useOf(
        result.useGroup
          ? "Its answers depend on the group itself, which is unlawful in many places."
          : "Nobody's group is needed for an answer.",
      ),
      {
        title: "Data",
        sentences: [
          `Learnt from ${formatPeople(trained)} of ${formatCount(result.parties, "party", "parties")}, measured on ${formatPeople(n)}.${result.features ? ` Features: ${formatList(result.features)}.` : ""}`,
          ...droppedSentences(result.dropped ?? null),
          chosenByOwner,
        ],
      },
      {
        title: "Groups",
        sentences: [
          `Accuracy ${formatShare(result.accuracy)}${result.auc === null ? "" : `, AUC ${formatNumber(result.auc)}`}. ${differences
            .flatMap((each) =>
              result[each] === null
                ? []
                : `${capital(differenceWords[each].fairness)} difference: ${formatShare(result[each])}`,
            )
            .join("; ")}.`,
          controlSentence(result),
          isBinary
            ? "The selection rate is the share that gets a yes; the impact ratio is a group's selection rate over the highest one of the same attribute. Intervals hold the true share in 95 of 100 samples."
            : "The selection rate of a class is the share that gets it; the impact ratio is a group's selection rate over the highest one of the same class and attribute. Intervals hold the true share in 95 of 100 samples.",
        ],
        table: isBinary
          ? {
              titles: [attribute, "people", "selection rate", "impact ratio", "right", "yes where the label is yes"],
              rows: Object.entries(perGroup).map(([group, each]) => rowOf(group, each, each)),
            }
          : {
              titles: [
                ...[attribute, "people", "class"],
                ...["selection rate", "impact ratio", "right", "the class where it is the label"],
              ],
              rows: Object.entries(perGroup).flatMap(([group, each]) =>
                Object.entries(each.perClass ?? {}).map(([name, rates]) => {
                  const [title, people, ...others] = rowOf(group, each, rates, name);
                  return [title, people, name, ...others];
                }),
              ),
            },
      },
      {
        title: "Privacy",
        sentences: ["No noise was added: the model may tell something about the people that it learnt from."],
      },
      ...auditParts([
        `the selection rates and impact ratios of the groups of ${attribute} among the people that the model was measured on`,
        "that the same people, options, seed and version give the same model, on any machine",
      ]),
      originPart(origin, result),
    ],
  };
}

function rateKey(attribute: string, name: string): string {
  return JSON.stringify([attribute, name]);
}

/** Of each attribute, and of each of more than two classes, among the groups that are shown. */
function highestRates({ perGroup, protected: attributes }: TrainResult): Map<string, number> {
  const highest = new Map<string, number>();
  for (const [group, { people, positiveRate, perClass }] of Object.entries(perGroup)) {
    if (people < leastPeople) continue;
    for (const [name, rates] of Object.entries(perClass ?? { "": { positiveRate } })) {
      const key = rateKey(attributeOf(group, attributes), name);
      highest.set(key, Math.max(highest.get(key) ?? 0, rates.positiveRate.value ?? 0));
    }
  }
  return highest;
}

/** Where several attributes are protected ("sex, race"), a group is named after its own ("race x"). */
function attributeOf(group: string, attributes: string): string {
  const names = attributes.split(", ").filter((name) => group.startsWith(`${name} `));
  return names.sort((a, b) => b.length - a.length)[0] ?? attributes;
}

function rateOf({ value, low, high }: Rate): string {
  if (value === null) return "–";
  const points = (share: number | null) => (100 * (share ?? 0)).toFixed(1);
  return `${formatShare(value)} (${points(low)} to ${points(high)})`;
}
