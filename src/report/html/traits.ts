import { formatFixed } from "../format.js";
import { say, spokenLocale, told } from "../language.js";
import { html, list, type Markup, name } from "./markup.js";
import type { Feature } from "./profile.js";

/** Standard deviations from which a difference is worth a word, and a stronger one. */
const notableDistance = 0.35;
const strongDistance = 1;
const extremeDistance = 2;
/** A category that is hardly more frequent says nothing, however rare it is. */
const notableShare = 0.04;
const mostTraits = 5;

/** Columns whose numbers have words of their own; of all others one can only say that they are higher or lower. */
const words: readonly (readonly [RegExp, string, string, boolean])[] = [
  [/^ages?$/, "older", "younger", false],
  [/^(duration|tenure|length)$/, "longer", "shorter", true],
  [
    /^(hours|days|weeks|months|years|visits|calls|contacts|children|claims|debts|loans|accounts)$/,
    "more",
    "fewer",
    true,
  ],
];

/** "much older, higher balance (3,402 against 1,423)": what sets one cluster apart, the strongest first. */
export function traits(features: readonly Feature[], cluster: number): Markup {
  const found = features
    .map((feature) => ({ feature, distance: feature.distances[cluster] }))
    .filter(({ feature, distance }) => {
      const far = Math.abs(distance) >= notableDistance;
      return far && (feature.kind === "number" || Math.abs(feature.values[cluster] - feature.overall) >= notableShare);
    })
    .sort((a, b) => Math.abs(b.distance) - Math.abs(a.distance))
    .slice(0, mostTraits);
  if (found.length === 0) return html`Close to the overall average in every feature.`;
  const phrases = found.map(({ feature, distance }, i) => {
    const phrase =
      feature.kind === "number" ? numberTrait(feature, distance, i === 0) : shareTrait(feature, distance, i === 0);
    return html`${phrase} <span class="aside">(${formatValue(feature, feature.values[cluster])}, overall ${formatValue(feature, feature.overall)})</span>`;
  });
  return html`${list(phrases)}.`;
}

function numberTrait({ column }: Feature, distance: number, first: boolean): Markup {
  const degree = degreeOf(distance);
  const own = words.find(([pattern]) => pattern.test(column.toLowerCase()));
  const [more, less, named] = own === undefined ? ["higher", "lower", true] : own.slice(1);
  const word = degree + told(distance > 0 ? more : less);
  return named ? html`${begin(word, first)} ${name(column)}` : html`${begin(word, first)}`;
}

function shareTrait({ column, level }: Feature, distance: number, first: boolean): Markup {
  const word = say`${degreeOf(distance)}${distance > 0 ? say`more` : say`less`} often`;
  return html`${begin(word, first)} ${name(column)} ${name(level ?? "")}`;
}

function degreeOf(distance: number): string {
  const size = Math.abs(distance);
  return size >= extremeDistance ? say`far ` : size >= strongDistance ? say`much ` : "";
}

function begin(word: string, first: boolean): string {
  return first ? word[0].toUpperCase() + word.slice(1) : word;
}

/** A mean with no more digits than mean something; a share in whole percent. */
export function formatValue({ kind }: Feature, value: number): string {
  if (kind === "share") return say`${formatFixed(100 * value, value > 0 && value < 0.01 ? 1 : 0)}%`;
  const size = Math.abs(value);
  const digits = size >= 1000 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString(spokenLocale(), {
    minimumFractionDigits: size >= 10 ? digits : 0,
    maximumFractionDigits: digits,
  });
}
