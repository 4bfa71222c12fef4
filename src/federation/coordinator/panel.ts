import { MoietyError } from "../../errors.js";
import { addInto, type Integers, integersOf } from "../../privacy/integers.js";
import type { AskOptions, Received } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/party-handle.js";
import type { Step, WireQuestion } from "../wire/questions.js";

/** Sends a batch to one seat, with more beside it if need be. */
type Send = (options: AskOptions, more?: object) => Promise<Received>;

/** A step whose question may be another one for each seat. */
type Waiting = Omit<Step, "question"> & { readonly question: WireQuestion | readonly WireQuestion[] };

function forSeat(step: Waiting, seat: number): Waiting {
  return Array.isArray(step.question) ? { ...step, question: step.question[seat] } : step;
}

/** What went over the wire, for the result. */
export interface Wire {
  rounds: number;
  bytesUp: number;
  bytesDown: number;
  /** People asked about in tables, all together: a pass is as many as there are. */
  asked: number;
}

/**
 * All parties of a job at once. What needs no answer waits for the next question that does, and travels with it: one
 * round for both. Every question has a number that no other one has.
 */
export class Panel {
  readonly wire: Wire = { rounds: 0, bytesUp: 0, bytesDown: 0, asked: 0 };
  protected waiting: Waiting[] = [];
  private bodies: Uint8Array[] = [];
  private step = 0;

  constructor(
    readonly seats: readonly PartyHandle[],
    private readonly job: string,
    private readonly epoch: number,
  ) {}

  /** To be told with the next question: to all, or to each its own. */
  note(of: number, question: WireQuestion | readonly WireQuestion[], body?: Uint8Array): void {
    this.waiting.push({ step: ++this.step, of, question, bytes: body?.length ?? 0 });
    if (body && body.length > 0) this.bodies.push(body);
  }

  /** What all parties answer, in their order. */
  ask(
    of: number,
    question: WireQuestion,
    { body, most }: { body?: Uint8Array; most?: number } = {},
  ): Promise<Received[]> {
    const options = most === undefined ? {} : { most };
    return Promise.all(this.send(of, question, body).map((ask) => ask(options)));
  }

  /** The sum of the parties' masked numbers, in which the masks cancel. It is added up as it arrives. */
  async sum(of: number, question: WireQuestion, length: number, body?: Uint8Array): Promise<Integers> {
    const total = new BigInt64Array(length);
    await Promise.all(
      this.send(of, question, body).map(async (ask, index) => {
        let at = 0;
        const take = (bytes: Uint8Array) => {
          const part = integersOf(bytes);
          if (at + part.length > length) throw this.wrongLength(index);
          addInto(total.subarray(at, at + part.length), part);
          at += part.length;
        };
        await ask({ most: length * 8, onPart: take });
        if (at !== length) throw this.wrongLength(index);
      }),
    );
    return total;
  }

  protected send(of: number, question: WireQuestion, body?: Uint8Array): Send[] {
    this.note(of, question, body);
    return this.deliver();
  }

  /** Sends all that waits. */
  protected deliver(): Send[] {
    const steps = this.waiting;
    const together = this.bodies.length === 1 ? this.bodies[0] : Buffer.concat(this.bodies);
    this.waiting = [];
    this.bodies = [];
    this.wire.rounds++;
    const shared = { job: this.job, epoch: this.epoch, steps };
    const differ = steps.some(({ question: each }) => Array.isArray(each));
    return this.seats.map((seat, index) => async (options, more = {}) => {
      const own = differ ? { ...shared, steps: steps.map((each) => forSeat(each, index)) } : shared;
      const meta = { ...own, ...more };
      this.wire.bytesDown += together.length;
      const received = await seat.ask("batch", meta, { ...options, body: together });
      this.wire.bytesUp += options.onPart ? (options.most ?? 0) : received.body.length;
      return received;
    });
  }

  private wrongLength(index: number): MoietyError {
    return new MoietyError("failed", `${this.seats[index].name} sent another number of numbers than it was asked for`);
  }
}
