import type { ClusterResult, Progress } from "../../algorithms/types.js";
import { sizesIn } from "../../constraints/bounds.js";
import { defined } from "../../defined.js";
import { asKeys } from "../../errors.js";
import { evenness, judge } from "../../metrics/index.js";
import { version } from "../../version.js";
import type { JournalEntry } from "../audit/journal.js";
import { type Card, jobId } from "../consent/card.js";
import { effortOf, settingsOf } from "../consent/settings.js";
import type { Absence } from "./absences.js";
import type { PreparedPeople } from "./alignment.js";
import { atSites } from "./at-sites.js";
import type { FederatedPrivacy } from "./federated-privacy.js";
import { type Learnt, learntByCoordinator } from "./learnt.js";
import type { OwnSummary } from "./own.js";
import type { ResultPart, WholeSummary } from "./part.js";

/** All that the coordinator knows of a finished job. */
export interface RunFacts {
  readonly n: number;
  readonly iterations: number;
  readonly converged: boolean;
  readonly unconstrainedSse: number | null;
  readonly history: readonly Progress[];
  readonly communication: ClusterResult["communication"];
  readonly passes: number;
  /** With rows split: what all people are like together. Only the coordinator can compute it. */
  readonly whole?: WholeSummary;
  readonly warnings?: readonly string[];
  /** With columns split: how the sites agreed on the same people, and which columns several of them hold. */
  readonly prepared?: PreparedPeople;
  readonly absences?: readonly Absence[];
  readonly privacy?: FederatedPrivacy;
  /** How often the run was begun, interruptions included. */
  readonly epochs: number;
  readonly seconds: ClusterResult["seconds"];
}

/** The result of a federated job: that of `moiety cluster`, with what is too small to show left out. */
export interface FederatedResult
  extends Omit<
    ClusterResult,
    | "algorithm"
    | "method"
    | "features"
    | "leftOut"
    | "dropped"
    | "unconstrainedSizes"
    | "unconstrainedGroups"
    | "groups"
    | "bounds"
    | "minSizeFrom"
    | "sseAtMinSize2"
    | "costAtMinSize2"
    | "parties"
    | "privacy"
  > {
  readonly job: string;
  readonly algorithm: Card["algorithm"];
  readonly groups: ResultPart["groups"];
  readonly bounds: ResultPart["bounds"];
  readonly passes: number;
  readonly epochs: number;
  /** How the sites agreed on the same people; null where the card names no ids, or rows are split. */
  readonly alignment: PreparedPeople["alignment"];
  /** Columns that several sites hold, and whose copy was used. */
  readonly overlaps: PreparedPeople["overlaps"];
  readonly privacy?: FederatedPrivacy;
  /** With rows split, in a site's own copy alone: what its own people are like. */
  readonly own?: OwnSummary;
  /** With rows split, where the card asks for it: what each site's own people are like; null where that cannot be shown. */
  readonly siteShares?: Readonly<Record<string, OwnSummary>> | null;
  /** With rows split: the parties that were away, and in which rounds. */
  readonly absences?: readonly Absence[];
  /** What the coordinator could learn, if it looked at all that passed it. */
  readonly coordinator: readonly Learnt[];
  /** What left each site. */
  readonly sites: Readonly<Record<string, readonly JournalEntry[]>>;
}

/** The result for a reader of these parts. */
export function summarise(card: Card, hash: string, facts: RunFacts, sent: readonly ResultPart[]): FederatedResult {
  const parts: readonly Omit<ResultPart, "journal">[] = facts.whole ? [{ ...facts.whole, party: "the result" }] : sent;
  const [first] = parts;
  const sizes = first?.sizes ?? [];
  // The coordinator knows what a private job released over rows, the sites what they released over columns.
  const privacy = facts.privacy ?? sent[0]?.privacy;
  const protects = card.parties.some(({ protect }) => protect.length > 0);
  const maxViolation = parts.reduce((worst, part) => Math.max(worst, part.maxViolation), 0);
  const { heaviest, scatter: _, ...linked } = first?.linked ?? { heaviest: 1, scatter: 0 };
  const { sizes: limits, sized, eta = null } = settingsOf(card, linked.weights?.total ?? facts.n);
  const wrong = sizes.filter((size, m) => size < sizesIn(limits, m).min || size > sizesIn(limits, m).max).length;
  const squares = parts.reduce((sum, part) => sum + part.sse, 0);
  const manhattan = card.distance === "manhattan";
  const total = manhattan ? parts.reduce((sum, part) => sum + (part.cost ?? 0), 0) : squares;
  // It was found on the grid, and the sites measured people as they are.
  const scatter = parts.reduce((sum, part) => sum + (part.linked?.scatter ?? 0), 0);
  const free = facts.unconstrainedSse === null ? null : Math.min(facts.unconstrainedSse + scatter, total);
  const even = evenness(sizes);
  const warnings: string[] = (facts.warnings ?? sent[0]?.warnings ?? []).map(asKeys);
  if (wrong > 0) warnings.push(`${wrong} of ${card.k} clusters are outside the sizes that were asked for`);
  if (!facts.converged) warnings.push(`not converged after ${facts.iterations} passes: use a larger maxIterations`);
  if (facts.prepared?.alignment === null) {
    warnings.push("no id on the card: rows were assumed to be in the same order at all sites");
  }
  const hidden = parts.filter(({ groups }) => JSON.stringify(groups).includes("null"));
  for (const { party, smallest } of hidden) {
    warnings.push(
      `${party} leaves out groups with fewer than ${smallest} people in a cluster, and others with them; of these it tells only whether all are within the tolerance`,
    );
  }
  const own = card.siteShares ? atSites(card, hash, sent) : undefined;
  if (own?.sites === null) {
    warnings.push(
      `what each site's own people are like is not shown: a site has fewer than ${card.minCount} in a cluster, or was not there to the end`,
    );
  } else if (own && own.leftOut.length > 0) {
    warnings.push(
      `each site's own shares of ${own.leftOut.join(", ")} are not shown: a site has fewer than ${card.minCount} people of a group in a cluster`,
    );
  }
  const groups: ResultPart["groups"] = Object.assign({}, ...parts.map((part) => part.groups));
  const bounds: ResultPart["bounds"] = Object.assign({}, ...parts.map((part) => part.bounds));
  // Of a private job the true shares are not known.
  const fair =
    protects && !privacy
      ? parts.every((part) => part.fair ?? part.maxViolation <= card.tolerance) && wrong === 0
      : null;
  const balances = parts.filter(({ balance }) => balance.length > 0).map(({ balance }) => balance);
  return {
    job: jobId(hash),
    algorithm: card.algorithm,
    version,
    seed: card.seed,
    n: facts.n,
    d: parts.reduce((total, part) => total + part.dimensions, 0),
    k: card.k,
    ...linked,
    // Over rows nobody knows it of a private job, and where everything is private nobody is told.
    sse: facts.privacy || privacy?.model ? Number.NaN : squares,
    unconstrainedSse: manhattan ? null : free,
    ...(manhattan ? { distance: "manhattan" as const, cost: total, unconstrainedCost: free } : {}),
    gap: null,
    effort: effortOf(card),
    iterations: facts.iterations,
    converged: facts.converged,
    fair,
    // Read off what is shown: cells and groups that are left out are neither named nor judged.
    ...(first?.represented
      ? { ...first.represented, verdict: fair ? first.represented.verdict : ("unfair" as const), verdictDetails: null }
      : judge({ sizes, groups, bounds, tolerance: card.tolerance, fair, maxViolation }, heaviest)),
    maxViolation,
    tolerance: card.tolerance,
    minSize: limits.min,
    maxSize: limits.max,
    ...(limits.each ? { capacity: limits.each } : {}),
    sizesKept: sized ? wrong === 0 : null,
    eta,
    objective: eta === null ? null : eta * total + (1 - eta) * even.balanceLoss,
    balance: hidden.length > 0 ? [] : (balances[0]?.map((_, m) => Math.min(...balances.map((each) => each[m]))) ?? []),
    sizes,
    groups,
    bounds,
    ...defined({ simplifiedSilhouette: facts.whole?.simplifiedSilhouette }),
    evenness: even,
    communication: facts.communication,
    passes: facts.passes,
    epochs: facts.epochs,
    alignment: facts.prepared?.alignment ?? null,
    overlaps: facts.prepared?.overlaps ?? [],
    ...(privacy ? { privacy } : {}),
    ...(facts.absences ? { absences: facts.absences } : {}),
    ...(own ? { siteShares: own.sites } : {}),
    seconds: facts.seconds,
    warnings,
    coordinator: learntByCoordinator(card, facts),
    sites: Object.fromEntries(sent.map(({ party, journal }) => [party, journal])),
  };
}
