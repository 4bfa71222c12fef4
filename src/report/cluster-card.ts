import type { AssignResult } from "../algorithms/assign.js";
import { costsOf, priceOf } from "../algorithms/price-of-fairness.js";
import type { ClusterResult } from "../algorithms/types.js";
import type { UpdateResult } from "../algorithms/update.js";
import type { ColumnsUsed } from "../table/index.js";
import type { CardOrigin, ModelCard, ModelCardPart } from "./card.js";
import { auditParts, capital, chosenByOwner, leastPeople, originPart, useOf } from "./card-parts.js";
import { droppedSentences } from "./columns.js";
import { formatCount, formatList, formatNumber, formatPeople, formatPrice, formatShare } from "./format.js";
import { linkSentences } from "./links.js";
import { weightSentences } from "./newcomers.js";
import { type JudgedResult, toneOf, verdictSentences, verdictWords } from "./verdict.js";

const caution = "A cluster describes people by the features below and says nothing about what they deserve.";
const noNoise = "No noise was added: centres and counts are those of the people, and may tell something about them.";

/** The card of a clustering. Of a private one it says only what may be published. */
export function clusterCard(result: ClusterResult, origin: CardOrigin): ModelCard {
  const { algorithm, k, privacy, features } = result;
  const hidden = privacy !== undefined && privacy.mode !== "none";
  const summary = `${formatCount(k, "cluster", "clusters")} of people by ${algorithm}`;
  const using = `Features: ${formatList(features)}.`;
  return {
    summary,
    tags: ["fair-clustering", "k-means", algorithm, ...(hidden ? ["differential-privacy"] : [])],
    made: origin.made,
    verdict: hidden
      ? { tone: "none", word: "Private", sentence: "What is said here may be published." }
      : verdictOf(result),
    parts: [
      {
        title: "Model",
        sentences: [`${summary}.`, ...newcomersSentences(result, hidden), ...(hidden ? [] : sizesSentences(result))],
      },
      useOf(caution),
      {
        title: "Data",
        sentences: [
          ...(hidden
            ? [
                `How many people there were, and everything else that the data say without noise, stays with their owner. ${using}`,
              ]
            : [
                `${formatPeople(result.n)}, ${result.givenCosts ? `with given costs of ${formatList(features)}.` : `${formatCount(result.d, "dimension", "dimensions")}. ${using}${leftOut(result)}`}`,
                ...droppedSentences(result.dropped),
                ...linkSentences(result),
              ]),
          chosenByOwner,
        ],
      },
      hidden ? hiddenGroups(result) : groupsPart(result),
      ...(hidden ? [] : pricePart(result)),
      privacyPart(result),
      ...auditParts(hidden ? attestedInPrivate(result) : attested(result)),
      originPart(origin, result, hidden),
    ],
  };
}

/** The card of a model that newcomers have joined, or changed. */
export function newcomersCard(result: (AssignResult | UpdateResult) & ColumnsUsed, origin: CardOrigin): ModelCard {
  const { algorithm, k, n } = result;
  const together = "together" in result && result.together;
  const summary = `${formatCount(k, "cluster", "clusters")} of people by ${algorithm}, with newcomers`;
  const whom = together ? "the people of the model and the newcomers together" : "the newcomers";
  return {
    summary,
    tags: ["fair-clustering", "k-means", algorithm],
    made: origin.made,
    verdict: verdictOf(result),
    parts: [
      {
        title: "Model",
        sentences: [
          `${summary}: ${formatPeople(n)} joined an earlier model, whose card tells of those of before.`,
          "forget" in result
            ? `The centres followed them; the people of before lost ${formatShare(result.forget)} of their weight.`
            : "The centres stayed where they were.",
        ],
      },
      useOf(caution),
      {
        title: "Data",
        sentences: [
          `${capital(formatPeople(n))} joined. Features: ${formatList(result.features)}.${leftOut(result)}`,
          ...weightSentences(result),
          chosenByOwner,
        ],
      },
      groupsPart(result, ` The shares are those of ${whom}.`),
      { title: "Privacy", sentences: [noNoise] },
      ...auditParts(attested(result)),
      originPart(origin),
    ],
  };
}

function verdictOf(result: JudgedResult): ModelCard["verdict"] {
  const { verdict } = result;
  if (verdict === null) return { tone: "none", word: "Not judged", sentence: "Nothing was protected." };
  const [sentence = ""] = verdictSentences(result, "");
  return { tone: toneOf(verdict), word: verdictWords[verdict], sentence: openingOf(sentence) };
}

/** The verdict's sentence without its word, and without the places, which may be a few people. */
function openingOf(sentence: string): string {
  return capital(sentence.replace(/^[^:]*: /, "").replace(/ Where: .*$/, ""));
}

/** How new people find their cluster; with given costs nobody can. */
function newcomersSentences({ givenCosts, bounds, notion, sizesKept }: ClusterResult, hidden: boolean): string[] {
  if (givenCosts) return ["It places these people only: others would need costs of their own."];
  const nearest = "New people join the nearest cluster (`moiety predict`), without regard to groups";
  if (notion || (Object.keys(bounds).length === 0 && sizesKept === null && !hidden)) return [`${nearest}.`];
  return [`${nearest}, or the cluster that keeps the bounds (\`moiety assign\`).`];
}

function sizesSentences({ sizes }: ClusterResult): string[] {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  if (least < leastPeople) return [];
  return [`The smallest cluster has ${formatPeople(least)}, the largest ${formatPeople(most)}.`];
}

function leftOut({ leftOut: columns }: Pick<ColumnsUsed, "leftOut">): string {
  if (columns.length === 0) return "";
  return ` Left out: ${columns.map(({ column, why }) => `${column} (${why})`).join(", ")}.`;
}

function hiddenGroups({ groups }: ClusterResult): ModelCardPart {
  const names = Object.keys(groups);
  const named = names.length > 0 ? formatList(names) : "nothing";
  return {
    title: "Groups",
    sentences: [`Protected: ${named}. What was measured of groups without noise is not said here.`],
  };
}

type Shared = Omit<JudgedResult, "groups"> & Pick<ClusterResult, "bounds" | "groups">;

/** Every group's bounds, and the least and the largest share that it has in a cluster. Other notions have no bounds of shares. */
function groupsPart(result: Shared, ofWhom = ""): ModelCardPart {
  const { bounds, groups, sizes, tolerance, notion } = result;
  const rows = Object.entries(bounds).flatMap(([attribute, each]) =>
    Object.entries(each).map(([group, { min, max }]) => {
      const shares = groups[attribute]?.[group] ?? [];
      const few = shares.some((share, m) => share * sizes[m] < leastPeople);
      const seen = few
        ? `fewer than ${leastPeople} people in a cluster`
        : `${formatShare(Math.min(...shares))} to ${formatShare(Math.max(...shares))}`;
      return [`${attribute}: ${group}`, ...(notion ? [] : [`${formatShare(min)} to ${formatShare(max)}`]), seen];
    }),
  );
  const [, ...others] = verdictSentences(result, "");
  if (rows.length === 0) return { title: "Groups", sentences: ["No group was protected.", ...others] };
  return {
    title: "Groups",
    sentences: [
      notion
        ? "No bounds of shares were asked for: the verdict above is by another notion of fairness."
        : `Bounds of a group's share of each cluster, with a tolerance of ${formatPeople(tolerance)}.${ofWhom}`,
      ...others,
    ],
    table: { titles: ["group", ...(notion ? [] : ["asked for"]), "in the clusters"], rows },
  };
}

function attested({ bounds, notion }: Pick<Shared, "bounds" | "notion">): string[] {
  const names = Object.keys(bounds);
  const measured = notion
    ? `that the verdict above, by the ${notion.name} notion, was measured on everybody`
    : names.length > 0
      ? `that the share of every group of ${formatList(names)} in every cluster was measured against the bounds above, by exact counts`
      : "that nothing was protected, so that nothing is said about groups";
  return [measured, "that the same people, options, seed and version give the same labels, on any machine"];
}

function attestedInPrivate({ privacy }: ClusterResult): string[] {
  const secret = privacy?.randomness === "operating system";
  return [
    "that noise was added as above, and that nothing beyond the promise under Privacy is told of anybody by this card or the model",
    ...(secret
      ? ["that the noise is the operating system's, so that nobody can repeat this run or take the noise out"]
      : []),
  ];
}

function pricePart(result: ClusterResult): ModelCardPart[] {
  const costs = costsOf(result);
  const price = priceOf(costs);
  if (price === null) return [];
  return [
    {
      title: "Price",
      sentences: [
        `The clusters cost ${formatNumber(costs.cost)}, ${formatPrice(price)} over the least that was found without the promises (${formatNumber(costs.unconstrained ?? 0)}).`,
      ],
    },
  ];
}

function privacyPart({ privacy }: ClusterResult): ModelCardPart {
  if (privacy === undefined || privacy.mode === "none") {
    return { title: "Privacy", sentences: [noNoise] };
  }
  const { promise, neighbours, epsilon, delta, mechanisms, randomness, budget } = privacy;
  const spent = budget ? [`Spent in all on this dataset: epsilon ${formatNumber(budget.spent)}.`] : [];
  const seeded = randomness === "operating system" ? [] : ["The noise came from a seed, so this is NOT private."];
  return {
    title: "Privacy",
    sentences: [
      `${capital(promise)} (epsilon ${epsilon}, delta ${delta}). Neighbours: ${neighbours}.`,
      ...seeded,
      ...spent,
    ],
    list: mechanisms.map(({ what, mechanism }) => `Noise on ${what}: ${mechanism}.`),
  };
}
