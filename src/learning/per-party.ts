import { classifications } from "../metrics/index.js";
import { attributesOf, type LearningAttribute } from "./attributes.js";
import type { Difference } from "./tally.js";
import type { Examples } from "./trainer.js";

/** What a model does at one party: a model that is fair in all may be unfair at each. */
export interface PartyFairness extends Readonly<Record<Difference, number | null>> {
  readonly party: string;
  /** Measured on. */
  readonly people: number;
  readonly accuracy: number | null;
  readonly positiveRate: number | null;
  /** Groups that nobody measured here is of, and groups of whom nobody has the label yes: what concerns them cannot be decided, and is null. */
  readonly lacks: readonly string[];
  readonly lacksYes: readonly string[];
  /** The one-threshold control's; null where it is not known at each party. */
  readonly control: Readonly<Record<Difference, number | null>>;
}

interface PartyRequest {
  readonly test: Pick<Examples, "labels" | "groups">;
  readonly attribute: LearningAttribute;
  /** The party of each person measured on, and the names of all parties. */
  readonly partyOf: ArrayLike<number>;
  readonly names: readonly string[];
  /** 1 for yes: this model's, and the control's. */
  readonly answers: Uint8Array;
  readonly controlAnswers: Uint8Array;
}

/** The measures of each party, on its own people alone. */
export function measureParties({ test, attribute, partyOf, names, answers, controlAnswers }: PartyRequest) {
  const members: number[][] = names.map(() => []);
  for (let i = 0; i < partyOf.length; i++) members[partyOf[i]].push(i);
  return names.map((party, at): PartyFairness => {
    const own = members[at];
    const of = (codes: Uint8Array) => Uint8Array.from(own, (person) => codes[person]);
    const labels = of(test.labels);
    const attributes = attributesOf(attribute, of(test.groups));
    const cells = attributes.flatMap(({ groups, codes }) =>
      groups.map((name, group) => ({
        name,
        people: codes.reduce((sum, code) => sum + (code === group ? 1 : 0), 0),
        positives: codes.reduce((sum, code, i) => sum + (code === group ? labels[i] : 0), 0),
      })),
    );
    const decided = {
      dpd: cells.every(({ people }) => people > 0),
      eod: cells.every(({ positives }) => positives > 0),
      apd: cells.every(({ people }) => people > 0),
    };
    const measure = (given: Uint8Array) => {
      if (own.length === 0) return { accuracy: null, positiveRate: null, dpd: null, eod: null, apd: null };
      const found = classifications(attributes, { scores: of(given), answers: of(given), labels });
      const { accuracy, positiveRate } = found;
      const known = (key: Difference) => (decided[key] ? found[key] : null);
      return { accuracy, positiveRate, dpd: known("dpd"), eod: known("eod"), apd: known("apd") };
    };
    const { dpd, eod, apd } = measure(controlAnswers);
    return {
      party,
      people: own.length,
      ...measure(answers),
      lacks: cells.filter(({ people }) => people === 0).map(({ name }) => name),
      lacksYes: cells.filter(({ people, positives }) => people > 0 && positives === 0).map(({ name }) => name),
      control: { dpd, eod, apd },
    };
  });
}

/** The same of parties that tell how many people of each group and label they measured on, and how many of these got a yes: [group][label][2]. */
export function measureCounts(
  attribute: LearningAttribute,
  counts: ReadonlyMap<string, ArrayLike<number>>,
): PartyFairness[] {
  const people = [...counts.values()].flatMap((numbers, party) =>
    Array.from({ length: numbers.length / 2 }, (_, cell) =>
      Array.from({ length: numbers[2 * cell] }, (_, i) => ({ party, cell, yes: i < numbers[2 * cell + 1] ? 1 : 0 })),
    ).flat(),
  );
  const answers = Uint8Array.from(people, ({ yes }) => yes);
  const measured = measureParties({
    test: {
      labels: Uint8Array.from(people, ({ cell }) => cell % 2),
      groups: Uint8Array.from(people, ({ cell }) => cell >> 1),
    },
    attribute,
    partyOf: people.map(({ party }) => party),
    names: [...counts.keys()],
    answers,
    controlAnswers: answers,
  });
  return measured.map((each) => ({ ...each, control: { dpd: null, eod: null, apd: null } }));
}
