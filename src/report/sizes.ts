import { costsOf } from "../algorithms/price-of-fairness.js";
import type { ClusterResult } from "../algorithms/types.js";
import { costName } from "./costs.js";
import { formatNumber, formatPeople, formatPrice } from "./format.js";
import { say } from "./language.js";
import { everybodyIn } from "./links.js";

/** What the sentence needs of a result. */
export type WishedSizes = Pick<
  ClusterResult,
  "sizes" | "sizesKept" | "minSize" | "maxSize" | "n" | "eta" | "objective" | "evenness"
> &
  Partial<Pick<ClusterResult, "minSizeFrom" | "capacity" | "distance" | "weights">>;

/** What it cost that clusters are large enough for their bounds, where nobody asked for it; else undefined. */
export function smallestSentence(result: ClusterResult): string | undefined {
  const { minSize } = result;
  const { cost, atMinSize2 } = costsOf(result);
  if (atMinSize2 === null) return undefined;
  const what = say`Every cluster has at least ${formatPeople(minSize)}, so that the bounds mean something`;
  if (cost === atMinSize2) return say`${what}; that cost nothing.`;
  const price = atMinSize2 > 0 ? `: ${formatPrice(cost / atMinSize2 - 1)} ${costName(result)}` : "";
  return say`${what}${price} (--min-size 2 allows smaller ones).`;
}

/** What came of a wish for even sizes or for limits, in a sentence; undefined when there was none. */
export function sizesSentence(result: WishedSizes): string | undefined {
  const { sizes, sizesKept, eta, objective, evenness } = result;
  if (sizesKept === null && eta === null) return undefined;
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const range =
    least === most ? say`of ${formatPeople(least)} each` : say`of ${formatNumber(least)} to ${formatPeople(most)}`;
  const limits = limitsOf(result);
  const word = sizesKept ? say`Sizes kept` : say`Sizes not kept`;
  const kept = sizesKept === null ? "" : say`${word}: clusters ${range}, where ${limits} were asked for.`;
  if (eta === null || objective === null) return kept;
  const weighed = say`${formatNumber(eta)} ${costName(result)} + ${formatNumber(Number((1 - eta).toPrecision(6)))} balance loss`;
  const before = sizesKept === null ? say`Clusters ${range}: ` : `${kept} `;
  return say`${before}${weighed} is ${formatNumber(objective)}, with a balance loss of ${formatNumber(evenness.balanceLoss)}.`;
}

function limitsOf({ minSize, minSizeFrom, maxSize, capacity, ...people }: WishedSizes): string {
  if (capacity) return say`sizes of their own`;
  const meaningful = minSizeFrom === "meaningful" ? say` (from which on the bounds mean something)` : "";
  if (maxSize === everybodyIn(people)) return say`at least ${formatPeople(minSize)}${meaningful}`;
  return minSize === maxSize ? formatPeople(minSize) : say`${formatNumber(minSize)} to ${formatPeople(maxSize)}`;
}
