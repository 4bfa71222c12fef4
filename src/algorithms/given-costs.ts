import { MoietyError } from "../errors.js";
import type { People } from "../table/types.js";
import { cluster } from "./cluster.js";
import type { ClusterOptions, PeopleClustering } from "./types.js";

/**
 * People at places whose costs are given, one dimension for the cost of each place, rather than followed from distances. A cost c
 * of person i at place m is a squared distance, but for a constant of the person: the point -c / 2s, with a coordinate for each
 * place, is |x|^2 + s^2 + c away from the centre that is s at coordinate m and 0 elsewhere. `sse` is then the sum of all costs.
 */
export async function clusterAtCost(
  people: People,
  options: Omit<ClusterOptions, "seats" | "k">,
): Promise<PeopleClustering> {
  const { n, dimensions } = people;
  const k = dimensions.length;
  const least = Float64Array.from({ length: n }, (_, i) =>
    dimensions.reduce((low, column) => Math.min(low, column[i]), Infinity),
  );
  if (!least.every(Number.isFinite))
    throw new MoietyError("input", "a cost is missing or not finite: every person needs a cost at every place");
  let total = 0;
  for (const column of dimensions) for (let i = 0; i < n; i++) total += column[i] - least[i];
  const scale = Math.sqrt(total / (n * k)) || 1;
  const points = dimensions.map((column) => Float64Array.from(column, (cost, i) => (least[i] - cost) / (2 * scale)));
  const seats = points.map((_, m) => Float64Array.from({ length: k }, (_, j) => (j === m ? scale : 0)));
  const { readers: _, ...others } = people;
  const found = await cluster({ ...others, dimensions: points }, { ...options, k, seats });
  return { ...found, result: { ...found.result, ...costsOf(people, found, points, scale) } };
}

/** The sums of given costs, where the run has counted squared distances. */
function costsOf(
  { dimensions, n }: People,
  { labels, result }: PeopleClustering,
  points: readonly Float64Array[],
  scale: number,
) {
  let [sse, unconstrainedSse] = [0, 0];
  for (let i = 0; i < n; i++) {
    sse += dimensions[labels[i]][i];
    unconstrainedSse += dimensions.reduce((low, column) => Math.min(low, column[i]), Infinity);
  }
  const constant =
    points.reduce((sum, column) => sum + column.reduce((s, x) => s + x * x, 0), n * scale * scale) - unconstrainedSse;
  const bound = result.gap === null ? 0 : (sse + constant) / (1 + result.gap) - constant;
  const gap = bound > 0 ? Math.max(0, sse / bound - 1) : null;
  const free = result.unconstrainedSse === null ? null : unconstrainedSse;
  return { sse, unconstrainedSse: free, gap, givenCosts: true as const };
}
