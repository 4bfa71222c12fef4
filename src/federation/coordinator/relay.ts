import { cancelled, failed } from "../../errors.js";
import type { Traffic } from "../../parties/traffic.js";
import { smallestPositions } from "../../privacy/blinding/pass.js";
import { addBytes, bytesOf, type Integers, signed, unpack } from "../../privacy/integers.js";
import { solvedCard } from "../consent/private-card.js";
import type { PartyHandle } from "../transport/types.js";
import { checked } from "../wire/checked.js";
import {
  decodeHandover,
  type Handover,
  headerBytes,
  type LeaderReport,
  leaderReportSchema,
  rowsPerPiece,
} from "../wire/relay.js";
import type { CardRun, CardSolution } from "./solve-card.js";

/**
 * The coordinator of a run over columns: it carries what the parties hand to each other, and runs no algorithm. Of each row it
 * answers where the smallest number is: masked rows it can read, of blinded ones it knows neither whose they are nor of what.
 * Sums are sealed: it cannot read them. It keeps one block while its parts come in, and on its disk the number of the last checkpoint.
 */
export async function relayCard(run: CardRun): Promise<CardSolution> {
  const communication: Traffic = { rounds: 0, bytesUp: 0, bytesDown: 0 };
  let asked = 0;
  const { k } = await solvedCard(run.card, run.rows);
  const others = Math.max(1, k - 1);
  let answer: Uint8Array = new Uint8Array(0);
  const spares = new BlockPool();
  for (let step = 0; ; step++) {
    if (run.signal?.aborted) throw cancelled();
    const gathering = new Gathering(spares, run.handles, run.rows, k);
    const begins = step === 0 ? { answered: run.answered ?? 0 } : {};
    const report = await gathering.collect({ job: run.hash, epoch: run.epoch, step, ...begins }, answer);
    if (step > 0) run.onFurther?.();
    communication.rounds++;
    communication.bytesDown += answer.length * run.handles.length;
    communication.bytesUp += gathering.bytes;
    if (report?.progress) run.onProgress?.(report.progress);
    const handover = gathering.handover!;
    if (handover.kind === "rows") asked += (handover.rows * (handover.width - 1)) / others;
    if (handover.kind === "checkpoint") await run.keep(handover.position, []);
    if (handover.kind === "end") {
      if (!report?.solution) throw failed("the leading party did not say how the run ended");
      return { ...report.solution, communication, passes: asked / run.rows };
    }
    answer = gathering.answer;
  }
}

/** What all parties hand over in one step. */
class Gathering {
  handover: Handover | undefined;
  answer: Uint8Array = new Uint8Array(0);
  bytes = 0;
  private readonly blocks = new Map<number, { readonly sum: Integers; parts: number }>();

  constructor(
    private readonly spares: BlockPool,
    private readonly handles: readonly PartyHandle[],
    private readonly people: number,
    private readonly k: number,
  ) {}

  /** Asks all parties at once. Returns what the leading one says in the open. */
  async collect(meta: unknown, answer: Uint8Array): Promise<LeaderReport> {
    const most = headerBytes + 8 * this.mostNumbers;
    const reports = await Promise.all(
      this.handles.map(async (handle) => {
        let pieces = -1;
        const onPart = (bytes: Uint8Array) => {
          this.bytes += bytes.length;
          let rest = bytes;
          if (pieces < 0) {
            this.agree(handle, decodeHandover(bytes.subarray(0, headerBytes)));
            rest = bytes.subarray(headerBytes);
            pieces = 0;
          }
          if (rest.length > 0) this.take(pieces++, rest);
        };
        const received = await handle.ask("relay", meta, { body: answer, most, onPart });
        if (pieces !== this.pieces) throw failed(`${handle.name} handed over less than it said`);
        return received.meta;
      }),
    );
    return checked(leaderReportSchema, reports[0]);
  }

  /** Comparisons of everybody's possible moves are the largest; the constant is room for tables of few people. */
  private get mostNumbers(): number {
    return 8 * this.people * Math.max(2, this.k) + 2 ** 22;
  }

  private get pieces(): number {
    const { handover } = this;
    if (handover?.kind === "rows") return Math.ceil(handover.rows / rowsPerPiece(handover));
    return handover?.kind === "sums" ? 1 : 0;
  }

  private agree(handle: PartyHandle, handover: Handover): void {
    if (this.handover && JSON.stringify(this.handover) !== JSON.stringify(handover)) {
      throw failed(`the parties do not agree on what comes next: ${handle.name} is out of step`);
    }
    if (this.handover) return;
    const numbers = handover.kind === "rows" ? handover.rows * (handover.width - 1) : 0;
    if (numbers > this.mostNumbers) throw failed(`${handle.name} hands over more than a run needs`);
    this.handover = handover;
    if (handover.kind === "rows") this.answer = new Uint8Array(handover.rows);
  }

  /** Adds a party's part of a block; once all parts are there, only the answer is kept. */
  private take(index: number, bytes: Uint8Array): void {
    const { handover } = this;
    const width = handover?.kind === "rows" ? handover.bytes : 8;
    let block = this.blocks.get(index);
    if (!block) {
      block = { sum: this.spares.take(bytes, width), parts: 1 };
      this.blocks.set(index, block);
    } else {
      addBytes(block.sum, bytes, width);
      block.parts++;
    }
    if (block.parts < this.handles.length) return;
    this.blocks.delete(index);
    if (handover?.kind === "sums") this.answer = bytesOf(block.sum).slice();
    if (handover?.kind === "rows") this.decide(handover, index, block.sum);
    this.spares.give(block.sum);
  }

  private decide(handover: Extract<Handover, { kind: "rows" }>, index: number, sum: Integers): void {
    const { rows, width, bytes } = handover;
    const from = index * rowsPerPiece(handover);
    const count = Math.min(rows - from, rowsPerPiece(handover));
    if (sum.length !== count * (width - 1)) {
      throw failed("a block of rows has another size than it should have");
    }
    this.answer.set(smallestPositions(signed(sum, bytes), count, width), from);
  }
}

/** Unused blocks that are kept. */
const mostSpares = 8;

/** Blocks that are used again: to allocate one for each of millions of numbers would cost more time than to add them. */
class BlockPool {
  private readonly free: Integers[] = [];

  /** A block with these numbers in it. */
  take(bytes: Uint8Array, width: number): Integers {
    const numbers = Math.floor(bytes.length / width);
    const fit = this.free.findIndex(({ length }) => length === numbers);
    const block = fit < 0 ? new BigInt64Array(numbers) : this.free.splice(fit, 1)[0];
    unpack(bytes, width, block);
    return block;
  }

  give(block: Integers): void {
    this.free.unshift(block);
    this.free.length = Math.min(this.free.length, mostSpares);
  }
}
