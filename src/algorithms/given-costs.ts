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
  options: Omit<ClusterOptions, "seats" | "k" | "distance">,
): Promise<PeopleClustering> {
  if ("distance" in options && options.distance !== undefined) {
    throw new MoietyError("usage", "`distance` does nothing where costs are given: leave it out");
  }
  const { n, dimensions, weights } = people;
  if (options.notion === "social" || options.notion === "individual") {
    throw new MoietyError(
      "usage",
      `\`notion: ${options.notion}\` is about distances, and costs are given: leave it out`,
    );
  }
  const k = dimensions.length;
  const countOf = (i: number) => (weights ? weights.values[i] : 1);
  const least = Float64Array.from({ length: n }, (_, i) =>
    dimensions.reduce((low, column) => Math.min(low, column[i]), Number.POSITIVE_INFINITY),
  );
  let total = 0;
  for (const column of dimensions) for (let i = 0; i < n; i++) total += column[i] - least[i];
  if (!Number.isFinite(total)) {
    throw new MoietyError("input", "a cost is missing or not finite: every person needs a cost at every place");
  }
  const scale = Math.sqrt(total / (n * k)) || 1;
  const points = dimensions.map((column) => Float64Array.from(column, (cost, i) => (least[i] - cost) / (2 * scale)));
  const seats = points.map((_, m) => Float64Array.from({ length: k }, (_, j) => (j === m ? scale : 0)));
  const { readers: _, ...others } = people;
  const found = await cluster({ ...others, dimensions: points }, { ...options, k, seats });
  // What squared distances count beside the costs, and what is left of the bound without it.
  const norms = points.reduce(
    (sum, column) => sum + column.reduce((squares, x, i) => squares + countOf(i) * x * x, 0),
    0,
  );
  const cheapest = least.reduce((sum, cost, i) => sum + countOf(i) * cost, 0);
  const constant = norms + (weights?.total ?? n) * scale ** 2 - cheapest;
  const sse = found.labels.reduce((sum, place, i) => sum + countOf(i) * dimensions[place][i], 0);
  const bound = found.result.gap === null ? 0 : (sse + constant) / (1 + found.result.gap) - constant;
  const result = {
    ...found.result,
    sse,
    unconstrainedSse: found.result.unconstrainedSse === null ? null : cheapest,
    gap: bound > 0 ? Math.max(0, sse / bound - 1) : null,
    givenCosts: true as const,
  };
  return { ...found, result };
}
