import type { Classification } from "../metrics/index.js";
import type { Origin } from "../table/index.js";
import type { ModelAssessment } from "./assessment.js";
import type { LearningAttribute } from "./attributes.js";
import type { MethodName } from "./catalogue.js";
import type { Checkpoint, Training } from "./checkpoint.js";
import type { ClassNames } from "./classes.js";
import type { GroupThresholds } from "./group-thresholds.js";
import type { NetName, Shape } from "./net/nets.js";
import type { PartyFairness } from "./per-party.js";
import type { CurveValues, Fairness } from "./tally.js";
import type { Examples } from "./trainer.js";

/** People to learn from and others to measure on. */
export interface LearningData {
  readonly shape: Shape;
  /** The names of no and yes; or of all classes, where they are more than two. */
  readonly classes: readonly string[];
  readonly attribute: LearningAttribute;
  readonly train: Examples;
  readonly test: Examples;
  /** Where they come from, for the result. */
  readonly origin?: Origin;
}

export interface TrainOptions {
  /** Default ffalm-global. */
  readonly algorithm?: MethodName;
  /** Default eo for ffalm-global, dp for fairfed; ffalm and fpfl know ap alone, fedavg none. */
  readonly fairness?: Fairness;
  /** Default logistic; resnet18 for pictures. */
  readonly net?: NetName;
  /** In-process parties over which the people to learn from are dealt. Default 10. */
  readonly parties?: number;
  /** Concentration of the Dirichlet distribution of labels over parties; default: no skew. */
  readonly skew?: number;
  /** The party of each person to learn from, instead of dealing them out. */
  readonly partyOf?: Uint32Array;
  /** The party of each person to measure on, and the names of the parties: for what the model does at each. */
  readonly testPartyOf?: Uint32Array;
  readonly partyNames?: readonly string[];
  /** Whose difference is to be small: that of everybody, or that of each party's own people. Default all. */
  readonly fairnessLevel?: FairnessLevel;
  /** Exactly so many, the rate halved every 50. Default: until nothing moves any more. */
  readonly rounds?: number;
  /** The most of a training that goes on until nothing moves any more. Default 500. */
  readonly maxRounds?: number;
  readonly seed?: number;
  /** Worker threads; default: as many as there are cores. The result does not depend on it. */
  readonly threads?: number;
  /** People in a local step. Default 128, fewer at a party with few people so that it makes 16 steps in a pass; 32 for resnet18. */
  readonly batch?: number;
  /** Passes of a party over its people in a round. Default 1. */
  readonly epochs?: number;
  /** Halved every 50 of a given number of rounds; else whenever a model swings that has nowhere further to go. Default 0.05. */
  readonly rate?: number;
  /** The longest gradient. Default 1. */
  readonly clip?: number;
  /** The penalty of a squared difference; of FairFed, how fast weights move. */
  readonly beta?: number;
  /** How fast duals rise. */
  readonly eta?: number;
  /** The largest difference between groups that is sought, as a share. Default 0; 0.01 with `useGroup`. */
  readonly target?: number;
  /**
   * Thresholds by group on the plain model's scores: decisions then depend on the group itself, which is unlawful in many places. Never a
   * default. A quarter of the people to learn from are set aside to choose them on.
   */
  readonly useGroup?: boolean;
  /**
   * The share of the people to learn from that each party sets aside: of all rounds' models the one is kept whose errors and difference
   * among them are the least, `patience` looks at them, and thresholds by group are chosen on them. Default: none, and the last model is kept.
   */
  readonly validation?: number;
  /** Whether the same net is trained in one place too, for several differences, to show how far one could come. Default false. */
  readonly frontier?: boolean;
  /** ffalm: safe, or as the paper prints it, which may diverge. Default safe. */
  readonly schedule?: "safe" | "printed";
  /** Rounds without a better model after which to stop. Default 0: never. */
  readonly patience?: number;
  readonly onProgress?: (progress: TrainProgress) => void;
  /** Milliseconds, for the result's seconds; without one they are 0. */
  readonly clock?: () => number;
  readonly signal?: AbortSignal;
  /** Where a run goes on from, and what is told after every round so that one can. */
  readonly resume?: Checkpoint;
  readonly onCheckpoint?: (checkpoint: Checkpoint) => Promise<void>;
}

export const fairnessLevels = ["all", "party"] as const;
export type FairnessLevel = (typeof fairnessLevels)[number];

/** The control is trained first; when FedAvg is the method itself there is no other run. */
export type RunName = "control" | "method";

export interface TrainProgress {
  /** "frontier": the models in one place, of which `done` and `all` then are. */
  readonly run: RunName | "frontier";
  readonly round: number;
  /** Of this run: exactly so many, or the most when it goes on until it settles. */
  readonly rounds: number;
  readonly settles: boolean;
  /** Rounds of all runs. */
  readonly done: number;
  readonly all: number;
  readonly accuracy: number;
  readonly difference: number;
}

export interface CurvePoint {
  readonly round: number;
  readonly train: CurveValues;
  readonly test: CurveValues;
  /** Of the people set aside, where there are any. */
  readonly validation?: ValidationValues | undefined;
}

/** What a model does that was trained on everybody in one place; `target` is null of the plain one. */
export interface FrontierPoint extends Pick<Classification, "accuracy" | "dpd" | "eod" | "apd" | "positiveRate"> {
  readonly target: number | null;
}

/** Measures among so many people set aside. */
interface ValidationValues extends CurveValues {
  readonly people: number;
}

/** The result contract that scripts rely on; see docs/reference. Extend it, do not break it. */
export interface TrainResult extends ModelAssessment, Classification, Partial<Origin> {
  readonly algorithm: MethodName;
  readonly fairness: Fairness | null;
  readonly version: string;
  readonly seed: number;
  readonly net: NetName;
  readonly parameters: number;
  readonly label: ClassNames;
  readonly protected: string;
  readonly trained: number;
  readonly parties: number;
  readonly partySizes: readonly number[];
  readonly fairnessLevel: FairnessLevel;
  /** What the model does at each party, where its people to measure on are known here; else null. */
  readonly perParty: readonly PartyFairness[] | null;
  readonly skew: number | null;
  /** Rounds that were made, and the one that the model is from. */
  readonly rounds: number;
  readonly modelRound: number;
  readonly ended: Training["ended"];
  /** The plain model, FedAvg's, with one threshold for everybody, moved until it says yes as often as this one; as it is with more than two classes. */
  readonly control: Classification & { readonly threshold: number | null };
  /** Where thresholds by group were asked for: what they are, and whom they were chosen on. Else null. */
  readonly useGroup: GroupThresholds | null;
  /** Where people were set aside to choose a model on: how many, and what the model does among them. Else null. */
  readonly validation: ValidationValues | null;
  /** Where it was asked for: models of the same net, trained in one place. */
  readonly frontier?: readonly FrontierPoint[];
  /** FedAvg's model as it is. */
  readonly fedavg: Classification;
  readonly curve: readonly CurvePoint[];
  readonly seconds: { readonly read: number; readonly train: number; readonly total: number };
  readonly warnings: readonly string[];
}

export interface Trained {
  readonly attribute: LearningData["attribute"];
  readonly model: Float32Array;
  readonly result: TrainResult;
  /** On the people to measure on: this model's scores and FedAvg's, of each class but the first. */
  readonly scores: Float32Array;
  readonly controlScores: Float32Array;
  readonly controlCurve: readonly CurvePoint[];
  /** Of models that were trained in one place, where these were asked for. */
  readonly pooledScores?: readonly Float32Array[];
}
