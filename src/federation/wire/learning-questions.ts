import { z } from "zod";
import type { GapOrder, TrainOrder } from "../../learning/learner.js";
import { fairnessNames } from "../../learning/tally.js";

const number = z.number();
const count = z.number().int().min(0);
/** JSON has no NaN: a group that nobody is in has none. */
const numbers = z.array(number).max(1000);
const run = z.enum(["control", "method"]);

const loss = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("given"), entropyWeights: numbers, rateWeights: numbers }),
  z.strictObject({
    kind: z.enum(["from-reference", "from-everybody"]),
    lambda: numbers,
    beta: number,
    reference: count,
  }),
]);

/** What a site that trains is asked. A model travels in the body, four bytes for each parameter. */
const learn = z.discriminatedUnion("learn", [
  // Answered by masked numbers.
  z.strictObject({ learn: z.literal("census") }),
  z.strictObject({ learn: z.literal("tally"), run }),
  z.strictObject({
    learn: z.literal("gap"),
    run,
    fairness: z.enum(fairnessNames),
    reference: count,
    differences: z.array(number.nullable()).max(1000),
    accuracy: number,
  }),
  z.strictObject({
    learn: z.literal("train"),
    run,
    round: count,
    rate: number,
    loss,
    weighting: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("people") }),
      z.strictObject({ kind: z.literal("gaps"), beta: number, meanGap: number, everybody: count }),
    ]),
    bound: number.positive(),
    bits: count.max(60),
  }),
  z.strictObject({ learn: z.literal("scores"), run }),
  // Not answered. In the body: shift and scale of each numeric column.
  z.strictObject({ learn: z.literal("rescale") }),
]);

export type LearnQuestion = z.infer<typeof learn>;
type Asked<Name extends LearnQuestion["learn"]> = Extract<LearnQuestion, { learn: Name }>;

export const learningQuestion = z.strictObject({ ask: z.literal("learn"), learn });

export function gapQuestion(run: Asked<"gap">["run"], order: GapOrder): Asked<"gap"> {
  const differences = Array.from(order.differences, (each) => (Number.isNaN(each) ? null : each));
  return { learn: "gap", run, ...order, differences };
}

export function gapOrder({ learn: _, run: __, differences, ...order }: Asked<"gap">): GapOrder {
  return { ...order, differences: Float64Array.from(differences, (each) => each ?? Number.NaN) };
}

/** Without what the card says already, and without the model: it is the one that was tallied last. */
export function trainQuestion(run: Asked<"train">["run"], order: TrainOrder): Asked<"train"> {
  const { round, rate, weighting, bound, bits } = order;
  const told = order.loss;
  const own =
    told.kind === "given"
      ? {
          kind: told.kind,
          entropyWeights: Array.from(told.entropyWeights),
          rateWeights: Array.from(told.rateWeights),
        }
      : { ...told, lambda: Array.from(told.lambda) };
  return { learn: "train", run, round, rate, loss: own, weighting, bound, bits };
}

export function trainOrder(
  { round, rate, loss: told, weighting, bound, bits }: Asked<"train">,
  card: Pick<TrainOrder, "model" | "clip" | "epochs">,
): TrainOrder {
  const own =
    told.kind === "given"
      ? {
          kind: told.kind,
          entropyWeights: Float64Array.from(told.entropyWeights),
          rateWeights: Float64Array.from(told.rateWeights),
        }
      : { ...told, lambda: Float64Array.from(told.lambda) };
  return { round, rate, loss: own, weighting, bound, bits, ...card };
}

export function modelBody(model: Float32Array): Uint8Array {
  return new Uint8Array(model.buffer, model.byteOffset, model.byteLength);
}
