import { failed } from "../../../errors.js";
import { RowMemory } from "../../../kernels/blinding.js";
import { Blinding, type Scale, type TieOrder } from "../../../privacy/blinding/pass.js";
import { expandKey } from "../../../privacy/derive.js";
import { bytesFor, bytesOf, type Integers, integersOf } from "../../../privacy/integers.js";
import { MaskedRows } from "../../../privacy/masks/masked-rows.js";
import type { PairwiseMasks } from "../../../privacy/masks/pairwise.js";
import { KeyStream } from "../../../privacy/stream.js";
import type { Journal } from "../../audit/journal.js";
import type { Answers } from "../../replay/answers.js";
import type { Reply } from "../../transport/conversation.js";
import { encodeHandover, type Handover, isShort, type LeaderReport, rowsPerPiece } from "../../wire/relay.js";

export interface ExchangeOptions {
  /** What the coordinator may see of rows: their sums over all parties, or only blinded numbers. */
  readonly protection: "masked" | "blinded";
  readonly masks: PairwiseMasks;
  /** The key that the parties share and the coordinator lacks; another one in each epoch. */
  readonly groupKey: Uint8Array;
  /** Exactly one party leads: it hides the ties of blinded rows, seals sums and reports the progress to the coordinator. */
  readonly leads: boolean;
  readonly journal: Journal;
  readonly answers: Answers;
}

/** This party's parts of some of the rows, [rows][width]: asked for stretch by stretch, from the first row on. */
export type Parts = (from: number, to: number) => Float64Array | Promise<Float64Array>;

/** Rows of whole numbers, of whose sums over all parties the smallest are asked for. */
export interface AskedRows {
  readonly rows: number;
  readonly width: number;
  readonly parts: Parts;
  readonly scale: Scale;
  readonly ties: TieOrder;
  /** Bits that the sums of the parts leave free for the secret factors. */
  readonly bits: number;
  /** Whether the coordinator may not see the sums of a masked run either. */
  readonly secret?: boolean;
  /** For the journal. */
  readonly what: string;
}

/** Numbers that are computed at once: so many fit the processor's cache. */
const stretchNumbers = 2 ** 17;

interface Outgoing {
  readonly handover: Handover;
  readonly pieces: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/**
 * A party's side of what the parties compute through the coordinator. The solver, which runs here, hands something over and
 * waits; the coordinator asks for it, puts all parties' parts together, and brings the answer when it asks for the next. It can
 * be asked two things only: where the smallest number of each row is, of rows that are masked and, unless the job says
 * otherwise, blinded; and sums, which are sealed with a stream from the parties' own key.
 */
export class Exchange {
  private readonly blinding: Blinding;
  private readonly memory = new RowMemory();
  /** Numbers of the coordinator's questions, and of what was blinded or sealed: none is used twice. */
  private step = 0;
  private rounds = 0;
  private outgoing: Outgoing | undefined;
  private arrived: ((answer: Uint8Array) => void) | undefined;
  private failed: ((error: Error) => void) | undefined;
  private wake: (() => void) | undefined;
  private over: Error | undefined;
  private report: LeaderReport = null;

  constructor(private readonly options: ExchangeOptions) {
    this.blinding = new Blinding(options.groupKey);
  }

  private get answers(): Answers {
    return this.options.answers;
  }

  /** Whether the coordinator sees no sum of rows. */
  get blinds(): boolean {
    return this.options.protection === "blinded";
  }

  get leads(): boolean {
    return this.options.leads;
  }

  /** Where the smallest of each row is, of the sums over all parties. */
  async least(asked: AskedRows): Promise<Uint16Array> {
    if (asked.width === 1 || asked.rows === 0) return new Uint16Array(asked.rows);
    const kept = this.answers.next();
    if (kept) return Uint16Array.from(kept);
    const chosen = await (this.blinds || asked.secret ? this.leastBlinded(asked) : this.leastMasked(asked));
    // Positions in a row fit a byte.
    await this.answers.add(Uint8Array.from(chosen));
    return chosen;
  }

  private async leastBlinded({ rows, width, parts, scale, ties, bits, what }: AskedRows): Promise<Uint16Array> {
    const { masks, journal, leads } = this.options;
    const round = this.rounds++;
    const pass = this.blinding.pass(round, rows, width, bits);
    const stretch = Math.max(1, Math.floor(stretchNumbers / width));
    for (let from = 0; from < rows; from += stretch) {
      pass.load(await parts(from, Math.min(rows, from + stretch)), scale);
    }
    const blinded = pass.blinded(leads ? ties : undefined);
    const handover = { kind: "rows", rows, width, bytes: 8 } as const;
    function* pieces() {
      for (let block = 0; ; block++) {
        const piece = blinded.take(rowsPerPiece(handover));
        if (piece.length === 0) break;
        yield bytesOf(masks.mask({ round, block }, piece));
      }
      journal.note("blinded rows", `${what} x ${width}`, "blinded", rows * (width - 1) * 8);
    }
    return pass.read(await this.hand(handover, pieces));
  }

  /** As many bytes of each number as its sums need; the next piece is computed while the last one travels. */
  private async leastMasked({ rows, width, parts, scale, ties, what }: AskedRows): Promise<Uint16Array> {
    const { masks, journal } = this.options;
    const round = this.rounds++;
    const masked = new MaskedRows(this.memory, rows, width, ties);
    const handover = { kind: "rows", rows, width, bytes: bytesFor(scale.bound) } as const;
    const { bytes } = handover;
    const step = rowsPerPiece(handover);
    const partsFrom = async (from: number) => parts(from, Math.min(rows, from + step));
    async function* pieces() {
      let computing = partsFrom(0);
      for (let from = 0, block = 0; from < rows; from += step, block++) {
        const scores = await computing;
        if (from + step < rows) computing = partsFrom(from + step);
        computing.catch(() => undefined);
        yield masked.packed(masks.mask({ round, block }, masked.differences(scores, from, scale)), bytes);
      }
      journal.note("masked rows", `${what} x ${width}`, "masked", rows * (width - 1) * bytes);
    }
    return masked.read(await this.hand(handover, pieces));
  }

  /** The sums over all parties of some numbers, which only the parties can read. `leaving` is awaited before they leave. */
  async sum(numbers: Integers, what: string, leaving?: () => Promise<void>): Promise<Integers> {
    const kept = this.answers.next();
    if (kept) return integersOf(kept);
    const { masks, journal, leads, groupKey } = this.options;
    const round = this.rounds++;
    const seal = () => new KeyStream(expandKey(groupKey, ["sum", round]));
    if (leads) seal().addTo(numbers);
    const piece = bytesOf(masks.mask({ round, block: 0 }, numbers));
    journal.note(what, `${numbers.length} number${numbers.length === 1 ? "" : "s"}`, "blinded", piece.length);
    await leaving?.();
    const sums = integersOf((await this.hand({ kind: "sums", count: numbers.length }, () => [piece])).slice());
    if (sums.length !== numbers.length) throw failed("the coordinator sent another number of sums");
    seal().subtractFrom(sums);
    await this.answers.add(bytesOf(sums));
    return sums;
  }

  /** All parties have kept their state under this number. */
  async checkpoint(position: number): Promise<void> {
    await this.hand({ kind: "checkpoint", position }, () => []);
    await this.answers.follow(position);
  }

  /** Sent to the coordinator, by the leading party, with what is handed over next. */
  tell(report: LeaderReport): void {
    if (this.options.leads) this.report = { ...this.report, ...report };
  }

  /** The coordinator's question: it brings the answer to what was handed over last, and takes what comes next. */
  async next(step: number, answer: Uint8Array): Promise<Reply> {
    if (this.over) throw this.over;
    if (step !== this.step) throw failed(`step ${step} is not the next one: refused`);
    this.step++;
    if (step > 0) {
      if (!this.arrived) throw failed("two questions at once: refused");
      const arrived = this.arrived;
      this.arrived = undefined;
      arrived(answer);
    }
    while (!this.outgoing && !this.over) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    if (!this.outgoing) throw this.over!;
    const { handover, pieces } = this.outgoing;
    this.outgoing = undefined;
    const { report } = this;
    this.report = null;
    const header = encodeHandover(handover);
    // A short answer is one frame: so are most rounds of small jobs.
    if (isShort(handover)) {
      const all = [header];
      for await (const piece of pieces()) all.push(piece);
      return { meta: report, body: Buffer.concat(all) };
    }
    async function* body() {
      yield header;
      yield* pieces();
    }
    return { meta: report, body: body() };
  }

  /** The run has come to its end here. */
  finish(): void {
    this.outgoing = { handover: { kind: "end" }, pieces: () => [] };
    this.wake?.();
  }

  /** The run has ended with an error: what waits for an answer throws it. */
  end(error: Error): void {
    this.over ??= error;
    this.failed?.(error);
    this.wake?.();
  }

  private hand(handover: Handover, pieces: Outgoing["pieces"]): Promise<Uint8Array> {
    if (this.over) return Promise.reject(this.over);
    if (this.arrived) return Promise.reject(failed("two things at once are handed over"));
    return new Promise<Uint8Array>((resolve, reject) => {
      this.arrived = resolve;
      this.failed = reject;
      this.outgoing = { handover, pieces };
      this.wake?.();
    });
  }
}
