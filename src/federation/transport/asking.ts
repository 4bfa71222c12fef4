import { failed, type MoietyError } from "../../errors.js";
import type { Identity } from "../identity/kit.js";
import { failureOf } from "./failures.js";
import { type Frame, fromJson, joined } from "./frame.js";

export interface ReceivedAnswer {
  readonly meta: unknown;
  readonly body: Uint8Array;
}

export interface AskOptions {
  readonly body?: Uint8Array;
  /** The most bytes that the answer may have; more is a broken contract. */
  readonly most?: number;
  /** Takes the body piece by piece instead of all at once. */
  readonly onPart?: (bytes: Uint8Array) => void;
  /** Milliseconds after which an answer is not waited for any more, from when the question leaves. */
  readonly patience?: number;
}

/** Questions that one side may have open at the other. The asker waits for room; a side that does not wait is cut off. */
export const mostOpen = 64;
export const mostMeta = 1 << 20;
export const smallAnswer = 1 << 20;

/** A question that the other side has not answered yet. */
interface OpenQuestion {
  readonly options: AskOptions;
  readonly pieces: Uint8Array[];
  received: number;
  /** Nobody waits for the answer any more; the other side may still be working on it. */
  givenUp: boolean;
  resolve(received: ReceivedAnswer): void;
  reject(error: Error): void;
}

interface QuestionSender {
  send(call: number, method: string, meta: unknown, body: Uint8Array | undefined): Promise<void>;
  /** Called when the other side leaves so much unanswered that the connection is of no use. */
  onNeglect(error: MoietyError): void;
}

/** One side's questions: those that are open at the other side, and those that wait until there is room for them. */
export class OpenQuestions {
  private readonly open = new Map<number, OpenQuestion>();
  private readonly queue: { readonly leave: () => void; readonly reject: (error: Error) => void }[] = [];
  private calls = 0;

  constructor(
    private readonly peer: Identity,
    private readonly sender: QuestionSender,
  ) {}

  /** Leaves at once while there is room, in the order of the calls. */
  ask(method: string, meta: unknown, options: AskOptions): Promise<ReceivedAnswer> {
    return new Promise<ReceivedAnswer>((resolve, reject) => {
      const leave = () => this.leave(method, meta, options, { resolve, reject });
      if (this.open.size < mostOpen) leave();
      else this.queue.push({ leave, reject });
    });
  }

  /** A part of an answer, or its end. Throws where the other side breaks the contract. */
  take({ kind, call, meta, body }: Frame): void {
    const waiting = this.open.get(call);
    if (!waiting) return;
    waiting.received += body.length;
    if (waiting.received > (waiting.options.most ?? smallAnswer) || meta.length > mostMeta) {
      throw failed(`${this.peer.name} sent more than was asked for`);
    }
    if (body.length > 0) this.receive(call, waiting, body);
    if (kind === "answerPart") return;
    if (!waiting.givenUp) {
      if (kind === "answer") waiting.resolve({ meta: fromJson(meta), body: joined(waiting.pieces) });
      else waiting.reject(failureOf(this.peer, fromJson(meta)));
    }
    this.settled(call);
  }

  /** The connection has ended. */
  end(why: Error): void {
    for (const waiting of [...this.open.values(), ...this.queue.splice(0)]) waiting.reject(why);
    this.open.clear();
  }

  private leave(
    method: string,
    meta: unknown,
    options: AskOptions,
    settle: Pick<OpenQuestion, "resolve" | "reject">,
  ): void {
    this.calls = (this.calls % 0xfffffff) + 1;
    const call = this.calls;
    const late = () => this.giveUp(call, failed(`${this.peer.name} did not answer in time (${method})`));
    const timer = options.patience === undefined ? undefined : setTimeout(late, options.patience);
    this.open.set(call, {
      options,
      pieces: [],
      received: 0,
      givenUp: false,
      resolve: (received) => {
        clearTimeout(timer);
        settle.resolve(received);
      },
      reject: (error) => {
        clearTimeout(timer);
        settle.reject(error);
      },
    });
    this.sender.send(call, method, meta, options.body).catch((error: Error) => {
      this.open.get(call)?.reject(error);
      this.settled(call);
    });
  }

  private receive(call: number, { options: { onPart }, givenUp, pieces }: OpenQuestion, body: Uint8Array): void {
    if (givenUp) return;
    if (!onPart) {
      pieces.push(body);
      return;
    }
    try {
      onPart(body);
    } catch (error) {
      this.giveUp(call, error as Error);
    }
  }

  /** Stops waiting for an answer. Its place is taken until the other side has answered all the same. */
  private giveUp(call: number, error: Error): void {
    const waiting = this.open.get(call);
    if (!waiting || waiting.givenUp) return;
    waiting.givenUp = true;
    waiting.pieces.length = 0;
    waiting.reject(error);
    const neglected = [...this.open.values()].filter(({ givenUp }) => givenUp).length;
    if (neglected >= mostOpen / 2)
      this.sender.onNeglect(failed(`${this.peer.name} leaves too many questions unanswered`));
  }

  /** There is room for the next one. */
  private settled(call: number): void {
    if (this.open.delete(call)) this.queue.shift()?.leave();
  }
}
