import { z } from "zod";
import { MoietyError } from "../../errors.js";
import { memberName } from "../identity/kit.js";
import { mostParties } from "../wire/tables.js";
import { parseYaml } from "../yaml.js";
import { hashOf } from "./canonical.js";

const columns = z.array(z.string().min(1).max(256)).max(10_000).default([]);
const whole = z.number().int();

/** The part of one party: which of its columns a job uses, and as what. */
const part = z.strictObject({ features: columns, categorical: columns, protect: columns });

const share = z.number().min(0).max(1);

/** What runs with columns at several sites. */
export const federatedAlgorithms = ["f3km", "teb", "cdkm", "lloyd"] as const;

/** What both the analyst's file and the card say of the work itself. */
const work = {
  algorithm: z.enum(federatedAlgorithms).default("f3km"),
  k: whole.min(1).max(65_000),
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
  solver: z.enum(["prices", "admm"]).default("prices"),
  init: z.enum(["kmeans++", "random"]).default("kmeans++"),
  starts: whole.min(1).max(1000).default(1),
  maxIterations: whole.min(1).max(10_000).default(50),
  block: z.number().gt(0).default(0.25),
  seed: whole.min(0).default(1),
  scale: z.enum(["standard", "minmax", "none"]).default("standard"),
  missing: z.enum(["error", "mean"]).default("error"),
  /** How what leaves a site is protected. */
  protection: z.enum(["masked"]).default("masked"),
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

const requestSchema = z.strictObject({ ...work, parties: z.record(memberName, part) });

const cardSchema = z.strictObject({
  ...work,
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
  const { parties, ...rest } = parseYaml(requestSchema, text, source);
  const named = Object.entries(parties).map(([name, each]) => ({ name, ...each }));
  if (named.length < 2) throw new MoietyError("input", `${source}: a job needs at least 2 parties to hide among`);
  for (const { name, features, categorical } of named) {
    if (features.length + categorical.length > 0) continue;
    throw new MoietyError("input", `${source}: ${name} has neither features nor categorical columns: name some`);
  }
  const protects = named.some(({ protect }) => protect.length > 0);
  const { algorithm, minSize: least, maxSize: most, balance, solver } = rest;
  const sized = [least, most, balance].some((wish) => wish !== undefined);
  if (sized && algorithm !== "f3km" && algorithm !== "teb") {
    throw new MoietyError("input", `${source}: ${algorithm} keeps no sizes: use f3km or teb`);
  }
  if (balance !== undefined && solver === "admm") {
    throw new MoietyError("input", `${source}: the paper's admm knows no even sizes: leave out solver, or balance`);
  }
  // No singletons in a fair run, as in one process.
  const minSize = rest.minSize ?? (rest.algorithm === "f3km" && protects ? 2 : undefined);
  return checkCard({ ...rest, minSize, ...submission, format: "moiety-card", version: 1, parties: named });
}

/** Throws "input" on anything that is not a card of this version. */
export function checkCard(value: unknown): Card {
  const parsed = cardSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new MoietyError("input", `not a job card of this version (${issue?.path.join(".") || "shape"})`);
  }
  const names = parsed.data.parties.map(({ name }) => name);
  if (new Set(names).size !== names.length) throw new MoietyError("input", "a party is named twice on the card");
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
