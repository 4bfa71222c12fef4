/** Points in one array, one after another, each with `columns` coordinates. This is a view of one of them. */
export function pointAt(points: Float64Array, columns: number, at: number): Float64Array {
  return points.subarray(at * columns, (at + 1) * columns);
}

/** Every point as an array of its own. */
export function separatePoints(points: Float64Array, columns: number): Float64Array[] {
  return Array.from({ length: points.length / columns }, (_, at) => pointAt(points, columns, at).slice());
}

/** The other way round. */
export function joinPoints(points: readonly Float64Array[]): Float64Array {
  return Float64Array.from(points.flatMap((point) => Array.from(point)));
}

/** Some of the points, by number. */
export function pickPoints(points: Float64Array, columns: number, picked: readonly number[]): Float64Array {
  return joinPoints(picked.map((at) => pointAt(points, columns, at)));
}

export function squaredDistance(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, j) => sum + (value - b[j]) ** 2, 0);
}
