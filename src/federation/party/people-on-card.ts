import { MoietyError } from "../../errors.js";
import { type Crew, openCrew } from "../../kernels/crew.js";
import { controlMethod } from "../../learning/catalogue.js";
import { pickExamples, rowMajor } from "../../learning/examples.js";
import { holdBack, splitCells, splitPeople } from "../../learning/hold-out.js";
import { Learner } from "../../learning/learner.js";
import { LearningSite } from "../../learning/learning-site.js";
import { seedUse } from "../../learning/train-with-control.js";
import { type Examples, Trainer } from "../../learning/trainer.js";
import { derive } from "../../solver/seeded-chance.js";
import type { Attribute, People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { groupsOnCard } from "../consent/card-columns.js";
import { scaledColumns, settingsOfTraining, shapeOfCard } from "../consent/training-card.js";

/** A site of a training: its people as the card has them. Their attributes are those protected, and the label. */
export function learningSiteOf(card: Card, people: People, place: number, threads: number): LearningSite {
  const settings = settingsOfTraining(card, Number.MAX_SAFE_INTEGER);
  const { net, batch, groups, classes, seed } = settings;
  const codes = {
    n: people.n,
    labels: labelCodes(card, people),
    groups: Uint8Array.from(combinationsOf(card, people).codes),
  };
  let crew: Crew | undefined;
  return new LearningSite({
    settings,
    columns: { dimensions: people.dimensions, scaled: card.train!.imageShape ? "pixels" : scaledColumns(card) },
    cells: splitCells(codes, settings, card.train!.test),
    first: card.algorithm === controlMethod.name ? "method" : "control",
    load: ({ values }) => {
      const all = { ...codes, features: rowMajor({ n: people.n, dimensions: values }) };
      crew = openCrew(net === "resnet18" ? threads : "inline");
      const trainer = new Trainer(crew, net, shapeOfCard(card), groups, batch, classes);
      const split = splitPeople(all, card.train!.test, card.seed, settings, new Uint16Array(people.n).fill(place));
      const { learnt, validation } = holdBack(pickExamples(all, split.train), settings, place);
      const learner = new Learner(trainer, learnt, settings, derive(seed, seedUse.party + place));
      const measured = (of: Examples) => ({ ...of, loaded: trainer.load(of) });
      const test = measured(pickExamples(all, split.test));
      return { learner, trainer, test, ...(validation ? { validation: measured(validation) } : {}) };
    },
    close: async () => crew?.close(),
  });
}

function labelCodes({ train, parties }: Card, { attributes }: People): Uint8Array {
  const { label, classes } = train!;
  const { groups, codes } = attributes[parties[0].protect.length];
  const places = groups.map((name) => classes.indexOf(name));
  if (places.includes(-1))
    throw new MoietyError("input", `the label '${label}' has a class here that is not on the card`);
  return Uint8Array.from(codes, (code) => places[code]);
}

/** More combinations of groups than this are not counted one by one. */
const mostCombinations = 60_000;

/** Everybody's combination of the groups on the card, as one number: the first attribute counts most. */
export function combinationsOf(
  card: Card,
  { n, attributes }: Pick<People, "n" | "attributes">,
): { readonly codes: Uint32Array; readonly count: number } {
  const codes = new Uint32Array(n);
  let count = 1;
  attributesOf(card, { attributes }).forEach(({ groups, codes: own }) => {
    for (let i = 0; i < n; i++) codes[i] = codes[i] * groups.length + own[i];
    count *= groups.length;
    if (count > mostCombinations) {
      throw new MoietyError(
        "input",
        `the groups on the card have more than ${mostCombinations} combinations: protect less`,
      );
    }
  });
  return { codes, count };
}

/** The site's attributes with the groups of the card. */
export function attributesOf(card: Card, { attributes }: Pick<People, "attributes">): Attribute[] {
  return groupsOnCard(card).map(({ name, groups }, a) => {
    const own = attributes[a];
    const place = own.groups.map((group) => groups.indexOf(group));
    if (place.includes(-1)) {
      throw new MoietyError("input", `protected attribute '${name}' has a group here that is not on the card`);
    }
    return { name, groups: [...groups], codes: Uint16Array.from(own.codes, (code) => place[code]) };
  });
}
