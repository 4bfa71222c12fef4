import { MoietyError } from "../../errors.js";
import { type Frame, frame, partBytes } from "./frame.js";
import type { Identity, Link } from "./types.js";

export interface Question {
  readonly method: string;
  /** JSON, not yet checked by anybody. */
  readonly meta: unknown;
  readonly body: Uint8Array;
}

export interface Answer {
  readonly meta?: unknown;
  /** Whole, or piece by piece as it is computed: the next piece is made while the last one travels. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
}

export interface Received {
  readonly meta: unknown;
  readonly body: Uint8Array;
}

export interface AskOptions {
  readonly body?: Uint8Array;
  /** The most bytes that the answer may have; more is a broken contract. */
  readonly most?: number;
  /** Takes the body piece by piece instead of all at once. */
  readonly onPart?: (bytes: Uint8Array) => void;
  /** Milliseconds after which no answer is one. */
  readonly patience?: number;
}

export interface Manners {
  readonly answer: (question: Question) => Promise<Answer>;
  /** The most bytes that a question's body may have. */
  readonly mostAsked?: (method: string) => number;
  /** Milliseconds between signs of life, and how long silence is borne. */
  readonly beat?: number;
  readonly silence?: number;
}

const mostMeta = 1 << 20;
/** Questions that one side may have open at the other: more is a flood. */
const mostOpen = 64;
const smallAnswer = 1 << 20;
const nothing: Uint8Array = new Uint8Array(0);

interface Open {
  readonly options: AskOptions;
  readonly pieces: Uint8Array[];
  received: number;
  resolve(received: Received): void;
  reject(error: Error): void;
}

/** Questions and answers over a link, both ways, with signs of life and with limits on everything that arrives. */
export class Conversation {
  /** Why it ended; undefined when either side simply hung up. */
  readonly ended: Promise<MoietyError | undefined>;
  private readonly open = new Map<number, Open>();
  private readonly arriving = new Map<number, { pieces: Uint8Array[]; bytes: number }>();
  private readonly pulse: NodeJS.Timeout;
  private answering = 0;
  private calls = 0;
  private lastHeard = Date.now();
  private isOver = false;

  constructor(
    private readonly link: Link,
    private readonly manners: Manners,
  ) {
    const { beat = 2000, silence = 15_000 } = manners;
    let due = Date.now() + beat;
    this.pulse = setInterval(() => {
      // While this side was too busy to listen, the other one was not silent: what it said is still to be read.
      const late = Math.max(0, Date.now() - due);
      this.lastHeard += late;
      due = Date.now() + beat;
      if (Date.now() - this.lastHeard > silence) this.end(failed(`${this.peer.name} has been silent for too long`));
      else this.link.send(frame("beat")).catch(() => undefined);
    }, beat);
    this.ended = this.listen();
  }

  get peer(): Identity {
    return this.link.peer;
  }

  /** Throws what the other side says went wrong, or why the line ended. */
  ask(method: string, meta: unknown, options: AskOptions = {}): Promise<Received> {
    if (this.isOver) return Promise.reject(failed(`${this.peer.name} has hung up`));
    this.calls = (this.calls % 0xfffffff) + 1;
    const call = this.calls;
    return new Promise<Received>((resolve, reject) => {
      const timer =
        options.patience === undefined
          ? undefined
          : setTimeout(() => {
              this.open.get(call)?.reject(failed(`${this.peer.name} did not answer in time (${method})`));
            }, options.patience);
      const settle = () => {
        clearTimeout(timer);
        this.open.delete(call);
      };
      this.open.set(call, {
        options,
        pieces: [],
        received: 0,
        resolve: (received) => {
          settle();
          resolve(received);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      this.sendBody("askPart", call, options.body)
        .then((body) => this.link.send(frame("ask", { call, method, meta: toJson(meta), body })))
        .catch((error: Error) => this.open.get(call)?.reject(error));
    });
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
      reason = error instanceof MoietyError ? error : failed("the line broke", error);
    }
    this.end(reason);
    return this.reason ?? reason;
  }

  private reason: MoietyError | undefined;

  private end(reason: MoietyError | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.reason = reason;
    clearInterval(this.pulse);
    this.arriving.clear();
    for (const waiting of [...this.open.values()]) {
      waiting.reject(reason ?? failed(`${this.peer.name} has hung up`));
    }
    this.link.close();
  }

  private take(each: Frame): void {
    if (each.kind === "ask" || each.kind === "askPart") this.takeQuestion(each);
    else if (each.kind !== "beat") this.takeAnswer(each);
  }

  private takeQuestion({ kind, call, method, meta, body }: Frame): void {
    const piled = this.arriving.get(call) ?? { pieces: [], bytes: 0 };
    piled.bytes += body.length;
    const most = kind === "ask" ? (this.manners.mostAsked?.(method) ?? smallAnswer) : mostUnnamed(this.manners);
    if (piled.bytes > most || meta.length > mostMeta || this.arriving.size > mostOpen || this.answering > mostOpen) {
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
      });
  }

  private async reply(call: number, method: string, meta: Uint8Array, body: Uint8Array): Promise<void> {
    try {
      const answer = await this.manners.answer({ method, meta: fromJson(meta), body });
      let rest: Uint8Array | undefined;
      if (answer.body instanceof Uint8Array || answer.body === undefined) {
        rest = await this.sendBody("answerPart", call, answer.body);
      } else {
        for await (const piece of answer.body) {
          const last = await this.sendBody("answerPart", call, piece);
          await this.link.send(frame("answerPart", { call, body: last }));
        }
      }
      await this.link.send(frame("answer", { call, meta: toJson(answer.meta ?? null), body: rest ?? nothing }));
    } catch (error) {
      // What an unexpected error says may quote data: it stays on this side.
      const told = error instanceof MoietyError ? error : failed("something unexpected went wrong there: see its log");
      if (!(error instanceof MoietyError)) this.onUnexpected?.(error);
      await this.link.send(frame("fail", { call, meta: toJson({ code: told.code, message: told.message }) }));
    }
  }

  /** Told of errors that are nobody's input, for a log on this side. */
  onUnexpected: ((error: unknown) => void) | undefined;

  private takeAnswer({ kind, call, meta, body }: Frame): void {
    const waiting = this.open.get(call);
    // Nobody waits for it any more.
    if (!waiting) return;
    waiting.received += body.length;
    if (waiting.received > (waiting.options.most ?? smallAnswer) || meta.length > mostMeta) {
      throw failed(`${this.peer.name} sent more than was asked for`);
    }
    if (body.length > 0) {
      if (waiting.options.onPart) {
        try {
          waiting.options.onPart(body);
        } catch (error) {
          waiting.reject(error as Error);
          return;
        }
      } else waiting.pieces.push(body);
    }
    if (kind === "answer") waiting.resolve({ meta: fromJson(meta), body: joined(waiting.pieces) });
    else if (kind === "fail") waiting.reject(failureOf(this.peer, fromJson(meta)));
  }

  /** Sends all of a body but its last piece, which goes with the message itself. */
  private async sendBody(
    kind: "askPart" | "answerPart",
    call: number,
    body: Uint8Array = nothing,
  ): Promise<Uint8Array> {
    let from = 0;
    for (; body.length - from > partBytes; from += partBytes) {
      await this.link.send(frame(kind, { call, body: body.subarray(from, from + partBytes) }));
    }
    return body.subarray(from);
  }
}

/** Before a question's name is known, its parts may be as long as the longest question. */
function mostUnnamed(manners: Manners): number {
  return manners.mostAsked?.("") ?? smallAnswer;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(pieces.reduce((bytes, each) => bytes + each.length, 0));
  let at = 0;
  for (const each of pieces) {
    whole.set(each, at);
    at += each.length;
  }
  return whole;
}

function toJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value ?? null));
}

function fromJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return null;
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
  } catch {
    throw failed("the other side sent something that is not JSON");
  }
}

const codes = ["usage", "input", "infeasible", "output", "paused", "cancelled", "failed"] as const;

function failureOf(peer: Identity, meta: unknown): MoietyError {
  const { code, message } = (meta ?? {}) as { code?: unknown; message?: unknown };
  const known = codes.find((each) => each === code) ?? "failed";
  const text = typeof message === "string" ? message.slice(0, 1000) : "no reason given";
  return new MoietyError(known, peer.role === "coordinator" ? text : `${peer.name}: ${text}`);
}

function failed(message: string, cause?: unknown): MoietyError {
  return new MoietyError("failed", message, cause === undefined ? undefined : { cause });
}
