import { classifications, comparedClasses } from "../metrics/index.js";
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
  /** Groups that nobody measured here is of, and groups of whom nobody has the label yes, or one of more than two labels: what concerns them cannot be decided, and is null. */
  readonly lacks: readonly string[];
  readonly lacksYes: readonly string[];
  /** The one-threshold control's; null where it is not known at each party. */
  readonly control: Readonly<Record<Difference, number | null>>;
}

interface PartyRequest {
  readonly test: Pick<Examples, "labels" | "groups">;
  readonly attribute: LearningAttribute;
  readonly classes: readonly string[];
  /** The party of each person measured on, and the names of all parties. */
  readonly partyOf: ArrayLike<number>;
  readonly names: readonly string[];
  /** This model's, and the control's. */
  readonly answers: Uint8Array;
  readonly controlAnswers: Uint8Array;
}

/** The measures of each party, on its own people alone. */
export function measureParties({ test, attribute, classes, partyOf, names, answers, controlAnswers }: PartyRequest) {
  /** Of the labels that rates are compared of, how often the rarest occurs. */
  const fewestOf = (labels: Uint8Array) =>
    Math.min(...comparedClasses(classes.length).map((each) => labels.filter((label) => label === each).length));
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
        fewest: fewestOf(labels.filter((_, i) => codes[i] === group)),
      })),
    );
    const decided = {
      dpd: cells.every(({ people }) => people > 0),
      eod: cells.every(({ fewest }) => fewest > 0),
      apd: cells.every(({ people }) => people > 0),
    };
    const measure = (given: Uint8Array) => {
      if (own.length === 0) return { accuracy: null, positiveRate: null, dpd: null, eod: null, apd: null };
      const found = classifications(attributes, { scores: of(given), answers: of(given), labels, classes });
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
      lacksYes: cells.filter(({ people, fewest }) => people > 0 && fewest === 0).map(({ name }) => name),
      control: { dpd, eod, apd },
    };
  });
}

/** The same of parties that tell how many people of each group and label they measured on, and how many of these got each answer but the first: [group][label][classes]. */
export function measureCounts(
  { attribute, classes }: Pick<PartyRequest, "attribute" | "classes">,
  counts: ReadonlyMap<string, ArrayLike<number>>,
): PartyFairness[] {
  const size = classes.length;
  const people = [...counts.values()].flatMap((numbers, party) =>
    Array.from({ length: numbers.length / size }, (_, cell) => {
      const [all, ...given] = Array.from({ length: size }, (__, i) => numbers[cell * size + i]) as [number];
      const first = given.reduce((left, each) => left - each, all);
      return [first, ...given].flatMap((count, answer) => new Array(count).fill({ party, cell, answer }));
    }).flat(),
  ) as { readonly party: number; readonly cell: number; readonly answer: number }[];
  const answers = Uint8Array.from(people, ({ answer }) => answer);
  const measured = measureParties({
    test: {
      labels: Uint8Array.from(people, ({ cell }) => cell % size),
      groups: Uint8Array.from(people, ({ cell }) => Math.floor(cell / size)),
    },
    ...{ attribute, classes },
    partyOf: people.map(({ party }) => party),
    names: [...counts.keys()],
    answers,
    controlAnswers: answers,
  });
  return measured.map((each) => ({ ...each, control: { dpd: null, eod: null, apd: null } }));
}
