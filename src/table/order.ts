import { turn } from "../turns.js";
import { free } from "./garbage.js";

/**
 * The one order of texts: that of their UTF-8 bytes. It needs no locale, and every institution's database, language
 * and tool can reproduce it, so parties that sort by id agree on who is person number i.
 *
 * JavaScript's own order is by UTF-16 unit, which differs from bytes only where a surrogate pair (U+10000 and above)
 * meets a unit of U+E000 to U+FFFF.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return byteRank(left) - byteRank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all other units, so they go last. */
function byteRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

const surrogate = /[\ud800-\udfff]/;

/** Sorts in place by UTF-8 bytes. The engine's own sort is several times faster, and right unless there are surrogates. */
export function sortBytes(texts: string[]): string[] {
  return texts.some((text) => surrogate.test(text)) ? texts.sort(compareBytes) : texts.sort();
}

/** So many texts are sorted, or merged, before other work of the process has its turn. */
const runLength = 1 << 15;

/**
 * As `sortBytes`, with turns for others: runs are sorted one by one and merged. A process that sorts millions of ids goes
 * on answering.
 */
export async function sortBytesInTurns(texts: string[]): Promise<string[]> {
  const n = texts.length;
  if (n <= runLength) return sortBytes(texts);
  let plain = true;
  for (let from = 0; from < n; from += runLength) {
    const part = texts.slice(from, from + runLength);
    plain &&= !part.some((text) => surrogate.test(text));
    sortBytes(part).forEach((text, at) => {
      texts[from + at] = text;
    });
    await turn();
  }
  const inOrder = plain ? (a: string, b: string) => a <= b : (a: string, b: string) => compareBytes(a, b) <= 0;
  let [source, target] = [texts, new Array<string>(n)];
  for (let width = runLength; width < n; width *= 2) {
    for (let from = 0; from < n; from += 2 * width) {
      const [middle, to] = [Math.min(n, from + width), Math.min(n, from + 2 * width)];
      await merge(source, target, { from, middle, to }, inOrder);
    }
    [source, target] = [target, source];
  }
  return source;
}

async function merge(
  source: readonly string[],
  target: string[],
  { from, middle, to }: { readonly from: number; readonly middle: number; readonly to: number },
  inOrder: (a: string, b: string) => boolean,
): Promise<void> {
  // Runs that follow one another need no comparison: ids often come in order.
  const follows = middle >= to || inOrder(source[middle - 1], source[middle]);
  let [left, right] = [from, middle];
  for (let at = from; at < to; at++) {
    const takeLeft = left < middle && (follows || right >= to || inOrder(source[left], source[right]));
    target[at] = takeLeft ? source[left++] : source[right++];
    if ((at - from) % runLength === runLength - 1) await turn();
  }
}

/** Whole numbers from 0 to below this are put in the order of their decimal texts without making these. */
const endOfPlain = 1e14;
/** Of a key of 52 bits; each pass of the sort looks at one digit, and half a key has two. */
const digitBits = 13;
const halfKey = 2 ** (2 * digitBits);

/** Whether all are whole numbers that `sortByDigits` knows. */
export function arePlain(numbers: ArrayLike<number>): boolean {
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i];
    if (!(number >= 0 && number < endOfPlain && number === Math.floor(number))) return false;
  }
  return true;
}

/**
 * Sorts rows, in place, by the bytes of the decimal texts of their numbers: 1, 10, 2. Returns the numbers in that order. A
 * number's key are its digits, moved up to the highest places, and how many there are, so that 1 is before 10.
 */
export function sortByDigits(rows: Uint32Array, numbers: ArrayLike<number>): Float64Array {
  const n = rows.length;
  const powers = Float64Array.from({ length: 15 }, (_, exponent) => 10 ** exponent);
  // The low and the high half of each key, side by side.
  let from = { keys: new Uint32Array(2 * n), rows };
  let to = { keys: new Uint32Array(2 * n), rows: new Uint32Array(n) as Uint32Array };
  for (let i = 0; i < n; i++) {
    const number = numbers[rows[i]];
    let digits = 1;
    while (number >= powers[digits]) digits++;
    const key = 16 * number * powers[14 - digits] + digits;
    const high = Math.floor(key / halfKey);
    from.keys[2 * i] = key - halfKey * high;
    from.keys[2 * i + 1] = high;
  }
  for (const half of [0, 1]) {
    for (const shift of [0, digitBits]) {
      passByDigit(from, to, half, shift);
      [from, to] = [to, from];
    }
  }
  // After an even number of passes the rows are where they were. The rest is as much as five columns of doubles of a million.
  for (const { buffer } of [from.keys, to.keys, to.rows]) free(buffer as ArrayBuffer);
  const ordered = new Float64Array(n);
  for (let i = 0; i < n; i++) ordered[i] = numbers[rows[i]];
  return ordered;
}

interface KeyedRows {
  readonly keys: Uint32Array;
  readonly rows: Uint32Array;
}

/** Rows by one digit of their keys; those with the same digit stay in their order. */
function passByDigit(from: KeyedRows, to: KeyedRows, half: number, shift: number): void {
  const mask = 2 ** digitBits - 1;
  const starts = new Uint32Array(mask + 2);
  const { keys, rows } = from;
  for (let at = half; at < keys.length; at += 2) starts[((keys[at] >>> shift) & mask) + 1]++;
  for (let digit = 1; digit < starts.length; digit++) starts[digit] += starts[digit - 1];
  for (let i = 0; i < rows.length; i++) {
    const place = starts[(keys[2 * i + half] >>> shift) & mask]++;
    to.keys[2 * place] = keys[2 * i];
    to.keys[2 * place + 1] = keys[2 * i + 1];
    to.rows[place] = rows[i];
  }
}

/** Different ids in the order of their bytes. */
export interface DistinctIds {
  readonly sorted: readonly string[];
  /** Rows beyond the first with the same id. */
  readonly duplicates: number;
}

export async function distinctIds(ids: Iterable<string>): Promise<DistinctIds> {
  const distinct = new Set<string>();
  let rows = 0;
  for (const id of ids) {
    distinct.add(id);
    if (++rows % runLength === 0) await turn();
  }
  return { sorted: await sortBytesInTurns([...distinct]), duplicates: rows - distinct.size };
}
