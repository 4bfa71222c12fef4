import type { DuckDBVector } from "@duckdb/node-api";
import { inTurns } from "../../turns.js";
import { sortBytesInTurns } from "../order.js";
import { isSame, recoded } from "../texts.js";
import type { Column, NumberArray, NumericColumn, TextColumn } from "../types.js";

/**
 * What lies under the engine's vectors. Going through `getItem` costs ten times as much as copying whole arrays, so we
 * look at the fields that its classes keep; a change of the engine's version that renames them fails here, loudly.
 */
interface RawVector {
  readonly items?: Float64Array | Float32Array;
  readonly dataView?: DataView;
  readonly validity: { readonly data: BigUint64Array | null };
}

/** Takes a column in, chunk by chunk. */
export interface Collector {
  /** The next `count` values. */
  append(vector: DuckDBVector, count: number): void;
  finish(): Column | Promise<Column>;
}

/** Values that are looked at together before they are stored: few enough for the processor's cache. */
const blockLength = 1 << 16;

/** Whole numbers of these are kept in fewer bytes. */
const narrow = [
  { Numbers: Int8Array, end: 2 ** 7 },
  { Numbers: Int16Array, end: 2 ** 15 },
  { Numbers: Int32Array, end: 2 ** 31 },
] as const;

type Numbers = new (values: number | Float64Array | Float32Array) => NumberArray;

/** Numbers: each block in the narrowest array that holds it exactly, and in the end all of them in the widest of these. */
export class NumericCollector implements Collector {
  private readonly block: Float64Array | Float32Array;
  /** What can hold them, from the narrowest; the last can hold all. */
  private readonly widths: readonly Numbers[];
  private filled = 0;
  private readonly blocks: NumberArray[] = [];
  private missing = 0;
  private notFinite = 0;

  constructor(
    private readonly name: string,
    private readonly single: boolean,
  ) {
    const Widest = single ? Float32Array : Float64Array;
    this.block = new Widest(blockLength);
    const narrower = narrow
      .map(({ Numbers }) => Numbers)
      .filter((each) => each.BYTES_PER_ELEMENT < Widest.BYTES_PER_ELEMENT);
    this.widths = [...narrower, Widest];
  }

  append(vector: DuckDBVector, count: number): void {
    const { items, validity } = rawVector(vector);
    if (items === undefined || items.BYTES_PER_ELEMENT !== this.block.BYTES_PER_ELEMENT) throw unknownLayout();
    const bits = validityBits(validity.data);
    for (let from = 0; from < count; ) {
      const taken = Math.min(count - from, blockLength - this.filled);
      this.block.set(items.subarray(from, from + taken), this.filled);
      if (bits !== null) markMissing(this.block, this.filled, bits, from, taken);
      this.filled += taken;
      from += taken;
      if (this.filled === blockLength) this.store();
    }
  }

  finish(): NumericColumn {
    if (this.filled > 0) this.store();
    const { name, single, widths, blocks, missing, notFinite } = this;
    const width = Math.max(0, ...blocks.map((block) => widths.indexOf(block.constructor as Numbers)));
    const values = joined(blocks, widths[width]);
    const narrowed = single && !(values instanceof Float32Array);
    return { kind: "numeric", name, values, ...(narrowed ? { single: true } : {}), missing, notFinite };
  }

  private store(): void {
    const values = this.block.subarray(0, this.filled);
    const most = this.largestWhole(values);
    const fitting = most === undefined ? -1 : narrow.findIndex(({ end }) => most < end);
    const Narrowest = this.widths[fitting] ?? this.widths[this.widths.length - 1];
    this.blocks.push(new Narrowest(values));
    this.filled = 0;
  }

  /** A bound on all magnitudes where all are whole numbers of 32 bits. Counts what is no number on the way. */
  private largestWhole(values: Float64Array | Float32Array): number | undefined {
    // The bits that any of them has: a negative number counts as its complement.
    let bits = 0;
    let isWhole = true;
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      const whole = value | 0;
      if (whole === value) {
        bits |= whole ^ (whole >> 31);
        continue;
      }
      isWhole = false;
      // Infinity less itself is no number, and neither is NaN.
      if (value - value === 0) continue;
      if (Number.isNaN(value)) this.missing++;
      else this.notFinite++;
    }
    return isWhole ? bits : undefined;
  }
}

/** The longest text that the engine keeps inside its cell. */
const shortBytes = 12;

/**
 * Ids: as numbers while all are whole numbers written plainly (7, not 007), since millions of different texts take more memory
 * than the people; else as texts.
 */
export class IdCollector implements Collector {
  private readonly blocks: Float64Array[] = [];
  private texts: TextCollector | undefined;

  constructor(private readonly name: string) {}

  append(vector: DuckDBVector, count: number): void {
    if (this.texts === undefined) {
      const numbers = plainNumbers(vector, count);
      if (numbers !== undefined) {
        this.blocks.push(numbers);
        return;
      }
      this.texts = new TextCollector(this.name);
      for (let block = this.blocks.shift(); block !== undefined; block = this.blocks.shift()) {
        this.texts.appendTexts(Array.from(block, String));
      }
    }
    this.texts.append(vector, count);
  }

  finish(): Column | Promise<Column> {
    if (this.texts) return this.texts.finish();
    const values = joined(this.blocks, Float64Array);
    return { kind: "numeric", name: this.name, values, missing: 0, notFinite: 0 };
  }
}

/** The numbers that texts of digits stand for; undefined where one is missing, or written in another way. */
function plainNumbers(vector: DuckDBVector, count: number): Float64Array | undefined {
  const { dataView, validity } = rawVector(vector);
  if (dataView === undefined) throw unknownLayout();
  const bits = validityBits(validity.data);
  const lengths = new Uint32Array(dataView.buffer, dataView.byteOffset, 4 * count);
  const bytes = new Uint8Array(dataView.buffer, dataView.byteOffset, 16 * count);
  const numbers = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    if (bits !== null && ((bits[i >>> 5] >>> (i & 31)) & 1) === 0) return undefined;
    const [length, from] = [lengths[4 * i], 16 * i + 4];
    if (length === 0 || length > shortBytes || (bytes[from] === 48 && length > 1)) return undefined;
    let number = 0;
    for (let at = from; at < from + length; at++) {
      const digit = bytes[at] - 48;
      if (digit < 0 || digit > 9) return undefined;
      number = 10 * number + digit;
    }
    numbers[i] = number;
  }
  return numbers;
}

function markMissing(
  values: Float64Array | Float32Array,
  at: number,
  bits: Uint32Array,
  from: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    const place = from + i;
    if (((bits[place >>> 5] >>> (place & 31)) & 1) === 0) values[at + i] = Number.NaN;
  }
}

/** One array of all blocks, which are let go of as they are copied. */
function joined<T extends NumberArray>(blocks: NumberArray[], Whole: new (length: number) => T): T {
  const values = new Whole(blocks.reduce((length, block) => length + block.length, 0));
  let at = 0;
  for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) {
    values.set(block, at);
    at += block.length;
  }
  return values;
}

/**
 * A dictionary in the order of first sight, reordered when all is read. The engine keeps texts of up to 12 bytes inside
 * their 16-byte cell, so those (nearly all levels of nearly all columns) are looked up as four words without ever
 * becoming a string.
 */
export class TextCollector implements Collector {
  private readonly blocks: Int32Array[] = [];
  private readonly texts: string[] = [];
  private readonly codeOfLong = new Map<string, number>();
  private slots = new Int32Array(1024);
  private words = new Uint32Array(4 * 256);
  private shortCodes = new Int32Array(256);
  private shortCount = 0;
  private missing = 0;

  constructor(private readonly name: string) {}

  append(vector: DuckDBVector, count: number): void {
    const { dataView, validity } = rawVector(vector);
    if (dataView === undefined) throw unknownLayout();
    const cells = new Uint32Array(dataView.buffer, dataView.byteOffset, 4 * count);
    const bits = validityBits(validity.data);
    // Equal pointers within one chunk are equal texts: Parquet repeats its dictionary's.
    const codeOfPointer = new Map<number, number>();
    const codes = new Int32Array(count);
    this.blocks.push(codes);
    for (let i = 0; i < count; i++) {
      if (bits !== null && ((bits[i >>> 5] >>> (i & 31)) & 1) === 0) {
        codes[i] = -1;
        this.missing++;
      } else if (cells[4 * i] <= shortBytes) {
        codes[i] = this.shortCode(cells[4 * i], cells[4 * i + 1], cells[4 * i + 2], cells[4 * i + 3]);
      } else {
        const pointer = cells[4 * i + 2] + cells[4 * i + 3] * 2 ** 32;
        let code = codeOfPointer.get(pointer);
        if (code === undefined) {
          code = this.longCode(vector.getItem(i) as string);
          codeOfPointer.set(pointer, code);
        }
        codes[i] = code;
      }
    }
  }

  /** Texts that are no longer than what the engine keeps in a cell. */
  appendTexts(texts: readonly string[]): void {
    const cell = new Uint32Array(3);
    const bytes = Buffer.from(cell.buffer);
    this.blocks.push(
      Int32Array.from(texts, (text) => {
        const length = bytes.fill(0).write(text);
        return this.shortCode(length, cell[0], cell[1], cell[2]);
      }),
    );
  }

  /** The dictionary may be as long as the table: others have their turns. */
  async finish(): Promise<TextColumn> {
    const { name, texts, missing } = this;
    const codes = joined(this.blocks, Int32Array);
    const levels = await sortBytesInTurns([...texts]);
    if (isSame(levels, texts)) return { kind: "text", name, codes, levels, missing };
    const rank = new Map<string, number>();
    await inTurns(levels, (part, from) => {
      part.forEach((level, at) => {
        rank.set(level, from + at);
      });
    });
    const moved = new Int32Array(texts.length);
    await inTurns(texts, (part, from) => {
      part.forEach((text, at) => {
        moved[from + at] = rank.get(text)!;
      });
    });
    return { kind: "text", name, codes: recoded(codes, moved), levels, missing };
  }

  private longCode(text: string): number {
    let code = this.codeOfLong.get(text);
    if (code === undefined) {
      code = this.texts.push(text) - 1;
      this.codeOfLong.set(text, code);
    }
    return code;
  }

  private shortCode(length: number, a: number, b: number, c: number): number {
    const { slots, words } = this;
    const mask = slots.length - 1;
    let slot = hash(length, a, b, c) & mask;
    for (;;) {
      const entry = slots[slot] - 1;
      if (entry < 0) return this.addShort(slot, length, a, b, c);
      const at = 4 * entry;
      if (words[at] === length && words[at + 1] === a && words[at + 2] === b && words[at + 3] === c) {
        return this.shortCodes[entry];
      }
      slot = (slot + 1) & mask;
    }
  }

  private addShort(slot: number, length: number, a: number, b: number, c: number): number {
    const entry = this.shortCount++;
    if (entry === this.shortCodes.length) this.grow();
    this.words.set([length, a, b, c], 4 * entry);
    const bytes = Buffer.from(this.words.buffer, 16 * entry + 4, length);
    const code = this.texts.push(bytes.toString("utf8")) - 1;
    this.shortCodes[entry] = code;
    if (4 * this.shortCount > 2 * this.slots.length) this.rehash();
    else this.slots[slot] = entry + 1;
    return code;
  }

  private grow(): void {
    const words = new Uint32Array(2 * this.words.length);
    words.set(this.words);
    this.words = words;
    const codes = new Int32Array(2 * this.shortCodes.length);
    codes.set(this.shortCodes);
    this.shortCodes = codes;
  }

  private rehash(): void {
    const slots = new Int32Array(4 * this.slots.length);
    const mask = slots.length - 1;
    const { words } = this;
    for (let entry = 0; entry < this.shortCount; entry++) {
      let slot = hash(words[4 * entry], words[4 * entry + 1], words[4 * entry + 2], words[4 * entry + 3]) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = entry + 1;
    }
    this.slots = slots;
  }
}

function hash(length: number, a: number, b: number, c: number): number {
  let h = Math.imul(length ^ Math.imul(a, 0x9e3779b1), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15) ^ b, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 13) ^ c, 0x27d4eb2f);
  return h ^ (h >>> 16);
}

function rawVector(vector: DuckDBVector): RawVector {
  const raw = vector as unknown as RawVector;
  if (raw.validity === undefined || raw.validity.data === undefined) throw unknownLayout();
  return raw;
}

function validityBits(data: BigUint64Array | null): Uint32Array | null {
  return data === null ? null : new Uint32Array(data.buffer, data.byteOffset, 2 * data.length);
}

function unknownLayout(): Error {
  return new Error("@duckdb/node-api lays out its vectors in a way that we do not know");
}
