import { openCrew } from "../kernels/crew.js";
import { LocalGroup } from "../parties/local-group.js";
import { derive } from "../solver/seeded-chance.js";
import { dealPeople, dealtTo } from "./deal.js";
import { pickExamples } from "./examples.js";
import { frontierInOnePlace } from "./frontier.js";
import { holdBack } from "./hold-out.js";
import { Learner } from "./learner.js";
import { LearningSite } from "./learning-site.js";
import { settleTraining, type TrainSettings } from "./settings.js";
import { seedUse, type TrainingParties, trainWithControl } from "./train-with-control.js";
import { type Examples, Trainer } from "./trainer.js";
import type { LearningData, Trained, TrainOptions } from "./types.js";

/**
 * Trains a classifier over in-process parties, and FedAvg beside it as the control. The model depends on the people, the
 * options and the seed: not on threads or on the machine.
 */
export async function train(data: LearningData, options: TrainOptions = {}): Promise<Trained> {
  const { shape, attribute } = data;
  const { groups, parts } = attribute;
  const facts = { shape, groups: groups.length, classes: data.classes.length, parts, people: data.train.n };
  const settings = settleTraining(facts, options);
  const deal = derive(settings.seed, seedUse.deal);
  const dealt = options.partyOf
    ? byParty(options.partyOf, settings.parties)
    : dealPeople(data.train.labels, settings.parties, settings.skew, deal);
  const parties = localParties(data, settings, dealt, options.signal);
  try {
    const partySizes = dealt.map((people) => people.length);
    const names = options.partyNames ?? dealt.map((_, party) => `party ${party + 1}`);
    const of = options.partyOf
      ? options.testPartyOf
      : dealtTo(data.test.labels, settings.parties, settings.skew, deal, "measure");
    const testParties = of && { of, names };
    const trained = await trainWithControl({ data, settings, partySizes, parties, testParties, options });
    if (!options.frontier) return trained;
    const { scores, points } = await frontierInOnePlace(data, options, train);
    return { ...trained, result: { ...trained.result, frontier: points }, pooledScores: scores };
  } finally {
    await parties.close();
  }
}

function byParty(partyOf: Uint32Array, parties: number): Uint32Array[] {
  const dealt: number[][] = Array.from({ length: parties }, () => []);
  partyOf.forEach((party, i) => {
    dealt[party].push(i);
  });
  return dealt.map((people) => Uint32Array.from(people));
}

/** In-process parties, the nets that they take turns with, and the people to measure on. */
function localParties(
  data: LearningData,
  settings: TrainSettings,
  dealt: readonly Uint32Array[],
  signal?: AbortSignal,
): TrainingParties & { close(): Promise<unknown> } {
  const { threads, net, batch, groups, classes, seed } = settings;
  // Threads share the steps of a large net; small ones are done before threads could meet, so each has parties of its own.
  const crews =
    net === "resnet18"
      ? [openCrew(threads)]
      : threads === 1
        ? [openCrew("inline")]
        : Array.from({ length: Math.min(threads, dealt.length) }, () => openCrew(1));
  const trainers = crews.map((crew) => new Trainer(crew, net, data.shape, groups, batch, classes));
  const trainerOf = (party: number) => trainers[party % trainers.length];
  const measured = (people: Examples, party: number) => ({ ...people, loaded: trainerOf(party).load(people) });
  const held = dealt.map((people, party) => holdBack(pickExamples(data.train, people), settings, party));
  const learners = held.map(({ learnt }, party) => {
    const own = derive(seed, seedUse.party + party);
    return new Learner(trainerOf(party), learnt, settings, own, signal);
  });
  const test = measured(data.test, 0);
  const sites = learners.map((learner, party) => {
    // The first one measures: there is one set of people to measure on.
    const { validation } = held[party];
    const loaded = {
      learner,
      trainer: trainerOf(party),
      ...(party === 0 ? { test } : {}),
      ...(validation ? { validation: measured(validation, party) } : {}),
    };
    return new LearningSite({ settings, load: () => loaded });
  });
  return {
    group: new LocalGroup(sites, signal),
    trainer: trainerOf(0),
    scores: (model) => trainerOf(0).score(model, test.loaded, signal),
    begin(run, recorded) {
      for (const [party, site] of sites.entries()) {
        site.begin(run, recorded?.weights[party] ?? undefined, recorded?.memories?.[party]);
      }
    },
    remembered: () => ({
      weights: learners.map(({ weight }) => weight ?? null),
      ...(settings.fairnessLevel === "party" ? { memories: sites.map(({ memory }) => [...memory]) } : {}),
    }),
    close: () => Promise.all(crews.map((crew) => crew.close())),
  };
}
