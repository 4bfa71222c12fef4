import * as z from "zod";
import { type Group, questionsTo } from "./questions.js";

/** The smallest and the largest value of each column. */
export interface ColumnReach {
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/** A holder of rows with columns of numbers. */
export interface ColumnHolder {
  readonly columns: number;
  /** Whether the site may be asked about them now. */
  readonly showsColumns: boolean;
  reaches(known: BigUint64Array, shift: number, bits: number): Float64Array;
}

/**
 * Bits of the largest values that one question finds, where columns are few and where they are many: each level of each takes a number,
 * so that 100 columns take 51,000 numbers in each of 8 questions, and 100 more 6,030 in each of 16.
 */
const bitsAtOnce = { few: 8, many: 4 } as const;
const fewColumns = 100;
const levelsOf = (bits: number) => 2 ** bits - 1;

/** Whether the largest value of each column, and of each negated one, reaches some levels above what is known of it. */
export const reaches = questionsTo<ColumnHolder>().question({
  name: "reaches",
  request: z.strictObject({
    known: z.instanceof(BigUint64Array),
    shift: z.number().int().min(0).max(60),
    bits: z.union([z.literal(bitsAtOnce.few), z.literal(bitsAtOnce.many)]),
  }),
  leaves: "any",
  shape: ({ known, bits }) => ({ reached: known.length * levelsOf(bits) }),
  guard: ({ columns, showsColumns }, { known, shift, bits }) =>
    showsColumns && known.length === 2 * columns && shift % bits === 0,
  answer: (site, { known, shift, bits }) => ({ reached: site.reaches(known, shift, bits) }),
  journal: { what: "reach of the columns", shape: "columns x 2 x levels, yes or no" },
  passes: 0,
});

/** How many bits of the largest values are found: all, or sign, exponent and the first four of what follows. */
const bitsFound = { exactly: 64, roughly: 16 } as const;

/**
 * The smallest and largest values over all parties, found bit by bit. The parties say whether they reach a level, and
 * the asker sees only whether any of them does: not whose the largest value is. Roughly known values are further out by a sixteenth at most.
 */
export async function findReach(
  group: Group<ColumnHolder>,
  columns: number,
  how: keyof typeof bitsFound = "exactly",
): Promise<ColumnReach> {
  const known = new BigUint64Array(2 * columns);
  const bits = columns <= fewColumns ? bitsAtOnce.few : bitsAtOnce.many;
  const levels = levelsOf(bits);
  const unknown = 64 - bitsFound[how];
  for (let shift = 64 - bits; shift >= unknown; shift -= bits) {
    const { reached } = await group.ask(reaches, { known: known.slice(), shift, bits });
    known.forEach((value, at) => {
      const highest = reached.subarray(at * levels, (at + 1) * levels).lastIndexOf(1) + 1;
      known[at] = value + (BigInt(highest) << BigInt(shift));
    });
  }
  const further = (1n << BigInt(unknown)) - 1n;
  const found = Array.from(known, (order) => fromOrderedBits(order | further));
  return {
    most: Float64Array.from(found.slice(0, columns)),
    least: Float64Array.from(found.slice(columns), (value) => 0 - value),
  };
}

/** A holder's answer, given the smallest and the largest value of each of its columns. */
export function highestLevels(reach: readonly (readonly [number, number])[]) {
  const largest = [...reach.map(([, most]) => most), ...reach.map(([least]) => -least)].map(orderedBits);
  return (known: BigUint64Array, shift: number, bits: number): Float64Array => {
    const levels = levelsOf(bits);
    const reached = new Float64Array(largest.length * levels);
    largest.forEach((value, at) => {
      if (value < known[at]) return;
      const above = (value - known[at]) >> BigInt(shift);
      const highest = above > levels ? levels : Number(above);
      reached.fill(1, at * levels, at * levels + highest);
    });
    return reached;
  };
}

/** Maps numbers to 64-bit integers in the same order. */
function orderedBits(value: number): bigint {
  const words = new BigUint64Array(Float64Array.of(value + 0).buffer);
  const bits = words[0];
  return bits >> 63n === 1n ? BigInt.asUintN(64, ~bits) : bits | (1n << 63n);
}

function fromOrderedBits(order: bigint): number {
  const bits = order >> 63n === 1n ? order & ~(1n << 63n) : BigInt.asUintN(64, ~order);
  return new Float64Array(BigUint64Array.of(bits).buffer)[0];
}
