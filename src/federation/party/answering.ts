import { MoietyError } from "../../errors.js";
import { bytesOf, type Integers } from "../../privacy/integers.js";
import type { MaskLabel } from "../../privacy/masks/labels.js";
import type { RandomBytes } from "../../privacy/random.js";
import type { Journal } from "../audit/journal.js";
import type { Answer } from "../transport/conversation.js";
import type { Step, WireQuestion } from "../wire/questions.js";

/** Hides numbers in place, so that only their sum over the parties means anything. */
interface Masks {
  mask(label: MaskLabel, values: Integers): Integers;
}

export interface AnsweringOptions {
  readonly masks: Masks;
  readonly journal: Journal;
  readonly random: RandomBytes;
  /** Keeps a checkpoint; durable when it resolves. */
  readonly keep: (position: number, state: Uint8Array) => Promise<void>;
}

/**
 * A party's side of a run: answers the coordinator's questions, one after the other, with masked numbers. Whatever is
 * out of place (a number that was used, a row that does not exist) is refused before anything is computed.
 */
export abstract class Answering<Options extends AnsweringOptions = AnsweringOptions> {
  private turn: Promise<unknown> = Promise.resolve();
  private last = -1;

  constructor(protected readonly options: Options) {}

  /** Goes on from a checkpoint of an earlier life. */
  abstract resume(state: Uint8Array): Promise<void>;
  /** The people's final clusters. */
  abstract labels(): Promise<Uint16Array>;
  /** Gives back what it holds. */
  async close(): Promise<void> {}

  protected abstract take(step: number, of: number, question: WireQuestion, body: Uint8Array): Promise<Answer>;

  /** Answers the last of the steps. The next batch waits until this answer has left. */
  async answer(steps: readonly Step[], body: Uint8Array): Promise<Answer> {
    const before = this.turn;
    let done: () => void = () => undefined;
    this.turn = new Promise<void>((resolve) => {
      done = resolve;
    });
    await before;
    try {
      let at = 0;
      let answer: Answer = {};
      for (const { step, of, question, bytes } of steps) {
        if (step <= this.last) throw new MoietyError("failed", `question ${step} was asked before: refused`);
        if (at + bytes > body.length) throw new MoietyError("failed", "a question lacks a part of its body");
        this.last = step;
        answer = await this.take(step, of, question, body.subarray(at, at + bytes));
        at += bytes;
      }
      if (answer.body instanceof Uint8Array || answer.body === undefined) return answer;
      const stream = answer.body;
      const finish = done;
      done = () => undefined;
      return { body: untilDone(stream, finish) };
    } finally {
      done();
    }
  }

  protected masked(step: number, kind: string, shape: string, numbers: Integers): Answer {
    const { masks, journal } = this.options;
    masks.mask({ round: step, block: 0 }, numbers);
    journal.note(kind, shape, "masked", numbers.byteLength);
    return { body: bytesOf(numbers) };
  }
}

async function* untilDone(stream: AsyncIterable<Uint8Array>, done: () => void): AsyncIterable<Uint8Array> {
  try {
    yield* stream;
  } finally {
    done();
  }
}

export function outOfPlace(): MoietyError {
  return new MoietyError("failed", "a question is out of place: it names what is not there");
}
