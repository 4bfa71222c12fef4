import { MoietyError } from "../errors.js";
import { host } from "../host/index.js";
import type { MethodName } from "./catalogue.js";
import { FairFed } from "./methods/fairfed/method.js";
import { FedAvg } from "./methods/fedavg/method.js";
import { Ffalm, printedSchedule, safeSchedule } from "./methods/ffalm/method.js";
import { FfalmGlobal } from "./methods/ffalm-global/method.js";
import { Fpfl } from "./methods/fpfl/method.js";
import type { Method } from "./methods/method.js";
import type { NetName, Shape } from "./net/nets.js";
import type { RoundSettings } from "./rounds.js";
import type { Fairness } from "./tally.js";
import type { TrainOptions } from "./types.js";

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
}

/** Most trainings settle in 60 to 300 rounds. And a site's policy allows 1,000 passes by default, the control's among them. */
export const mostRounds = 500;
const largestDual = 10;
const fairnessOf: Record<MethodName, Fairness | undefined> = {
  "ffalm-global": "eo",
  ffalm: "ap",
  fairfed: "dp",
  fpfl: "ap",
  fedavg: undefined,
};

/** What is to be learnt from, as far as settings depend on it. */
export interface LearningFacts {
  readonly shape: Shape;
  readonly groups: number;
  /** People to learn from. */
  readonly people: number;
}

/** Throws "usage" on options that make no sense together. */
export function settleTraining({ shape, groups, people }: LearningFacts, options: TrainOptions): TrainSettings {
  const algorithm = options.algorithm ?? "ffalm-global";
  const picture = shape.height * shape.width > 1;
  const net = options.net ?? (picture ? "resnet18" : "logistic");
  if (net === "resnet18" && !picture) {
    throw new MoietyError("usage", "resnet18 learns from pictures: use --images or --image-shape, or --net mlp");
  }
  const fairness = options.fairness ?? fairnessOf[algorithm];
  if ((algorithm === "ffalm" || algorithm === "fpfl") && fairness !== "ap") {
    const advice = `use --fairness ap, or --algorithm ffalm-global for ${fairness}`;
    throw new MoietyError("usage", `${algorithm} holds the losses of groups together, which is ap alone: ${advice}`);
  }
  if (algorithm === "fedavg" && options.fairness !== undefined) {
    throw new MoietyError("usage", "fedavg seeks no fairness: leave --fairness out, or use --algorithm ffalm-global");
  }
  checkIdle(algorithm, options);
  const parties = options.partyOf
    ? options.partyOf.reduce((most, party) => Math.max(most, party + 1), 1)
    : whole("parties", options.parties ?? 10, 1);
  if (parties > people) {
    throw new MoietyError("usage", `n=${people} people should be >= parties=${parties}: use fewer parties`);
  }
  const most = whole("maxRounds", options.maxRounds ?? mostRounds, 1);
  return {
    algorithm,
    net,
    parties,
    fairness,
    compared: fairness,
    groups,
    skew: options.skew === undefined ? undefined : positive("skew", options.skew),
    rounds: options.rounds === undefined ? most : whole("rounds", options.rounds, 1),
    settles: options.rounds === undefined,
    seed: whole("seed", options.seed ?? 1, 0),
    threads: whole("threads", options.threads ?? host.cores, 1),
    batch: whole("batch", options.batch ?? (net === "resnet18" ? 32 : 128), 1),
    epochs: whole("epochs", options.epochs ?? 1, 1),
    rate: positive("rate", options.rate ?? 0.05),
    clip: positive("clip", options.clip ?? 1),
    decay: 0.5,
    decayRounds: 50,
    patience: whole("patience", options.patience ?? 0, 0),
    beta: options.beta,
    eta: options.eta,
    schedule: options.schedule ?? "safe",
  };
}

/** No option is taken that would do nothing. */
function checkIdle(algorithm: MethodName, options: TrainOptions): void {
  const { schedule, beta, eta, skew, parties, partyOf, rounds, maxRounds } = options;
  const idle: [string, boolean][] = [
    [`--schedule is for ffalm and not for ${algorithm}`, schedule !== undefined && algorithm !== "ffalm"],
    ["--beta does nothing in fedavg", beta !== undefined && algorithm === "fedavg"],
    [`--eta does nothing in ${algorithm}`, eta !== undefined && (algorithm === "fedavg" || algorithm === "fairfed")],
    ["--skew does nothing beside --split-by", skew !== undefined && partyOf !== undefined],
    ["--max-rounds does nothing beside --rounds", maxRounds !== undefined && rounds !== undefined],
    ["--parties does nothing beside --split-by", parties !== undefined && partyOf !== undefined],
  ];
  for (const [what, is] of idle) if (is) throw new MoietyError("usage", `${what}: leave it out`);
}

/** A method with its constants: the paper's (Table I), but for ffalm's schedule. */
export function makeMethod(settings: TrainSettings): Method {
  const { algorithm, fairness, beta, eta, schedule } = settings;
  switch (algorithm) {
    case "ffalm-global":
      return new FfalmGlobal(fairness ?? "eo", beta ?? 1, eta ?? 0.2, largestDual);
    case "ffalm": {
      const chosen = schedule === "safe" ? safeSchedule : printedSchedule;
      return new Ffalm(beta ?? 2, { ...chosen, eta: eta ?? chosen.eta });
    }
    case "fairfed":
      return new FairFed(fairness ?? "dp", beta ?? 0.5);
    case "fpfl":
      return new Fpfl(beta ?? 5, eta ?? 0.5);
    case "fedavg":
      return new FedAvg();
  }
}

function whole(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new MoietyError("usage", `${name} is ${value}: give a whole number of at least ${least}`);
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw new MoietyError("usage", `${name} is ${value}: give a number above 0`);
}
