import { sampleRows } from "../metrics/sample.js";
import { principalComponents } from "../report/html/components.js";
import { coordinates } from "../table/dimension.js";
import type { People } from "../table/types.js";
import type { MapView } from "./questions.js";

/** More points than this do not fit beside each other on any screen: others are not drawn, and the map says so. */
const mostPoints = 500_000;
/** Parts of the people that may lie beyond the edge on either side, and are drawn there. */
const beyond = 0.002;

/** Where people are on the two directions of largest variance. Positions and clusters only: no ids, no groups. */
export function mapOf(people: People, labels: Uint16Array, seed: number): MapView {
  const { mean, axes } = principalComponents(people, seed);
  const rows = sampleRows(people.n, Math.min(people.n, mostPoints), seed);
  const points = new Float32Array(2 * rows.length);
  mean.forEach((middle, j) => {
    const at = coordinates(people, j);
    for (let i = 0; i < rows.length; i++) {
      const centred = at(rows[i]) - middle;
      points[2 * i] += centred * axes[0][j];
      points[2 * i + 1] += centred * axes[1][j];
    }
  });
  for (const axis of [0, 1]) stretch(points, axis);
  return { points, clusters: Uint16Array.from(rows, (row) => labels[row]), people: people.n };
}

/** Shifts and stretches one coordinate to 0 to 1, far outliers to the edge. */
function stretch(points: Float32Array, axis: number): void {
  const sorted = Float32Array.from({ length: points.length / 2 }, (_, i) => points[2 * i + axis]).sort();
  const edge = Math.floor(beyond * sorted.length);
  const [from, to] = [sorted[edge], sorted[sorted.length - 1 - edge]];
  const reach = to > from ? to - from : 1;
  for (let i = axis; i < points.length; i += 2) points[i] = Math.min(1, Math.max(0, (points[i] - from) / reach));
}
