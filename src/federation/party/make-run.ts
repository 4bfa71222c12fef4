import { methodOf } from "../../algorithms/catalogue.js";
import { columnsIn } from "../../algorithms/dp-fair/space.js";
import { failed } from "../../errors.js";
import type { Lane } from "../../kernels/lanes.js";
import { trainingMethodOf } from "../../learning/catalogue.js";
import type { LearningSite } from "../../learning/learning-site.js";
import { learningQuestions } from "../../learning/questions.js";
import { LocalColumns } from "../../parties/local-columns.js";
import { MemoryRows } from "../../parties/memory-rows.js";
import {
  type CountedAttribute,
  MixtureSite,
  privateGridBits,
  publicGridBits,
  snapped,
} from "../../parties/mixture-site.js";
import { isElsewhere } from "../../parties/row-people.js";
import { RowSite } from "../../parties/row-site.js";
import type { PairKeys } from "../../privacy/masks/pair-keys.js";
import { PairwiseMasks } from "../../privacy/masks/pairwise.js";
import type { Ring } from "../../privacy/masks/ring.js";
import { Chance } from "../../privacy/noise/chance.js";
import type { RandomBytes } from "../../privacy/random.js";
import type { People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { groupsOnCard } from "../consent/card-columns.js";
import {
  columnsOf,
  dimensionsOf,
  findsCells,
  isCountPrivate,
  isPrivate,
  privatePlanOf,
  solvedCard,
} from "../consent/private-card.js";
import { quorumOf } from "../consent/settings.js";
import { signHash, verifyHash } from "../consent/signature.js";
import { type Kit, memberOf } from "../identity/kit.js";
import { ColumnRun } from "./columns/column-run.js";
import { columnsFor } from "./columns/own-columns.js";
import { PrivateCells, type PrivateCellsOptions } from "./columns/private-cells.js";
import { PrivateColumnRounds } from "./columns/private-rounds.js";
import type { JobFiles } from "./job-files.js";
import { MaskedRounds, type SumRounds } from "./masked-rounds.js";
import { attributesOf, combinationsOf, learningSiteOf } from "./people-on-card.js";
import { QuestionRun, type QuestionRunOptions, type SiteQuestions } from "./question-run.js";
import { RingRounds } from "./ring-rounds.js";

/** A site's side of a job while it runs. */
export type SiteRun = SiteQuestions | ColumnRun;

/** What every site needs of a run: of the job, its people, and what it discloses. */
type RunBasics = Pick<QuestionRunOptions<never>, "journal" | "random" | "disclosures"> & {
  readonly card: Card;
  readonly people: People;
  readonly lanes: readonly Lane[];
  readonly threads: number;
};

export interface RunSite extends RunBasics {
  readonly kit: Kit;
  readonly job: string;
  readonly epoch: number;
  readonly keys: PairKeys;
  /** Of many sites: who is whose neighbour in this attempt. */
  readonly ring: Ring | undefined;
  readonly files: JobFiles;
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
export function roundsFor({ kit, card, job, epoch, keys, ring, random, disclosures }: RunSite): SumRounds | undefined {
  if (card.split !== "rows") return undefined;
  if (ring) return new RingRounds({ keys, ring, quorum: quorumOf(card), random, disclosures });
  return new MaskedRounds({
    ...{ job, epoch, keys, random, disclosures },
    threshold: quorumOf(card),
    sign: (hash) => signHash(kit.signingKey, "survivors", hash),
    verify: (name, hash, signature) => verifyHash(memberOf(kit, { role: "party", name }), "survivors", hash, signature),
  });
}

/** The run that a card means for this site: by how people are split, and what is made. */
export async function makeRun(site: RunSite, rounds: SumRounds | undefined): Promise<SiteRun> {
  const { kit, card, job, people, lanes, threads, random, journal, files, disclosures } = site;
  const party = kit.name;
  const keep = (at: number, state: Uint8Array) => files.keepCheckpoint(job, at, state, journal);
  if (rounds) {
    return openSite({
      ...{ card, party, people, lanes, threads, random, journal, disclosures, keep, masks: rounds },
      releases: files.releases(job),
      members: () => rounds.members,
      leaving: site.account,
    });
  }
  return new ColumnRun({
    ...{ party, journal, random, results: site.results },
    ...(await columnsOnCard({ ...site, party, releases: files.releases(job), leaving: site.account })),
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

type ColumnSite = Pick<RunSite, "card" | "people" | "lanes" | "random" | "disclosures"> &
  Pick<PrivateCellsOptions, "releases" | "leaving"> & { readonly party: string };

/** With columns split: what the solver is asked for, this site's columns in it, and what becomes of the cells of a private job. */
export async function columnsOnCard({ people, lanes, party, random, ...site }: ColumnSite) {
  const card = await solvedCard(site.card, people.n);
  if (!findsCells(site.card)) return { card, own: await columnsFor(card, party, people, lanes) };
  const attributes = site.card.parties.flatMap((part): readonly CountedAttribute[] => {
    const of = { ...site.card, parties: [part] };
    return part.name === party ? attributesOf(of, people) : groupsOnCard(of);
  });
  const plan = await privatePlanOf({ ...site.card, components: card.k }, people.n);
  const found = { ...site, plan, attributes, chance: chanceFrom(random) };
  if (isCountPrivate(site.card)) return { card, ...roundsOnCard(found, party, people, lanes) };
  const own = await columnsFor(card, party, { ...people, attributes: [] }, lanes);
  return { card, own, cells: new PrivateCells(found) };
}

/** Where everything is private: this site's columns in the public box, and the rounds over those of all sites. */
function roundsOnCard(options: PrivateCellsOptions, party: string, people: People, lanes: readonly Lane[]) {
  const { parties } = options.card;
  const place = parties.findIndex(({ name }) => name === party);
  const [from, to] = [place, place + 1].map((end) => dimensionsOf({ ...options.card, parties: parties.slice(0, end) }));
  checkBoxed(people, to - from, columnsOf({ split: "columns", parties: [parties[place]] }));
  const own = {
    columns: people.dimensions.map((column) => snapped(column, privateGridBits)),
    from,
    counts: place === 0,
  };
  const shape = { n: people.n, dimensions: own.columns, constraints: [], leads: own.counts };
  return {
    own: { columns: new LocalColumns(lanes, shape), seats: undefined, expand: (labels: Uint16Array) => labels },
    rounds: new PrivateColumnRounds({ ...options, own, columns: dimensionsOf(options.card) }),
  };
}

/** Noise is as large as the card's columns in its box ask for: a site's people must be no further out. */
function checkBoxed(people: People, dimensions: number, columns: number): void {
  if (people.publicBounds && people.dimensions.length === dimensions && columnsIn(people) <= columns) return;
  throw failed("the columns here are not those that the card's box describes");
}

function chanceFrom(random: RandomBytes): Chance {
  return new Chance({ secret: true, fill: (bytes) => bytes.set(random(bytes.length)) });
}

type OpenedSite = RunBasics &
  Omit<QuestionRunOptions<never>, "site" | "questions" | "parties"> & { readonly party: string };

/** With rows split: a site of the kind that the card's method works with, and the questions that this method declares. */
export async function openSite(opened: OpenedSite): Promise<SiteQuestions> {
  const { card, party, people, lanes, threads, ...given } = opened;
  const parties = card.parties.map(({ name }) => name);
  const options = { ...given, parties };
  if (card.train) {
    const site = learningSiteOf(card, people, parties.indexOf(party), threads);
    const own = await trainingMethodOf(card.algorithm).questions?.();
    return new QuestionRun<LearningSite>({ ...options, site, questions: [...learningQuestions, ...(own ?? [])] });
  }
  if (isPrivate(card)) {
    const { terms, questions } = await privatePlanOf(card, people.n);
    const { n, dimensions } = people;
    if (!terms.featuresArePublic) checkBoxed(people, dimensionsOf(card), columnsOf(card));
    const gridBits = terms.featuresArePublic ? publicGridBits : privateGridBits;
    const data = { n, dimensions, attributes: attributesOf(card, people), gridBits };
    const site = await MixtureSite.open(lanes, data, chanceFrom(given.random), terms);
    return new QuestionRun<MixtureSite>({ ...options, site, questions });
  }
  const held = isElsewhere(people)
    ? await people.hold(combinationsOf(card, { n: people.patterns, attributes: people.attributes }))
    : new MemoryRows(lanes, people.dimensions, combinationsOf(card, people));
  const site = new RowSite(held, {
    number: parties.indexOf(party),
    lanes,
    terms: {
      k: card.k,
      starts: card.starts,
      means: card.protection === "means" ? (card.minCount ?? 1) : undefined,
    },
  });
  const { questions } = await methodOf(card.algorithm).rows!.load!();
  return new QuestionRun<RowSite>({ ...options, site, questions });
}
