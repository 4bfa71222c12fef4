import { Buffer } from "node:buffer";

const leastBlock = 1 << 20;

/** No number is written longer: a sign, 17 digits, a point and an exponent. */
export const longestNumber = 32;

/** Where blocks of bytes go; the block is used again once the promise is kept. */
export type Sink = (block: Uint8Array) => Promise<void>;

/** Whole numbers below this have at most nine digits, and so have both halves of those below the other. */
const endOfHalf = 1e9;
const endOfPlain = 1e15;

const newline = 10;
const comma = 44;
const quote = 34;

/**
 * Writes CSV cells as bytes into one block that is emptied whenever another row might not fit. Most cells are whole
 * numbers or plain ASCII; writing those byte by byte is several times faster than joining strings.
 */
export class CellWriter {
  private block: Buffer;
  private length = 0;

  /** `rowBytes` is the most that one row can take; `delimiter` is a comma's or a tab's code. */
  constructor(
    private readonly sink: Sink,
    private rowBytes: number,
    private readonly delimiter: number,
  ) {
    this.block = Buffer.allocUnsafe(Math.max(leastBlock, 2 * rowBytes));
  }

  /** True when the block must be emptied with `flush` before the next row. */
  get full(): boolean {
    return this.length + this.rowBytes > this.block.length;
  }

  /** From here on a row may take so many bytes. */
  async widen(rowBytes: number): Promise<void> {
    if (rowBytes <= this.rowBytes) return;
    await this.flush();
    this.rowBytes = rowBytes;
    if (2 * rowBytes > this.block.length) this.block = Buffer.allocUnsafe(2 * rowBytes);
  }

  async flush(): Promise<void> {
    if (this.length > 0) await this.sink(this.block.subarray(0, this.length));
    this.length = 0;
  }

  endCell(): void {
    this.block[this.length++] = this.delimiter;
  }

  endRow(): void {
    this.block[this.length++] = newline;
  }

  /** `write` gives the text of numbers that are not small whole ones. */
  number(value: number, write: (value: number) => string): void {
    const rest = Math.abs(value);
    if (rest !== Math.floor(rest) || rest >= (write === String ? endOfPlain : endOfHalf)) {
      this.length += this.block.write(write(value), this.length, "latin1");
      return;
    }
    if (value < 0) this.block[this.length++] = 45;
    const high = rest < endOfHalf ? 0 : Math.floor(rest / endOfHalf);
    if (high > 0) this.digits(high, lengthOf(high));
    this.digits(rest - endOfHalf * high, high > 0 ? 9 : lengthOf(rest));
  }

  /** So many digits of a whole number of at most nine. */
  private digits(number: number, digits: number): void {
    const { block } = this;
    let rest = number;
    for (let at = this.length + digits - 1; at >= this.length; at--) {
      const next = (rest / 10) | 0;
      block[at] = 48 + rest - 10 * next;
      rest = next;
    }
    this.length += digits;
  }

  text(text: string): void {
    const { block } = this;
    const last = text.length - 1;
    let at = this.length;
    for (let i = 0; i <= last; i++) {
      const code = text.charCodeAt(i);
      const edge = i === 0 || i === last;
      if (code >= 128 || code < 32 || code === quote || code === comma || (edge && code === 32)) {
        this.length += block.write(quoted(text), this.length, "utf8");
        return;
      }
      block[at++] = code;
    }
    this.length = at;
  }
}

function lengthOf(number: number): number {
  let digits = 1;
  for (let limit = 10; number >= limit; limit *= 10) digits++;
  return digits;
}

function quoted(text: string): string {
  return /[",\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The most bytes that these texts can take as cells: three for each UTF-16 unit, or two for a doubled quote. */
export function longestText(texts: readonly string[]): number {
  let longest = 0;
  for (const text of texts) if (text.length > longest) longest = text.length;
  return 3 * longest + 2;
}
