import { MoietyError } from "../errors.js";
import { census } from "./generators/census.js";
import type { Draw } from "./generators/columns.js";
import { population } from "./generators/population.js";
import { blobs, eighteenGaussians, grid, type ShapeOptions, twoMoons } from "./generators/shapes.js";
import { unknownName } from "./suggest.js";
import type { Table, TableParts } from "./types.js";

export const generatorKinds = ["people", "blobs", "census", "twomoon", "gaussian18", "grid"] as const;
export type GeneratorKind = (typeof generatorKinds)[number];

export interface GenerateOptions extends ShapeOptions {
  /** Rows; each kind has its own default, the paper's where there is one. */
  readonly n?: number;
  /** Default 1. The same seed gives the same table, byte for byte. */
  readonly seed?: number;
}

interface Generator {
  readonly defaultRows: number;
  readonly make: (n: number, seed: number, options: ShapeOptions) => Draw;
}

const generators: Record<GeneratorKind, Generator> = {
  people: { defaultRows: 10_000, make: population },
  blobs: { defaultRows: 10_000, make: blobs },
  census: { defaultRows: 100_000, make: census },
  twomoon: { defaultRows: 1000, make: twoMoons },
  gaussian18: { defaultRows: 500, make: eighteenGaussians },
  grid: { defaultRows: 800, make: grid },
};

/** More rows than this are a mistake in one table. */
const mostRows = 50_000_000;
/** Rows of a part: few enough to be held, enough that beginning another one costs nothing. */
const partRows = 65_536;

/** Invented data to try things on; see each generator for what it is good for. */
export function generateTable(kind: GeneratorKind, options: GenerateOptions = {}): Table {
  const { n, draw } = begin(kind, options, mostRows);
  return { rows: n, columns: draw(0, n) };
}

/** The same rows part by part, so that there may be any number of them; `rows` is that of all. */
export function generateParts(kind: GeneratorKind, options: GenerateOptions = {}): TableParts {
  const { n, draw } = begin(kind, options);
  return { rows: n, parts: drawn() };

  function* drawn(): Iterable<Table> {
    for (let first = 0; first < n; first += partRows) {
      const rows = Math.min(partRows, n - first);
      yield { rows, columns: draw(first, rows) };
    }
  }
}

function begin(
  kind: GeneratorKind,
  options: GenerateOptions,
  most = Number.MAX_SAFE_INTEGER,
): { n: number; draw: Draw } {
  if (!generatorKinds.includes(kind)) throw new MoietyError("usage", unknownName("kind of data", kind, generatorKinds));
  const { defaultRows, make } = generators[kind];
  const { n = defaultRows, seed = 1, sd = 0 } = options;
  if (!(Number.isSafeInteger(n) && n >= 1 && n <= most)) {
    throw new MoietyError("usage", `n=${n} should be a whole number from 1 to ${most}`);
  }
  if (!Number.isSafeInteger(seed)) throw new MoietyError("usage", `seed=${seed} should be a whole number`);
  if (!(sd >= 0 && sd < Number.POSITIVE_INFINITY)) throw new MoietyError("usage", `sd=${sd} should be 0 or more`);
  return { n, draw: make(n, seed, options) };
}
