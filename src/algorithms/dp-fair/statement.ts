import type { Release } from "../../privacy/accounting/ledger.js";
import { guarantee, type Loss } from "../../privacy/accounting/loss.js";
import type { Attribute } from "../../table/types.js";
import { coveredAs } from "./coverage.js";
import type { CellCensus } from "./merging.js";

/** Counts per cluster as they came out of the noise: part of the release. */
export interface ReleasedCounts {
  readonly sizes: readonly number[];
  /** attribute -> group -> people in each cluster */
  readonly groups: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
}

/** The same cells at another epsilon, for the owner only. */
export interface Comparison {
  readonly epsilon: number | "inf";
  /** Deviation of the noise on one count, in people. */
  readonly countError: number;
  /** The least balance of any cluster, averaged over a few draws of noise; null where that would need another fit. */
  readonly balance: number | null;
}

/** What a result promises, to whom it may be shown, and by which mechanisms. */
export interface PrivacyStatement {
  /** "none" with an infinite epsilon. */
  readonly mode: "attribute" | "all" | "none";
  readonly promise: string;
  readonly neighbours: string;
  readonly epsilon: number | "inf";
  readonly delta: number;
  readonly mechanisms: readonly { readonly what: string; readonly mechanism: string; readonly rho: number }[];
  /** Noise from a seed protects nobody from those who know the seed. */
  readonly randomness: "operating system" | "seeded: not private" | "none";
  /** Files, and fields of the result, that may be published: see coverage.ts. */
  readonly private: readonly string[];
  /** Those that may not: they are computed from the data without noise. */
  readonly ownerOnly: readonly string[];
  readonly released: ReleasedCounts;
  readonly cells: number;
  /** The balance that was asked for; null in the paper's form, and where nobody is to be balanced. */
  readonly balanceTarget: number | null;
  /** The least balance of any cluster by the noisy counts, less a margin for the noise; null without a target. */
  readonly noisyBalance: number | null;
  /** The weight of fairness in the paper's form, else null. */
  readonly lambda: number | null;
  /** In the space that was clustered, for the owner only; silhouettes of a sample where there are more than 2,000 people. */
  readonly quality: { readonly silhouette: number | null; readonly daviesBouldin: number | null };
  readonly comparison?: readonly Comparison[];
  /** What the ledger says after this run; null when there is none. */
  readonly budget: LedgerNote | null;
}

export interface LedgerNote {
  readonly dataset: string;
  readonly spent: number;
  readonly budget: number | null;
  readonly delta: number;
}

const promises = {
  attribute: {
    neighbours: "the same people, of whom one has other protected attributes",
    promise: "what is published reveals almost nothing about the protected groups that any one person belongs to",
  },
  all: {
    neighbours: "the same people with one person more or less",
    promise:
      "what is published reveals almost nothing about any one person, not even whether they were among the people",
  },
  modelAlone: {
    neighbours: "the same people with one person more or less",
    promise:
      "to those who see the model and the noisy counts alone, these reveal almost nothing about any one person, not even whether they were among the people; nothing is promised against the sites, which know that and everybody's cluster, nor against the coordinator",
  },
  none: {
    neighbours: "none",
    promise: "nothing: an infinite epsilon adds no noise",
  },
} as const;

/** What a run promises and what that costs, known before it begins. */
export interface PrivacyCosts extends Pick<PrivacyStatement, "lambda" | "balanceTarget"> {
  readonly mode: "attribute" | "all";
  /** The promise is to those who see the model alone: sites with columns of the same people know who these are. */
  readonly modelAlone?: true;
  readonly delta: number;
  readonly loss: Loss;
  /** The losses of its parts; none where no noise is added, and nothing is promised. */
  readonly parts: readonly { readonly what: string; readonly mechanism: string; readonly loss: Loss }[];
}

/** What a ledger is told before noise is drawn; null where nothing is promised. */
export function releaseOf({ mode, parts, loss }: PrivacyCosts, what: string): Release | null {
  return parts.length === 0 ? null : { neighbours: mode === "all" ? "person" : "attribute", loss, what };
}

export function statementOf(
  plan: PrivacyCosts,
  secret: boolean,
): Omit<PrivacyStatement, "released" | "noisyBalance" | "cells" | "quality" | "comparison" | "budget"> {
  const mode = plan.parts.length === 0 ? "none" : plan.mode;
  const { epsilon, delta } = guarantee(plan.loss, plan.delta);
  return {
    mode,
    ...promises[mode === "all" && plan.modelAlone ? "modelAlone" : mode],
    epsilon: mode === "none" ? "inf" : Number(epsilon.toPrecision(9)),
    delta,
    mechanisms: plan.parts.map(({ what, mechanism, loss }) => ({ what, mechanism, rho: loss.rho + loss.pureRho })),
    private: mode === "none" ? [] : coveredAs("private", mode),
    ownerOnly: mode === "none" ? ["everything"] : coveredAs("owner", mode),
    randomness: mode === "none" ? "none" : secret ? "operating system" : "seeded: not private",
    lambda: plan.lambda,
    balanceTarget: plan.balanceTarget,
  };
}

/** The noisy counts of the cells, added up by cluster; no count is below 0. */
export function releasedOf(
  { sizes, attributes }: CellCensus,
  named: readonly Pick<Attribute, "name" | "groups">[],
  owner: Uint16Array,
  k: number,
): ReleasedCounts {
  const perCluster = (countOf: (cell: number) => number) => {
    const sums = new Array<number>(k).fill(0);
    owner.forEach((cluster, cell) => {
      sums[cluster] += countOf(cell);
    });
    return sums.map((sum) => Number(Math.max(0, sum).toFixed(3)));
  };
  return {
    sizes: perCluster((cell) => sizes[cell]),
    groups: Object.fromEntries(
      named.map(({ name, groups }, a) => [
        name,
        Object.fromEntries(
          groups.map((group, l) => [group, perCluster((cell) => attributes[a].counts[cell * groups.length + l])]),
        ),
      ]),
    ),
  };
}
