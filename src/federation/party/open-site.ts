import { methodOf } from "../../algorithms/catalogue.js";
import type { Lane } from "../../kernels/lanes.js";
import { trainingMethodOf } from "../../learning/catalogue.js";
import type { LearningSite } from "../../learning/learning-site.js";
import { learningQuestions } from "../../learning/questions.js";
import { MixtureSite, openGridBits, privateGridBits } from "../../parties/mixture-site.js";
import { RowSite } from "../../parties/row-site.js";
import { Chance } from "../../privacy/noise/chance.js";
import type { People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { isPrivate, privatePlanOf } from "../consent/private-card.js";
import { attributesOf, combinationsOf } from "./combinations.js";
import { learningSiteOf } from "./learning-data.js";
import { QuestionRun, type QuestionRunOptions, type SiteQuestions } from "./question-run.js";

/** What a site with split rows needs to answer for its people. */
export interface OpenSite extends Omit<QuestionRunOptions<never>, "site" | "questions" | "parties"> {
  readonly card: Card;
  readonly party: string;
  readonly people: People;
  readonly lanes: readonly Lane[];
  readonly threads: number;
}

/** A site of the kind that the card's method works with, and the questions that this method declares. */
export async function openSite(opening: OpenSite): Promise<SiteQuestions> {
  const { card, party, people, lanes, threads, ...given } = opening;
  const parties = card.parties.map(({ name }) => name);
  const options = { ...given, parties };
  if (card.train) {
    const site = learningSiteOf(card, people, parties.indexOf(party), threads);
    const own = await trainingMethodOf(card.algorithm).questions?.();
    return new QuestionRun<LearningSite>({ ...options, site, questions: [...learningQuestions, ...(own ?? [])] });
  }
  if (isPrivate(card)) {
    const { terms, questions } = await privatePlanOf(card, people.n);
    const chance = new Chance({ secret: true, fill: (bytes) => bytes.set(given.random(bytes.length)) });
    const { n, dimensions } = people;
    const gridBits = terms.isOpen ? openGridBits : privateGridBits;
    const data = { n, dimensions, attributes: attributesOf(card, people), gridBits };
    const site = await MixtureSite.open(lanes, data, chance, terms);
    return new QuestionRun<MixtureSite>({ ...options, site, questions });
  }
  const site = new RowSite(lanes, {
    number: parties.indexOf(party),
    dimensions: people.dimensions,
    combinations: combinationsOf(card, people),
    terms: {
      k: card.k,
      starts: card.starts,
      means: card.protection === "means" ? (card.minCount ?? 1) : undefined,
    },
  });
  const { questions } = await methodOf(card.algorithm).rows!.load!();
  return new QuestionRun<RowSite>({ ...options, site, questions });
}
