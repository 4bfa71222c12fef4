import type { Overlap } from "../../privacy/overlap.js";
import { version } from "../../version.js";
import type { JournalEntry } from "../audit/journal.js";
import { type Card, jobId } from "../consent/card.js";
import { type Learnt, learntOfAlignment } from "./learnt.js";
import type { ResultPart } from "./part.js";

/** What the coordinator learns before a run with columns split, beside the number of ids at each site. */
export interface PreparedPeople {
  /** Null where the card names no ids: everybody is taken to be in the same order at all sites. */
  readonly alignment: { readonly column: string; readonly reused: boolean } | null;
  readonly overlaps: readonly Overlap[];
}

interface AlignedPeople {
  /** People whom all sites hold. */
  readonly common: number;
  /** Whether an earlier job had found them, and no site's ids have changed since. */
  readonly reused: boolean;
}

/** All that the coordinator knows of a finished alignment. */
export interface AlignFacts {
  readonly aligned: AlignedPeople;
  /** How often it was begun, interruptions included. */
  readonly epochs: number;
  readonly seconds: { readonly total: number };
}

/** The result of a job that only finds out whom the sites have in common. Who they are each site knows for itself. */
export interface FederatedAlignment extends AlignedPeople, Omit<AlignFacts, "aligned"> {
  readonly job: string;
  readonly algorithm: "align";
  readonly version: string;
  /** The column that names people. */
  readonly id: string;
  /** What the coordinator could learn, if it looked at all that passed it. */
  readonly coordinator: readonly Learnt[];
  /** What left each site. */
  readonly sites: Readonly<Record<string, readonly JournalEntry[]>>;
}

export function summariseAlignment(
  card: Card,
  hash: string,
  { aligned, epochs, seconds }: AlignFacts,
  parts: readonly ResultPart[],
): FederatedAlignment {
  return {
    job: jobId(hash),
    algorithm: "align",
    version,
    id: card.id!,
    ...aligned,
    epochs,
    seconds,
    coordinator: learntOfAlignment(aligned),
    sites: Object.fromEntries(parts.map(({ party, journal }) => [party, journal])),
  };
}
