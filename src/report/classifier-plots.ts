import { attributesOf } from "../learning/attributes.js";
import { controlMethod } from "../learning/catalogue.js";
import {
  answersOf,
  type CurveValues,
  comparedShare,
  type Difference,
  differences,
  differenceWords,
} from "../learning/tally.js";
import type { CurvePoint, LearningData, Trained, TrainResult } from "../learning/types.js";
import { type Classification, classifications, thresholdFor } from "../metrics/index.js";
import { formatFixed, formatNumber, formatShare } from "./format.js";
import { html, type Markup } from "./html/markup.js";
import { numberTable, type PageSection, section } from "./html/parts.js";
import { type PlotLine, plotFigure, plotLegend } from "./html/plot.js";
import { say, told } from "./language.js";
import { modelName, points } from "./train.js";

/** Thresholds at which this model and the plain one say yes to nobody, to everybody, and to shares between. */
const rates = Array.from({ length: 51 }, (_, i) => 0.02 * i);

interface Frontier {
  readonly name: string;
  readonly reference: boolean;
  readonly models: readonly Classification[];
  readonly asTrained: Classification;
  readonly trainedName: string;
}

/** What accuracy costs in fairness: the most that each model reaches with no more than a difference, by moving its one threshold. */
export function tradeOffSection(
  { scores, controlScores, pooledScores, result }: Trained,
  data: LearningData,
): PageSection {
  const { classes } = data;
  const { labels } = data.test;
  const attributes = attributesOf(data.attribute, data.test.groups);
  const asIs = (of: Float32Array) =>
    classifications(attributes, { scores: of, answers: answersOf(of, classes.length), labels, classes });
  // Of more than two classes no threshold leads from one answer to another.
  const along = (of: Float32Array) =>
    classes.length > 2
      ? [asIs(of)]
      : [0, ...rates.map((rate) => thresholdFor(of, rate))].map((threshold) =>
          classifications(attributes, { scores: of, threshold, labels }),
        );
  const both: Frontier[] = [
    {
      name: result.algorithm,
      reference: false,
      models: along(scores),
      asTrained: result,
      trainedName: result.useGroup ? modelName(result) : say`${result.algorithm} as trained`,
    },
    ...(result.algorithm === controlMethod.name
      ? []
      : [
          {
            name: controlMethod.name,
            reference: true,
            models: along(controlScores),
            asTrained: result.fedavg,
            trainedName: say`${controlMethod.name} as trained`,
          },
        ]),
    ...(pooledScores
      ? [
          {
            name: say`in one place`,
            reference: false,
            models: pooledScores.flatMap(along),
            // The first is plain, and the second is trained for no difference at all.
            asTrained: asIs(pooledScores[1]),
            trainedName: say`in one place, as trained for no difference`,
          },
        ]
      : []),
  ];
  const parts = differences.filter((difference) => result[difference] !== null);
  const body = html`${
    classes.length > 2
      ? html`<p>Each point is one model, with the answers that it gives. Up and to the left is better.</p>`
      : html`<p>Each line is one model: the highest accuracy that one threshold for all people reaches with at most that difference. Up and to the left is better; where a line begins, the model says the same to nearly everybody.</p>`
  }
${pooledScores ? html`<p>“In one place” is the best of several models of the same net that were trained on everybody’s data pooled, plainly and for differences of 0 to 10 points: about as far as any training over parties can be expected to come.</p>` : undefined}
${parts.length === 0 ? html`<p>A group has no people to compare: there is no difference to show.</p>` : undefined}
${parts.map((difference) => tradeOff(both, difference, classes.length))}`;
  return section("tradeoffs", "Trade-offs", "Accuracy against fairness", body);
}

function tradeOff(frontiers: readonly Frontier[], difference: Difference, classes: number): Markup {
  const short = difference.toUpperCase();
  const fairness = told(differenceWords[difference].fairness);
  const share = told(comparedShare(difference, classes));
  const reached = frontiers.map(({ models, ...rest }) => ({ ...rest, models: frontier(models, difference) }));
  const point = (name: string, model: Classification) => ({
    x: 100 * (model[difference] ?? 0),
    y: 100 * model.accuracy,
    note:
      model.positiveRate === null
        ? say`${name}: ${formatShare(model.accuracy)} right, ${short} ${points(model[difference])}`
        : say`${name}: ${formatShare(model.accuracy)} right, ${short} ${points(model[difference])}, says yes to ${formatShare(model.positiveRate)}`,
  });
  const lines: PlotLine[] = reached.flatMap(({ name, reference, models, asTrained, trainedName }, i) => [
    { name, like: i, reference, points: models.map((model) => point(name, model)) },
    ...(asTrained[difference] === null
      ? []
      : [{ like: i, reference, points: [{ ...point(trainedName, asTrained), ringed: true }] }]),
  ]);
  const rows = ({ name, models }: Frontier) =>
    models.map((model) => {
      const { accuracy, positiveRate } = model;
      return [
        name,
        points(model[difference]),
        formatShare(accuracy),
        positiveRate === null ? "–" : formatShare(positiveRate),
      ] as const;
    });
  return html`<h3>Accuracy against ${short}</h3>
<p>The ${fairness} difference (${short}) compares ${share}, the highest group less the lowest.</p>
${plotFigure({
  title: say`Accuracy against the ${fairness} difference; exact numbers are in the table below`,
  xTitle: say`${short}, points (left is fairer)`,
  yTitle: "Accuracy",
  formatX: formatNumber,
  formatY: (value) => say`${formatNumber(value)}%`,
  lines,
  ring: "as trained",
  measured: true,
})}
<details><summary>Accuracy against ${short} in numbers</summary>
${numberTable(say`Accuracy against ${short} in numbers`, ["Model", short, "Accuracy", "Says yes"], reached.flatMap(rows))}</details>`;
}

/** From the smallest difference on, whatever is more accurate than all before. */
function frontier(models: readonly Classification[], difference: Difference): Classification[] {
  const sorted = models
    .filter((model) => model[difference] !== null)
    .sort((a, b) => (a[difference] ?? 0) - (b[difference] ?? 0) || b.accuracy - a.accuracy);
  let best = Number.NEGATIVE_INFINITY;
  return sorted.filter(({ accuracy }) => {
    if (accuracy <= best) return false;
    best = accuracy;
    return true;
  });
}

const measures: readonly (readonly [string, keyof CurveValues])[] = [
  ["Accuracy", "accuracy"],
  ...differences.map((key) => [key.toUpperCase(), key] as const),
  ["Loss", "loss"],
];
/** Rows of the table of curves. */
const mostRows = 12;

type Side = "train" | "test" | "validation";

export function curvesSection(result: TrainResult, control: readonly CurvePoint[]): PageSection {
  // Where people are set aside to choose a model on, those to measure on are looked at once, in the end.
  const shown = result.validation ? "validation" : "test";
  const series = [
    { name: result.validation ? say`set aside` : say`measured on`, curve: result.curve, of: shown, reference: false },
    { name: say`learnt from`, curve: result.curve, of: "train", reference: false },
    ...(result.algorithm === controlMethod.name
      ? []
      : [
          {
            name: result.validation ? say`${controlMethod.name}, set aside` : say`${controlMethod.name}, measured on`,
            curve: control,
            of: shown,
            reference: true,
          } as const,
        ]),
  ] as const;
  const value = (point: CurvePoint, of: Side, key: keyof CurveValues) =>
    (key === "loss" ? 1 : 100) * (point[of]?.[key] ?? 0);
  const linesOf = (key: keyof CurveValues) =>
    series.map(
      ({ name, curve, of, reference }): PlotLine => ({
        name,
        reference,
        points: curve.map((point) => {
          const y = value(point, of, key);
          return { x: point.round, y, note: say`${name}, round ${point.round}: ${formatFixed(y, 2)}` };
        }),
      }),
    );
  const last = Math.max(...series.map(({ curve }) => curve.length - 1));
  const rows = [...new Set(Array.from({ length: mostRows + 1 }, (_, i) => Math.round((i * last) / mostRows)))];
  const cell = (point: CurvePoint | undefined, of: Side, key: keyof CurveValues) =>
    point === undefined ? "–" : formatFixed(value(point, of, key), key === "loss" ? 3 : 1);
  const about = result.validation
    ? say`After each round, in points, but for the loss, a mean cross-entropy: of the people set aside to choose the model on, of those learnt from, and of ${controlMethod.name}, the plain model, on the people set aside. Those measured on were looked at once, in the end.`
    : say`After each round, in points, but for the loss, a mean cross-entropy: of the people measured on, of those learnt from, and of ${controlMethod.name}, the plain model, on the people measured on.`;
  const body = html`<p>${about}</p>
${plotLegend(linesOf("accuracy"))}
<div class="pair">${measures.map(([title, key]) =>
    plotFigure({
      title: say`${told(title)} by round; numbers are in the table below`,
      xTitle: "round",
      yTitle: key === "loss" ? say`Loss: mean cross-entropy` : say`${told(title)}, points`,
      formatX: String,
      formatY: formatNumber,
      lines: linesOf(key),
      measured: last > mostRows,
      bare: true,
    }),
  )}</div>
<details><summary>Learning curves in numbers</summary>
${measures.map(([title, key]) =>
  numberTable(
    say`${told(title)}, by round`,
    ["Round", ...series.map(({ name }) => `${told(title)}, ${name}`)],
    rows.map((round) => [round, ...series.map(({ curve, of }) => cell(curve[round], of, key))]),
  ),
)}</details>`;
  return section("curves", "Learning curves", "Learning curves", body);
}
