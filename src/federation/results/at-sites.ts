import { measureCounts, type PartyFairness } from "../../learning/per-party.js";
import type { Card } from "../consent/card.js";
import { attributeOnCard, combinationsOnCard } from "../consent/card-columns.js";
import { type OwnSummary, type SiteCounts, summaryOf } from "./own.js";
import type { ResultPart } from "./part.js";
import { type LockedTables, openTables, type SiteTable } from "./site-tables.js";

/** The table of cluster sizes and of the cost has no name: the others have those of attributes. */
const sizesTable = "";

/** What a site tells others of its own people, if all sites do: a table of sizes with the cost, and one of each attribute. */
export function tablesOf({ sizes, sse, counts }: SiteCounts, smallest: number): SiteTable[] {
  const isSmall = (count: number) => count > 0 && count < smallest;
  return [
    { name: sizesTable, numbers: Float64Array.of(sse, ...sizes), small: sizes.some(isSmall) },
    ...Object.entries(counts).map(([name, rows]) => {
      const numbers = Float64Array.from(rows.flat());
      return { name, numbers, small: numbers.some(isSmall) };
    }),
  ];
}

/** The one table of a training: how many people of each group and label there are to measure on, and how many of them got which answer. */
const answersName = "answers";

/** Small where few people are of a group and label: [group][label][people, those with each answer but the first]. */
export function answersTable(card: Card, numbers: Float64Array, smallest: number): SiteTable {
  const each = card.train!.classes.length;
  const small = numbers.some((count, at) => at % each === 0 && count > 0 && count < smallest);
  return { name: answersName, numbers, small };
}

/** What a card says of the people whose answers are counted. */
export function labelledOnCard(card: Card) {
  return { attribute: attributeOnCard(card), classes: card.train!.classes };
}

/** What a model does at each site; null where it cannot be shown. */
export function ratesAtSites(card: Card, job: string, parts: readonly ResultPart[]): PartyFairness[] | null {
  const opened = openTables(job, sitesOn(card), lockedIn(parts), answersName);
  return opened ? measureCounts(labelledOnCard(card), opened) : null;
}

/** What every site's own people are like, as far as the letters of all sites open it. */
export interface AtSites {
  /** Null where not even sizes may be shown. */
  readonly sites: Readonly<Record<string, OwnSummary>> | null;
  /** Attributes of which nothing is shown. */
  readonly leftOut: readonly string[];
}

export function atSites(card: Card, job: string, parts: readonly ResultPart[]): AtSites {
  const sites = sitesOn(card);
  const locked = lockedIn(parts);
  const open = (table: string) => openTables(job, sites, locked, table);
  const sizes = open(sizesTable);
  const names = combinationsOnCard(card).attributes.map(({ name }) => name);
  if (!sizes) return { sites: null, leftOut: names };
  const opened = names.map((name) => [name, open(name)] as const);
  const summaries = sites.map((site) => {
    const [sse, ...sizesHere] = sizes.get(site)!;
    const counts = opened.flatMap(([name, tables]) => (tables ? [[name, rowsOf(tables.get(site)!, card.k)]] : []));
    return [site, summaryOf(card, { sse, sizes: sizesHere, counts: Object.fromEntries(counts) })] as const;
  });
  return {
    sites: Object.fromEntries(summaries),
    leftOut: opened.flatMap(([name, tables]) => (tables ? [] : [name])),
  };
}

function rowsOf(numbers: Float64Array, k: number): number[][] {
  return Array.from({ length: numbers.length / k }, (_, row) => Array.from(numbers.subarray(row * k, (row + 1) * k)));
}

function sitesOn({ parties }: Card): string[] {
  return parties.map(({ name }) => name);
}

function lockedIn(parts: readonly ResultPart[]): Map<string, LockedTables> {
  return new Map(parts.flatMap(({ party, tables }) => (tables ? [[party, tables] as const] : [])));
}
