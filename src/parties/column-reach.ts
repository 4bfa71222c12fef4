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
  reaches(known: BigUint64Array, shift: number): Float64Array;
}

/** Bits of the largest values that one question finds, and the levels that it takes. */
const bitsAtOnce = 4;
const levelsAtOnce = 2 ** bitsAtOnce - 1;

/** Whether the largest value of each column, and of each negated one, reaches some levels above what is known of it. */
export const reaches = questionsTo<ColumnHolder>().question({
  name: "reaches",
  request: z.strictObject({
    known: z.instanceof(BigUint64Array),
    shift: z.number().int().min(0).max(60).multipleOf(bitsAtOnce),
  }),
  leaves: "any",
  shape: ({ known }) => ({ reached: known.length * levelsAtOnce }),
  guard: ({ columns, showsColumns }, { known }) => showsColumns && known.length === 2 * columns,
  answer: (site, { known, shift }) => ({ reached: site.reaches(known, shift) }),
  journal: { what: "reach of the columns", shape: "columns x 2 x 15 yes or no" },
  passes: 0,
});

/**
 * The smallest and largest values over all parties, found bit by bit. The parties say whether they reach a level, and the asker sees
 * only whether any of them does: not whose the largest value is.
 */
export async function findReach(group: Group<ColumnHolder>, columns: number): Promise<ColumnReach> {
  const known = new BigUint64Array(2 * columns);
  for (let shift = 64 - bitsAtOnce; shift >= 0; shift -= bitsAtOnce) {
    const { reached } = await group.ask(reaches, { known: known.slice(), shift });
    known.forEach((value, at) => {
      const highest = reached.subarray(at * levelsAtOnce, (at + 1) * levelsAtOnce).lastIndexOf(1) + 1;
      known[at] = value + (BigInt(highest) << BigInt(shift));
    });
  }
  const found = Array.from(known, fromOrderedBits);
  return {
    most: Float64Array.from(found.slice(0, columns)),
    least: Float64Array.from(found.slice(columns), (value) => 0 - value),
  };
}

/** A holder's answer, given the smallest and the largest value of each of its columns. */
export function highestLevels(reach: readonly (readonly [number, number])[]) {
  const largest = [...reach.map(([, most]) => most), ...reach.map(([least]) => -least)].map(orderedBits);
  return (known: BigUint64Array, shift: number): Float64Array => {
    const reached = new Float64Array(largest.length * levelsAtOnce);
    largest.forEach((value, at) => {
      if (value < known[at]) return;
      const above = (value - known[at]) >> BigInt(shift);
      const highest = above > levelsAtOnce ? levelsAtOnce : Number(above);
      reached.fill(1, at * levelsAtOnce, at * levelsAtOnce + highest);
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
