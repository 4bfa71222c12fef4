import * as z from "zod";
import { methodFor, methodOf } from "../../algorithms/catalogue.js";
import { whyNot } from "../../algorithms/reach.js";
import { MoietyError } from "../../errors.js";
import { methodNames } from "../../learning/catalogue.js";
import { distanceNames } from "../../table/distance.js";
import { normaliseSteps } from "../../table/normalise.js";
import { hashOf } from "../canonical.js";
import { memberName } from "../identity/kit.js";
import { parseYaml, reservedKey } from "../yaml.js";
import { groupsWithCuts, linksOnCard } from "./card-columns.js";
import { mostParties, objectionTo, reservedName, safeQuorum } from "./card-rules.js";
import { clustererOn, clusterers, isMethod, promisesOf } from "./methods.js";
import { colludersOf, findsCells, isCountPrivate, privacyFields } from "./private-card.js";
import { trainingSchema } from "./training-card.js";

/** No party's number exceeds this: so sums over the parties that a job may have cannot wrap around 2^63. */
export const scoreBound = 2 ** 56;
/** The same with rows split, where parties may be many. Beyond it a sum is no whole number for JavaScript, and refused anyway. */
export const sumBound = 2 ** 53;

const column = z.string().min(1).max(256);
const columns = z.array(column).max(10_000).default([]);
const whole = z.number().int();
const share = z.number().min(0).max(1);
const readers = z.array(z.enum(["parties", "analyst"]));
const hours = z
  .number()
  .gt(0)
  .max(24 * 365);

const normalise = z
  .array(z.enum(normaliseSteps))
  .min(1)
  .max(normaliseSteps.length)
  .optional()
  .describe(
    "With columns split, where sites spell ids differently: what each does to every id before ids are compared, in this order. trim takes away white space at both ends, lower makes letters small, digits leaves 0 to 9 alone. A site where two ids become one refuses.",
  );

const purpose = z
  .string()
  .max(500)
  .regex(/^[^\p{Cc}]*$/u, "one line of words");

/**
 * The part of one party: which of its columns a job uses, and as what. With columns split one of the parties may say how many people
 * somebody counts for (`weights`), and one who belongs together: every other site gets to know it.
 */
const part = z.strictObject({
  features: columns,
  categorical: columns,
  protect: columns,
  weights: column.exactOptional(),
  together: column.exactOptional(),
});

/** From the strictest. */
export const protections = ["blinded", "masked", "means"] as const;

/** What runs at several sites: clusterers, methods of training, or the alignment of ids alone. */
export const federatedAlgorithms = [...clusterers(), ...methodNames, "align"] as const;

/** What both the analyst's file and the card say of the work itself. */
const work = {
  algorithm: z.enum(federatedAlgorithms).default(methodFor("groups").name),
  k: whole.min(1).max(65_000).describe("Clusters; 1 where none are sought."),
  train: trainingSchema.optional().describe("What is to be learnt, and how."),
  categories: z
    .record(z.string(), z.array(z.string().max(256)).min(2).max(1000))
    .optional()
    .describe("With rows split: all categories of each categorical column, in order, since no site sees them all."),
  model: readers.optional().describe("Who gets the model that was learnt."),
  categoryWeight: z
    .number()
    .min(0.001)
    .max(1000)
    .optional()
    .describe(
      "How far apart two people are who differ in one category only, where a number's deviation is 1; default 1.",
    ),
  split: z
    .enum(["columns", "rows"])
    .default("columns")
    .describe("What a site holds: some columns of everybody, or all columns of some people."),
  groups: z
    .record(z.string(), z.array(z.string().max(256)).min(2).max(1000))
    .optional()
    .describe(
      "With rows split: all groups of each protected attribute, in order, since no site sees them all. With columns split: in private jobs, where they are told beforehand.",
    ),
  maxGroups: whole.min(2).max(1000).optional().describe("The most groups of one protected attribute; default 100."),
  minCount: whole
    .min(1)
    .optional()
    .describe("With rows split: sums and means of fewer people are neither asked for nor disclosed."),
  quorum: whole
    .min(3)
    .max(mostParties.rows)
    .optional()
    .describe(
      "With rows split: a job goes on while so many of its parties are connected, more than half and three at least.",
    ),
  ...privacyFields,
  id: z
    .string()
    .min(1)
    .optional()
    .describe("The column that names people, at every site; all sites hold the same people."),
  normalise,
  notion: z
    .enum(["shares", "representation"])
    .optional()
    .describe("What fair is to mean: bounds of shares where the card does not say."),
  represent: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe("With representation, and rows split: the least share of every group."),
  inClusters: whole.min(1).optional().describe("With representation: in how many clusters; default 1."),
  delta: z
    .number()
    .min(0)
    .lt(1)
    .default(0.2)
    .describe("Bounds from the data: a group's share in a cluster is share*(1-delta) to share/(1-delta)."),
  bounds: z
    .record(
      z.string(),
      z.record(z.string(), z.strictObject({ min: share.exactOptional(), max: share.exactOptional() })),
    )
    .optional(),
  tolerance: z.number().min(0).default(1).describe("How many people a group may be beyond its bounds in a cluster."),
  balance: z
    .union([z.number().gt(0).max(1), z.literal("hard")])
    .optional()
    .describe("Even sizes: eta of Teb-means, or hard."),
  minSize: whole
    .min(1)
    .optional()
    .describe("The smallest cluster; of a private job with columns split, the smallest cell."),
  maxSize: whole.min(1).optional(),
  capacity: z
    .array(z.strictObject({ min: whole.min(0).exactOptional(), max: whole.min(1).exactOptional() }))
    .max(65_000)
    .optional()
    .describe("The fewest and the most people of each cluster, in order, instead of minSize and maxSize."),
  seats: z
    .array(z.record(column, z.union([z.number(), z.string().max(256), z.boolean()])))
    .max(65_000)
    .optional()
    .describe(
      "Given places that stay the centres (schools, clinics), in order: of each the value of every feature and the category of every categorical column, in the columns' own units. They are public: everybody who sees the card knows them.",
    ),
  siteShares: z
    .boolean()
    .optional()
    .describe(
      "With rows split: whether everybody who gets the summary also gets each site's own sizes, shares and cost, or its rates in a training, where no site has few people in what is counted.",
    ),
  reference: z
    .boolean()
    .optional()
    .describe(
      "Whether the cost of the promises is measured, which takes some more passes. Cards of earlier versions do not say: it is.",
    ),
  solver: z.enum(["prices", "admm"]).default("prices"),
  distance: z
    .enum(distanceNames)
    .optional()
    .describe(
      "With columns split: what is added up over columns. Cards of earlier versions do not say: squared differences.",
    ),
  init: z.enum(["kmeans++", "random"]).default("kmeans++"),
  effort: z
    .enum(["lean", "quick", "normal", "best"])
    .optional()
    .describe("With columns split: lean where the card does not say; more effort takes many more rounds."),
  starts: whole.min(1).max(1000).default(1),
  maxIterations: whole.min(1).max(10_000).default(50),
  block: z.number().gt(0).default(0.25),
  seed: whole.min(0).default(1),
  scale: z.enum(["standard", "minmax", "none"]).default("standard"),
  missing: z.enum(["error", "mean"]).default("error"),
  labels: readers.default(["parties"]).describe("Who gets to know everybody's cluster."),
  summary: readers.default(["parties", "analyst"]).describe("Who gets shares, sizes and journals."),
  deadlineHours: hours.default(72).describe("Hours after which a job that is waiting or paused has failed."),
  purpose: purpose
    .optional()
    .describe("What the result is for, in the analyst's words: for those who decide at the sites."),
};

const requestSchema = z.strictObject({
  ...work,
  k: work.k.optional(),
  protection: z.enum(protections).optional(),
  parties: z.record(memberName, part),
});

/** A request for the alignment of ids alone: nothing else of a request would have an effect. */
const alignmentSchema = z.strictObject({
  algorithm: z.literal("align"),
  /** The column that names people, at every site. */
  id: z.string().min(1),
  normalise,
  parties: z.record(memberName, z.strictObject({}).nullable()),
  summary: readers.optional(),
  deadlineHours: hours.optional(),
  purpose: purpose.optional(),
});

/** What job.yaml holds. */
export const jobSchema = z.union([requestSchema, alignmentSchema]);

const cardSchema = z.strictObject({
  ...work,
  /**
   * How what leaves a site is protected. blinded: with columns split, the coordinator sees no number of any person;
   * masked: it sees sums over all parties; means: with rows split, a site's own cluster means are disclosed too, unmasked.
   */
  protection: z.enum(protections),
  format: z.literal("moiety-card"),
  version: z.literal(1),
  federation: memberName,
  analyst: memberName,
  /** Who of the analyst's people submitted it, as the log-in to the analyst's page says: the analyst vouches for it. */
  person: purpose.exactOptional(),
  /** Tells two submissions of the same file apart. */
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
  /** In order: the first one leads. Fixed for good: "again without one" would reveal that one. */
  parties: z.array(part.extend({ name: memberName })).min(2),
});

/** What everybody agrees to, and all that a job is. */
export type Card = z.infer<typeof cardSchema>;
export type CardPart = Card["parties"][number];

export interface Submission {
  readonly federation: string;
  readonly analyst: string;
  /** Who is logged in to the analyst's page. */
  readonly person?: string;
  /** 32 hexadecimal digits that were never used before. */
  readonly nonce: string;
}

/** The card of a job that an analyst describes in YAML. */
export function cardOf(text: string, source: string, submission: Submission): Card {
  const given = parseYaml(z.looseObject({}), text, source);
  const { algorithm, minSize, notion, rule } = given;
  const link = ["weights", "together"].find((name) => name in given);
  if (link !== undefined) {
    const where = `name it in that party's part, such as parties: { bank: { ${link}: ${given[link]} } }`;
    throw new MoietyError("input", `${source}: ${link} is a column of one party: ${where}`);
  }
  const words = {
    apart: "apart",
    cost: "cost",
    init: `init: ${given.init}`,
    social: "notion: social",
    individual: "notion: individual",
    gbco: "rule: gbco",
  };
  const alone = (Object.keys(words) as (keyof typeof words)[]).find((name) =>
    name === "init" ? /[./\\]/.test(String(given.init)) : name in given || name === notion || name === rule,
  );
  if (alone !== undefined) {
    const asked = words[alone];
    const why = whyNot(alone, given.split === "rows" ? "jobRows" : "jobColumns");
    throw new MoietyError("input", `${source}: ${asked} is not for a federation, since ${why}: leave it out`);
  }
  if (minSize === "meaningful") {
    const why = "the size would tell everybody how rare the rarest group is";
    throw new MoietyError(
      "input",
      `${source}: minSize: meaningful is not for a federation, since ${why}: give a number`,
    );
  }
  // Of shares one person is rounding; whether a group is many somewhere is not.
  const exact = notion === "representation" && !("tolerance" in given) ? { tolerance: 0 } : {};
  const terms =
    algorithm === "align"
      ? alignmentTerms(parseYaml(alignmentSchema, text, source))
      : termsOf(parseYaml(requestSchema, text, source), source);
  const protects = terms.parties.some(({ protect }) => protect.length > 0);
  if (protects && linksOnCard(terms).length > 0 && !("tolerance" in given)) {
    const why = "what moves as a whole may be beyond a bound as a whole, and only the sites know the heaviest";
    throw new MoietyError("input", `${source}: say the tolerance, such as tolerance: 3, since ${why}`);
  }
  if (terms.parties.length < 2) {
    throw new MoietyError("input", `${source}: a job needs at least 2 parties to hide among`);
  }
  return checkCard({ ...terms, ...exact, ...submission, format: "moiety-card", version: 1 }, `${source}: `);
}

function alignmentTerms({ parties, ...given }: z.infer<typeof alignmentSchema>) {
  const none = { features: [], categorical: [], protect: [] };
  const named = Object.keys(parties).map((name) => ({ name, ...none }));
  return { ...given, k: 1, labels: [], protection: "blinded", parties: named };
}

/** What a request says, with defaults for what it leaves open. */
function termsOf({ parties: byName, k, ...given }: z.infer<typeof requestSchema>, source: string) {
  const trains = isMethod(given.algorithm);
  const wrong = (why: string) => new MoietyError("input", `${source}: ${why}`);
  if (trains && k !== undefined) throw wrong("k does nothing in a training: leave it out");
  if (k === undefined && !trains && !given.train) throw wrong("k is missing: the number of clusters");
  const parties = Object.entries(byName).map(([name, each]) => ({ name, ...each }));
  const rows = given.split === "rows" || trains;
  const terms = { ...given, k: k ?? 1, protection: given.protection ?? (rows ? "masked" : "blinded"), parties };
  // No singletons in a fair run, as in one process, unless the card says the sizes of all clusters or where they are.
  const fair = promisesOf(given).groups && parties.some(({ protect }) => protect.length > 0);
  const minSize = given.minSize ?? (fair && !given.capacity && !given.seats ? 2 : undefined);
  const cellSize = findsCells({ ...terms, split: "columns" })
    ? clustererOn(terms)?.privacy?.overColumns?.minSize
    : undefined;
  if (!rows && cellSize !== undefined) {
    const least = isCountPrivate(terms) ? undefined : cellSize;
    return { ...terms, ...groupsWithCuts(terms), minSize: given.minSize ?? least };
  }
  if (!rows) return { ...terms, minSize };
  const { quorum = safeQuorum(parties.length, colludersOf(given)), minCount } = given;
  const byRows = { ...terms, ...(parties.length > 0 ? groupsWithCuts(terms) : {}), quorum };
  if (trains) {
    return { ...byRows, model: given.model ?? ["parties", "analyst"], labels: [], minCount: minCount ?? 5 };
  }
  return { ...byRows, minSize, minCount: minCount ?? methodOf(given.algorithm).rows?.minCount };
}

/** Throws "input" on anything that is not a card of this version, or no job that could be run. */
export function checkCard(value: unknown, prefix = ""): Card {
  const parsed = cardSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new MoietyError("input", `not a job card of this version (${issue?.path.join(".") || "shape"})`);
  }
  // Of the value as it arrived: parsing drops such keys.
  const reserved = reservedKey(value);
  const objection = reserved === undefined ? objectionTo(parsed.data) : reservedName(reserved);
  if (objection !== undefined) throw new MoietyError("input", `${prefix}${objection}`);
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
