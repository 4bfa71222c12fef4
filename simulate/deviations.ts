import type { Frame } from "../src/federation/transport/frame.js";
import { fromJson, toJson } from "../src/federation/transport/frame.js";
import type { Passing } from "./network.js";

/** What arrives in the place of a frame; undefined where this deviation has nothing to do with it. */
type Deviation = (passing: Passing, earlier: readonly Passing[]) => readonly Frame[] | undefined;

type Meta = Record<string, unknown>;

const withMeta = (frame: Frame, change: (meta: Meta) => Meta): Frame => ({
  ...frame,
  meta: toJson(change(fromJson(frame.meta) as Meta)),
});
const isQuestion = ({ direction, frame }: Passing) => direction === "down" && frame.kind === "ask";
const isAnswer = ({ direction, frame }: Passing) => direction === "up" && frame.kind === "answer";
const ofAttempts = (passing: Passing) =>
  isQuestion(passing) && passing.frame.meta.length > 0 && hasEpoch(passing.frame);
const hasEpoch = (frame: Frame) => typeof (fromJson(frame.meta) as Meta | null)?.epoch === "number";

/** A call number that no honest side uses. */
const strangeCall = 0xffffff0;

/** Ways in which a coordinator, or a party, can leave the protocol: all of them are to be refused, or to end the job. */
export const deviations = {
  /** The coordinator asks the same thing again. */
  askTwice: (passing) => (ofAttempts(passing) ? [passing.frame, { ...passing.frame, call: strangeCall }] : undefined),
  /** The coordinator asks something from before again. */
  askOld: (passing, earlier) => {
    if (!ofAttempts(passing)) return undefined;
    const old = earlier.filter((each) => each.member === passing.member && ofAttempts(each)).at(-5);
    return old && [{ ...old.frame, call: strangeCall }, passing.frame];
  },
  /** The coordinator asks for a step that is not next. */
  skipStep: (passing) =>
    ofAttempts(passing) && "step" in (fromJson(passing.frame.meta) as Meta)
      ? [withMeta(passing.frame, (meta) => ({ ...meta, step: Number(meta.step) + 1 }))]
      : undefined,
  /** The coordinator says that it is another attempt. */
  wrongEpoch: (passing) =>
    ofAttempts(passing) ? [withMeta(passing.frame, (meta) => ({ ...meta, epoch: Number(meta.epoch) + 1 }))] : undefined,
  /** The coordinator speaks of another job. */
  wrongJob: (passing) =>
    ofAttempts(passing) ? [withMeta(passing.frame, (meta) => ({ ...meta, job: "0".repeat(64) }))] : undefined,
  /** The coordinator shows consents that nobody has signed. */
  forgedConsent: (passing) =>
    ofAttempts(passing) && "consents" in (fromJson(passing.frame.meta) as Meta)
      ? [withMeta(passing.frame, (meta) => ({ ...meta, consents: swapped(meta.consents as Meta) }))]
      : undefined,
  /** The coordinator keeps back what the others have stated. */
  noStatements: (passing) =>
    ofAttempts(passing) && "statements" in (fromJson(passing.frame.meta) as Meta)
      ? [withMeta(passing.frame, (meta) => ({ ...meta, statements: {} }))]
      : undefined,
  /** The coordinator sends a part of what belongs to a question. */
  shortQuestion: (passing) =>
    isQuestion(passing) && passing.frame.body.length > 0
      ? [{ ...passing.frame, body: passing.frame.body.subarray(0, passing.frame.body.length - 1) }]
      : undefined,
  /** The party answers with less than it should. */
  shortAnswer: (passing) =>
    isAnswer(passing) && passing.frame.body.length > 0
      ? [{ ...passing.frame, body: passing.frame.body.subarray(0, passing.frame.body.length - 1) }]
      : undefined,
  /** The party answers with something else than it should. */
  strangeAnswer: (passing) => (isAnswer(passing) ? [{ ...passing.frame, meta: toJson({ strange: true }) }] : undefined),
  /** The party answers twice. */
  answerTwice: (passing) => (isAnswer(passing) ? [passing.frame, passing.frame] : undefined),
  /** The party sends what is no message. */
  unasked: (passing) =>
    isAnswer(passing) ? [{ ...passing.frame, kind: "answer", call: strangeCall }, passing.frame] : undefined,
} satisfies Record<string, Deviation>;

export type DeviationName = keyof typeof deviations;

export function isDeviation(name: string): name is DeviationName {
  return name in deviations;
}

/** Everybody has somebody else's. */
function swapped(values: Meta): Meta {
  const keys = Object.keys(values);
  return Object.fromEntries(keys.map((key, at) => [key, values[keys[(at + 1) % keys.length]]]));
}
