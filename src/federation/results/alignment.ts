import { version } from "../../version.js";
import type { JournalEntry } from "../audit/journal.js";
import { type Card, jobId } from "../consent/card.js";
import { type Learnt, learntOfAlignment } from "./learnt.js";
import type { ResultPart } from "./part.js";

/** All that the coordinator knows of a finished alignment. */
export interface AlignFacts {
  readonly aligned: {
    /** People whom all sites hold. */
    readonly common: number;
    /** Whether an earlier job had found them, and no site's ids have changed since. */
    readonly reused: boolean;
  };
  /** How often it was begun, interruptions included. */
  readonly epochs: number;
  readonly seconds: { readonly total: number };
}

/** The result of a job that only finds out whom the sites have in common. Who they are each site knows for itself. */
export interface FederatedAlignment {
  readonly job: string;
  readonly algorithm: "align";
  readonly version: string;
  /** The column that names people. */
  readonly id: string;
  readonly common: number;
  readonly reused: boolean;
  readonly epochs: number;
  readonly seconds: AlignFacts["seconds"];
  /** What the coordinator could learn, if it looked at all that passed it. */
  readonly coordinator: readonly Learnt[];
  /** What left each site. */
  readonly sites: Readonly<Record<string, readonly JournalEntry[]>>;
}

export function summariseAlignment(
  card: Card,
  hash: string,
  { aligned, epochs, seconds }: AlignFacts,
  told: readonly ResultPart[],
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
    sites: Object.fromEntries(told.map(({ party, journal }) => [party, journal])),
  };
}
