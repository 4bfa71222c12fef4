import { failed, MoietyError } from "../../errors.js";
import type { Identity } from "../identity/kit.js";
import { type AskOptions, mostMeta, mostOpen, OpenQuestions, type ReceivedAnswer, smallAnswer } from "./asking.js";
import { failureFor } from "./failures.js";
import { type Frame, frame, fromJson, joined, partBytes, toJson, wireVersions } from "./frame.js";
import type { Link } from "./types.js";

export type { AskOptions, ReceivedAnswer } from "./asking.js";

export interface IncomingQuestion {
  readonly method: string;
  /** JSON, not yet checked by anybody. */
  readonly meta: unknown;
  readonly body: Uint8Array;
}

export interface Reply {
  readonly meta?: unknown;
  /** Whole, or piece by piece as it is computed: the next piece is made while the last one travels. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
}

export interface ConversationOptions {
  readonly answer: (question: IncomingQuestion) => Promise<Reply>;
  /** The most bytes that a question's body may have. */
  readonly mostAsked?: (method: string) => number;
  /** Milliseconds: between heartbeats, of silence after which the other side is gone, and for which it may read nothing. */
  readonly beat?: number;
  readonly silence?: number;
  readonly stall?: number;
}

/** Unanswered questions of the greatest length that one side holds for the other: a side that sends more is cut off. */
const mostLong = 4;
const nothing: Uint8Array = new Uint8Array(0);

/** Questions and answers over a link, both ways, with heartbeats and with limits on everything that arrives. */
export class Conversation {
  /** Why it ended; undefined when either side simply hung up. */
  readonly ended: Promise<MoietyError | undefined>;
  private readonly asked: OpenQuestions;
  private readonly arriving = new Map<number, { pieces: Uint8Array[]; bytes: number }>();
  private readonly heartbeat: NodeJS.Timeout;
  private answering = 0;
  /** Bytes of questions that have arrived, in parts or whole, and are not answered. */
  private held = 0;
  private sending = 0;
  private lastSent = Date.now();
  private lastHeard = Date.now();
  private isOver = false;
  /** The version of the wire contract that both sides have agreed on. */
  wire: number = wireVersions.oldest;

  constructor(
    private readonly link: Link,
    private readonly options: ConversationOptions,
  ) {
    const { beat = 2000, silence = 15_000, stall = 60_000 } = options;
    let due = Date.now() + beat;
    this.heartbeat = setInterval(() => {
      // While this side was too busy to read, the other one was not silent: what it sent is still to be read.
      const late = Math.max(0, Date.now() - due);
      this.lastHeard += late;
      this.lastSent += late;
      due = Date.now() + beat;
      if (Date.now() - this.lastHeard > silence) this.end(failed(`${this.peer.name} has been silent for too long`));
      else if (this.sending === 0) this.send(frame("beat")).catch(() => undefined);
      // Frames that wait to be read are kept in memory; a side that does not read may still send heartbeats.
      else if (Date.now() - this.lastSent > stall) this.end(failed(`${this.peer.name} does not read what it is sent`));
    }, beat);
    this.asked = new OpenQuestions(link.peer, {
      send: async (call, method, meta, body) => {
        const last = await this.sendBody("askPart", call, body);
        await this.send(frame("ask", { call, method, meta: toJson(meta), body: last }));
      },
      onNeglect: (error) => this.end(error),
    });
    this.ended = this.listen();
  }

  get peer(): Identity {
    return this.link.peer;
  }

  /** Throws what the other side says went wrong, or why the connection ended. Waits while too many are open there. */
  ask(method: string, meta: unknown, options: AskOptions = {}): Promise<ReceivedAnswer> {
    if (this.isOver) return Promise.reject(failed(`${this.peer.name} has hung up`));
    return this.asked.ask(method, meta, options);
  }

  private async send(each: Frame): Promise<void> {
    if (this.sending++ === 0) this.lastSent = Date.now();
    try {
      await this.link.send(this.wire === wireVersions.oldest ? each : { ...each, version: this.wire });
    } finally {
      this.sending--;
      this.lastSent = Date.now();
    }
  }

  close(): void {
    this.end(undefined);
  }

  private async listen(): Promise<MoietyError | undefined> {
    let reason: MoietyError | undefined;
    try {
      for await (const each of this.link.frames()) {
        this.lastHeard = Date.now();
        this.take(each);
      }
    } catch (error) {
      reason = error instanceof MoietyError ? error : failed("the connection broke", error);
    }
    this.end(reason);
    return this.reason ?? reason;
  }

  private reason: MoietyError | undefined;

  private end(reason: MoietyError | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.reason = reason;
    clearInterval(this.heartbeat);
    this.arriving.clear();
    this.asked.end(reason ?? failed(`${this.peer.name} has hung up`));
    this.link.close();
  }

  private take(each: Frame): void {
    if (each.kind === "ask" || each.kind === "askPart") this.takeQuestion(each);
    else if (each.kind !== "beat") this.asked.take(each);
  }

  private takeQuestion({ kind, call, method, meta, body }: Frame): void {
    const piled = this.arriving.get(call) ?? { pieces: [], bytes: 0 };
    piled.bytes += body.length;
    this.held += body.length + meta.length;
    const longest = mostUnnamed(this.options);
    const most = kind === "ask" ? (this.options.mostAsked?.(method) ?? smallAnswer) : longest;
    const many = this.arriving.size > mostOpen || this.answering > mostOpen || this.held > mostLong * longest;
    if (piled.bytes > most || meta.length > mostMeta || many) {
      throw failed(`${this.peer.name} sent more than this side takes`);
    }
    if (body.length > 0) piled.pieces.push(body);
    if (kind === "askPart") {
      this.arriving.set(call, piled);
      return;
    }
    this.arriving.delete(call);
    this.answering++;
    this.reply(call, method, meta, joined(piled.pieces))
      .catch(() => undefined)
      .finally(() => {
        this.answering--;
        this.held -= piled.bytes + meta.length;
      });
  }

  private async reply(call: number, method: string, meta: Uint8Array, body: Uint8Array): Promise<void> {
    try {
      const answer = await this.options.answer({ method, meta: fromJson(meta), body });
      let rest: Uint8Array | undefined;
      if (answer.body instanceof Uint8Array || answer.body === undefined) {
        rest = await this.sendBody("answerPart", call, answer.body);
      } else {
        for await (const piece of answer.body) {
          const last = await this.sendBody("answerPart", call, piece);
          await this.send(frame("answerPart", { call, body: last }));
        }
      }
      await this.send(frame("answer", { call, meta: toJson(answer.meta ?? null), body: rest ?? nothing }));
    } catch (error) {
      const failure = failureFor(error);
      if (failure.message !== (error as Error).message) this.onHidden?.(error);
      await this.send(frame("fail", { call, meta: toJson(failure) }));
    }
  }

  /** Called with errors of which the other side has not learnt all, for a log on this side. */
  onHidden: ((error: unknown) => void) | undefined;

  /** Sends all of a body but its last piece, which goes with the message itself. */
  private async sendBody(
    kind: "askPart" | "answerPart",
    call: number,
    body: Uint8Array = nothing,
  ): Promise<Uint8Array> {
    let from = 0;
    for (; body.length - from > partBytes; from += partBytes) {
      await this.send(frame(kind, { call, body: body.subarray(from, from + partBytes) }));
    }
    return body.subarray(from);
  }
}

/** Before a question's name is known, its parts may be as long as the longest question. */
function mostUnnamed(options: ConversationOptions): number {
  return options.mostAsked?.("") ?? smallAnswer;
}
