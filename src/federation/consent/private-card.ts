import * as z from "zod";
import { methodFor, namesOf } from "../../algorithms/catalogue.js";
import type { PrivacyOptions } from "../../algorithms/dp-fair/privacy-options.js";
import { releaseOf as releaseOfCosts } from "../../algorithms/dp-fair/statement.js";
import type { PrivatePlan } from "../../algorithms/method.js";
import type { Release } from "../../privacy/accounting/ledger.js";
import { colludersAmong, mostInPairs } from "../../privacy/masks/ring.js";
import { safeThreshold } from "../../privacy/masks/threshold.js";
import type { Sharing } from "../../privacy/noise/noise-shares.js";
import { attributeName, parseProtected } from "../../table/protect.js";
import type { Card } from "./card.js";
import { groupsOnCard, protectedOn } from "./card-columns.js";
import { clustererOn } from "./methods.js";
import { quorumOf } from "./settings.js";

const positive = z.number().gt(0);

/** Options of a private job that mean the same in one process. */
const options = {
  private: z.enum(["attribute", "all"]).exactOptional(),
  deltaDp: positive.lt(1).exactOptional(),
  epsilonLabel: positive.exactOptional(),
  components: z.number().int().min(1).max(1000).exactOptional(),
  balanceTarget: z.number().min(0).max(0.99).exactOptional(),
  lambda: z.number().min(0).exactOptional(),
  minCellShare: z.number().min(0).max(0.5).exactOptional(),
  refine: z.enum(["auto", "on", "off"]).exactOptional(),
};

/** What a card asks for as to noise; each site's policy and ledger decide whether it is allowed. */
export const privacyFields = {
  /** The privacy that the job costs everybody it is about; "inf" for none. */
  epsilon: z.union([positive, z.literal("inf")]).optional(),
  ...options,
  /** What is publicly known of every feature: its bounds, or its categories. */
  box: z
    .record(z.string(), z.union([z.tuple([z.number(), z.number()]), z.array(z.string()).min(2).max(1000)]))
    .optional(),
  /** So many sites may pool what they know with the coordinator: the noise of the others is enough. */
  colluders: z.number().int().min(0).optional(),
};

const named = Object.keys(privacyFields) as (keyof typeof privacyFields)[];

/** Whether a job's sums carry noise, or could. */
export function isPrivate(card: Pick<Card, "algorithm" | "epsilon">): boolean {
  const privacy = clustererOn(card)?.privacy;
  return privacy !== undefined && (privacy.always || card.epsilon !== undefined);
}

/** Where everything about people is private, so is how many of them a site has. */
export function isCountPrivate(card: Pick<Card, "algorithm" | "epsilon" | "private">): boolean {
  return isPrivate(card) && (card.private ?? clustererOn(card)!.privacy!.about[0]) === "all";
}

/** Why this makes no private job; undefined when it does, or when it is none and says nothing of noise. */
export function privacyObjection(card: Card): string | undefined {
  const given = named.filter((name) => card[name] !== undefined);
  if (!isPrivate(card)) {
    return given.length > 0 ? `${given[0]} is for ${namesOf(({ privacy }) => privacy)} with an epsilon` : undefined;
  }
  const { algorithm, split, epsilon, box, protection, colluders = 1 } = card;
  const { always, about, overColumns } = clustererOn(card)!.privacy!;
  if (split !== "rows" && !overColumns) return `${algorithm} works on split rows: add split: rows`;
  if (epsilon === undefined) return `${algorithm} needs an epsilon, such as epsilon: 1`;
  if (epsilon === "inf" && !always) return `${algorithm} without noise has no epsilon: leave it out`;
  if (split !== "rows") return columnsObjection(card);
  if (protection !== "masked") return "all that leaves a site in a private job is masked: leave out protection";
  const [first] = card.parties;
  const columns = [...first.features, ...first.categorical];
  const unknown = columns.find((column) => !box || !Object.hasOwn(box, column));
  if (unknown !== undefined) return unknownBox(unknown);
  const parties = card.parties.length;
  const quorum = Math.min(quorumOf(card), parties);
  if (colluders > quorum - 1) return `colluders ${colluders}: of a quorum of ${quorum} one must be honest`;
  if (parties > mostInPairs && colluders > colludersAmong(parties)) {
    return `colluders ${colluders}: of ${parties} parties, who mask with their neighbours, at most ${colludersAmong(parties)} may collude`;
  }
  const least = safeThreshold(parties, colluders);
  if (quorum < least) {
    return `quorum ${quorum} of ${parties} parties, of whom ${colluders} may collude with a coordinator that lies about who is there: give from ${least} to ${parties}`;
  }
  if (!about.includes("attribute") && (card.private === "attribute" || first.protect.length > 0)) {
    return `${algorithm} looks at no protected attribute: leave out protect, and private: attribute`;
  }
  return undefined;
}

/** The same with columns split. */
function columnsObjection(card: Card): string | undefined {
  const { algorithm, parties, groups, components, k } = card;
  const particular = isCountPrivate(card) ? roundsObjection(card) : cellsObjection(card);
  if (particular !== undefined) return particular;
  const paper = (["lambda", "minCellShare", "refine"] as const).find((name) => card[name] !== undefined);
  if (paper !== undefined) {
    return `${paper} belongs to the paper's form of ${algorithm}, which needs densities over all columns in one place: leave it out`;
  }
  if (card.solver === "admm") return "the paper's admm makes no cells: leave out solver";
  if (card.bounds !== undefined) return "true shares are not told in a private job: leave out bounds";
  const named = protectedOn(card);
  if (named.length === 0) return `${algorithm} needs protected attributes: name some at the party that holds them`;
  const twice = repeated(named, attributeName);
  if (twice !== undefined) {
    return `'${twice}' is protected at two parties, and its counts would leave twice: name it at one of them`;
  }
  const used = new Set(parties.flatMap(({ features, categorical }) => [...features, ...categorical]));
  const known = named.find((name) => parseProtected(name).some(({ column }) => used.has(column)));
  if (known !== undefined && !isCountPrivate(card)) {
    return `'${known}' is protected and a feature, and features are taken as known: leave it out of one of them`;
  }
  const unnamed = named.find((name) => !groups?.[name]);
  if (unnamed !== undefined) {
    return `name the groups of '${unnamed}', such as groups: { ${unnamed}: [a, b] }: which there are is not told by noisy counts`;
  }
  if (components !== undefined && components < k) return `${components} components cannot make k=${k} clusters`;
  return undefined;
}

/** Where nothing but the counts of groups has noise. */
function cellsObjection(card: Card): string | undefined {
  const idle = (["deltaDp", "epsilonLabel"] as const).find((name) => card[name] !== undefined);
  if (idle !== undefined) return `${idle} belongs to private: all: leave it out, or add that`;
  if (card.box !== undefined) {
    return "with columns split every site scales its own, unless everything is private: leave out box, or add private: all";
  }
  if (card.colluders === undefined) return undefined;
  return "whoever holds the groups adds all the noise, against everybody else together: leave out colluders";
}

/** Where everything about people is private from those who see the model. */
function roundsObjection(card: Card): string | undefined {
  const { parties, box, colluders, minSize, missing, starts, init, effort, block, labels } = card;
  const features = parties.flatMap((part) => [...part.features, ...part.categorical]);
  const unboxed = features.find((column) => !box || !Object.hasOwn(box, column));
  if (unboxed !== undefined) return unknownBox(unboxed);
  const stray = Object.keys(box ?? {}).find((column) => !features.includes(column));
  if (stray !== undefined) return `the box names '${stray}', which is not a feature: leave it out, or name the feature`;
  const twice = repeated(features, (name) => name);
  if (twice !== undefined) {
    return `'${twice}' is a feature at two parties, and no values are compared where everything is private: name it at one of them`;
  }
  if (colluders !== undefined) {
    return "nothing is promised against the sites and the coordinator, who know whom the sites have in common: leave out colluders";
  }
  if (minSize !== undefined) return "of cells whose sizes are private no size can be promised: leave out minSize";
  if (missing !== "error") return noMeans;
  if (starts > 1 || init !== "kmeans++" || effort !== undefined || block !== 0.25) {
    return "where everything is private the rounds are fixed: leave out starts, init, effort and block";
  }
  return labels.includes("analyst") ? uncoveredLabels : undefined;
}

/** What is named twice. */
function repeated(names: readonly string[], nameOf: (name: string) => string): string | undefined {
  return names.find((name, at) => names.findIndex((other) => nameOf(other) === nameOf(name)) < at);
}

function unknownBox(column: string): string {
  return `name what is publicly known of '${column}', such as box: { ${column}: [0, 100] }`;
}

export const noMeans = "in a private job no mean can stand in for what is missing: leave out missing";
export const uncoveredLabels =
  "everybody's cluster is not covered by the noise where everything is private: leave labels to the parties";

/**
 * Whether a site's own numbers leave it with noise: with columns split, those of whoever holds a protected attribute, or of everybody where
 * everything is private.
 */
export function addsNoise(card: Card, party: string): boolean {
  if (!isPrivate(card)) return false;
  return (
    card.split === "rows" ||
    isCountPrivate(card) ||
    card.parties.some(({ name, protect }) => name === party && protect.length > 0)
  );
}

/** Whether clusters are made of cells of people whose columns are split, which all sites know. */
export function findsCells(card: Pick<Card, "algorithm" | "epsilon" | "split">): boolean {
  return card.split === "columns" && isPrivate(card);
}

/**
 * What the solver of split columns is asked for: of a private job the cells, each of `minSize` people at least, by their features alone.
 * No protected attribute is part of it. Where everything is private no solver is asked, and `k` is how many cells there are at most.
 */
export async function solvedCard(card: Card, people: number): Promise<Card> {
  if (!findsCells(card)) return card;
  const { components, epsilon: _e, private: _p, balanceTarget: _b, groups: _g, ...rest } = card;
  const usual = (await privatePlanOf(card, people)).components;
  const open = { reference: false, parties: card.parties.map((part) => ({ ...part, protect: [] })) };
  if (isCountPrivate(card)) return { ...rest, ...open, k: usual };
  // Where the card does not say, a mean cell has twice the people of the smallest.
  const most = Math.max(card.k, Math.floor(people / (2 * (card.minSize ?? 1))));
  return {
    ...rest,
    algorithm: methodFor("groups").name,
    k: components ?? Math.min(usual, most),
    ...open,
  };
}

/** So many sites may pool what they know with the coordinator; 0 where nothing is promised against it. */
export function colludersOf(card: Pick<Card, "algorithm" | "epsilon" | "colluders">): number {
  return isPrivate(card) ? (card.colluders ?? 1) : 0;
}

/** Shares of noise are so large that those of the quorum suffice, without the colluders'. */
function sharingOf(card: Card): Sharing {
  // Whoever holds an attribute, or a column, is alone in counting it.
  if (findsCells(card)) return { parties: 1, colluding: 0 };
  const { length } = card.parties;
  return { parties: length, colluding: length - quorumOf(card) + colludersOf(card) };
}

function optionsOf(card: Card): PrivacyOptions {
  const { epsilon } = card;
  const number = epsilon === "inf" ? Number.POSITIVE_INFINITY : (epsilon ?? Number.NaN);
  return { ...z.object(options).parse(card), epsilon: number };
}

/** The dimensions that the columns of a card make, in [-1, 1]: with columns split, those of one site after those of another. */
export function dimensionsOf({ box, ...card }: Pick<Card, "parties" | "box" | "split">): number {
  const columns = heldParts(card).map(({ features, categorical }) => {
    return features.length + categorical.reduce((sum, name) => sum + (box?.[name]?.length ?? 0), 0);
  });
  return columns.reduce((sum, each) => sum + each, 0);
}

/** The same before categories become several. */
export function columnsOf(card: Pick<Card, "parties" | "split">): number {
  return heldParts(card).reduce((sum, { features, categorical }) => sum + features.length + categorical.length, 0);
}

function heldParts({ parties, split }: Pick<Card, "parties" | "split">): Card["parties"] {
  return split === "rows" ? parties.slice(0, 1) : parties;
}

/** `people` decides nothing that costs privacy: only how many cells there are, where features are not private. */
export async function privatePlanOf(card: Card, people: number): Promise<PrivatePlan> {
  const planned = {
    n: people,
    dimensions: { length: dimensionsOf(card) },
    columns: columnsOf(card),
    attributes: groupsOnCard(card),
    publicBounds: true as const,
    atSites: true as const,
    ...(card.split === "columns" ? { split: "columns" as const } : {}),
  };
  const plan = await clustererOn(card)!.privacy!.plan();
  return plan(planned, [card.k], optionsOf(card), sharingOf(card));
}

/** What a site writes down before it answers; null where there is no noise, and nothing is promised. */
export function releaseOf(card: Card, hash: string, { costs }: PrivatePlan): Release | null {
  return releaseOfCosts(costs, `${card.algorithm}, k=${card.k}, job ${hash}`);
}
