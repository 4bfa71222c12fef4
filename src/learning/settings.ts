import { MoietyError } from "../errors.js";
import { host } from "../host/index.js";
import type { AttributePart } from "./attributes.js";
import { controlMethod, type MethodName, methodsWith, trainingMethodOf, usualMethod } from "./catalogue.js";
import type { GroupRequest } from "./group-thresholds.js";
import { ownOptions, type TrainingMethod } from "./methods/method.js";
import type { NetName, Shape } from "./net/nets.js";
import type { RoundSettings } from "./rounds.js";
import type { Cells } from "./tally.js";
import type { FairnessLevel, TrainOptions } from "./types.js";

/** Options with their defaults filled in, checked against each other and the people. */
export interface TrainSettings extends RoundSettings {
  readonly algorithm: MethodName;
  readonly net: NetName;
  readonly parties: number;
  readonly skew: number | undefined;
  readonly seed: number;
  readonly threads: number;
  readonly beta: number | undefined;
  readonly eta: number | undefined;
  readonly schedule: "safe" | "printed";
  readonly target: number | undefined;
  /** Where thresholds by group are asked for. */
  readonly useGroup: GroupRequest | undefined;
  readonly fairnessLevel: FairnessLevel;
}

/** Most trainings settle in 60 to 300 rounds; a site's policy allows 1,000 passes by default, those of the control included. */
export const mostRounds = 500;

/**
 * A party with few people would make one step in a round, and its model would be called settled long before it is: with 300 people each, models of
 * public data were up to 1.3 points of accuracy below pooled logistic regression.
 */
const leastSteps = 16;

/** What is to be learnt from, as far as settings depend on it. */
export interface LearningFacts extends Cells {
  readonly shape: Shape;
  /** People to learn from. */
  readonly people: number;
}

/** Throws "usage" on options that contradict each other. */
export function settleTraining(
  { shape, groups, classes, parts, people }: LearningFacts,
  options: TrainOptions,
): TrainSettings {
  const unnamed = options.useGroup ? controlMethod : usualMethod;
  const method = options.algorithm === undefined ? unnamed : trainingMethodOf(options.algorithm);
  const picture = shape.height * shape.width > 1;
  const net = options.net ?? (picture ? "resnet18" : "logistic");
  if (net === "resnet18" && !picture) {
    throw new MoietyError("usage", "resnet18 learns from pictures: use `images` or `imageShape`, or `net: mlp`");
  }
  const useGroup = groupRequest(method, options, classes);
  const fairness = useGroup ? undefined : (options.fairness ?? method.fairness[0]);
  if (!useGroup) checkFairness(method, options);
  checkUnused(method, options);
  if (parts) checkSeveral(method, parts, useGroup);
  const parties = options.partyOf
    ? options.partyOf.reduce((most, party) => Math.max(most, party + 1), 1)
    : whole("parties", options.parties ?? 10, 1);
  if (parties > people) {
    throw new MoietyError("usage", `n=${people} people should be >= parties=${parties}: use fewer parties`);
  }
  const most = whole("maxRounds", options.maxRounds ?? mostRounds, 1);
  return {
    algorithm: method.name,
    net,
    parties,
    fairness,
    compared: fairness,
    groups,
    classes,
    parts,
    skew: options.skew === undefined ? undefined : positive("skew", options.skew),
    rounds: options.rounds === undefined ? most : whole("rounds", options.rounds, 1),
    settles: options.rounds === undefined,
    seed: whole("seed", options.seed ?? 1, 0),
    threads: whole("threads", options.threads ?? host.cores, 1),
    batch: whole("batch", options.batch ?? (net === "resnet18" ? 32 : 128), 1),
    leastSteps: options.batch === undefined && net !== "resnet18" ? leastSteps : 1,
    epochs: whole("epochs", options.epochs ?? 1, 1),
    rate: positive("rate", options.rate ?? 0.05),
    clip: positive("clip", options.clip ?? 1),
    patience: whole("patience", options.patience ?? 0, 0),
    beta: options.beta,
    eta: options.eta,
    schedule: options.schedule ?? "safe",
    target: options.target === undefined ? undefined : share("target", options.target),
    useGroup,
    fairnessLevel: levelOf(method, options),
    validation: options.validation === undefined ? undefined : part("validation", options.validation),
  };
}

/** What is left of a difference is by chance where few people are measured: a target of 0 would be bought with answers to nobody, or to all. */
const usualTarget = 0.01;

function groupRequest({ name }: TrainingMethod, options: TrainOptions, classes: number): GroupRequest | undefined {
  if (!options.useGroup) return undefined;
  if (classes > 2) {
    const seen = `thresholds by group are of a yes, and the label has ${classes} classes`;
    throw new MoietyError("usage", `${seen}: leave \`useGroup\` out, or learn one class against the others`);
  }
  if (name !== controlMethod.name) {
    const why = `\`useGroup\` puts thresholds by group on the scores of ${controlMethod.name}, and not of ${name}`;
    throw new MoietyError("usage", `${why}: leave \`algorithm\` out`);
  }
  const target = share("target", options.target ?? usualTarget);
  return { fairness: options.fairness ?? usualMethod.fairness[0], target, minCount: 1 };
}

function checkFairness({ name, fairness }: TrainingMethod, { fairness: asked }: TrainOptions): void {
  if (asked === undefined || fairness.includes(asked)) return;
  const able = `use \`algorithm: ${usualMethod.name}\``;
  throw new MoietyError(
    "usage",
    fairness.length === 0
      ? `${name} seeks no fairness: leave \`fairness\` out, or ${able}`
      : `${name} seeks ${fairness.join(" or ")} alone: use \`fairness: ${fairness[0]}\`, or ${able} for ${asked}`,
  );
}

function levelOf({ name, partyLevel }: TrainingMethod, { fairnessLevel = "all" }: TrainOptions): FairnessLevel {
  if (fairnessLevel === "all" || partyLevel) return fairnessLevel;
  const able = `use \`algorithm: ${usualMethod.name}\``;
  throw new MoietyError(
    "usage",
    `${name} cannot hold to the difference of each party: ${able}, or \`fairnessLevel: all\``,
  );
}

function checkSeveral(
  { name, severalAttributes }: TrainingMethod,
  parts: readonly AttributePart[],
  useGroup: GroupRequest | undefined,
): void {
  if (severalAttributes && !useGroup) return;
  const what = useGroup ? "thresholds by group are of one attribute" : `${name} compares the groups of one attribute`;
  const names = parts.map((part) => part.name);
  const advice = `protect an intersection, '${names.join("*")}', or use \`algorithm: ${usualMethod.name}\``;
  throw new MoietyError("usage", `${what}, and \`protect\` names ${parts.length}: ${advice}`);
}

/** Refuses options that would do nothing. */
function checkUnused({ name, options: own }: TrainingMethod, options: TrainOptions): void {
  const refuse = (wrong: boolean, what: string) => {
    if (wrong) throw new MoietyError("usage", `${what}: leave it out`);
  };
  for (const option of ownOptions) {
    const others = methodsWith(option).map((method) => method.name);
    const what = `\`${option}\` is for ${others.join(", ")}, and does nothing in ${name}`;
    const thresholds = option === "target" && options.useGroup;
    refuse(options[option] !== undefined && own[option] === undefined && !thresholds, what);
  }
  const { skew, parties, partyOf, rounds, maxRounds } = options;
  refuse(skew !== undefined && partyOf !== undefined, "`skew` does nothing beside `splitBy`");
  refuse(maxRounds !== undefined && rounds !== undefined, "`maxRounds` does nothing beside `rounds`");
  refuse(parties !== undefined && partyOf !== undefined, "`parties` does nothing beside `splitBy`");
}

function whole(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new MoietyError("usage", `${name} is ${value}: give a whole number of at least ${least}`);
}

function share(name: string, value: number): number {
  if (value >= 0 && value < 1) return value;
  throw new MoietyError("usage", `${name} is ${value}: give a share from 0 to below 1, such as 0.02`);
}

function part(name: string, value: number): number {
  if (value > 0 && value < 1) return value;
  throw new MoietyError("usage", `${name} is ${value}: give a share between 0 and 1, such as 0.2`);
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw new MoietyError("usage", `${name} is ${value}: give a number above 0`);
}
