import { sampleRows } from "../metrics/sample.js";
import { principalComponents } from "../report/html/components.js";
import { coordinates } from "../table/dimension.js";
import type { People } from "../table/types.js";
import type { DensityMap, MapView } from "./questions.js";

/** More points than this do not fit beside each other on any screen: people are then counted in small squares. */
const mostPoints = 500_000;
/** Squares of such a map: about three pixels wide in the page. */
const [width, height] = [480, 300];
/** Parts of the people that may lie beyond the edge on either side, and are drawn there. */
const beyond = 0.002;
/** People whose places tell where the edges are. */
const edgeSample = 200_000;

/** Where people are on the two directions of largest variance. Positions and clusters only: no ids, no groups. */
export function mapOf(people: People, labels: Uint16Array, seed: number): MapView {
  const { n } = people;
  const { mean, axes } = principalComponents(people, seed);
  const points = new Float32Array(2 * n);
  mean.forEach((middle, j) => {
    const at = coordinates(people, j);
    const [across, up] = [axes[0][j], axes[1][j]];
    for (let i = 0; i < n; i++) {
      const centred = at(i) - middle;
      points[2 * i] += centred * across;
      points[2 * i + 1] += centred * up;
    }
  });
  const sample = sampleRows(n, Math.min(n, edgeSample), seed);
  for (const axis of [0, 1]) stretch(points, axis, sample);
  return n <= mostPoints ? { kind: "points", points, clusters: labels.slice(), people: n } : densityOf(points, labels);
}

/** Shifts and stretches one coordinate to 0 to 1, far outliers to the edge. */
function stretch(points: Float32Array, axis: number, sample: ArrayLike<number>): void {
  const sorted = Float32Array.from({ length: sample.length }, (_, i) => points[2 * sample[i] + axis]).sort();
  const edge = Math.floor(beyond * sorted.length);
  const [from, to] = [sorted[edge], sorted[sorted.length - 1 - edge]];
  const reach = to > from ? to - from : 1;
  for (let i = axis; i < points.length; i += 2) points[i] = Math.min(1, Math.max(0, (points[i] - from) / reach));
}

/** Everybody, counted in squares, cluster by cluster. */
function densityOf(points: Float32Array, labels: Uint16Array): DensityMap {
  const k = labels.reduce((most, label) => Math.max(most, label), 0) + 1;
  const counted = new Map<number, number>();
  for (let i = 0; i < labels.length; i++) {
    const column = Math.min(width - 1, Math.floor(width * points[2 * i]));
    const row = Math.min(height - 1, Math.floor(height * points[2 * i + 1]));
    const place = (row * width + column) * k + labels[i];
    counted.set(place, (counted.get(place) ?? 0) + 1);
  }
  const places = [...counted.keys()].sort((a, b) => a - b);
  return {
    kind: "density",
    width,
    height,
    squares: Uint32Array.from(places, (place) => Math.floor(place / k)),
    clusters: Uint16Array.from(places, (place) => place % k),
    counts: Uint32Array.from(places, (place) => counted.get(place) ?? 0),
    people: labels.length,
  };
}
