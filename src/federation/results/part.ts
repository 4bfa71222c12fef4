import type { Bounds } from "../../constraints/bounds.js";
import { balance, groupCounts, sse, violation } from "../../metrics/index.js";
import type { Attribute, People } from "../../table/types.js";
import type { JournalEntry } from "../party/journal.js";

/** What one party tells the readers of a result: of its own columns and attributes only. */
export interface ResultPart {
  readonly party: string;
  readonly dimensions: number;
  /** In its own columns, of the people as they are. */
  readonly sse: number;
  readonly sizes: readonly number[];
  readonly maxViolation: number;
  /** Empty where it protects nothing. */
  readonly balance: readonly number[];
  /** attribute -> group -> share in each cluster; null where too few people would be shown. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, readonly (number | null)[]>>>>;
  readonly bounds: Readonly<Record<string, Readonly<Record<string, { readonly min: number; readonly max: number }>>>>;
  /** Cells that were left out because fewer people than this are in them. */
  readonly smallest: number;
  readonly journal: readonly JournalEntry[];
}

export interface PartInput {
  readonly party: string;
  readonly people: People;
  readonly labels: Uint16Array;
  readonly k: number;
  readonly bounds: readonly Bounds[];
  /** The policy's smallest group that may be reported. */
  readonly smallest: number;
  readonly journal: readonly JournalEntry[];
}

export function partOf({ party, people, labels, k, bounds, smallest, journal }: PartInput): ResultPart {
  const counts = people.attributes.map((attribute) => groupCounts(attribute, labels, k));
  const sizes = new Array<number>(k).fill(0);
  for (const label of labels) sizes[label]!++;
  return {
    party,
    dimensions: people.dimensions.length,
    sse: sse(people.dimensions, labels, k),
    ...shown({ attributes: people.attributes, counts, sizes, bounds, smallest }),
    journal,
  };
}

export interface Counted {
  readonly attributes: readonly Pick<Attribute, "name" | "groups">[];
  /** [attribute][group][cluster] */
  readonly counts: readonly (readonly (readonly number[])[])[];
  readonly sizes: readonly number[];
  readonly bounds: readonly Bounds[];
  /** Groups with fewer people in a cluster are left out. */
  readonly smallest: number;
}

type Shown = Pick<ResultPart, "sizes" | "maxViolation" | "balance" | "groups" | "bounds" | "smallest">;

/** What may be told of counted groups. */
export function shown({ attributes, counts, sizes, bounds, smallest }: Counted): Shown {
  const { groups, someHidden } = shownShares(attributes, counts, sizes, smallest);
  return {
    sizes,
    maxViolation: Number(violation(bounds, counts, sizes).people.toFixed(6)),
    // A cluster's balance is that of its rarest group: where one is left out, so is the balance.
    balance: someHidden ? [] : balance(counts, sizes),
    groups,
    bounds: shownBounds(bounds, smallest),
    smallest,
  };
}

/** Of a holder of rows: what its people alone are like is nobody's business, so only what left it is told. */
export function rowPartOf({ party, people, smallest, journal }: PartInput): ResultPart {
  return { ...journalPartOf(party, journal), dimensions: people.dimensions.length, smallest };
}

/** Nothing but what left a site. */
export function journalPartOf(party: string, journal: readonly JournalEntry[]): ResultPart {
  return {
    party,
    dimensions: 0,
    sse: 0,
    sizes: [],
    maxViolation: 0,
    balance: [],
    groups: {},
    bounds: {},
    smallest: 0,
    journal,
  };
}

/** The share of each group in each cluster, without those of too few people. */
function shownShares(
  attributes: readonly Pick<Attribute, "name" | "groups">[],
  counts: readonly (readonly (readonly number[])[])[],
  sizes: readonly number[],
  smallest: number,
): { readonly groups: ResultPart["groups"]; readonly someHidden: boolean } {
  const hidden = counts.map((each) => suppress(each, smallest));
  return {
    someHidden: hidden.some((each) => each.some((clusters) => clusters.some(Boolean))),
    groups: Object.fromEntries(
      attributes.map(({ name, groups }, a) => [
        name,
        Object.fromEntries(
          groups.map((group, l) => [
            group,
            counts[a]![l]!.map((count, m) => (hidden[a]![l]![m] ? null : sizes[m] === 0 ? 0 : count / sizes[m]!)),
          ]),
        ),
      ]),
    ),
  };
}

/** Bounds tell how many people a group has in all: those of groups that are too small to show are left out. */
function shownBounds(bounds: readonly Bounds[], smallest: number): ResultPart["bounds"] {
  return Object.fromEntries(
    bounds.map(({ attribute, groups, counts, lower, upper }) => {
      const hidden = suppress(
        counts.map((count) => [count]),
        smallest,
      );
      const shown = groups.flatMap((group, l) => {
        return hidden[l]![0] ? [] : [[group, { min: lower[l]!, max: upper[l]! }] as const];
      });
      return [attribute, Object.fromEntries(shown)];
    }),
  );
}

/**
 * Which cells, [group][cluster], are too small to show. Where a single one of a cluster or of a group would be left out,
 * the others give it away by subtraction, so the next smallest goes with it; until no line has a lone gap.
 */
export function suppress(counts: readonly (readonly number[])[], smallest: number): boolean[][] {
  const hidden = counts.map((clusters) => clusters.map((count) => count > 0 && count < smallest));
  const k = counts[0]?.length ?? 0;
  const lines: [number, number][][] = [
    ...Array.from({ length: k }, (_, m) => counts.map((_, l): [number, number] => [l, m])),
    ...counts.map((_, l) => Array.from({ length: k }, (_, m): [number, number] => [l, m])),
  ];
  for (let changed = true; changed; ) {
    changed = false;
    for (const line of lines) {
      if (line.filter(([l, m]) => hidden[l]![m]).length !== 1) continue;
      const shown = line.filter(([l, m]) => !hidden[l]![m] && counts[l]![m]! > 0);
      const next = shown.sort(([a, b], [c, d]) => counts[a]![b]! - counts[c]![d]!)[0];
      if (!next) continue;
      hidden[next[0]]![next[1]] = true;
      changed = true;
    }
  }
  return hidden;
}
