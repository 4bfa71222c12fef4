import type { Lane } from "../kernels/lanes.js";
import { MixtureRows, quantumFor, termsOf } from "../kernels/mixture-rows.js";
import type { Chance } from "../privacy/noise/chance.js";
import { gaussianShare, laplaceShare, type Sharing } from "../privacy/noise/noise-shares.js";
import type { Rational } from "../privacy/noise/rational.js";
import type { Attribute } from "../table/types.js";
import type { QuestionedSite } from "./questions.js";

/** Coordinates are whole multiples of 2^-10 where people are private: then all their products are of `privateUnit`. */
export const privateGridBits = 10;
/** Features that are not private are rounded to this grid, in training and in prediction. */
export const publicGridBits = 16;
/** All private sums are whole numbers of this unit: counts too, so that noise on them is fine-grained. */
export const privateUnit = 2 ** (-2 * privateGridBits);

/** Noise that every party adds its share of before its numbers leave it; null for none. */
export type Noise =
  | { readonly kind: "laplace"; readonly scale: Rational; readonly sharing: Sharing }
  /** One variance for each part of what is asked for. */
  | { readonly kind: "gaussian"; readonly variances: readonly bigint[]; readonly sharing: Sharing };

/** What a plan lets a site be asked, and the noise of each answer: every site works it out by itself. */
export interface MixtureTerms {
  readonly k: number;
  /** Only the protected groups of people are private. */
  readonly featuresArePublic: boolean;
  /** The noise on sums, by the number of the question: null for no noise, undefined where the question is not allowed. */
  noiseAt(question: number): Noise | null | undefined;
  /** Of groups in cells; undefined where they are not asked for. */
  readonly census?: {
    readonly noise: Noise | null;
    /** What a person counts for: large, so that Gaussian noise in whole numbers is fine-grained. */
    readonly unit: number;
    /** Of an attribute of two groups only the second is counted: the first follows from the known sizes. */
    readonly secondOnly: boolean;
  };
}

interface SumsRequest {
  /** [components][terms], see `MixtureRows`; with linear terms only, the answer has those alone: counts and sums. */
  readonly theta: Float64Array;
  readonly components: number;
  readonly hard: boolean;
  readonly people: number;
  readonly number: number;
}

export interface MixtureData {
  readonly n: number;
  /** Coordinates in [-1, 1]. */
  readonly dimensions: readonly ArrayLike<number>[];
  readonly attributes: readonly Attribute[];
  /** Coordinates are rounded to multiples of 2^-gridBits, in training and in prediction. */
  readonly gridBits: number;
}

/**
 * A holder of some people's rows whose clusters are private. Its answers are whole numbers, in units that follow from the
 * question, to which it has added its share of the noise: they can be masked as they are, and only their sum over all
 * parties means anything.
 */
export class MixtureSite implements QuestionedSite {
  labels: Uint16Array = new Uint16Array(0);

  private constructor(
    private readonly rows: MixtureRows,
    private readonly data: MixtureData,
    private readonly chance: Chance,
    readonly terms: MixtureTerms,
  ) {}

  static async open(
    lanes: readonly Lane[],
    data: MixtureData,
    chance: Chance,
    terms: MixtureTerms,
  ): Promise<MixtureSite> {
    const rows = new MixtureRows(lanes, data.n, data.dimensions.length);
    await loadSnapped(rows, data.dimensions, data.gridBits);
    return new MixtureSite(rows, data, chance, terms);
  }

  /** The same people under another plan. */
  withTerms(terms: MixtureTerms): MixtureSite {
    return new MixtureSite(this.rows, this.data, this.chance, terms);
  }

  get dims(): number {
    return this.data.dimensions.length;
  }

  /** Numbers of a cell in the census; undefined where there is none. */
  get censusWidth(): number | undefined {
    const { census } = this.terms;
    return census && censusWidth(this.data.attributes, census.secondOnly);
  }

  async sums({ theta, components, hard, people, number }: SumsRequest) {
    const unit = sumsUnit(hard, people);
    const found = await this.rows.sums(theta, components, hard, unit);
    const { dims } = this;
    const terms = theta.length / components;
    const sums = theta.map((_, i) => found.sums[Math.floor(i / terms) * termsOf(dims) + (i % terms)] / unit);
    const noise = this.terms.noiseAt(number);
    if (noise) addNoise(sums, this.chance, noise, (at) => (at % terms === 0 ? 0 : at % terms <= dims ? 1 : 2));
    // Noise does not cover the likelihood, so it leaves only where features are public.
    return { sums, logLikelihood: Float64Array.of(this.terms.featuresArePublic ? found.logLikelihood / unit : 0) };
  }

  async census(centres: Float64Array, densities?: Float64Array): Promise<Float64Array> {
    const cells = await this.cells(centres, densities);
    return groupsInCells(cells, centres.length / this.dims, this.data.attributes, this.terms.census!, this.chance);
  }

  /** The cell of each of this party's people; it does not leave the party. */
  cells(centres: Float64Array, densities?: Float64Array): Promise<Uint16Array> {
    return densities ? this.rows.best(densities, centres.length / this.dims) : nearest(this.rows, centres);
  }

  async settle(centres: Float64Array, owners: ArrayLike<number>): Promise<void> {
    this.labels = (await this.cells(centres)).map((cell) => owners[cell]);
  }

  /** A site has no state: what it released is kept by the log of answers. */
  save(): undefined {
    return undefined;
  }

  async restore(): Promise<void> {}

  async close(): Promise<void> {
    this.rows.close();
  }
}

/** `partOf` says which of the noise's variances a value gets; undefined where it gets none. */
function addNoise(
  values: Float64Array,
  chance: Chance,
  noise: Noise,
  partOf: (at: number) => number | undefined,
): void {
  for (let at = 0; at < values.length; at++) {
    const part = partOf(at);
    if (part === undefined) continue;
    const share =
      noise.kind === "laplace"
        ? laplaceShare(chance, noise.scale, noise.sharing)
        : gaussianShare(chance, noise.variances[part], noise.sharing);
    values[at] += Number(share);
  }
}

/** What one party adds to sums over split columns. */
export interface SummedColumns {
  /** Whole multiples of 2^-privateGridBits in [-1, 1]. */
  readonly columns: readonly ArrayLike<number>[];
  /** The place of the first of them among all columns. */
  readonly from: number;
  /** Exactly one party counts people. */
  readonly counts: boolean;
}

/**
 * Counts and sums of people in cells, [cells][1 + columns], in units of `privateUnit`: zeros, but for this party's columns, and for counts
 * where it counts people; with the whole noise on these. Noise has a variance for counts, and one for sums.
 */
export function sumsInCells(
  cells: ArrayLike<number>,
  count: number,
  allColumns: number,
  { columns, from, counts }: SummedColumns,
  noise: Noise | null,
  chance: Chance,
): Float64Array {
  const width = allColumns + 1;
  const sums = new Float64Array(count * width);
  if (counts) for (let i = 0; i < cells.length; i++) sums[cells[i] * width]++;
  columns.forEach((values, j) => {
    for (let i = 0; i < cells.length; i++) sums[cells[i] * width + 1 + from + j] += values[i];
  });
  for (let at = 0; at < sums.length; at++) sums[at] /= privateUnit;
  const partOf = (at: number) => {
    const column = (at % width) - 1 - from;
    if (at % width === 0) return counts ? 0 : undefined;
    return column >= 0 && column < columns.length ? 1 : undefined;
  };
  if (noise) addNoise(sums, chance, noise, partOf);
  return sums;
}

/** An attribute in a census: without codes it is another party's, who counts it. */
export type CountedAttribute = Pick<Attribute, "groups"> & { readonly codes?: Attribute["codes"] };

/** People of each group of all attributes in each cell, [cells][width], with noise on all that is counted here. */
export function groupsInCells(
  cells: ArrayLike<number>,
  count: number,
  attributes: readonly CountedAttribute[],
  { noise, unit, secondOnly }: NonNullable<MixtureTerms["census"]>,
  chance: Chance,
): Float64Array {
  const width = censusWidth(attributes, secondOnly);
  const counts = new Float64Array(count * width);
  const isOwn: boolean[] = [];
  for (const { codes, groups } of attributes) {
    const column = isOwn.length;
    const binary = secondOnly && groups.length === 2;
    for (let i = 0; codes && i < cells.length; i++) {
      if (binary) {
        if (codes[i] === 1) counts[cells[i] * width + column] += unit;
      } else counts[cells[i] * width + column + codes[i]] += unit;
    }
    for (let l = 0; l < (binary ? 1 : groups.length); l++) isOwn.push(codes !== undefined);
  }
  if (noise) addNoise(counts, chance, noise, (at) => (isOwn[at % width] ? 0 : undefined));
  return counts;
}

/** The unit of the sums: fine enough to be exact over all people, or that of the private grid. */
export function sumsUnit(hard: boolean, people: number): number {
  return hard ? privateUnit : quantumFor(people);
}

/** How many numbers a cell has in the census. */
export function censusWidth(attributes: readonly Pick<Attribute, "groups">[], secondOnly: boolean): number {
  return attributes.reduce((sum, { groups }) => sum + (secondOnly && groups.length === 2 ? 1 : groups.length), 0);
}

/** The nearest centre of each row, the lowest among equals. */
export function nearest(rows: MixtureRows, centres: Float64Array): Promise<Uint16Array> {
  return rows.best(nearestTheta(centres, rows.dims), centres.length / rows.dims);
}

/** Linear terms under which the largest logit is the nearest centre: x.c - |c|^2 / 2. */
export function nearestTheta(centres: Float64Array, dims: number): Float64Array {
  const count = centres.length / dims;
  const theta = new Float64Array(count * (dims + 1));
  for (let c = 0; c < count; c++) {
    const centre = centres.subarray(c * dims, (c + 1) * dims);
    theta[c * (dims + 1)] = -centre.reduce((sum, value) => sum + value * value, 0) / 2;
    theta.set(centre, c * (dims + 1) + 1);
  }
  return theta;
}

/** Loads coordinates, clamped to [-1, 1] and rounded to the grid. */
export async function loadSnapped(
  rows: MixtureRows,
  dimensions: readonly ArrayLike<number>[],
  gridBits: number,
): Promise<void> {
  await rows.load(dimensions.map((column) => snapped(column, gridBits)));
}

/** Coordinates, clamped to [-1, 1] and rounded to the grid. */
export function snapped(column: ArrayLike<number>, gridBits: number): Float32Array {
  const steps = 2 ** gridBits;
  return Float32Array.from(column, (value) => Math.round(Math.max(-1, Math.min(1, value)) * steps) / steps);
}
