import { MoietyError } from "../errors.js";
import { numericColumn } from "./checks.js";
import { asLevels } from "./levels.js";
import type { Column, Links, Weights } from "./types.js";

/** All weights together are at most about 2^32 units: sums of weights times what is added up of a person are then below 2^53. */
const unitBits = 32;

export function wrongWeights(column: string, wrong: number, rows: number): MoietyError {
  const advice = "weights are numbers above 0, so leave those rows out";
  return new MoietyError("input", `column '${column}' is 0 or less in ${wrong} of ${rows} rows; ${advice}`);
}

/** What everybody may count for together: sizes, bounds and tolerances are of such numbers, and programs are solved with them. */
const leastSum = 1e-6;
const mostSum = 1e15;

/** What weights of this sum become whole multiples of, a power of 2. Whole numbers stay what they are, unless they are very large. */
export function unitOfWeights(column: string, sum: number, whole: boolean): number {
  if (!(sum >= leastSum && sum <= mostSum)) {
    const seen = `the weights of '${column}' add up to ${sum.toPrecision(3)}, where ${leastSum} to ${mostSum} is possible`;
    throw new MoietyError("input", `${seen}; multiply or divide them all by one number`);
  }
  const finest = 2 ** (Math.ceil(Math.log2(sum)) - unitBits);
  return whole ? Math.max(1, finest) : finest;
}

/** How many people each of the chosen rows counts for. */
export function weightsOf(column: Column, rows: Uint32Array): Weights {
  const { name, values: given } = numericColumn(column);
  const values = Float64Array.from(rows, (row) => given[row]);
  const wrong = values.reduce((count, value) => count + (value > 0 ? 0 : 1), 0);
  if (wrong > 0) throw wrongWeights(name, wrong, rows.length);
  const sum = values.reduce((total, value) => total + value, 0);
  const unit = unitOfWeights(name, sum, values.every(Number.isInteger));
  for (let i = 0; i < values.length; i++) values[i] = unit * Math.max(1, Math.round(values[i] / unit));
  return { column: name, values, total: values.reduce((total, value) => total + value, 0), unit };
}

/** Who of the chosen rows has the same value. Values are numbered as they first occur. */
export function linksOf(column: Column, rows: Uint32Array): Links {
  const { codes: levels } = asLevels(column);
  const numbers = new Map<number, number>();
  let count = 0;
  const codes = Int32Array.from(rows, (row) => {
    const level = levels[row];
    const known = level < 0 ? undefined : numbers.get(level);
    if (known !== undefined) return known;
    if (level >= 0) numbers.set(level, count);
    return count++;
  });
  return { column: column.name, codes, count };
}
