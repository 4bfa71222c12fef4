import * as z from "zod";
import { methodFor, namesOf } from "../../algorithms/catalogue.js";
import { failed } from "../../errors.js";
import { methodNames } from "../../learning/catalogue.js";
import { distanceNames } from "../../table/distance.js";
import { parseProtected } from "../../table/protect.js";
import { hashOf } from "../canonical.js";
import { memberName } from "../identity/kit.js";
import { parseYaml } from "../yaml.js";
import { type Card, federatedAlgorithms, protections } from "./card.js";
import { linksOnCard } from "./card-columns.js";
import { clusterers, isAlignment } from "./methods.js";
import { addsNoise, findsCells, isCountPrivate, isPrivate } from "./private-card.js";
import { smallestCluster } from "./settings.js";
import { passesOf } from "./training-card.js";

/** What policy.yaml holds. */
export const policySchema = z.strictObject({
  approval: z
    .enum(["automatic", "manual"])
    .default("manual")
    .describe("manual: every job waits for `moiety job approve` at this site."),
  analysts: z.array(memberName).describe("Whose jobs are looked at at all."),
  algorithms: z.array(z.enum(federatedAlgorithms)),
  distances: z
    .array(z.enum(distanceNames))
    .default(["euclidean"])
    .describe(
      "With columns split. manhattan: rows of people who are beyond all centres on the same sides repeat, which blinding does not hide.",
    ),
  features: z
    .array(z.string())
    .describe("What may be computed on. A column that is not named here takes no part in any job."),
  protect: z.array(z.string()).default([]).describe("What may be protected."),
  weights: z
    .array(z.string())
    .default([])
    .describe(
      "Columns, of whichever site, by which people may count for more or less than one, and by which they may belong together. With columns split every site then knows of everybody how much they weigh, or with whom they belong, not the value that says so.",
    ),
  together: z.array(z.string()).default([]),
  seats: z
    .array(z.string())
    .default([])
    .describe(
      "Columns of this site in which clusters may be at given places, which everybody knows: whoever gets labels then knows of everybody on which side of a known border they are.",
    ),
  cells: z
    .boolean()
    .default(false)
    .describe(
      "Whether private jobs with columns split may run here: the other sites then learn everybody's cell, of which a cluster has several, and how far apart cells are over all columns; with private: all everybody's cell in every round, and noisy means of all columns in each.",
    ),
  ids: z
    .array(z.string())
    .default([])
    .describe("Which columns may name people: with one of them sites find out whom they have in common."),
  idsTo: z.array(z.literal("analyst")).default([]).describe("Who may get those names, beside everybody's cluster."),
  learn: z.array(z.string()).default([]).describe("What may be learnt: the labels of trainings."),
  model: z
    .array(z.enum(["parties", "analyst"]))
    .default(["parties", "analyst"])
    .describe("Who may get a model that was learnt with this site's people."),
  useGroup: z
    .boolean()
    .default(false)
    .describe("Whether decisions may depend on people's groups: thresholds by group, where that is lawful."),
  siteShares: z
    .boolean()
    .default(false)
    .describe(
      "With rows split: whether those who get a summary may also get the sizes, shares of groups and cost of this site's own people in clusters, or a classifier's rates among them, where no site has few people in what is counted.",
    ),
  minimum: z
    .strictObject({
      rows: z.number().int().min(1).default(100).describe("People that this site's data must have."),
      parties: z.number().int().min(2).default(2),
      clusterSize: z
        .number()
        .int()
        .min(1)
        .default(2)
        .describe("The smallest cluster that a job may make: it has to promise so."),
      group: z
        .number()
        .int()
        .min(1)
        .default(5)
        .describe("Groups with fewer people in a cluster are left out of what is reported."),
    })
    .prefault({}),
  protection: z
    .enum(protections)
    .default("blinded")
    .describe(
      "The least protection. masked: coordinators may see sums of distances over all sites; means: jobs may tell this site's own cluster means, where its rows are its own. With rows split nothing is stricter than masked.",
    ),
  labels: z
    .array(z.enum(["parties", "analyst"]))
    .default(["parties"])
    .describe("Who may get everybody's cluster."),
  budget: z
    .strictObject({
      jobs: z
        .number()
        .int()
        .min(0)
        .default(100)
        .describe("Jobs that may ever run on this site's data under this policy."),
      passes: z.number().int().min(1).default(1000).describe("The most passes of one job, over all its starts."),
      epsilon: z
        .number()
        .gt(0)
        .optional()
        .describe("The most that all private jobs together may reveal about anybody here; without it there are none."),
      delta: z
        .number()
        .min(0)
        .lt(1)
        .default(1e-5)
        .describe("The delta at which that is counted; 0 allows no Gaussian noise."),
    })
    .prefault({}),
});

/** What a site allows. It is the site's own file, and nothing that arrives can change it. */
export type Policy = z.infer<typeof policySchema>;

export function parsePolicy(text: string, source: string): Policy {
  return parseYaml(policySchema, text, source);
}

/** A policy as another member has sent it. */
export function checkPolicy(value: unknown): Policy {
  const parsed = policySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw failed("a published policy has not the shape of this version's");
}

/** What a site signs when it tells an analyst its policy: `challenge` is the analyst's, so that nothing older passes. */
export function policyHash(
  site: { readonly federation: string; readonly party: string },
  challenge: string,
  policy: Policy,
) {
  return hashOf({ federation: site.federation, party: site.party, challenge, policy });
}

/** What a site knows when it judges a card. */
export interface SiteFacts {
  readonly party: string;
  /** People in the site's data. */
  readonly rows: number;
  /** Jobs that this site has consented to so far. */
  readonly jobs: number;
}

/** One rule of a policy, held against a card. */
export interface PolicyLine {
  /** The policy's own word for it. */
  readonly rule: string;
  readonly holds: boolean;
  /** What the card asks for and the policy allows, or why it does not. */
  readonly says: string;
}

/** Why this policy does not allow this card: one reason each, none when it does. A card can only be stricter. */
export function objections(card: Card, policy: Policy, facts: SiteFacts): string[] {
  return verdictOf(card, policy, facts).flatMap(({ holds, says }) => (holds ? [] : [says]));
}

/** What this policy says to this card, rule by rule. */
export function verdictOf(card: Card, policy: Policy, { party, rows, jobs }: SiteFacts): PolicyLine[] {
  const lines: PolicyLine[] = [];
  const rule = (name: string, wrong: boolean, allowed: string, reason: string) => {
    lines.push({ rule: name, holds: !wrong, says: wrong ? reason : allowed });
  };
  const own = card.parties.find(({ name }) => name === party);
  if (!own) return [{ rule: "parties", holds: false, says: `${party} is not on the card` }];
  rule(
    "analysts",
    !policy.analysts.includes(card.analyst),
    `analyst '${card.analyst}' is named`,
    `analyst '${card.analyst}' is not among those that the policy names`,
  );
  rule(
    "algorithms",
    !policy.algorithms.includes(card.algorithm),
    `algorithm ${card.algorithm} is allowed`,
    `algorithm ${card.algorithm} is not allowed`,
  );
  const { distance = "euclidean" } = card;
  const distances = `distances: [${[...policy.distances, distance].join(", ")}]`;
  rule(
    "distances",
    !policy.distances.includes(distance),
    `distance ${distance} is allowed`,
    `distance ${distance} is not allowed: add '${distances}' to the policy`,
  );
  const features = new Set(policy.features);
  for (const column of [...own.features, ...own.categorical]) {
    const may = (not: string) => `column '${column}' may ${not}be a feature`;
    rule("features", !features.has(column), may(""), may("not "));
  }
  const protect = new Set(policy.protect);
  for (const name of own.protect) {
    const allowed = parseProtected(name, (column) => protect.has(column)).every(({ column }) => protect.has(column));
    const may = (not: string) => `column '${name}' may ${not}be protected`;
    rule("protect", !allowed, may(""), may("not "));
  }
  for (const { link, column, party: owner } of linksOnCard(card)) {
    const line = `${link}: [${[...policy[link], column].join(", ")}]`;
    const what = link === "weights" ? "say how much people weigh" : "say who belongs together";
    rule(
      link,
      !policy[link].includes(column),
      `column '${column}' of ${owner} may ${what}`,
      `column '${column}' of ${owner} may not ${what}: add '${line}' to the policy`,
    );
  }
  for (const column of card.seats ? [...own.features, ...own.categorical] : []) {
    const line = `seats: [${[...policy.seats, column].join(", ")}]`;
    rule(
      "seats",
      !policy.seats.includes(column),
      `clusters may be at given places in column '${column}'`,
      `clusters may not be at given places in column '${column}': add '${line}' to the policy`,
    );
  }
  if (findsCells(card)) {
    const learnt = isCountPrivate(card)
      ? "everybody's cell in every round, and noisy means of all columns"
      : "everybody's cell, and how far apart cells are";
    rule(
      "cells",
      !policy.cells,
      `sites may learn ${learnt}`,
      `sites may not learn ${learnt}: add 'cells: true' to the policy`,
    );
  }
  if (card.id !== undefined) {
    const line = `ids: [${[...policy.ids, card.id].join(", ")}]`;
    rule(
      "ids",
      !policy.ids.includes(card.id),
      `column '${card.id}' may name people`,
      `column '${card.id}' may not name people: add '${line}' to the policy`,
    );
    rule(
      "idsTo",
      card.labels.includes("analyst") && !policy.idsTo.includes("analyst"),
      card.labels.includes("analyst") ? `people's '${card.id}' may go to the analyst` : "no id goes to the analyst",
      `people's '${card.id}' may not go to the analyst: add 'idsTo: [analyst]' to the policy, or leave out labels: [analyst]`,
    );
  }
  const { minimum } = policy;
  rule(
    "minimum.rows",
    rows < minimum.rows,
    `at least ${minimum.rows} people`,
    `fewer people than the ${minimum.rows} that the policy asks for`,
  );
  rule(
    "minimum.parties",
    card.parties.length < minimum.parties,
    `${card.parties.length} parties, of at least ${minimum.parties}`,
    `${card.parties.length} parties, and the policy asks for at least ${minimum.parties}`,
  );
  if (card.quorum !== undefined) {
    rule(
      "minimum.parties",
      card.quorum < minimum.parties,
      `a quorum of ${card.quorum} parties, of at least ${minimum.parties}`,
      `a quorum of ${card.quorum} parties, and the policy asks for at least ${minimum.parties}`,
    );
  }
  if (!card.train && !isAlignment(card)) {
    const { size: smallest, asking } = smallestCluster(card);
    const keepers = findsCells(card) ? "" : `${namesOf(({ promises }) => promises.sizes)} with `;
    const larger =
      findsCells(card) && isCountPrivate(card)
        ? "where everything is private sizes are noisy, and none can be promised; it would take minimum: { clusterSize: 1 }"
        : `use ${keepers}${asking(minimum.clusterSize)}`;
    rule(
      "minimum.clusterSize",
      smallest < minimum.clusterSize,
      `clusters of at least ${smallest}`,
      `clusters of ${smallest}, and the policy asks for at least ${minimum.clusterSize}: ${larger}`,
    );
  }
  rule(
    "protection",
    card.protection !== strictest(card) &&
      protections.indexOf(card.protection) > protections.indexOf(policy.protection),
    `protection '${card.protection}' is enough`,
    `protection '${card.protection}' is weaker than the policy's`,
  );
  if (card.split === "rows" && !isPrivate(card)) {
    const least = card.minCount ?? 1;
    rule(
      "minimum.group",
      least < minimum.group,
      `sums of at least ${least} people`,
      `sums of ${least} people, and the policy asks for at least ${minimum.group}: use minCount: ${minimum.group}`,
    );
  }
  for (const role of card.labels) {
    const may = (not: string) => `labels may ${not}go to role ${role}`;
    rule("labels", !policy.labels.includes(role), may(""), may("not "));
  }
  rule(
    "budget.jobs",
    jobs >= policy.budget.jobs,
    `job ${jobs + 1} of ${policy.budget.jobs}`,
    `the policy's budget of ${policy.budget.jobs} jobs is used up`,
  );
  if (card.train) {
    const may = (not: string) => `column '${card.train?.label}' may ${not}be learnt`;
    rule("learn", !policy.learn.includes(card.train.label), may(""), may("not "));
  }
  if (card.train?.useGroup === true) {
    rule(
      "useGroup",
      !policy.useGroup,
      "decisions may depend on people's groups",
      "decisions may not depend on people's groups (useGroup): where that is lawful, add 'useGroup: true' to the policy",
    );
  }
  if (card.siteShares === true) {
    rule(
      "siteShares",
      !policy.siteShares,
      "others may see this site's own shares, sizes and cost",
      "others may not see this site's own shares, sizes and cost: add 'siteShares: true' to the policy, or leave it out of the job",
    );
  }
  for (const role of card.model ?? []) {
    const may = (not: string) => `the model may ${not}go to role ${role}`;
    rule("model", !policy.model.includes(role), may(""), may("not "));
  }
  if (addsNoise(card, party)) {
    const noisy = card.epsilon !== "inf";
    rule(
      "budget.epsilon",
      noisy === (policy.budget.epsilon === undefined),
      noisy ? `there is a privacy budget of epsilon ${policy.budget.epsilon}` : "no noise, and no privacy budget",
      noisy
        ? "the policy sets no privacy budget: it needs budget: { epsilon: 2 }, say, before anything is disclosed under noise"
        : "no noise at all (epsilon: inf), and the policy has a privacy budget",
    );
  }
  const passes = card.train ? passesOf(card.train) : isAlignment(card) ? 0 : card.starts * card.maxIterations;
  rule(
    "budget.passes",
    passes > policy.budget.passes,
    `up to ${passes} passes, of ${policy.budget.passes}`,
    `up to ${passes} passes, and the policy allows ${policy.budget.passes}`,
  );
  return lines;
}

function strictest({ split }: Card): Card["protection"] {
  return split === "rows" ? "masked" : "blinded";
}

/** A policy that refuses every job until an operator at the site has edited it. */
export function policyTemplate(analysts: readonly string[]): string {
  return `# What this site allows. Nothing that is not named here is allowed, and no job can change it.
approval: manual            # automatic, or manual: each job waits for moiety job approve
analysts: [${analysts.join(", ")}]
algorithms: ${`[${methodFor("groups").name}]`.padEnd(16)}# ${clusterers().join(", ")}; ${methodNames.join(", ")}; align
distances: [euclidean]        # and manhattan: rows of people who are far out on the same sides then repeat, blinded or not
features: []                # columns that may be computed on, such as [age, balance]
protect: []                 # columns that may be protected, such as [sex]
weights: []                 # columns, of any site, by which people may count for more than one: every site gets to know everybody's weight
together: []                # columns, of any site, by which people may belong together: every site gets to know who with whom
seats: []                   # columns in which places may be given: labels then tell on which side of a known border everybody is
cells: false                # true: private jobs with columns split may tell sites everybody's cell, and how far apart cells are
ids: []                     # columns that may name people, such as [person]; sites compare them without showing them
idsTo: []                   # who may get those names with everybody's cluster: nobody, or [analyst]
learn: []                   # columns that may be the label of a classifier, such as [readmitted]
model: [parties, analyst]   # who may get a classifier
useGroup: false             # true where decisions may lawfully depend on people's groups: thresholds by group
siteShares: false           # true where others may see shares, sizes and cost of this site's own people, with rows split
minimum:
  rows: 100                 # people
  parties: 2
  clusterSize: 10           # the smallest cluster that a job may make
  group: 5                  # smaller groups in a cluster are not reported
protection: blinded         # masked: the coordinator may see sums over all sites; means: with rows split, own cluster means
labels: [parties]           # who may get everybody's cluster: parties, analyst
budget:
  jobs: 20                  # that may ever run on this data
  passes: 1000              # of one job
  # epsilon: 2              # what all private jobs together may reveal about anybody; without it there are none
`;
}
