import { blockRows, forEachBlock, type Points } from "./labelled-points.js";

export interface ServedPeople {
  /** The nearest centre of each person; of several the first. */
  readonly labels: Uint16Array;
  /** The squared distance to it. */
  readonly squared: Float64Array;
}

/** Everybody's nearest centre. Differences are squared directly, as in `sse`. */
export function nearestCentres(points: Points, n: number, centres: readonly Float64Array[]): ServedPeople {
  const labels = new Uint16Array(n);
  const squared = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  const distances = new Float64Array(blockRows);
  forEachBlock(points, n, (block, start, count) => {
    centres.forEach((centre, m) => {
      // The mean of an empty cluster is nowhere.
      if (Number.isNaN(centre[0])) return;
      distances.fill(0);
      for (let j = 0; j < centre.length; j++) {
        const [from, at] = [j * blockRows, centre[j]];
        for (let i = 0; i < count; i++) {
          const difference = block[from + i] - at;
          distances[i] += difference * difference;
        }
      }
      for (let i = 0; i < count; i++) {
        if (distances[i] >= squared[start + i]) continue;
        squared[start + i] = distances[i];
        labels[start + i] = m;
      }
    });
  });
  return { labels, squared };
}
