import { derive } from "../solver/seeded-chance.js";
import { conduct, use } from "./conduct.js";
import { dealPeople } from "./deal.js";
import { settleTraining } from "./settings.js";
import type { LearningData, Trained, TrainOptions } from "./types.js";
import { Workshop } from "./workshop.js";

/**
 * Trains a classifier over in-process parties, and FedAvg beside it as the control. The model depends on the people, the
 * options and the seed: not on threads or on the machine.
 */
export async function train(data: LearningData, options: TrainOptions = {}): Promise<Trained> {
  const { shape, attribute } = data;
  const facts = { shape, groups: attribute.groups.length, people: data.train.n };
  const settings = settleTraining(facts, options);
  const dealt = options.partyOf
    ? byParty(options.partyOf, settings.parties)
    : dealPeople(data.train.labels, settings.parties, settings.skew, derive(settings.seed, use.deal));
  const workshop = new Workshop(data, settings, dealt, options.signal);
  try {
    const partySizes = dealt.map((people) => people.length);
    return await conduct({ data, settings, partySizes, workplace: workshop, options });
  } finally {
    await workshop.close();
  }
}

function byParty(partyOf: Uint32Array, parties: number): Uint32Array[] {
  const dealt: number[][] = Array.from({ length: parties }, () => []);
  partyOf.forEach((party, i) => {
    dealt[party].push(i);
  });
  return dealt.map((people) => Uint32Array.from(people));
}
