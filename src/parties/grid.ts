import { MoietyError } from "../errors.js";
import type { DistanceName } from "../table/distance.js";

/**
 * The grid of the exact arithmetic. Coordinates are whole multiples of 2^-bits and weights of 2^-weightBits, so that
 * every score is a whole number below 2^53: its value does not depend on the order of additions, hence neither on threads
 * nor on how the columns are split over parties.
 */
export interface Grid {
  readonly bits: number;
  readonly weightBits: number;
  /** SSE is rounded to multiples of this in each column, so that its sum over parties is exact too. */
  readonly quantum: number;
  /** No distance counts 2^reach or more, in score units. */
  readonly reach: number;
  readonly distance: DistanceName;
}

/** What the grid is chosen by: facts about the values of some columns, or of all. */
export interface Spread {
  /** Sum over the columns of the largest square. */
  readonly largest: number;
  /** Sum over the columns of the mean square deviation. */
  readonly variance: number;
  readonly columns: number;
}

/** The spread of all columns, from that of parts of them. */
export function addSpreads(parts: readonly Spread[]): Spread {
  const sum = (of: keyof Spread) => parts.reduce((total, part) => total + part[of], 0);
  return { largest: sum("largest"), variance: sum("variance"), columns: sum("columns") };
}

/** Bits that blinding a federated run needs above the scores: in-process runs keep them free, so that labels agree. */
const blindingBits = 16;
const weightBits = 9;

/** One unit of distance in units of the grid: all columns of a distance are added up in these. */
export function distanceUnit({ bits, distance }: Pick<Grid, "bits" | "distance">): number {
  return 2 ** (distance === "manhattan" ? bits : 2 * bits);
}

/** One unit of distance, in score units. */
export function scoreUnit(grid: Grid): number {
  return distanceUnit(grid) * 2 ** grid.weightBits;
}

/** With Q = log2(4 sum max x^2): Q + 2 bits + weight bits + 1 + blinding bits must stay within 62. */
export function chooseGrid({ largest, variance, columns }: Spread): Grid {
  const typical = Math.round(Math.log2(Math.sqrt(variance / Math.max(1, columns)) || 1));
  const top = Math.ceil(Math.log2(4 * largest || 1));
  const fits = (weight: number, blinding: number) => Math.floor((62 - top - weight - 1 - blinding) / 2);
  const enough = 8 - typical;
  // Far outliers first use up the room for blinding (a score must fit 53 bits all the same), then precision.
  let bits = fits(weightBits, blindingBits);
  if (bits < enough) bits = Math.min(enough, fits(weightBits, 9));
  bits = Math.min(bits, 14 - typical);
  if (bits < 3 - typical) {
    const tens = Math.log10(2) * (top / 2 - 1 - typical);
    const far = Number.isFinite(tens) ? `10^${Math.round(tens)}` : "more than 10^150";
    throw new MoietyError(
      "input",
      `the largest number in the columns is ${far} times their typical deviation from the middle, and numbers up to some 10^5 times that are calculated exactly: remove the outliers or transform the columns (logarithms)`,
    );
  }
  const quantum = 2 ** (2 * typical - 16);
  return { bits, weightBits, quantum, reach: top + 2 * bits + weightBits + 1, distance: "euclidean" };
}

/** A grid that no data decide: for coordinates, and centres, that are whole multiples of 2^-bits in [-1, 1]. */
export function publicGrid(bits: number, columns: number): Grid {
  const top = Math.ceil(Math.log2(4 * columns));
  return { bits, weightBits, quantum: 2 ** -16, reach: top + 2 * bits + weightBits + 1, distance: "euclidean" };
}

/** Bits of the sum of all people's distances, which is never rounded. */
const sumBits = 52;

/**
 * As fine as there is room: deviations say nothing here, since they are what one far outlier makes of them. With
 * Q = log2(2 sum max |x|): Q + bits + weight bits + 1 + blinding bits must stay within 62, and so many people's distances within 52.
 */
export function chooseManhattanGrid({ largest, columns }: Spread, people: number): Grid {
  const top = Math.ceil(Math.log2(2 * Math.sqrt(largest * Math.max(1, columns)) || 1));
  const bits = Math.min(62 - top - weightBits - 1 - blindingBits, sumBits - Math.ceil(Math.log2(people)) - top);
  return { bits, weightBits, quantum: 2 ** -bits, reach: top + bits + weightBits + 1, distance: "manhattan" };
}
