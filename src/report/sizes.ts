import type { ClusterResult } from "../algorithms/types.js";
import { formatNumber, formatPeople } from "./format.js";

/** As far as the sentence needs them. */
export type WishedSizes = Pick<
  ClusterResult,
  "sizes" | "sizesKept" | "minSize" | "maxSize" | "n" | "eta" | "objective" | "evenness"
>;

/** What came of a wish for even sizes or for limits, in a sentence; undefined when there was none. */
export function sizesSentence(result: WishedSizes): string | undefined {
  const { sizes, sizesKept, eta, objective, evenness } = result;
  if (sizesKept === null && eta === null) return undefined;
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const range =
    least === most ? `of ${formatPeople(least)} each` : `of ${formatNumber(least)} to ${formatPeople(most)}`;
  const limits = limitsOf(result);
  const sentences: string[] = [];
  if (sizesKept === true) sentences.push(`Sizes kept: clusters ${range}, where ${limits} were asked for.`);
  if (sizesKept === false) sentences.push(`Sizes not kept: clusters ${range}, where ${limits} were asked for.`);
  if (eta !== null && objective !== null) {
    const weighed = `${formatNumber(eta)} SSE + ${formatNumber(Number((1 - eta).toPrecision(6)))} balance loss`;
    const clusters = sizesKept === null ? `Clusters ${range}: ` : "";
    sentences.push(
      `${clusters}${weighed} is ${formatNumber(objective)}, with a balance loss of ${formatNumber(evenness.balanceLoss)}.`,
    );
  }
  return sentences.join(" ");
}

function limitsOf({ minSize, maxSize, n }: WishedSizes): string {
  if (maxSize === n) return `at least ${formatPeople(minSize)}`;
  return minSize === maxSize ? formatPeople(minSize) : `${formatNumber(minSize)} to ${formatPeople(maxSize)}`;
}
