import { MoietyError } from "../../errors.js";
import type { PairKeys } from "../../privacy/masks/pair-keys.js";
import { SitePreparation } from "../alignment/site.js";
import type { Journal } from "../audit/journal.js";
import { type Card, jobId } from "../consent/card.js";
import type { PartyOptions } from "./options.js";
import type { SameData } from "./same-data.js";
import type { SiteData } from "./site-data.js";

/** What comes before a run with columns split, or is all there is. */
export interface Preparing {
  readonly epoch: number;
  readonly keys: PairKeys;
  readonly card: Card;
  readonly journal: Journal;
  readonly site: SitePreparation;
}

interface PreparationInput {
  readonly job: string;
  readonly epoch: number;
  readonly keys: PairKeys;
  readonly options: PartyOptions;
  readonly data: SiteData;
  readonly same: SameData;
  readonly card: Card;
  readonly journal: Journal;
}

/** This site's side of finding out who is common to all, with its own data and by its own policy. */
export async function openPreparation(prepared: PreparationInput): Promise<Preparing> {
  const { job, epoch, keys, options, data, same, card, journal } = prepared;
  const { store, random, threads, log, policy } = options;
  const least = (await policy())?.minimum.rows ?? Number.POSITIVE_INFINITY;
  const site = new SitePreparation({
    ...{ job, keys, card, store, random, threads, journal },
    log: (line) => log(`job ${jobId(job)}: ${line}`),
    ids: () => same.ids(() => data.ids(card.id!)),
    people: (common) => same.people(() => data.people(card, common)),
    permit: async (common) => {
      if (common >= least) return;
      throw new MoietyError("input", `refuses the job: fewer common people than the ${least} that the policy asks for`);
    },
  });
  return { epoch, keys, card, journal, site };
}
