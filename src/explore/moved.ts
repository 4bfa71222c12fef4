import type { PeopleClustering } from "../algorithms/types.js";
import { defined } from "../defined.js";
import { coordinates } from "../table/dimension.js";
import type { People } from "../table/types.js";
import { mapOf } from "./map.js";
import type { MovedView } from "./questions.js";

/** Who is in another cluster than they would be without any promise, of the same seed, and what that costs each group. */
export async function whoMoved(
  people: People,
  { labels, result }: PeopleClustering,
  signal: AbortSignal | undefined,
): Promise<MovedView> {
  const { k, seed } = result;
  const [{ cluster }, { matchClusters }] = await Promise.all([
    import("../algorithms/cluster.js"),
    import("../algorithms/without-promises.js"),
  ]);
  const free = await cluster({ ...people, attributes: [] }, { k, seed, ...defined({ signal }) });
  const without = matchClusters(labels, free.labels, k);
  const flows = Array.from({ length: k }, () => new Array<number>(k).fill(0));
  labels.forEach((to, i) => {
    flows[without[i]][to]++;
  });
  const [costs, costsWithout] = [labels, without].map((each) => costsOf(people, each, k));
  const groups = people.attributes.flatMap(({ name, groups: names, codes }) =>
    names.map((group, at) => {
      let [count, moved, cost, costWithout] = [0, 0, 0, 0];
      for (let i = 0; i < people.n; i++) {
        if (codes[i] !== at) continue;
        count++;
        if (without[i] !== labels[i]) moved++;
        cost += costs[i];
        costWithout += costsWithout[i];
      }
      const each = Math.max(1, count);
      return { attribute: name, group, people: count, moved, cost: cost / each, costWithout: costWithout / each };
    }),
  );
  const stayed = flows.reduce((sum, row, m) => sum + row[m], 0);
  return { people: people.n - stayed, flows, groups, map: mapOf(people, without, seed) };
}

/** Each person's squared distance to the mean of their cluster, in which weights count. */
function costsOf(people: People, labels: Uint16Array, k: number): Float64Array {
  const { n, weights } = people;
  const costs = new Float64Array(n);
  const [sums, sizes] = [new Float64Array(k), new Float64Array(k)];
  const weight = weights ? (i: number) => weights.values[i] : () => 1;
  for (let i = 0; i < n; i++) sizes[labels[i]] += weight(i);
  people.dimensionNames.forEach((_, j) => {
    const at = coordinates(people, j);
    sums.fill(0);
    for (let i = 0; i < n; i++) sums[labels[i]] += weight(i) * at(i);
    for (let i = 0; i < n; i++) costs[i] += (at(i) - sums[labels[i]] / sizes[labels[i]]) ** 2;
  });
  return costs;
}
