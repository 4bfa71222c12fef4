import * as z from "zod";
import { asKeys, MoietyError } from "../../errors.js";
import { type MethodName, methodNames } from "../../learning/catalogue.js";
import { mostClasses } from "../../learning/classes.js";
import { netNames, type Shape } from "../../learning/net/nets.js";
import { mostRounds, settleTraining, type TrainSettings } from "../../learning/settings.js";
import { type Cells, fairnessNames } from "../../learning/tally.js";
import { fairnessLevels } from "../../learning/types.js";
import { parseProtected } from "../../table/protect.js";
import type { Card } from "./card.js";
import { attributeOnCard, dimensionsOnCard } from "./card-columns.js";
import { isMethod } from "./methods.js";

const whole = z.number().int();
const positive = z.number().gt(0);

/** Options of a training that mean the same in one process. */
const options = {
  fairness: z.enum(fairnessNames).exactOptional(),
  net: z.enum(netNames).default("logistic"),
  /** Exactly so many; without it, until nothing moves any more, and at most `maxRounds`. */
  rounds: whole.min(1).max(10_000).exactOptional(),
  maxRounds: whole.min(1).max(10_000).exactOptional(),
  epochs: whole.min(1).max(100).default(1),
  batch: whole.min(1).max(65_536).exactOptional(),
  rate: positive.default(0.05),
  clip: positive.default(1),
  beta: z.number().exactOptional(),
  eta: z.number().exactOptional(),
  schedule: z.enum(["safe", "printed"]).exactOptional(),
  patience: whole.min(0).default(0),
  target: z.number().min(0).lt(1).exactOptional(),
  /** Whose difference is to be small: everybody's, or that of each site's own people. */
  fairnessLevel: z.enum(fairnessLevels).exactOptional(),
  /** The share of the people to learn from that each site sets aside to choose a model on. */
  validation: z.number().gt(0).lt(1).exactOptional(),
  /** Thresholds by group, which every site's policy has to allow. */
  useGroup: z.literal(true).exactOptional(),
};

const termsSchema = z.strictObject({
  ...options,
  /** The column to learn, and its classes: no, and yes; or all of them, where they are more than two. Not every site need have all. */
  label: z.string().min(1).max(256),
  classes: z.array(z.string().max(256)).min(2).max(mostClasses),
  /** The one feature names each person's picture, PNG or JPEG, by a path from the folder of the site's table. */
  images: z.boolean().default(false),
  /** Of pictures; without images the features are their pixels. */
  imageShape: z
    .strictObject({
      width: whole.min(1).max(4096),
      height: whole.min(1).max(4096),
      channels: whole.min(1).max(16).default(1),
    })
    .optional(),
  /** The share of its people that each site sets aside to measure on. */
  test: z.number().gt(0).lt(1).default(0.3),
});

/** What a card says of a classifier; `moiety train` has the same words. How long it may take is always on the card. */
export const trainingSchema = termsSchema.transform((terms) =>
  terms.rounds === undefined ? { ...terms, maxRounds: terms.maxRounds ?? mostRounds } : terms,
);

export type TrainingTerms = z.infer<typeof trainingSchema>;

/** Why these terms make no job, in words for whoever wrote them; undefined when they do. */
export function trainingObjection(card: Card): string | undefined {
  const { algorithm, train, split, groups, categories, parties, scale } = card;
  const training = isMethod(algorithm);
  if (training !== (train !== undefined)) {
    return training
      ? `${algorithm} learns a label: add train: { label: ..., classes: [no, yes] }`
      : `train is for ${methodNames.join(", ")}: leave it out, or name one of them`;
  }
  if (!train) return undefined;
  const [{ protect, features, categorical }] = parties;
  if (split !== "rows") return `${algorithm} works on split rows: add split: rows`;
  if (protect.length === 0) return "a classifier is made fair for one attribute or more, and protect names none";
  const unnamed = protect.find((name) => groups?.[name] === undefined);
  if (unnamed !== undefined) return `name the groups of '${unnamed}' under groups`;
  if (new Set(train.classes).size < train.classes.length) return "classes names one class twice: give no, then yes";
  if ([...features, ...categorical].includes(train.label))
    return `'${train.label}' is the label, and cannot be a feature`;
  if (protect.some((name) => parseProtected(name).some(({ column }) => column === train.label)))
    return `'${train.label}' is the label, and cannot be protected too`;
  for (const name of categorical) {
    if ((categories?.[name]?.length ?? 0) < 2) return `name the categories of '${name}', two or more, under categories`;
  }
  const wrongly = pictureObjection(train, [...features, ...categorical], scale);
  if (wrongly !== undefined) return wrongly;
  try {
    settingsOfTraining(card, Number.MAX_SAFE_INTEGER);
  } catch (error) {
    if (error instanceof MoietyError) return asKeys(error.message);
    throw error;
  }
  return undefined;
}

function pictureObjection(
  { images, imageShape }: TrainingTerms,
  columns: readonly string[],
  scale: Card["scale"],
): string | undefined {
  if (!imageShape) return images ? "images need imageShape: { width: 32, height: 32, channels: 3 }, say" : undefined;
  const { width, height, channels } = imageShape;
  if (scale !== "standard") return "pictures are scaled as a whole: leave out scale";
  if (images) {
    if (columns.length !== 1) return "with images, features is the one column that names each person's picture";
    return channels === 3 ? undefined : `images have 3 channels, and imageShape says ${channels}`;
  }
  const numbers = width * height * channels;
  if (columns.length === numbers) return undefined;
  return `a picture of ${width} x ${height} x ${channels} has ${numbers} features and nothing else`;
}

/** How many columns the sites agree on a scale of: all pixels are one. */
export function scaledColumns({ train, parties }: Card): number {
  return train?.imageShape ? 1 : parties[0].features.length;
}

/** The most over everybody who is learnt from, the control's included. */
export function passesOf({ rounds, maxRounds, epochs }: TrainingTerms): number {
  return 2 * (rounds ?? maxRounds ?? mostRounds) * epochs;
}

/** One person's numbers, as all sites have them. */
export function shapeOfCard(card: Card): Shape {
  return card.train?.imageShape ?? { height: 1, width: 1, channels: dimensionsOnCard(card) };
}

/** What people are counted by in a training. */
export function cellsOnCard(card: Card): Cells {
  const { groups, parts } = attributeOnCard(card);
  return { groups: groups.length, classes: card.train!.classes.length, parts };
}

/** What a card means for the training; `people` are those to learn from, wherever they are. */
export function settingsOfTraining(card: Card, people: number): TrainSettings {
  const { algorithm, train, parties, seed } = card;
  const given = z.object(options).parse(train);
  const facts = { shape: shapeOfCard(card), ...cellsOnCard(card), people };
  const asked = { ...given, algorithm: algorithm as MethodName, parties: parties.length, seed };
  const settings = settleTraining(facts, asked);
  const { useGroup } = settings;
  return useGroup ? { ...settings, useGroup: { ...useGroup, minCount: card.minCount ?? 1 } } : settings;
}
