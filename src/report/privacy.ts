import type { PrivacyStatement } from "../algorithms/dp-fair/statement.js";
import { formatNumber } from "./format.js";
import { say } from "./language.js";

/** "epsilon 1" or "epsilon 1, delta 1e-5". */
export function formatGuarantee({ epsilon, delta }: Pick<PrivacyStatement, "epsilon" | "delta">): string {
  return delta > 0 ? say`epsilon ${epsilon}, delta ${delta}` : say`epsilon ${epsilon}`;
}

type OfOwner = "quality" | "comparison" | "budget";
/** What a result promises. Where sites have made it together, there is nobody who may see more than the others. */
export type ToldPrivacy = Omit<PrivacyStatement, OfOwner> & Partial<Pick<PrivacyStatement, OfOwner>>;

/** What is promised, by what means, and who may see what: a few lines for the terminal. */
export function privacySentences(privacy: ToldPrivacy): string[] {
  const { mode, promise, neighbours, mechanisms, randomness, ownerOnly, quality, budget } = privacy;
  const aimed = balanceSentence(privacy);
  const { silhouette = null, daviesBouldin = null } = quality ?? {};
  const held = [
    ...(silhouette === null ? [] : [`silhouette ${formatNumber(silhouette)}`]),
    ...(daviesBouldin === null ? [] : [`Davies-Bouldin ${formatNumber(daviesBouldin)}`]),
  ];
  const lines = held.length === 0 ? [] : [`${capital(held.join(", "))}.`];
  if (aimed !== undefined) lines.push(aimed);
  if (mode === "none") return [...lines, "Not private: an infinite epsilon adds no noise."];
  lines.push(
    `Private (${formatGuarantee(privacy)}): ${promise}. Neighbours: ${neighbours}.`,
    ...mechanisms.map(({ what, mechanism }) => `Noise on ${what}: ${mechanism}.`),
    ...(quality ? [`For the data's owner alone: ${ownerOnly.join(", ")}.`] : []),
  );
  if (randomness !== "operating system") lines.push("The noise came from a seed, so this result is NOT private.");
  if (budget) {
    const of = budget.budget === null ? "no budget is set" : `of ${budget.budget}`;
    lines.push(`Spent in all: epsilon ${formatNumber(budget.spent)} (${of}).`);
  }
  return lines;
}

/** What balance was asked for, and what the counts that were used show of it; undefined in the paper's form. */
export function balanceSentence({
  balanceTarget,
  noisyBalance,
  mode,
}: Pick<PrivacyStatement, "balanceTarget" | "noisyBalance" | "mode">): string | undefined {
  if (balanceTarget === null || noisyBalance === null) return undefined;
  const by = mode === "none" ? say`by the counts` : say`by the noisy counts, less a margin for the noise`;
  return say`Least balance ${by}: ${formatNumber(Math.max(0, noisyBalance))}, where ${balanceTarget} was enough.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
