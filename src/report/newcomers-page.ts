import type { AssignResult } from "../algorithms/assign.js";
import type { FairnessMeasures } from "../metrics/index.js";
import type { People } from "../table/types.js";
import { capitalised } from "./costs.js";
import { formatBeyond, formatCount, formatNumber, formatPeople, formatPrice } from "./format.js";
import { gatherFacts } from "./html/facts.js";
import { numberTable, section, verdictHeader } from "./html/parts.js";
import { sharesSection } from "./html/shares.js";
import { say, told } from "./language.js";
import type { ReportParts } from "./report.js";
import { toneOf, verdictSentences, verdictWords } from "./verdict.js";

/** People who came later, in the clusters of a model. */
export interface PlacedNewcomers {
  readonly people: Pick<People, "n" | "attributes" | "weights">;
  readonly labels: Uint16Array;
  /** What was measured of groups; undefined where the model knows none. */
  readonly fairness?: FairnessMeasures;
  /** Where they were placed within bounds: what that cost. */
  readonly assigned?: AssignResult;
  readonly sizes: readonly number[];
  readonly warnings: readonly string[];
}

/** Where newcomers went, and what that means for their groups. */
export function newcomersParts({ people, labels, fairness, assigned, sizes, warnings }: PlacedNewcomers): ReportParts {
  const k = sizes.length;
  const verdict = fairness?.verdict ?? null;
  const [first = "", ...notes] = fairness ? verdictSentences(fairness, "") : [];
  // The word of the verdict stands above it.
  const sentence = capitalised(first.slice(first.indexOf(": ") + 2));
  const summary = say`${formatPeople(people.n)} in ${formatCount(k, "cluster", "clusters")}`;
  const opening = verdictHeader({
    tone: toneOf(verdict),
    word: verdict === null ? say`Nothing protected` : told(verdictWords[verdict]),
    sentence: fairness && verdict !== null ? sentence : summary,
    notes,
    warnings,
    numbers: [
      ["Newcomers", formatNumber(people.n), say`in ${formatCount(k, "cluster", "clusters")}`],
      ...(fairness
        ? ([
            [
              "Largest violation",
              formatBeyond(fairness.maxViolation),
              say`${formatNumber(fairness.tolerance)} allowed`,
            ],
          ] as const)
        : []),
      ...(assigned
        ? ([
            ["By the nearest centres", formatBeyond(assigned.nearestViolation), "people beyond the bounds"],
            ["Price", formatPrice(priceOf(assigned)), "above the cost of the nearest centres"],
          ] as const)
        : []),
    ],
  });
  const facts = fairness && !assigned?.together && gatherFacts(people, { labels, result: { ...fairness, k } });
  const table = numberTable(
    "Newcomers in each cluster",
    ["Cluster", "Newcomers"],
    sizes.map((size, m) => [m, formatNumber(size)] as const),
  );
  const shares = facts && fairness ? sharesSection({ k, tolerance: fairness.tolerance }, facts) : undefined;
  return {
    summary,
    opening,
    sections: [...(shares ? [shares] : []), section("sizes", "Sizes", "Newcomers in each cluster", table)],
  };
}

function priceOf({ sse, nearestSse, cost = sse, nearestCost = nearestSse }: AssignResult): number {
  return nearestCost > 0 ? cost / nearestCost - 1 : 0;
}
