import type { Ledger } from "../../privacy/accounting/ledger.js";
import type { RandomBytes } from "../../privacy/random.js";
import type { DistinctIds } from "../../table/order.js";
import type { LinkedBy, People } from "../../table/types.js";
import type { MemberAudit } from "../audit/member-audit.js";
import type { Card, CardPart } from "../consent/card.js";
import type { Policy } from "../consent/policy.js";
import type { Kit } from "../identity/kit.js";
import type { Log } from "../log.js";
import type { FederatedAlignment } from "../results/alignment.js";
import type { KeptPart } from "../results/own.js";
import type { ResultPart } from "../results/part.js";
import type { FederatedResult, RunFacts } from "../results/summary.js";
import type { Store } from "../store/types.js";
import type { Dialling } from "../transport/types.js";
import type { SiteAlignment } from "./preparation.js";

/** All that a party's process is given: who it is, its data, its policy, its disk, network and clock. */
export interface PartyOptions {
  readonly kit: Kit;
  readonly dialling: Dialling;
  readonly store: Store;
  /** The different ids of all rows, in the column that names people on the card and as it normalises them. */
  readonly ids: (card: Card) => Promise<DistinctIds>;
  /** The site's people in the columns that a card names: all of them, or those of these ids, ordered by id; as other sites say that they count. */
  readonly people: (part: CardPart, card: Card, common?: readonly string[], linked?: LinkedBy) => Promise<People>;
  /** Why the site cannot take part in a job, whatever its policy: the analyst is told. */
  readonly objection?: (card: Card) => string | undefined;
  readonly policy: () => Promise<Policy | undefined>;
  /** Whether analysts may read the policy, signed by this site; the coordinator passes it on and reads it too. */
  readonly publishesPolicy?: boolean;
  /** The log that auditors of this site read. */
  readonly audit: MemberAudit;
  readonly random: RandomBytes;
  /** Milliseconds: decides when this site's consent to a job ends. */
  readonly clock: () => number;
  /** The privacy ledger of this site's data, for private jobs. */
  readonly ledger?: Ledger;
  readonly threads: number;
  /** Milliseconds to wait before the n-th attempt to reach the coordinator. */
  readonly pause?: (attempt: number) => number;
  readonly log: Log;
  /** Called when a job is done: everybody's cluster, or who is common to all sites, and what left this one. */
  readonly onResult: (result: PartyResult | PartyAlignment) => Promise<void>;
  /** Called with the result of all sites, where the card gives the parties the summary. */
  readonly onSummary: (summary: PartySummary) => Promise<void>;
}

export interface PartySummary {
  readonly job: string;
  readonly card: Card;
  readonly result: FederatedResult | FederatedAlignment;
  /** Empty where nothing was iterated. */
  readonly history: RunFacts["history"];
}

/** Of a job that only finds out whom the sites have in common. */
export interface PartyAlignment {
  readonly job: string;
  readonly card: Card;
  readonly part: ResultPart;
  readonly alignment: SiteAlignment;
  /** The ids that all sites hold, in the order of their bytes. They are for this site. */
  readonly common: readonly string[];
}

export interface PartyResult {
  readonly job: string;
  readonly card: Card;
  readonly people: People;
  readonly labels: Uint16Array;
  readonly part: KeptPart;
  /** Where the sites aligned their people: how many of this site's are common to all. */
  readonly alignment?: SiteAlignment;
  /** With rows split: sizes and shares of all sites' people together, as the coordinator says. */
  readonly whole?: Readonly<Record<string, unknown>>;
  /** Of a training, where the card lets parties have it: the model file. */
  readonly model?: Uint8Array;
}
