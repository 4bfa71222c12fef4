import type { DuckDBVector } from "@duckdb/node-api";
import { inTurns } from "../../turns.js";
import { isOnlyView } from "../garbage.js";
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

/** The most rows of one of the engine's chunks. */
const chunkRows = 2048;

/** Takes a column in, chunk by chunk. */
export interface Collector {
  /** The next `count` values. */
  append(vector: DuckDBVector, count: number): void;
  finish(): Column | Promise<Column>;
}

/** Where a source does not tell how many rows to expect. */
const fewestExpected = 1 << 16;

/**
 * Numbers that come bit by bit. There is room for as many as are expected, and twice as many where more come: memory that
 * nothing was written to yet takes none of the machine's.
 */
class AppendedNumbers<T extends NumberArray> {
  private length = 0;
  private values: T;

  constructor(
    private readonly Numbers: new (length: number) => T,
    expected: number,
  ) {
    this.values = new Numbers(Math.max(1, expected));
  }

  /** The places of the next `count`, to be written to. */
  next(count: number): T {
    const end = this.length + count;
    if (end > this.values.length) {
      const longer = new this.Numbers(Math.max(end, 2 * this.values.length, fewestExpected));
      longer.set(this.taken());
      this.values = longer;
    }
    const places = this.values.subarray(this.length, end);
    this.length = end;
    return places as T;
  }

  taken(): T {
    return this.values.subarray(0, this.length) as T;
  }

  /** The same numbers in a wider array. */
  widened<W extends NumberArray>(Wider: new (length: number) => W): AppendedNumbers<W> {
    const wider = new AppendedNumbers(Wider, this.values.length);
    wider.next(this.length).set(this.taken());
    return wider;
  }
}

/** Whole numbers of these are kept in fewer bytes. */
const narrow = [
  { Numbers: Int8Array, end: 2 ** 7 },
  { Numbers: Int16Array, end: 2 ** 15 },
  { Numbers: Int32Array, end: 2 ** 31 },
] as const;

/** Numbers, in the narrowest array that holds all of them exactly. */
export class NumericCollector implements Collector {
  /** What can hold them, from the narrowest; the last can hold all. */
  private readonly widths: readonly (new (
    length: number,
  ) => NumberArray)[];
  private width = 0;
  private values: AppendedNumbers<NumberArray> | undefined;
  /** A chunk with its gaps. */
  private readonly chunk: Float64Array | Float32Array;
  private missing = 0;
  private notFinite = 0;

  constructor(
    private readonly name: string,
    private readonly single: boolean,
    private readonly expected = 0,
  ) {
    const Widest = single ? Float32Array : Float64Array;
    this.chunk = new Widest(chunkRows);
    const narrower = narrow
      .map(({ Numbers }) => Numbers)
      .filter((each) => each.BYTES_PER_ELEMENT < Widest.BYTES_PER_ELEMENT);
    this.widths = [...narrower, Widest];
  }

  append(vector: DuckDBVector, count: number): void {
    const numbers = this.numbersOf(vector, count);
    const width = Math.max(this.width, this.widthOf(numbers));
    if (this.values === undefined) this.values = new AppendedNumbers(this.widths[width], this.expected);
    else if (width > this.width) this.values = this.values.widened(this.widths[width]);
    this.width = width;
    this.values.next(count).set(numbers);
  }

  finish(): NumericColumn {
    const { name, single, missing, notFinite } = this;
    const values = this.values?.taken() ?? new Float64Array(0);
    isOnlyView(values);
    const narrowed = single && !(values instanceof Float32Array);
    return { kind: "numeric", name, values, ...(narrowed ? { single: true } : {}), missing, notFinite };
  }

  /** NaN where one is missing. */
  private numbersOf(vector: DuckDBVector, count: number): Float64Array | Float32Array {
    const { items, validity } = rawVector(vector);
    const { chunk } = this;
    if (items === undefined || items.BYTES_PER_ELEMENT !== chunk.BYTES_PER_ELEMENT || count > chunk.length) {
      throw unknownLayout();
    }
    const numbers = items.subarray(0, count);
    const bits = validityBits(validity.data);
    if (bits === null) return numbers;
    chunk.set(numbers);
    markMissing(chunk, bits, count);
    return chunk.subarray(0, count);
  }

  /** Which of the widths holds all of these. Counts what is no number on the way. */
  private widthOf(numbers: Float64Array | Float32Array): number {
    const widest = this.widths.length - 1;
    const most = this.width < widest ? largestWhole(numbers) : undefined;
    if (most === undefined) {
      if (!areFinite(numbers)) this.countOthers(numbers);
      return widest;
    }
    const fitting = narrow.findIndex(({ end }) => most < end);
    return Math.min(fitting, widest);
  }

  private countOthers(numbers: Float64Array | Float32Array): void {
    for (const value of numbers) {
      if (Number.isNaN(value)) this.missing++;
      else if (!Number.isFinite(value)) this.notFinite++;
    }
  }
}

/** A bound on all magnitudes where all are whole numbers of 32 bits. */
function largestWhole(numbers: Float64Array | Float32Array): number | undefined {
  // The bits that any of them has: a negative number counts as its complement.
  let bits = 0;
  for (let i = 0; i < numbers.length; i++) {
    const value = numbers[i];
    const whole = value | 0;
    if (whole !== value) return undefined;
    bits |= whole ^ (whole >> 31);
  }
  return bits;
}

/** Nothing times infinity is no number, and neither is nothing times NaN. */
function areFinite(numbers: Float64Array | Float32Array): boolean {
  let nothing = 0;
  for (let i = 0; i < numbers.length; i++) nothing += 0 * numbers[i];
  return nothing === 0;
}

/** The longest text that the engine keeps inside its cell. */
const shortBytes = 12;

/**
 * Ids: as numbers while all are whole numbers written plainly (7, not 007), since millions of different texts take more memory
 * than the people; else as texts.
 */
export class IdCollector implements Collector {
  private readonly numbers: AppendedNumbers<Float64Array>;
  private texts: TextCollector | undefined;

  constructor(
    private readonly name: string,
    private readonly expected = 0,
  ) {
    this.numbers = new AppendedNumbers(Float64Array, expected);
  }

  append(vector: DuckDBVector, count: number): void {
    if (this.texts === undefined) {
      const before = this.numbers.taken();
      if (readPlain(vector, this.numbers.next(count))) return;
      this.texts = new TextCollector(this.name, this.expected);
      for (let from = 0; from < before.length; from += chunkRows) {
        this.texts.appendTexts(Array.from(before.subarray(from, from + chunkRows), String));
      }
    }
    this.texts.append(vector, count);
  }

  finish(): Column | Promise<Column> {
    if (this.texts) return this.texts.finish();
    return { kind: "numeric", name: this.name, values: this.numbers.taken(), missing: 0, notFinite: 0 };
  }
}

/** The numbers that texts of digits stand for; false where one is missing, or written in another way. */
function readPlain(vector: DuckDBVector, numbers: Float64Array): boolean {
  const count = numbers.length;
  const { dataView, validity } = rawVector(vector);
  if (dataView === undefined) throw unknownLayout();
  const bits = validityBits(validity.data);
  const lengths = new Uint32Array(dataView.buffer, dataView.byteOffset, 4 * count);
  const bytes = new Uint8Array(dataView.buffer, dataView.byteOffset, 16 * count);
  for (let i = 0; i < count; i++) {
    if (bits !== null && ((bits[i >>> 5] >>> (i & 31)) & 1) === 0) return false;
    const [length, from] = [lengths[4 * i], 16 * i + 4];
    if (length === 0 || length > shortBytes || (bytes[from] === 48 && length > 1)) return false;
    let number = 0;
    for (let at = from; at < from + length; at++) {
      const digit = bytes[at] - 48;
      if (digit < 0 || digit > 9) return false;
      number = 10 * number + digit;
    }
    numbers[i] = number;
  }
  return true;
}

function markMissing(numbers: Float64Array | Float32Array, bits: Uint32Array, count: number): void {
  for (let word = 0; 32 * word < count; word++) {
    if (bits[word] === 0xffffffff) continue;
    const end = Math.min(count, 32 * word + 32);
    for (let i = 32 * word; i < end; i++) if (((bits[word] >>> (i & 31)) & 1) === 0) numbers[i] = Number.NaN;
  }
}

/**
 * A dictionary in the order of first sight, reordered when all is read. The engine keeps texts of up to 12 bytes inside
 * their 16-byte cell, so those (nearly all levels of nearly all columns) are looked up as four words without ever
 * becoming a string.
 */
export class TextCollector implements Collector {
  private readonly codes: AppendedNumbers<Int32Array>;
  private readonly texts: string[] = [];
  private readonly codeOfLong = new Map<string, number>();
  private slots = new Int32Array(1024);
  private words = new Uint32Array(4 * 256);
  private shortCodes = new Int32Array(256);
  private shortCount = 0;
  private missing = 0;

  constructor(
    private readonly name: string,
    expected = 0,
  ) {
    this.codes = new AppendedNumbers(Int32Array, expected);
  }

  append(vector: DuckDBVector, count: number): void {
    const { dataView, validity } = rawVector(vector);
    if (dataView === undefined) throw unknownLayout();
    const cells = new Uint32Array(dataView.buffer, dataView.byteOffset, 4 * count);
    const bits = validityBits(validity.data);
    // Equal pointers within one chunk are equal texts: Parquet repeats its dictionary's.
    const codeOfPointer = new Map<number, number>();
    const codes = this.codes.next(count);
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
    const codes = this.codes.next(texts.length);
    texts.forEach((text, i) => {
      const length = bytes.fill(0).write(text);
      codes[i] = this.shortCode(length, cell[0], cell[1], cell[2]);
    });
  }

  /** The dictionary may be as long as the table: others have their turns. */
  async finish(): Promise<TextColumn> {
    const { name, texts, missing } = this;
    const codes = this.codes.taken();
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
