import { sampleRows } from "../../metrics/sample.js";
import { coordinates } from "../../table/dimension.js";
import type { People } from "../../table/types.js";

/** Directions in which people differ most, in the space that was clustered. */
export interface Components {
  readonly mean: Float64Array;
  /** Two unit vectors; the second is all zeros where there is one dimension only. */
  readonly axes: readonly [Float64Array, Float64Array];
  /** The part of all variance that lies along each axis. */
  readonly explained: readonly [number, number];
}

const mostPasses = 300;
/** Rows times dimensions of the sample, at most. */
const mostSampleValues = 1_000_000;
const mostRows = 10_000;
const fewestRows = 2_000;
/** Beyond this the matrix of covariances costs more than it saves. */
const mostForMatrix = 400;

/** The covariances, times the number of rows, applied to a direction. */
type Covariances = (direction: Float64Array) => Float64Array;

/** The two first principal components by power iteration; of a sample where there are many people. */
export function principalComponents(people: Pick<People, "n" | "dimensions" | "readers">, seed: number): Components {
  const n = people.n;
  const d = people.dimensions.length;
  const wanted = Math.min(n, mostRows, Math.max(fewestRows, Math.floor(mostSampleValues / d)));
  const rows = sampleRows(n, wanted, seed);
  const mean = new Float64Array(d);
  let total = 0;
  const columns = Array.from({ length: d }, (_, j) => {
    const column = new Float64Array(wanted);
    const at = coordinates(people, j);
    let sum = 0;
    for (let i = 0; i < wanted; i++) {
      column[i] = at(rows[i]);
      sum += column[i];
    }
    mean[j] = sum / wanted;
    for (let i = 0; i < wanted; i++) column[i] -= mean[j];
    total += dot(column, column);
    return column;
  });
  const covariances = d <= mostForMatrix ? fromMatrix(columns) : fromColumns(columns, wanted);
  const first = strongest(covariances, d, undefined);
  const second = strongest(covariances, d, first.axis);
  const part = (strength: number) => (total > 0 ? strength / total : 0);
  return { mean, axes: [first.axis, second.axis], explained: [part(first.strength), part(second.strength)] };
}

function fromMatrix(columns: readonly Float64Array[]): Covariances {
  const matrix = columns.map(() => new Float64Array(columns.length));
  for (let j = 0; j < columns.length; j++) {
    for (let other = 0; other <= j; other++) {
      matrix[j][other] = dot(columns[j], columns[other]);
      matrix[other][j] = matrix[j][other];
    }
  }
  return (direction) => Float64Array.from(matrix, (row) => dot(row, direction));
}

function fromColumns(columns: readonly Float64Array[], rows: number): Covariances {
  return (direction) => {
    const scores = new Float64Array(rows);
    for (let j = 0; j < columns.length; j++) addScaled(scores, columns[j], direction[j]);
    return Float64Array.from(columns, (column) => dot(column, scores));
  };
}

/** The direction that holds most, at right angles to what is taken, and how much it holds. */
function strongest(covariances: Covariances, d: number, taken: Float64Array | undefined) {
  // No symmetry that data could have: an axis must not be missed because the start is at right angles to it.
  let axis: Float64Array = Float64Array.from({ length: d }, (_, j) => 1 + ((j * 0.754877666) % 1));
  normalise(axis, taken);
  let strength = 0;
  // With thousands of dimensions every pass costs: a picture does not need the last digit.
  const passes = d <= mostForMatrix ? mostPasses : mostPasses / 6;
  for (let pass = 0; pass < passes; pass++) {
    const next = covariances(axis);
    strength = dot(axis, next);
    if (!normalise(next, taken)) break;
    let change = 0;
    for (let j = 0; j < d; j++) change = Math.max(change, Math.abs(next[j] - axis[j]));
    axis = next;
    if (change < 1e-7) break;
  }
  return { axis: upright(axis), strength };
}

function addScaled(into: Float64Array, column: Float64Array, factor: number): void {
  for (let i = 0; i < into.length; i++) into[i] += column[i] * factor;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** At right angles to what is taken, with length 1; false, and all zeros, where nothing is left. */
function normalise(axis: Float64Array, taken: Float64Array | undefined): boolean {
  const before = Math.sqrt(dot(axis, axis));
  if (taken !== undefined) addScaled(axis, taken, -dot(axis, taken));
  const length = Math.sqrt(dot(axis, axis));
  if (!(length > before * 1e-12)) {
    axis.fill(0);
    return false;
  }
  for (let j = 0; j < axis.length; j++) axis[j] /= length;
  return true;
}

/** An axis may point either way: the dimension that counts most goes up. */
function upright(axis: Float64Array): Float64Array {
  let largest = 0;
  for (let j = 1; j < axis.length; j++) if (Math.abs(axis[j]) > Math.abs(axis[largest]) + 1e-9) largest = j;
  return axis[largest] < 0 ? axis.map((value) => -value) : axis;
}
