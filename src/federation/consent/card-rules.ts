import { listOf, methodFor, methodOf, namesOf } from "../../algorithms/catalogue.js";
import { refusal } from "../../algorithms/reach.js";
import { fewestPresent, mostInPairs } from "../../privacy/masks/ring.js";
import { safeThreshold } from "../../privacy/masks/threshold.js";
import { isReserved } from "../../table/names.js";
import { parseProtected } from "../../table/protect.js";
import type { Card } from "./card.js";
import { categoriesOnCard, linkNames, linksOnCard, mostGroups } from "./card-columns.js";
import { clustererOn, isAlignment, isClusterer, isMethod, promisesOf } from "./methods.js";
import { findsCells, isCountPrivate, isPrivate, noMeans, privacyObjection, uncoveredLabels } from "./private-card.js";
import { smallestCluster } from "./settings.js";
import { trainingObjection } from "./training-card.js";

/**
 * How many sites a job may have. With columns split a sum over more of them could wrap around (see `scoreBound`); with rows split
 * `bench federation` measures as many.
 */
export const mostParties = { columns: 31, rows: 500 } as const;

/** Whether a rule is broken, and what to say then. */
type Rule = readonly [broken: boolean, reason: string];

/** Why this card is no job that could be run, in words for whoever wrote it; undefined when it is one. */
export function objectionTo(card: Card): string | undefined {
  const { algorithm, split } = card;
  const general =
    firstBroken(namingRules(card)) ?? groupsObjection(card) ?? trainingObjection(card) ?? privacyObjection(card);
  if (general !== undefined) return general;
  if (isAlignment(card)) return firstBroken(alignmentRules(card));
  if (isMethod(algorithm)) return firstBroken([...trainingRules(card), ...sharedRowRules(card)]);
  return firstBroken([
    ...notionRules(card),
    [
      card.categoryWeight !== undefined && card.parties.every(({ categorical }) => categorical.length === 0),
      "categoryWeight does nothing where no column is a category: name some as categorical, or leave it out",
    ],
    [
      card.categoryWeight !== undefined && isPrivate(card),
      "in a private job the box says how far apart people are: leave out categoryWeight",
    ],
    [
      card.reference !== undefined && (isPrivate(card) || !promisesOf(card).sizes),
      "reference is what promises cost, and this job makes none: leave it out",
    ],
    ...(split === "rows" ? [...rowRules(card), ...sharedRowRules(card)] : columnRules(card)),
  ]);
}

function firstBroken(rules: readonly Rule[]): string | undefined {
  return rules.find(([broken]) => broken)?.[1];
}

function namingRules(card: Card): Rule[] {
  const { groups = {}, parties } = card;
  const names = parties.map(({ name }) => name);
  const filed = [...Object.values(groups).flat(), ...parties.flatMap(({ protect }) => protect)];
  const reserved = filed.find(isReserved);
  const most = mostParties[card.split];
  const empty = parties.find(({ features, categorical }) => features.length + categorical.length === 0);
  return [
    [reserved !== undefined, reservedName(reserved)],
    [
      parties.length > most,
      `${parties.length} parties: with ${card.split} split a job has at most ${most}${card.split === "rows" ? "" : `, and with rows split ${mostParties.rows}`}`,
    ],
    [new Set(names).size !== names.length, "a party is named twice on the card"],
    [
      card.normalise !== undefined && (card.id === undefined || card.split === "rows"),
      "normalise is for ids that sites compare: add id, with columns split, or leave it out",
    ],
    [
      empty !== undefined && !isAlignment(card),
      `${empty?.name} has neither features nor categorical columns: name some`,
    ],
  ];
}

export function reservedName(name: string | undefined): string {
  return `'${name}' cannot be a name on a card; rename it`;
}

/** Where groups are named on the card: why these are none that all sites can make; undefined when they are. */
function groupsObjection(card: Card): string | undefined {
  const named = card.split === "rows" || findsCells(card);
  const names = named ? card.parties.flatMap(({ protect }) => protect) : [];
  const most = mostGroups(card) ?? 0;
  const many = names.find((each) => (card.groups?.[each]?.length ?? 0) > most);
  if (many !== undefined) return `'${many}' has more than ${most} groups: merge some, or say maxGroups`;
  const name = names.find((each) => parseProtected(each).some(({ cuts }) => cuts?.kind === "quantiles"));
  if (name === undefined) return undefined;
  const why = findsCells(card)
    ? "groups that its values decide, which noise would not hide"
    : "everybody's values, which no site has with rows split";
  return `'${name}' needs ${why}: give cuts, such as age:25,40,65`;
}

function alignmentRules({ id, parties, split, k, labels, protection }: Card): Rule[] {
  return [
    [id === undefined, "an alignment needs the column of ids: add id: person, say"],
    [
      parties.some(({ features, categorical, protect }) => features.length + categorical.length + protect.length > 0),
      "an alignment looks at ids only: leave out features, categorical and protect",
    ],
    [
      split !== "columns" || k !== 1 || labels.length > 0 || protection !== "blinded",
      "an alignment makes no clusters: leave out split, k, labels and protection",
    ],
  ];
}

function columnRules(card: Card): Rule[] {
  const { algorithm, groups, minCount, quorum, protection, balance, solver, distance, siteShares } = card;
  const measuring = namesOf(({ columns, options }) => columns?.federated && options.distance);
  return [
    [!isClusterer(algorithm, "columns"), `${algorithm} works on split rows: add split: rows`],
    [
      (groups !== undefined && !findsCells(card)) ||
        minCount !== undefined ||
        quorum !== undefined ||
        protection === "means",
      "groups, minCount, quorum and protection: means are for split: rows",
    ],
    [
      siteShares === true,
      "siteShares is for split: rows; with columns split all sites have the same people: leave it out",
    ],
    ...sizeRules(card),
    ...seatRules(card),
    ...linkRules(card),
    [balance !== undefined && solver === "admm", "the paper's admm knows no even sizes: leave out solver, or balance"],
    [
      distance !== undefined && !clustererOn(card)?.options.distance,
      `${algorithm} has no choice of distance: use ${measuring}, or leave it out`,
    ],
    [
      distance === "manhattan" && solver === "admm",
      "the paper's admm is made of means, and distance: manhattan has medians: leave out solver, or distance",
    ],
  ];
}

/** Of clusters with rows split: so that nothing of the job is a surprise at a site. */
function rowRules(card: Card): Rule[] {
  const { algorithm, parties, groups, protection, missing, labels, id, init, effort, block } = card;
  const { solver, balance, distance, siteShares } = card;
  const unlisted = isPrivate(card) ? [] : categoriesOnCard(card).filter(({ categories }) => categories.length < 2);
  const unnamed = parties[0].protect.filter((name) => !groups?.[name]);
  const masks = isClusterer(algorithm, "rows") && methodOf(algorithm).rows?.protections.includes("masked");
  return [
    [
      !isClusterer(algorithm, "rows"),
      `${algorithm} does not work on split rows: use ${listOf(({ rows }) => rows?.federated)}`,
    ],
    ...unlisted.map(({ column }): Rule => {
      return [true, `name the categories of '${column}', such as categories: { ${column}: [a, b] }`];
    }),
    ...unnamed.map((name): Rule => [true, `name the groups of '${name}', such as groups: { ${name}: [a, b] }`]),
    [
      init !== "kmeans++" || block !== 0.25 || effort !== undefined,
      "init, effort and block do nothing with rows split: leave them out",
    ],
    [missing !== "error" && isPrivate(card), noMeans],
    [solver === "admm" || typeof balance === "number", "with rows split there is neither admm nor balance by degree"],
    [distance === "manhattan", `${refusal("manhattan", "jobRows", "distance: manhattan")}: leave out distance`],
    [distance !== undefined, "with rows split there is no choice of distance: leave it out"],
    ...linkRules(card),
    ...sizeRules(card),
    ...seatRules(card),
    [
      siteShares === true && !promisesOf(card).sizes,
      `${algorithm} tells sites nothing of their own people in the clusters: leave out siteShares`,
    ],
    [protection === "blinded", "with rows split there is no protection: blinded; sums are masked"],
    [
      !masks && protection !== "means",
      `${algorithm} is made of each party's own cluster means, which cannot be masked: say protection: means, or use ${methodFor("rows").name}`,
    ],
    [labels.includes("analyst") && isCountPrivate(card), uncoveredLabels],
    [
      labels.includes("analyst") && id === undefined,
      "labels of several parties' people need an id: name the column, or leave labels to the parties",
    ],
  ];
}

/** Of columns that say who counts how, and who goes with whom. */
function linkRules(card: Card): Rule[] {
  const { algorithm, split, solver, distance, balance } = card;
  const links = linksOnCard(card);
  if (links.length === 0) return [];
  const [{ link }] = links;
  const twice = linkNames.find((name) => links.filter((each) => each.link === name).length > 1);
  const method = clustererOn(card);
  return [
    [split === "rows", `${refusal(link, "jobRows", link)}: leave it out`],
    [split === "columns" && twice !== undefined, `${twice} is named by several parties: name it at one of them`],
    [isPrivate(card), `${link} is not for private jobs: noise hides one person, not who weighs more: leave it out`],
    [
      !method?.links,
      `${link} does nothing with ${algorithm}: use ${namesOf((other) => other.links && other[split]?.federated)}`,
    ],
    [solver === "admm", `${link} is for prices, not for the paper's admm: leave out solver`],
    [
      distance === "manhattan",
      `${link} is for squared distances, whose means can be weighed and contracted: leave out distance`,
    ],
    [balance === "hard", `sizes cannot differ by one at most where ${link} make some move as a whole: give minSize`],
  ];
}

function trainingRules(card: Card): Rule[] {
  const {
    missing,
    train,
    protection,
    bounds,
    notion,
    balance,
    minSize,
    maxSize,
    capacity,
    seats,
    distance,
    siteShares,
  } = card;
  return [
    [
      siteShares === true && train?.useGroup === true,
      "siteShares and useGroup do not go together: sites do not know the thresholds by group; leave one of them out",
    ],
    [linksOnCard(card).length > 0, "weights and together are of clusters: leave them out of a training"],
    [
      missing !== "error" && train?.imageShape !== undefined,
      "no mean can stand in for a missing pixel: leave out missing",
    ],
    [protection !== "masked", "all that leaves a site in a training is masked: leave out protection"],
    [
      [bounds, notion, balance, minSize, maxSize, capacity, seats, distance].some((wish) => wish !== undefined),
      "bounds, notion, balance, sizes, seats and distance are of clusters: leave them out of a training",
    ],
  ];
}

/** Of clusters and trainings alike. */
function sharedRowRules({ parties, quorum = 0, siteShares }: Card): Rule[] {
  const { length } = parties;
  const columns = new Set(
    parties.map(({ features, categorical, protect }) => JSON.stringify([features, categorical, protect])),
  );
  const least = safeQuorum(length);
  return [
    [length < 3, `rows split over ${length} parties: with fewer than 3 a sum shows the others' rows`],
    [columns.size > 1, "with rows split all parties have the same features, categorical and protected columns"],
    [
      siteShares === true && length > mostInPairs,
      `siteShares is for up to ${mostInPairs} sites, since each needs a word of every other: leave it out`,
    ],
    [quorum < least || quorum > length, `quorum ${quorum} of ${length} parties: give from ${least} to ${length}`],
  ];
}

function sizeRules(card: Card): Rule[] {
  const { algorithm, split, k, minSize, maxSize, balance, capacity } = card;
  // Of cells, each has a smallest size.
  const sized = [findsCells(card) ? undefined : minSize, maxSize, balance, capacity].some((wish) => wish !== undefined);
  const keepers = namesOf((method) => method.promises.sizes && method[split]?.federated);
  const inverted = capacity?.findIndex(({ min = 0, max = min }) => max < min) ?? -1;
  const { min, max } = capacity?.[inverted] ?? {};
  return [
    [sized && !promisesOf(card).sizes, `${algorithm} keeps no sizes: use ${keepers}`],
    [
      capacity !== undefined && capacity.length !== k,
      `capacity has ${capacity?.length} sizes: give one for each of k=${k} clusters`,
    ],
    [
      capacity !== undefined && (minSize !== undefined || maxSize !== undefined || balance === "hard"),
      "capacity says the sizes of all clusters: leave out minSize, maxSize and balance: hard",
    ],
    [
      inverted >= 0,
      `cluster ${inverted} of capacity has a min of ${min} and a max of ${max}: give a min up to the max`,
    ],
  ];
}

/** Of what fair is to mean. */
function notionRules(card: Card): Rule[] {
  const { notion, represent, inClusters, k, algorithm, split, parties, bounds, seats, solver, starts } = card;
  const keeper = methodFor("groups").name;
  const represents = notion === "representation";
  return [
    [
      !represents && (represent !== undefined || inClusters !== undefined),
      "represent and inClusters are for notion: representation: say that too, or leave them out",
    ],
    ...(represents
      ? ([
          [
            split === "columns",
            `${refusal("representation", "jobColumns", "notion: representation")}: split rows, or leave it out`,
          ],
          [algorithm !== keeper, `${algorithm} does not keep notion: representation: use ${keeper}`],
          [
            parties[0].protect.length === 0,
            "notion: representation is about groups, and none are protected: add protect",
          ],
          [
            represent === undefined,
            "represent is missing: give the share that each group is to have, such as represent: 0.3",
          ],
          [
            (inClusters ?? 1) > k,
            `every group is to be represented in ${inClusters} clusters, and k=${k}: use ${k} or fewer`,
          ],
          [
            bounds !== undefined,
            "bounds are of shares in every cluster, and notion: representation has none: leave one out",
          ],
          [
            seats !== undefined,
            "with rows split groups are matched with clusters that were found: leave out seats, or notion",
          ],
          [solver === "admm", "the paper's admm keeps shares in all clusters alike: leave out solver, or notion"],
          [starts > 1, "groups are matched with the clusters of one start: leave out starts"],
        ] satisfies Rule[])
      : []),
  ];
}

/** Of given places: each has a value in every column of the job, and nothing is left to look for. */
function seatRules(card: Card): Rule[] {
  const { seats, k, split, parties, protection, effort, starts, init, solver, reference, minCount = 1 } = card;
  if (!seats) return [];
  const numbers = new Set(parties.flatMap(({ features }) => features));
  const columns = new Set([...numbers, ...parties.flatMap(({ categorical }) => categorical)]);
  const placing = namesOf((method) => method.options.seats && method[split]?.federated);
  const { size, asking } = smallestCluster(card);
  return [
    [!clustererOn(card)?.options.seats, `${card.algorithm} has no given places: use ${placing}, or leave out seats`],
    [seats.length !== k, `seats has ${seats.length} places, and k is ${k}: give one for each cluster`],
    ...seats.flatMap((seat, at): Rule[] => {
      const lacking = [...columns].find((name) => !Object.hasOwn(seat, name));
      const unknown = Object.keys(seat).find((name) => !columns.has(name));
      const text = [...numbers].find((name) => typeof seat[name] !== "number");
      const place = `place ${at} of seats`;
      return [
        [lacking !== undefined, `${place} has no '${lacking}': give a value for every column of the job`],
        [unknown !== undefined, `${place} has a '${unknown}', which is no column of the job: leave it out`],
        [text !== undefined, `${place} has no number for the feature '${text}': give one in the units of the column`],
      ];
    }),
    [
      effort !== undefined || starts > 1 || init !== "kmeans++",
      "nothing is looked for where places are given: leave out effort, starts and init",
    ],
    // A row then has as many ratios as a person has values, or more: whoever knows the places can compute these.
    [
      protection === "blinded" && k > columns.size + 1,
      `blinding hides nobody's values from a coordinator that knows ${k} places in ${columns.size} columns: give at most ${columns.size + 1} places, or say protection: masked where all policies allow it`,
    ],
    [solver === "admm", "centres that stay are for prices: leave out solver, or seats"],
    [
      split === "rows" && reference !== undefined,
      "what promises cost at given places is not looked for with rows split: leave out reference",
    ],
    [
      split === "rows" && size < minCount,
      `with rows split the sums of people at every place are told, and minCount is ${minCount}: use ${asking(minCount)}`,
    ],
  ];
}

/**
 * The fewest parties that a sum may be of: fewer than three see each other's part, and half of them could be another half. Of many,
 * who mask with their neighbours, all but a tenth.
 */
export function safeQuorum(parties: number, colluders = 0): number {
  if (parties > mostInPairs) return fewestPresent(parties);
  return Math.max(3, safeThreshold(parties, colluders));
}
