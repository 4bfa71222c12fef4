import { cluster } from "../../algorithms/cluster.js";
import type { AlgorithmName } from "../../algorithms/types.js";
import { clusterMeans, clusterSizes } from "../../metrics/index.js";
import { groupsInCells } from "../../parties/mixture-site.js";
import { joinPoints } from "../../parties/points.js";
import { Chance } from "../../privacy/noise/chance.js";
import type { People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { privatePlanOf, solvedCard } from "../consent/private-card.js";

/** The clusters that a private job over columns makes, step by step in one process; with these counts, or with true ones. */
export async function inOneProcess(card: Card, people: People, counts?: Float64Array): Promise<number[]> {
  const { algorithm, k, minSize, maxIterations, seed } = await solvedCard(card, people.n);
  const open = { ...people, attributes: [] };
  const request = { algorithm: algorithm as AlgorithmName, k, minSize: minSize!, maxIterations, seed };
  const { labels: cells } = await cluster(open, { ...request, effort: "lean" });
  const dims = open.dimensions.length;
  const means = joinPoints(clusterMeans(open.dimensions, cells, k));
  const spacing = Float64Array.from({ length: k * k }, (_, at) => {
    const [a, b] = [Math.floor(at / k) * dims, (at % k) * dims];
    return open.dimensions.reduce((sum, _, j) => sum + (means[a + j] - means[b + j]) ** 2, 0);
  });
  const { divide, terms } = await privatePlanOf({ ...card, components: k }, people.n);
  const quiet = new Chance({ secret: false, fill: () => undefined });
  const exact = () => groupsInCells(cells, k, people.attributes, { ...terms.census!, noise: null }, quiet);
  const sizes = Float64Array.from(clusterSizes(cells, k));
  const { clusters } = divide!({ sizes, spacing }, counts ?? exact(), seed);
  return Array.from(cells, (cell) => clusters[cell]);
}
