import { MoietyError } from "../errors.js";
import { census } from "./generators/census.js";
import { population } from "./generators/population.js";
import { blobs, eighteenGaussians, grid, twoMoons } from "./generators/shapes.js";
import { unknownName } from "./suggest.js";
import type { Table } from "./types.js";

export const generatorKinds = ["people", "blobs", "census", "twomoon", "gaussian18", "grid"] as const;
export type GeneratorKind = (typeof generatorKinds)[number];

export interface GenerateOptions {
  /** Rows; each kind has its own default, the paper's where there is one. */
  readonly n?: number;
  /** Default 1. The same seed gives the same table, byte for byte. */
  readonly seed?: number;
  /** blobs: dimensions, default 2 */
  readonly d?: number;
  /** blobs: how many, default 5 */
  readonly k?: number;
  /** blobs, twomoon, gaussian18, grid: the spread of each cluster */
  readonly sd?: number;
  /** grid: how far parties reach, default 1 */
  readonly beta?: number;
  /** grid: how many parties, default 5 */
  readonly parties?: number;
}

const defaultRows: Record<GeneratorKind, number> = {
  people: 10_000,
  blobs: 10_000,
  census: 100_000,
  twomoon: 1000,
  gaussian18: 500,
  grid: 800,
};

/** Invented data to try things on; see each generator for what it is good for. */
export function generateTable(kind: GeneratorKind, options: GenerateOptions = {}): Table {
  if (!generatorKinds.includes(kind)) throw new MoietyError("usage", unknownName("kind of data", kind, generatorKinds));
  const n = options.n ?? defaultRows[kind];
  const seed = options.seed ?? 1;
  if (!(Number.isInteger(n) && n >= 1 && n <= 50_000_000)) {
    throw new MoietyError("usage", `n=${n} should be a whole number from 1 to 50000000`);
  }
  if (!Number.isSafeInteger(seed)) throw new MoietyError("usage", `seed=${seed} should be a whole number`);
  if (options.sd !== undefined && !(options.sd >= 0 && options.sd < Number.POSITIVE_INFINITY)) {
    throw new MoietyError("usage", `sd=${options.sd} should be 0 or more`);
  }
  switch (kind) {
    case "people":
      return population(n, seed);
    case "blobs":
      return blobs(n, seed, options);
    case "census":
      return census(n, seed);
    case "twomoon":
      return twoMoons(n, seed, options);
    case "gaussian18":
      return eighteenGaussians(n, seed, options);
    case "grid":
      return grid(n, seed, options);
  }
}
