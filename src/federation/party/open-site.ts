import { methodOf } from "../../algorithms/catalogue.js";
import type { Lane } from "../../kernels/lanes.js";
import { RowSite } from "../../parties/row-site.js";
import type { People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import type { Answering } from "./answering.js";
import { combinationsOf } from "./combinations.js";
import { QuestionRun, type QuestionRunOptions } from "./question-run.js";

/** What a site with split rows needs to answer for its people. */
export interface OpenSite extends Omit<QuestionRunOptions<never>, "site" | "questions" | "parties"> {
  readonly card: Card;
  readonly party: string;
  readonly people: People;
  readonly lanes: readonly Lane[];
}

/** A site of the kind that the card's method works with, and the questions that this method declares. */
export async function openSite({ card, party, people, lanes, ...options }: OpenSite): Promise<Answering> {
  const parties = card.parties.map(({ name }) => name);
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
  return new QuestionRun<RowSite>({ ...options, parties, site, questions });
}
