import type { Lane } from "../../kernels/lanes.js";
import type { PairKeys } from "../../privacy/masks/pair-keys.js";
import { PairwiseMasks } from "../../privacy/masks/pairwise.js";
import type { RandomBytes } from "../../privacy/random.js";
import type { People } from "../../table/types.js";
import type { Journal } from "../audit/journal.js";
import type { Card } from "../consent/card.js";
import { quorumOf } from "../consent/settings.js";
import { signHash, verifyHash } from "../consent/signature.js";
import { type Kit, memberOf } from "../identity/kit.js";
import { ColumnRun } from "./columns/column-run.js";
import { columnsFor } from "./columns/own-columns.js";
import type { DisclosureLog } from "./disclosure-log.js";
import type { JobFiles } from "./job-files.js";
import { MaskedRounds } from "./masked-rounds.js";
import { openSite } from "./open-site.js";
import type { SiteQuestions } from "./question-run.js";

/** A site's side of a job while it runs. */
export type SiteRun = SiteQuestions | ColumnRun;

export interface RunSite {
  readonly kit: Kit;
  readonly card: Card;
  readonly job: string;
  readonly epoch: number;
  readonly keys: PairKeys;
  readonly people: People;
  readonly lanes: readonly Lane[];
  readonly threads: number;
  readonly random: RandomBytes;
  readonly journal: Journal;
  readonly files: JobFiles;
  /** With rows split: what the job was told so far, over all its epochs. */
  readonly disclosures: DisclosureLog;
  /** What the sites of this epoch share and the coordinator lacks; with columns split. */
  readonly sharedKey: Uint8Array | undefined;
  /** With columns split: what the run has received before the checkpoint that it goes on from. */
  readonly results: readonly unknown[];
  /** And that checkpoint's number; null where it begins anew. */
  readonly position: number | null;
  /** Writes what has left into the audit log. */
  readonly account: () => Promise<void>;
}

/** With rows split: masks that survive dropouts. */
export function roundsFor({ kit, card, job, epoch, keys, random, disclosures }: RunSite): MaskedRounds | undefined {
  if (card.split !== "rows") return undefined;
  return new MaskedRounds({
    ...{ job, epoch, keys, random, disclosures },
    threshold: quorumOf(card),
    sign: (hash) => signHash(kit.signingKey, "survivors", hash),
    verify: (name, hash, signature) => verifyHash(memberOf(kit, { role: "party", name }), "survivors", hash, signature),
  });
}

/** The run that a card means for this site: by how people are split, and what is made. */
export async function makeRun(site: RunSite, rounds: MaskedRounds | undefined): Promise<SiteRun> {
  const { kit, card, job, people, lanes, threads, random, journal, files, disclosures } = site;
  const party = kit.name;
  const keep = (at: number, state: Uint8Array) => files.keepCheckpoint(job, at, state, journal);
  if (rounds) {
    const answering = { masks: rounds, journal, random, keep, card, people };
    return openSite({
      ...{ ...answering, party, lanes, threads, disclosures, releases: files.releases(job) },
      members: () => rounds.members,
      leaving: site.account,
    });
  }
  const columns = await columnsFor(card, party, people, lanes);
  return new ColumnRun({
    ...{ card, party, columns, journal, random, results: site.results },
    masks: new PairwiseMasks(site.keys),
    groupKey: site.sharedKey!,
    answers: await files.answers(job, site.position),
    keep: async (at, state, received) => {
      await files.keepResults(job, at, received);
      await keep(at, state);
    },
    clock: () => Date.now(),
  });
}
