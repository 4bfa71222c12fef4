import { costsOf, priceOf } from "../algorithms/price-of-fairness.js";
import type { ClusterResult } from "../algorithms/types.js";
import { differences, differenceWords } from "../learning/tally.js";
import type { TrainResult } from "../learning/types.js";
import type { Rate } from "../metrics/index.js";
import { formatCount, formatList, formatNumber, formatPeople, formatPrice, formatShare } from "./format.js";
import { html, type Piece } from "./html/markup.js";
import { type Provenance, reportPage, section, verdictHeader, wideTable } from "./html/parts.js";
import { aimOf, controlSentence, modelName } from "./train.js";
import { type Tone, toneOf, verdictSentences, verdictWords } from "./verdict.js";

/** What a card says besides the result: where the model comes from, and digests by which it is told from others. */
export interface CardOrigin extends Required<Omit<Provenance, "language">> {
  /** SHA-256 of the source, where it is a file. */
  readonly dataDigest?: string;
  /** SHA-256 of the model's file, where one was written, and its name. */
  readonly model?: { readonly file: string; readonly digest: string };
}

/** A part of a card: sentences, then a list or a table. */
interface Part {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly list?: readonly string[];
  readonly table?: { readonly titles: readonly string[]; readonly rows: readonly (readonly string[])[] };
}

/** A model card: in Markdown with the fields that model hubs read, or as a page to be printed. */
export interface ModelCard {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly verdict: { readonly tone: Tone; readonly word: string; readonly sentence: string };
  readonly made: string;
  readonly parts: readonly Part[];
}

/** Cards are passed on: nothing is said of fewer people. As in models. */
const leastPeople = 5;
const owner = "This is for the model's owner to say; Moiety cannot know it";

/** The card of a clustering. Of a private one it says only what may be published. */
export function clusterCard(result: ClusterResult, origin: CardOrigin): ModelCard {
  const { algorithm, k, privacy } = result;
  const hidden = privacy !== undefined && privacy.mode !== "none";
  const summary = `${formatCount(k, "cluster", "clusters")} of people by ${algorithm}`;
  const [sentence, ...others] = hidden ? [] : verdictSentences(result, "");
  const protectedNames = Object.keys(result.bounds);
  const { verdict } = result;
  return {
    summary,
    tags: ["fair-clustering", "k-means", algorithm, ...(hidden ? ["differential-privacy"] : [])],
    made: origin.made,
    verdict:
      hidden || verdict === null
        ? {
            tone: "none",
            word: hidden ? "Private" : "Not judged",
            sentence: hidden ? "What is said here may be published" : "Nothing was protected",
          }
        : { tone: toneOf(verdict), word: verdictWords[verdict], sentence: openingOf(sentence ?? "") },
    parts: [
      {
        title: "Model",
        sentences: [
          `${summary}. New people join the nearest cluster (\`moiety predict\`), without regard to groups, or the cluster that keeps the bounds (\`moiety assign\`).`,
        ],
      },
      useOf("A cluster describes people by the features below and says nothing about what they deserve."),
      {
        title: "Data",
        sentences: [
          hidden
            ? "How many people there were, and everything else that the data say without noise, stays with their owner."
            : `${formatPeople(result.n)}, ${formatCount(result.d, "dimension", "dimensions")}. Features: ${formatList(result.features)}.${leftOut(result)}`,
          "How the people were chosen, and whom they stand for, is for the owner to say.",
        ],
      },
      groupsPart(result, hidden, others),
      ...(hidden ? [] : pricePart(result)),
      privacyPart(result),
      ...auditParts([
        protectedNames.length > 0
          ? `that the share of every group of ${formatList(protectedNames)} in every cluster was measured against the bounds above, by exact counts`
          : "that nothing was protected, so that nothing is said about groups",
        "that the same people, options, seed and version give the same labels, on any machine",
      ]),
      originPart(origin, result, hidden),
    ],
  };
}

/** The card of a classifier. */
export function classifierCard(result: TrainResult, origin: CardOrigin): ModelCard {
  const { perGroup, doubts, trained, n, label, protected: attribute } = result;
  const rates = Object.values(perGroup).flatMap(({ positiveRate }) => positiveRate.value ?? []);
  const highest = Math.max(0, ...rates);
  const summary = `${modelName(result)}${aimOf(result)}: '${label.positive}' or '${label.negative}'`;
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
          "How the people were chosen, and whom they stand for, is for the owner to say.",
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
          "The selection rate is the share that gets a yes; the impact ratio is a group's selection rate over the highest one. Intervals hold the true share in 95 of 100 samples.",
        ],
        table: {
          titles: [attribute, "people", "selection rate", "impact ratio", "right", "yes where the label is yes"],
          rows: Object.entries(perGroup).map(([group, each]) => {
            if (each.people < leastPeople) return [group, `fewer than ${leastPeople}`, "–", "–", "–", "–"];
            const { value } = each.positiveRate;
            const ratio = value === null || highest === 0 ? "–" : (value / highest).toFixed(2);
            const shown = [each.positiveRate, each.accuracy, each.truePositiveRate].map(rateOf);
            return [group, formatNumber(each.people), shown[0], ratio, shown[1], shown[2]];
          }),
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
      originPart(origin, result, false),
    ],
  };
}

/** The verdict's sentence without its word, and without the places, which may be a few people. */
function openingOf(sentence: string): string {
  return capital(sentence.replace(/^[^:]*: /, "").replace(/ Where: .*$/, ""));
}

function useOf(caution: string): Part {
  return {
    title: "Use",
    sentences: [`${owner}: what the model is used for, by whom, and what may not be decided by it.`, caution],
  };
}

function leftOut({ leftOut: columns }: Pick<ClusterResult, "leftOut">): string {
  if (columns.length === 0) return "";
  return ` Left out: ${columns.map(({ column, why }) => `${column} (${why})`).join(", ")}.`;
}

/** Every group's bounds, and the least and the largest share that it has in a cluster. */
function groupsPart(result: ClusterResult, hidden: boolean, others: readonly string[]): Part {
  const { bounds, groups, sizes, tolerance } = result;
  if (hidden) {
    const names = Object.keys(groups);
    return {
      title: "Groups",
      sentences: [
        `Protected: ${names.length > 0 ? formatList(names) : "nothing"}. What was measured of groups without noise is not said here.`,
      ],
    };
  }
  const rows = Object.entries(bounds).flatMap(([attribute, each]) =>
    Object.entries(each).map(([group, { min, max }]) => {
      const shares = groups[attribute]?.[group] ?? [];
      const few = shares.some((share, m) => share * sizes[m] < leastPeople);
      const seen = few
        ? `fewer than ${leastPeople} people in a cluster`
        : `${formatShare(Math.min(...shares))} to ${formatShare(Math.max(...shares))}`;
      return [`${attribute}: ${group}`, `${formatShare(min)} to ${formatShare(max)}`, seen];
    }),
  );
  if (rows.length === 0) return { title: "Groups", sentences: ["No group was protected."] };
  return {
    title: "Groups",
    sentences: [
      `Bounds of a group's share of each cluster, with a tolerance of ${formatPeople(tolerance)}.`,
      ...others,
    ],
    table: { titles: ["group", "asked for", "in the clusters"], rows },
  };
}

function pricePart(result: ClusterResult): Part[] {
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

function privacyPart({ privacy }: ClusterResult): Part {
  if (privacy === undefined || privacy.mode === "none") {
    return {
      title: "Privacy",
      sentences: ["No noise was added: centres and counts are those of the people, and may tell something about them."],
    };
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

/** What an auditor can take from here, and what nobody can. The laws are named for what they ask, not as advice. */
function auditParts(attested: readonly string[]): Part[] {
  return [
    {
      title: "What this card attests",
      sentences: ["Computed by Moiety from the data and options below:"],
      list: attested,
    },
    {
      title: "What it cannot attest",
      sentences: ["A program sees a table, and not the world:"],
      list: [
        "that the people are representative of those whom the model is used on, or that the recorded groups are right",
        "that shares of groups are the right notion of fairness for this use, or that the use is lawful",
        "that features are no proxies for groups, and that decisions based on the model are fair",
        "that whoever ran this is independent of whoever uses the model",
      ],
    },
    {
      title: "For audits",
      sentences: ["This is no legal advice, and no law calls a model fair because of this card."],
      list: [
        "New York City, Local Law 144 asks for a bias audit of automated employment decision tools by an independent auditor within a year before use: selection rates and impact ratios by sex, by race or ethnicity, and by both together, and the number of people whose category is unknown. For a classifier the table of groups has rates and ratios (protect `sex*race` for both together); for clusters rates exist only once somebody decides which clusters are selected. The auditor's independence and the publication of the summary are not ours to give.",
        "EU AI Act, Article 10 asks of high-risk systems for data governance: examination for possible biases, measures against them, and gaps in the data. The tables here are such an examination and measure for the groups that were named. Whether data are relevant, representative and complete for the purpose, and whether special categories of data may be processed for this (Article 10(5)), the provider has to show. Articles 11 and 12 ask for documentation and records: the settings, digests and versions below are part of them.",
      ],
    },
  ];
}

function originPart(
  { command, source, made, dataDigest, model }: CardOrigin,
  { seed, version }: Pick<ClusterResult, "seed" | "version">,
  hidden: boolean,
): Part {
  const rows = [
    ["command", command],
    ["source", source],
    // A digest is computed from the data without noise.
    ...(dataDigest === undefined || hidden ? [] : [["source, SHA-256", dataDigest]]),
    ...(model === undefined
      ? []
      : [
          ["model", model.file],
          ["model, SHA-256", model.digest],
        ]),
    ["seed", String(seed)],
    ["version", `Moiety ${version}`],
    ["made", made],
  ];
  return { title: "Settings and digests", sentences: [], table: { titles: ["what", ""], rows } };
}

function rateOf({ value, low, high }: Rate): string {
  if (value === null) return "–";
  const points = (share: number | null) => (100 * (share ?? 0)).toFixed(1);
  return `${formatShare(value)} (${points(low)} to ${points(high)})`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Markdown with the fields at its top that model hubs read. */
export function cardMarkdown({ summary, tags, verdict, parts }: ModelCard): string {
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  const partOf = ({ title, sentences, list = [], table }: Part) => [
    `## ${title}`,
    ...(sentences.length > 0 ? [sentences.join(" ")] : []),
    ...(list.length > 0 ? [list.map((item) => `- ${item}`).join("\n")] : []),
    ...(table ? [[line(table.titles), line(table.titles.map(() => "---")), ...table.rows.map(line)].join("\n")] : []),
  ];
  const head = ["---", "library_name: moiety", "tags:", ...tags.map((tag) => `  - ${tag}`), "---"].join("\n");
  const opening = `**${verdict.word}.** ${verdict.sentence}`;
  return `${[head, `# ${summary}`, opening, ...parts.flatMap(partOf)].join("\n\n")}\n`;
}

/** The same as a page, to be read or printed. */
export function cardPage({ summary, verdict, made, parts }: ModelCard): string {
  const body = ({
    title,
    sentences,
    list = [],
    table,
  }: Part): Piece => html`${sentences.length > 0 ? html`<p>${sentences.join(" ").replaceAll("`", "")}</p>` : undefined}
${list.length > 0 ? html`<ul>${list.map((item) => html`<li>${item.replaceAll("`", "")}</li>`)}</ul>` : undefined}
${
  table
    ? wideTable(
        title,
        html`<tr>${table.titles.map((each) => html`<th scope="col">${each}</th>`)}</tr>`,
        table.rows.map(
          ([first, ...cells]) =>
            html`<tr><th scope="row">${first}</th>${cells.map((each) => html`<td>${each}</td>`)}</tr>`,
        ),
      )
    : undefined
}`;
  const idOf = (title: string) => title.toLowerCase().replaceAll(" ", "-");
  return reportPage(
    `Model card: ${summary}`,
    made,
    verdictHeader(verdict),
    parts.map((part) => section(idOf(part.title), part.title, part.title, body(part))),
  );
}
