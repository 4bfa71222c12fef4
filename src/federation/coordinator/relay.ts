import { cancelled, MoietyError } from "../../errors.js";
import { smallestPositions } from "../../privacy/blinding/pass.js";
import { addBytes, bytesOf, type Integers, signed, unpack } from "../../privacy/integers.js";
import type { PartyHandle } from "../transport/party-handle.js";
import { checked } from "../wire/checked.js";
import {
  decodeHanding,
  type Handing,
  headerBytes,
  type LeaderReport,
  leaderReportSchema,
  rowsPerPiece,
} from "../wire/relay.js";
import type { CardRun, CardSolution, Wire } from "./solve-card.js";

/**
 * The coordinator of a run over columns: it carries what the parties hand to each other, and runs no algorithm. Of rows it
 * says where the smallest is: masked ones it can read, of blinded ones it knows neither whose they are nor of what. Sums
 * it returns unread. It keeps one block while its parts come in, and on its disk the number of the last checkpoint.
 */
export async function relayCard(run: CardRun): Promise<CardSolution> {
  const wire: Wire = { rounds: 0, bytesUp: 0, bytesDown: 0, asked: 0 };
  const others = Math.max(1, run.card.k - 1);
  let answer: Uint8Array = new Uint8Array(0);
  const spares = new BlockPool();
  for (let step = 0; ; step++) {
    if (run.signal?.aborted) throw cancelled();
    const gathering = new Gathering(spares, run.handles, run.rows, run.card.k);
    const begins = step === 0 ? { answered: run.answered ?? 0 } : {};
    const report = await gathering.collect({ job: run.hash, epoch: run.epoch, step, ...begins }, answer);
    if (step > 0) run.onFurther?.();
    wire.rounds++;
    wire.bytesDown += answer.length * run.handles.length;
    wire.bytesUp += gathering.bytes;
    if (report?.progress) run.onProgress?.(report.progress);
    const handing = gathering.handing!;
    if (handing.kind === "rows") wire.asked += (handing.rows * (handing.width - 1)) / others;
    if (handing.kind === "checkpoint") await run.keep(handing.position, []);
    if (handing.kind === "end") {
      if (!report?.solution) throw new MoietyError("failed", "the leading party did not say how the run ended");
      return { ...report.solution, wire };
    }
    answer = gathering.answer;
  }
}

/** One thing that all parties hand over at the same time. */
class Gathering {
  handing: Handing | undefined;
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
            this.agree(handle, decodeHanding(bytes.subarray(0, headerBytes)));
            rest = bytes.subarray(headerBytes);
            pieces = 0;
          }
          if (rest.length > 0) this.take(pieces++, rest);
        };
        const received = await handle.ask("relay", meta, { body: answer, most, onPart });
        if (pieces !== this.pieces) throw new MoietyError("failed", `${handle.name} handed over less than it said`);
        return received.meta;
      }),
    );
    return checked(leaderReportSchema, reports[0]);
  }

  /** Tournaments over everybody's moves are the largest, and few people need some room. */
  private get mostNumbers(): number {
    return 8 * this.people * Math.max(2, this.k) + 2 ** 22;
  }

  private get pieces(): number {
    const { handing } = this;
    if (handing?.kind === "rows") return Math.ceil(handing.rows / rowsPerPiece(handing));
    return handing?.kind === "sums" ? 1 : 0;
  }

  private agree(handle: PartyHandle, handing: Handing): void {
    if (this.handing && JSON.stringify(this.handing) !== JSON.stringify(handing)) {
      throw new MoietyError("failed", `the parties do not agree on what comes next: ${handle.name} is out of step`);
    }
    if (this.handing) return;
    const numbers = handing.kind === "rows" ? handing.rows * (handing.width - 1) : 0;
    if (numbers > this.mostNumbers) throw new MoietyError("failed", `${handle.name} hands over more than a run needs`);
    this.handing = handing;
    if (handing.kind === "rows") this.answer = new Uint8Array(handing.rows);
  }

  /** Adds a party's part of a block; once all are there, what the block says is all that stays. */
  private take(index: number, bytes: Uint8Array): void {
    const { handing } = this;
    const width = handing?.kind === "rows" ? handing.bytes : 8;
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
    if (handing?.kind === "sums") this.answer = bytesOf(block.sum).slice();
    if (handing?.kind === "rows") this.decide(handing, index, block.sum);
    this.spares.give(block.sum);
  }

  private decide(handing: Extract<Handing, { kind: "rows" }>, index: number, sum: Integers): void {
    const { rows, width, bytes } = handing;
    const from = index * rowsPerPiece(handing);
    const count = Math.min(rows - from, rowsPerPiece(handing));
    if (sum.length !== count * (width - 1)) {
      throw new MoietyError("failed", "a block of rows has another size than it should have");
    }
    this.answer.set(smallestPositions(signed(sum, bytes), count, width), from);
  }
}

/** Blocks that are used again: millions of numbers come in, and whoever makes room for each anew spends its time clearing up. */
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
    this.free.length = Math.min(this.free.length, 8);
  }
}
