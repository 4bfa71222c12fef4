import { MoietyError } from "../../errors.js";
import type { MaskJob } from "../../privacy/masks/pairwise.js";
import { SitePreparation } from "../alignment/site.js";
import { type Card, jobId } from "../consent/card.js";
import type { Journal } from "./journal.js";
import type { PartyOptions } from "./options.js";
import type { SameData } from "./same-data.js";
import type { SiteData } from "./site-data.js";

/** What comes before a run with columns split, or is all there is. */
export interface Preparing {
  readonly epoch: number;
  readonly card: Card;
  readonly journal: Journal;
  readonly site: SitePreparation;
}

interface Prepared {
  readonly options: PartyOptions;
  readonly data: SiteData;
  readonly same: SameData;
  readonly card: Card;
  readonly journal: Journal;
}

/** This site's side of finding out who is common to all, with its own data and by its own policy. */
export async function openPreparation(
  { options, data, same, card, journal }: Prepared,
  masks: MaskJob,
): Promise<Preparing> {
  const { kit, store, random, threads, log, policy } = options;
  const least = (await policy())?.minimum.rows ?? Number.POSITIVE_INFINITY;
  const site = new SitePreparation({
    ...{ party: kit.name, secretKey: kit.agreementSecret, card, store, random, threads, journal, masks },
    log: (line) => log(`job ${jobId(masks.job)}: ${line}`),
    ids: () => same.ids(() => data.ids(card.id!)),
    people: (common) => same.people(() => data.people(card, common)),
    permit: async (common) => {
      if (common >= least) return;
      throw new MoietyError("input", `refuses the job: fewer common people than the ${least} that the policy asks for`);
    },
  });
  return { epoch: masks.epoch, card, journal, site };
}
