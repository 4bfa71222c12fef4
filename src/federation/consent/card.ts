import { z } from "zod";
import { listOf, methodFor, methodOf, namesOf } from "../../algorithms/catalogue.js";
import type { AlgorithmName } from "../../algorithms/types.js";
import { MoietyError } from "../../errors.js";
import { type MethodName, methodNames } from "../../learning/catalogue.js";
import { safeThreshold } from "../../privacy/masks/double.js";
import { isReserved } from "../../table/names.js";
import { memberName } from "../identity/kit.js";
import { parseYaml, reservedKey } from "../yaml.js";
import { alignmentObjection, alignmentRequest, alignmentTerms } from "./alignment-card.js";
import { hashOf } from "./canonical.js";
import { categoriesOnCard, groupsObjection, groupsWithCuts } from "./card-columns.js";
import { mostParties } from "./limits.js";
import { canMask, clusterers, isClusterer, promisesOf } from "./methods.js";
import { colludersOf, isCountPrivate, isPrivate, privacyFields, privacyObjection } from "./private-card.js";
import { isMethod, trainingObjection, trainingSchema } from "./training-card.js";

const columns = z.array(z.string().min(1).max(256)).max(10_000).default([]);
const whole = z.number().int();

/** The part of one party: which of its columns a job uses, and as what. */
const part = z.strictObject({ features: columns, categorical: columns, protect: columns });

/** From the strictest. */
export const protections = ["blinded", "masked", "means"] as const;

const share = z.number().min(0).max(1);

/** What runs at several sites: the clusterers that may, what learns, or the alignment alone. */
export const federatedAlgorithms: readonly FederatedAlgorithm[] = [...clusterers(), ...methodNames, "align"];
type FederatedAlgorithm = AlgorithmName | MethodName | "align";

/** What both the analyst's file and the card say of the work itself. */
const work = {
  algorithm: z.enum(federatedAlgorithms).default(methodFor("groups").name),
  /** Clusters; 1 where none are sought. */
  k: whole.min(1).max(65_000),
  /** What is to be learnt, and how. */
  train: trainingSchema.optional(),
  /** With rows split: all categories of each categorical column, in order, since no site sees them all. */
  categories: z.record(z.string(), z.array(z.string().max(256)).min(2).max(1000)).optional(),
  /** Who gets the model that was learnt. */
  model: z.array(z.enum(["parties", "analyst"])).optional(),
  /** What a site holds: some columns of everybody, or all columns of some people. */
  split: z.enum(["columns", "rows"]).default("columns"),
  /** With rows split: all groups of each protected attribute, in order, since no site sees them all. */
  groups: z.record(z.string(), z.array(z.string().max(256)).min(2).max(1000)).optional(),
  /** The most groups of one protected attribute; default 100. */
  maxGroups: whole.min(2).max(1000).optional(),
  /** With rows split: sums and means of fewer people are neither asked for nor told. */
  minCount: whole.min(1).optional(),
  /** With rows split: a job goes on while so many of its parties are there, more than half and three at least. */
  quorum: whole.min(3).max(mostParties).optional(),
  ...privacyFields,
  /** The column that names people, at every site; all sites hold the same people. */
  id: z.string().min(1).optional(),
  delta: z.number().min(0).lt(1).default(0.2),
  bounds: z
    .record(z.string(), z.record(z.string(), z.strictObject({ min: share.optional(), max: share.optional() })))
    .optional(),
  tolerance: z.number().min(0).default(1),
  /** Even sizes: eta of Teb-means, or hard. */
  balance: z.union([z.number().gt(0).max(1), z.literal("hard")]).optional(),
  minSize: whole.min(1).optional(),
  maxSize: whole.min(1).optional(),
  /** False: it is not found out what the promises cost, which takes some more passes. Absent on older cards, where it is. */
  reference: z.boolean().optional(),
  solver: z.enum(["prices", "admm"]).default("prices"),
  init: z.enum(["kmeans++", "random"]).default("kmeans++"),
  starts: whole.min(1).max(1000).default(1),
  maxIterations: whole.min(1).max(10_000).default(50),
  block: z.number().gt(0).default(0.25),
  seed: whole.min(0).default(1),
  scale: z.enum(["standard", "minmax", "none"]).default("standard"),
  missing: z.enum(["error", "mean"]).default("error"),
  /** Who gets to know everybody's cluster, and who the summary. */
  labels: z.array(z.enum(["parties", "analyst"])).default(["parties"]),
  summary: z.array(z.enum(["parties", "analyst"])).default(["parties", "analyst"]),
  /** Hours after which a job that is waiting or paused has failed. */
  deadlineHours: z
    .number()
    .gt(0)
    .max(24 * 365)
    .default(72),
};

const requestSchema = z.strictObject({
  ...work,
  k: work.k.optional(),
  protection: z.enum(protections).optional(),
  parties: z.record(memberName, part),
});

const cardSchema = z.strictObject({
  ...work,
  /**
   * How what leaves a site is protected. blinded: with columns split, the coordinator sees no number of any person;
   * masked: it sees sums over all parties; means: with rows split, a site's own cluster means are told too, unmasked.
   */
  protection: z.enum(protections),
  format: z.literal("moiety-card"),
  version: z.literal(1),
  federation: memberName,
  analyst: memberName,
  /** Tells two submissions of the same file apart. */
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
  /** In order: the first one leads. Fixed for good: "again without one" would reveal that one. */
  parties: z
    .array(part.extend({ name: memberName }))
    .min(2)
    .max(mostParties),
});

/** What everybody agrees to, and all that a job is. */
export type Card = z.infer<typeof cardSchema>;
export type CardPart = Card["parties"][number];

export interface Submission {
  readonly federation: string;
  readonly analyst: string;
  /** 32 hexadecimal digits that were never used before. */
  readonly nonce: string;
}

/** The card of a job that an analyst describes in YAML. */
export function cardOf(text: string, source: string, submission: Submission): Card {
  const wants = z.looseObject({ algorithm: z.unknown().optional(), minSize: z.unknown().optional() });
  const { algorithm: wanted, minSize: smallest } = parseYaml(wants, text, source);
  if (smallest === "meaningful") {
    const why = "the size would tell everybody how rare the rarest group is";
    throw new MoietyError(
      "input",
      `${source}: minSize: meaningful is not for a federation, since ${why}: give a number`,
    );
  }
  if (wanted === "align") {
    const terms = alignmentTerms(parseYaml(alignmentRequest, text, source));
    checkCount(terms.parties.length, source);
    return checkCard({ ...terms, ...submission, format: "moiety-card", version: 1 });
  }
  const { parties, ...given } = parseYaml(requestSchema, text, source);
  const rows = given.split === "rows" || isMethod(given.algorithm);
  const named = Object.entries(parties).map(([name, each]) => ({ name, ...each }));
  checkCount(named.length, source);
  const byRow = rows ? groupsWithCuts({ ...given, parties: named }) : {};
  const rest = { ...given, ...byRow, protection: given.protection ?? (rows ? "masked" : "blinded") };
  for (const { name, features, categorical } of named) {
    if (features.length + categorical.length > 0) continue;
    throw new MoietyError("input", `${source}: ${name} has neither features nor categorical columns: name some`);
  }
  const objection = groupsObjection({ ...rest, parties: named }) ?? trainingObjection({ ...rest, parties: named });
  if (objection !== undefined) throw new MoietyError("input", `${source}: ${objection}`);
  const learns = isMethod(rest.algorithm);
  if (learns === (rest.k !== undefined)) {
    throw new MoietyError(
      "input",
      learns
        ? `${source}: k does nothing in a training: leave it out`
        : `${source}: k is missing: the number of clusters`,
    );
  }
  const k = rest.k ?? 1;
  const wrongly = privacyObjection({ ...rest, parties: named });
  if (wrongly !== undefined) throw new MoietyError("input", `${source}: ${wrongly}`);
  if (rest.reference !== undefined && (isPrivate(rest) || learns || !promisesOf(rest).sizes)) {
    throw new MoietyError("input", `${source}: reference is what promises cost, and this job makes none: leave it out`);
  }
  const byRows = { ...rest, k, ...submission, parties: named };
  if (learns) return checkCard(learnerCard(byRows, source));
  if (rest.split === "rows") return checkCard(rowCard(byRows, source));
  if (!isClusterer(rest.algorithm, "columns")) {
    throw new MoietyError("input", `${source}: ${rest.algorithm} works on split rows: add split: rows`);
  }
  if (rest.groups || rest.minCount !== undefined || rest.quorum !== undefined || rest.protection === "means") {
    throw new MoietyError("input", `${source}: groups, minCount, quorum and protection: means are for split: rows`);
  }
  const protects = named.some(({ protect }) => protect.length > 0);
  const { algorithm, minSize: least, maxSize: most, balance, solver } = rest;
  const sized = [least, most, balance].some((wish) => wish !== undefined);
  if (sized && !promisesOf(rest).sizes) {
    throw new MoietyError("input", `${source}: ${algorithm} keeps no sizes: use ${keepers("columns")}`);
  }
  if (balance !== undefined && solver === "admm") {
    throw new MoietyError("input", `${source}: the paper's admm knows no even sizes: leave out solver, or balance`);
  }
  // No singletons in a fair run, as in one process.
  const minSize = rest.minSize ?? (promisesOf(rest).groups && protects ? 2 : undefined);
  return checkCard({ ...rest, k, minSize, ...submission, format: "moiety-card", version: 1, parties: named });
}

function checkCount(parties: number, source: string): void {
  if (parties < 2) throw new MoietyError("input", `${source}: a job needs at least 2 parties to hide among`);
}

type CardDraft = Omit<z.infer<typeof requestSchema>, "parties" | "k"> &
  Pick<Card, "protection" | "k"> &
  Submission & { readonly parties: readonly CardPart[] };

/** What a training must say: nothing that is of clusters only. */
function learnerCard(work: CardDraft, source: string): Omit<Card, "parties"> & Pick<CardDraft, "parties"> {
  const { parties, bounds, balance, minSize, maxSize } = work;
  const refuse = (wrong: boolean, what: string) => {
    if (wrong) throw new MoietyError("input", `${source}: ${what}`);
  };
  const [first] = parties as [CardPart];
  const same = (pick: "features" | "categorical" | "protect") =>
    parties.every((each) => `${each[pick]}` === `${first[pick]}`);
  refuse(
    parties.length < 3,
    `rows split over ${parties.length} parties: with fewer than 3 a sum shows the others' rows`,
  );
  refuse(
    !same("features") || !same("categorical") || !same("protect"),
    "all parties of a training have the same columns",
  );
  refuse(
    work.missing !== "error" && work.train?.imageShape !== undefined,
    "no mean can stand in for a missing pixel: leave out missing",
  );
  refuse(work.protection !== "masked", "all that leaves a site in a training is masked: leave out protection");
  refuse(
    [bounds, balance, minSize, maxSize].some((wish) => wish !== undefined),
    "bounds, balance and sizes are of clusters: leave them out of a training",
  );
  const quorum = work.quorum ?? safeQuorum(parties.length);
  refuse(
    !isQuorum(quorum, parties.length),
    `quorum ${quorum} of ${parties.length} parties: give from ${safeQuorum(parties.length)} to ${parties.length}`,
  );
  const model = work.model ?? ["parties", "analyst"];
  return { ...work, quorum, model, labels: [], minCount: work.minCount ?? 5, format: "moiety-card", version: 1 };
}

/** What a job with rows split must say, so that nothing of it is a surprise at a site. */
function rowCard(work: CardDraft, source: string): Omit<Card, "parties"> & Pick<CardDraft, "parties"> {
  const { algorithm, parties, groups, protection, minSize, maxSize, balance } = work;
  const refuse = (wrong: boolean, what: string) => {
    if (wrong) throw new MoietyError("input", `${source}: ${what}`);
  };
  const [first] = parties as [CardPart];
  const same = (pick: "features" | "protect") => parties.every((each) => `${each[pick]}` === `${first[pick]}`);
  refuse(
    !isClusterer(algorithm, "rows"),
    `${algorithm} does not work on split rows: use ${listOf(({ rows }) => rows?.federated)}`,
  );
  refuse(
    parties.length < 3,
    `rows split over ${parties.length} parties: with fewer than 3 a sum shows the others' rows`,
  );
  refuse(!same("features") || !same("protect"), "with rows split all parties have the same features and protect");
  refuse(
    parties.some(({ categorical }) => `${categorical}` !== `${first.categorical}`),
    "with rows split all parties have the same categorical columns",
  );
  for (const { column, categories } of isPrivate(work) ? [] : categoriesOnCard(work))
    refuse(categories.length < 2, `name the categories of '${column}', such as categories: { ${column}: [a, b] }`);
  for (const name of first.protect)
    refuse(!groups?.[name], `name the groups of '${name}', such as groups: { ${name}: [a, b] }`);
  refuse(work.init !== "kmeans++" || work.block !== 0.25, "init and block do nothing with rows split: leave them out");
  refuse(
    work.missing !== "error" && isPrivate(work),
    "in a private job no mean can stand in for what is missing: leave out missing",
  );
  refuse(
    work.solver === "admm" || typeof balance === "number",
    "with rows split there is neither admm nor balance by degree",
  );
  const sized = minSize !== undefined || maxSize !== undefined || balance !== undefined;
  refuse(sized && !promisesOf(work).sizes, `${algorithm} keeps no sizes: use ${keepers("rows")}`);
  refuse(
    !canMask(work) && protection !== "means",
    `${algorithm} is made of each party's own cluster means, which cannot be masked: say protection: means, or use ${methodFor("rows").name}`,
  );
  const quorum = work.quorum ?? safeQuorum(parties.length, colludersOf(work));
  refuse(
    !isQuorum(quorum, parties.length),
    `quorum ${quorum} of ${parties.length} parties: give from ${safeQuorum(parties.length)} to ${parties.length}`,
  );
  refuse(
    work.labels.includes("analyst") && isCountPrivate(work),
    "everybody's cluster is not covered by the noise where everything is private: leave labels to the parties",
  );
  refuse(
    work.labels.includes("analyst") && work.id === undefined,
    "labels of several parties' people need an id: name the column, or leave labels to the parties",
  );
  return {
    ...work,
    quorum,
    minCount: work.minCount ?? methodOf(algorithm).rows!.minCount,
    minSize: minSize ?? (promisesOf(work).groups && first.protect.length > 0 ? 2 : undefined),
    format: "moiety-card",
    version: 1,
  };
}

/** The clusterers that keep sizes at several sites. */
function keepers(split: Card["split"]): string {
  return namesOf((method) => method.promises.sizes && method[split]?.federated);
}

/** The fewest parties that a sum may be of: fewer than three see each other's part, and half of them could be another half. */
function safeQuorum(parties: number, colluders = 0): number {
  return Math.max(3, safeThreshold(parties, colluders));
}

function isQuorum(quorum: number | undefined, parties: number): boolean {
  return quorum !== undefined && quorum >= safeQuorum(parties) && quorum <= parties;
}

/** Throws "input" on anything that is not a card of this version. */
/** All names on a card under which results are filed, but those of members. */
function groupsOf({ groups = {}, parties }: Card): string[] {
  return [...Object.values(groups).flat(), ...parties.flatMap(({ protect }) => protect)];
}

export function checkCard(value: unknown): Card {
  const parsed = cardSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new MoietyError("input", `not a job card of this version (${issue?.path.join(".") || "shape"})`);
  }
  const reserved = reservedKey(value) ?? groupsOf(parsed.data).find(isReserved);
  if (reserved !== undefined) throw new MoietyError("input", `'${reserved}' cannot be a name on a card; rename it`);
  const names = parsed.data.parties.map(({ name }) => name);
  if (new Set(names).size !== names.length) throw new MoietyError("input", "a party is named twice on the card");
  const { split, algorithm, quorum } = parsed.data;
  const learns = isMethod(algorithm) && trainingObjection(parsed.data) === undefined;
  const byRows = (learns || isClusterer(algorithm, "rows")) && isQuorum(quorum, names.length);
  const wrongly = privacyObjection(parsed.data) ?? alignmentObjection(parsed.data) ?? groupsObjection(parsed.data);
  if (wrongly !== undefined) throw new MoietyError("input", wrongly);
  if (split === "rows" ? !byRows : !isClusterer(algorithm, "columns") && algorithm !== "align") {
    throw new MoietyError(
      "input",
      `${algorithm} of ${names.length} parties with ${split} split is no job of this version`,
    );
  }
  if (parsed.data.protection === (split === "rows" ? "blinded" : "means")) {
    throw new MoietyError("input", `protection: ${parsed.data.protection} is not there with ${split} split`);
  }
  return parsed.data;
}

/** The name of a job: the hash of its card, which nothing else has. */
export function cardHash(card: Card): string {
  return hashOf(card);
}

/** Enough of the hash for people to type. */
export function jobId(hash: string): string {
  return hash.slice(0, 12);
}
