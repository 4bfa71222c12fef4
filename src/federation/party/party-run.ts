import type { Range } from "../../kernels/rows.js";
import type { LocalColumns } from "../../parties/local.js";
import type { Moves } from "../../parties/types.js";
import { bytesOf, type Integers, integersOf, toIntegers } from "../../privacy/integers.js";
import type { Answer } from "../transport/conversation.js";
import { partBytes } from "../transport/frame.js";
import { checkLength, movesOf, uint16, uint32 } from "../wire/bodies.js";
import { summedStanding, toFlags, toPieces, violationLevels } from "../wire/numbers.js";
import type { WireQuestion } from "../wire/questions.js";
import { clusterAt, differences, firstOf, scoreBound } from "../wire/tables.js";
import { Answering, type AnsweringOptions, outOfPlace } from "./answering.js";
import { HeldColumns } from "./held-columns.js";

export interface PartyRunOptions extends AnsweringOptions {
  readonly columns: LocalColumns;
}

/** A holder of columns in a run. */
export class PartyRun extends Answering<PartyRunOptions> {
  private readonly held = new HeldColumns(this.options.columns);
  private clusters = new Map<number, number>();

  /** Goes on from a checkpoint of an earlier life. */
  async resume(state: Uint8Array): Promise<void> {
    this.clusters = await this.held.resume(state);
  }

  /** The people's final clusters. */
  labels(): Promise<Uint16Array> {
    return this.options.columns.labels();
  }

  protected async take(step: number, of: number, question: WireQuestion, body: Uint8Array): Promise<Answer> {
    const { journal, random } = this.options;
    const columns = this.columnsOf(of);
    if (question.ask === "spread") {
      const { largest, variance, columns: count } = await columns.spread();
      return this.masked(step, question.ask, "3 numbers", toPieces([largest, variance, count]));
    }
    if (question.ask === "open") {
      if (question.k > columns.rows) throw outOfPlace();
      this.clusters.set(of, question.k);
      await columns.open(question);
      return {};
    }
    const k = this.clusters.get(of);
    if (k === undefined) throw outOfPlace();
    switch (question.ask) {
      case "place":
        checkRow(question.row, columns);
        checkBelow(question.cluster, k);
        await columns.place(question.cluster, question.row);
        return {};
      case "distances": {
        checkRow(question.row, columns);
        const distances = await columns.distances(question.row);
        const blocks = ranges({ from: 0, to: columns.rows }, 1);
        return this.stream(step, "seeding distances", "people", blocks, async ({ from, to }) =>
          toIntegers(distances.subarray(from, to), scoreBound),
        );
      }
      case "table": {
        checkRange(question.range, columns);
        if (k === 1) return {};
        const own = question.order === "own" ? await columns.labels() : undefined;
        return this.stream(
          step,
          "score differences",
          `people x ${k - 1}`,
          ranges(question.range, k - 1),
          async ({ from, to }) => differences(await columns.scores({ from, to }), k, own?.subarray(from, to)),
        );
      }
      case "scores": {
        checkRange(question.range, columns);
        return this.stream(step, "scores", `people x ${k}`, ranges(question.range, k), async (range) =>
          toIntegers(await columns.scores(range), scoreBound),
        );
      }
      case "squares": {
        checkBelow(question.cluster, k);
        const squares = await columns.squaresTo(question.cluster);
        const blocks = ranges({ from: 0, to: columns.rows }, 1);
        return this.stream(step, "distances to a centre", "people", blocks, async ({ from, to }) =>
          toIntegers(squares.subarray(from, to), scoreBound),
        );
      }
      case "kinds": {
        const codes = columns.patternCodes();
        const drawn = integersOf(random(8 * (1 + codes.reduce((most, code) => Math.max(most, code), 0))));
        const blocks = ranges({ from: 0, to: columns.rows }, 1);
        return this.stream(step, "who is of the same kind", "people", blocks, async ({ from, to }) =>
          BigInt64Array.from(codes.subarray(from, to), (code) => drawn[code]),
        );
      }
      case "offsets": {
        for (const row of question.rows) checkRow(row, columns);
        const offsets = columns.offsetsOf(Uint32Array.from(question.rows));
        return this.masked(step, "offsets", `kinds of people x ${2 * k}`, toIntegers(offsets, scoreBound));
      }
      case "permit": {
        const moves = checkedMoves(body, question.count, columns, k);
        const refused = (await columns.permit(moves)).map((permitted) => !permitted);
        return this.masked(step, "permits", "proposed moves", toFlags(refused, random));
      }
      case "judge": {
        const changes = await columns.judge(checkedMoves(body, question.count, columns, k));
        return this.masked(step, "what moves change", "proposed moves", toPieces(Array.from(changes)));
      }
      case "gained":
        return this.masked(step, "gain of new centres", "1 number", toPieces([await columns.gained()]));
      case "sse":
        return this.masked(step, "SSE", "1 number", toPieces([await columns.sse()]));
      case "standing": {
        const standing = await columns.standing();
        const flags = toFlags(
          violationLevels.map((level) => standing.violation > level),
          random,
        );
        const sums = toPieces(summedStanding.map((name) => standing[name]));
        const numbers = new BigInt64Array(sums.length + flags.length);
        numbers.set(sums);
        numbers.set(flags, sums.length);
        return this.masked(
          step,
          "standing of the limits",
          `${summedStanding.length} numbers, ${violationLevels.length} levels`,
          numbers,
        );
      }
      case "labels": {
        // Everybody's cluster follows from the places that the coordinator sent: it knows them.
        const labels = await columns.labels();
        journal.note("clusters", "people", "open", labels.byteLength);
        return { body: new Uint8Array(labels.buffer, labels.byteOffset, labels.byteLength) };
      }
      case "sizes": {
        const sizes = Array.from(await columns.sizes());
        journal.note("cluster sizes", `${k} numbers`, "open", 8 * k);
        return { meta: sizes };
      }
      case "vacate": {
        const offer = await columns.vacate(question.turn, question.draw);
        journal.note("where a centre could go", "1 row number", "open", 16);
        return { meta: offer ?? null };
      }
      case "settle": {
        checkRange(question.range, columns);
        journal.note("who moved", "1 number", "open", 8);
        return { meta: await this.settle(columns, k, question.range, question.order, body) };
      }
      case "adopt": {
        checkRange(question.range, columns);
        const labels = uint16(body, question.range.to - question.range.from);
        for (const label of labels) checkBelow(label, k);
        return { meta: await columns.adopt(question.range, labels) };
      }
      case "apply":
        await columns.apply(checkedMoves(body, question.count, columns, k));
        return {};
      case "sample": {
        const rows = uint32(body, question.count);
        for (const row of rows) checkRow(row, columns);
        if (of !== 0 || question.as === 0 || this.held.count >= 16) throw outOfPlace();
        await this.held.sample(question.as, rows);
        this.clusters.set(question.as, k);
        return {};
      }
      case "inherit":
        await columns.inherit(this.columnsOf(question.from));
        return {};
      case "close":
        if (of === 0) throw outOfPlace();
        await this.held.close(of);
        this.clusters.delete(of);
        return {};
      case "checkpoint":
        await this.options.keep(question.position, this.held.state());
        return {};
      default:
        await this.order(columns, question);
        return {};
    }
  }

  /** What has no answer and cannot be out of range. */
  private async order(columns: LocalColumns, question: WireQuestion): Promise<void> {
    switch (question.ask) {
      case "prepare":
        return columns.prepare(question.rule);
      case "pin":
        checkRow(question.row, columns);
        return columns.pin(question.row);
      case "unpin":
        return columns.unpin();
      case "recentre":
        return columns.recentre();
      case "restartPrices":
        return columns.restartPrices(question.step, question.room);
      case "adjustPrices":
        return columns.adjustPrices();
      case "startAdmm":
        return columns.startAdmm(question.rho);
      case "stepAdmm":
        return columns.stepAdmm(question.raise);
      case "remember":
        return columns.remember(question.slot);
      case "recall":
        return columns.recall(question.slot);
      default:
        throw outOfPlace();
    }
  }

  /** Places become clusters here: whoever sent them need not know which. */
  private async settle(columns: LocalColumns, k: number, range: Range, order: "own" | "index", body: Uint8Array) {
    const count = range.to - range.from;
    let places: Uint8Array | Uint16Array;
    if (k <= 256) {
      checkLength(body, count);
      places = body;
    } else places = uint16(body, count);
    const own = order === "own" ? (await columns.labels()).subarray(range.from, range.to) : undefined;
    const labels = new Uint16Array(count);
    for (let i = 0; i < count; i++) {
      checkBelow(places[i], k);
      labels[i] = clusterAt(places[i], firstOf(own, i));
    }
    return columns.adopt(range, labels);
  }

  /** Masked numbers block by block: the next block is computed while the last one travels. */
  private stream(
    step: number,
    kind: string,
    shape: string,
    blocks: readonly Range[],
    compute: (range: Range) => Promise<Integers>,
  ): Answer {
    const { masks, journal } = this.options;
    const next = (index: number) => (index < blocks.length ? compute(blocks[index]) : undefined);
    async function* body() {
      let bytes = 0;
      let computing = next(0);
      for (let index = 0; computing; index++) {
        const numbers = await computing;
        computing = next(index + 1);
        computing?.catch(() => undefined);
        masks.mask({ round: step, block: index }, numbers);
        bytes += numbers.byteLength;
        yield bytesOf(numbers);
      }
      journal.note(kind, shape, "masked", bytes);
    }
    return { body: body() };
  }

  private columnsOf(of: number): LocalColumns {
    const columns = this.held.of(of);
    if (!columns) throw outOfPlace();
    return columns;
  }
}

/** Stretches whose numbers fill a part of the wire at most. */
function ranges({ from, to }: Range, width: number): Range[] {
  const rows = Math.max(1, Math.floor(partBytes / 8 / width));
  const list: Range[] = [];
  for (let at = from; at < to; at += rows) list.push({ from: at, to: Math.min(to, at + rows) });
  return list;
}

function checkedMoves(body: Uint8Array, count: number, columns: LocalColumns, k: number): Moves {
  checkLength(body, 6 * count);
  const moves = movesOf(body, count);
  for (const row of moves.rows) checkRow(row, columns);
  for (const cluster of moves.to) checkBelow(cluster, k);
  return moves;
}

function checkRow(row: number, columns: LocalColumns): void {
  checkBelow(row, columns.rows);
}

function checkRange({ from, to }: Range, columns: LocalColumns): void {
  if (from > to || to > columns.rows) throw outOfPlace();
}

function checkBelow(value: number, limit: number): void {
  if (value >= limit) throw outOfPlace();
}
