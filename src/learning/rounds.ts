import { MoietyError } from "../errors.js";
import type { RoundState, Training } from "./checkpoint.js";
import type { TrainingStrategy } from "./methods/method.js";
import { type TrainAnswer, type TrainOrder, weightBits } from "./orders.js";
import { motionOf } from "./settling.js";
import type { SummedParties } from "./summed-parties.js";
import type { AnswerTally, Cells, Fairness } from "./tally.js";
import { fractionBits } from "./whole.js";

export interface RoundSettings extends Cells {
  readonly rounds: number;
  /** Go on until the measures settle; `rounds` is the largest number then. */
  readonly settles: boolean;
  readonly batch: number;
  /** Of a party in a pass over its people, by smaller batches where it has few. */
  readonly leastSteps: number;
  readonly epochs: number;
  readonly clip: number;
  /** Of the first round; halved every `halvingRounds` rounds, or, with `settles`, whenever the measures only swing. */
  readonly rate: number;
  /** Rounds without a better model after which to stop; 0 for never. */
  readonly patience: number;
  /** What the best model is judged by, beside its errors. */
  readonly fairness: Fairness | undefined;
  /** The share of people that is set aside to judge models by; undefined where the last model is kept. */
  readonly validation: number | undefined;
  /** The difference that has to settle; all where there is none. */
  readonly compared: Fairness | undefined;
}

interface RoundWatch {
  /** After each round, and before the first: tallies of the model on the people it learns from, on those to measure on, and on those set aside. */
  readonly onModel?: (round: number, tally: AnswerTally, test: AnswerTally, validation?: AnswerTally) => void;
  /** After each round, for a checkpoint. */
  readonly onState?: (state: RoundState) => Promise<void> | void;
  readonly signal?: AbortSignal | undefined;
}

/** A training has diverged when its loss is this many times that of the start. */
const divergedLoss = 4;
/** Sums of FairFed's weights are bounded for this many parties. */
const mostWeightedParties = 4096;
/** Rounds after which the rate is halved, where the number of rounds is given. */
const halvingRounds = 50;

/** Federated averaging with a method's fairness: broadcast, local training, sums, average. */
export async function federate(
  parties: SummedParties,
  method: TrainingStrategy,
  settings: RoundSettings,
  start: Float32Array | RoundState,
  watch: RoundWatch = {},
): Promise<Training> {
  const { rounds, settles } = settings;
  const known = "round" in start ? start : beginning(start);
  let { round, model, best, firstLoss, lowered } = known;
  const course = [...known.course];
  if ("round" in start) method.memory = [...start.memory];
  for (; ; round++) {
    if (watch.signal?.aborted) throw new MoietyError("cancelled", "stopped before the end; nothing was written");
    const { train: tally, test } = await parties.tally(model);
    const validation = settings.validation === undefined ? undefined : await parties.validate();
    watch.onModel?.(round, tally, test, validation);
    if (Number.isNaN(firstLoss)) firstLoss = Math.max(Math.LN2, tally.loss);
    course.push(tally.values);
    const motion = motionOf(course.slice(lowered.round), tally, settings.compared);
    const kept = (ended: Training["ended"], made = round): Training => ({
      model: best.model,
      rounds: made,
      modelRound: best.round,
      ended,
      motion,
    });
    if (tally.broken > 0 || tally.loss > divergedLoss * firstLoss) return kept("diverged");
    const demerit = demeritOf(validation ?? tally, settings.fairness);
    if (demerit < best.merit) best = { merit: demerit, round, model };
    if (settings.patience > 0 && round - best.round >= settings.patience) return kept("patience");
    const settled = settles && motion.kind === "settled";
    if (settled || round === rounds) {
      const ended = settled ? "settled" : "rounds";
      return validation ? kept(ended) : { model, rounds: round, modelRound: round, ended, motion };
    }
    // The average has settled, and the steps are too long for the measures to do so.
    if (settles && motion.kind === "swinging") lowered = { times: lowered.times + 1, round };

    const loss = method.plan(tally, round);
    const weighting = await weigh(parties, method, tally);
    const times = settles ? lowered.times : Math.floor(round / halvingRounds);
    const rate = settings.rate * 0.5 ** times;
    const { bound, bits } = headroom(settings, rate, tally.everybody, weighting);
    const { clip, epochs, leastSteps } = settings;
    const order: TrainOrder = { round, model, rate, clip, epochs, leastSteps, loss, weighting, bound, bits };
    const answer = await parties.train(order);
    if (answer.skipped > 0) return kept("diverged", round + 1);
    model = average(model, answer, bits);
    method.learn?.(answer, round);
    const memory = [...method.memory];
    await watch.onState?.({ round: round + 1, model, memory, firstLoss, best, course: [...course], lowered });
  }
}

function beginning(model: Float32Array): Omit<RoundState, "memory"> {
  const best = { merit: Number.POSITIVE_INFINITY, round: 0, model };
  return { round: 0, model, firstLoss: Number.NaN, best, course: [], lowered: { times: 0, round: 0 } };
}

/** Errors and the difference that is aimed at, both as shares of people. */
function demeritOf(tally: AnswerTally, fairness: Fairness | undefined): number {
  return 1 - tally.accuracy + (fairness === undefined ? 0 : tally.difference(fairness));
}

async function weigh(
  parties: SummedParties,
  method: TrainingStrategy,
  tally: AnswerTally,
): Promise<TrainOrder["weighting"]> {
  if (method.question === undefined || method.weighting === undefined) return { kind: "people" };
  return method.weighting(await parties.gap(method.question(tally)), tally);
}

/**
 * A step moves no parameter by more than rate times clip, and nobody makes more steps than one who holds everybody: this
 * bounds an update, and updates times weights add up to less than 2^52.
 */
function headroom(settings: RoundSettings, rate: number, people: number, weighting: TrainOrder["weighting"]) {
  const steps = settings.epochs * Math.max(settings.leastSteps, Math.ceil(people / settings.batch));
  // Twice, for what rounding to single precision may add in so many steps.
  const bound = 2 * rate * settings.clip * steps;
  // FairFed's weights, one for each party, are at most 1; there are no more parties than people.
  const weights = weighting.kind === "people" ? people : Math.min(people, mostWeightedParties) * 2 ** weightBits;
  return { bound, bits: fractionBits(weights, bound) };
}

/** (15); where all weights are 0 the model stays. */
function average(model: Float32Array, answer: TrainAnswer, bits: number): Float32Array {
  const { updates, weight } = answer;
  if (weight === 0) return model;
  return model.map((value, i) => value + updates[i] / 2 ** bits / weight);
}
