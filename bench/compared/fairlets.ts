import { cluster } from "../../src/algorithms/cluster.js";
import { numeric } from "../../src/table/generators/columns.js";
import { Random } from "../../src/table/generators/random.js";
import { type People, preparePeople } from "../../src/table/index.js";

/** Pairs of rows, one of each group. */
type Pairs = readonly (readonly [number, number])[];

/** k-means of the pairs' midpoints; both of a pair go where their midpoint goes, so every cluster is as balanced as everybody. */
export async function clusterPairs(
  { n, dimensions }: People,
  pairs: Pairs,
  k: number,
  seed: number,
): Promise<Uint16Array> {
  const columns = dimensions.map((values, j) =>
    numeric(
      `x${j}`,
      Float64Array.from(pairs, ([a, b]) => (values[a] + values[b]) / 2),
    ),
  );
  const midpoints = preparePeople({ rows: pairs.length, columns }, { scale: "none" });
  const found = await cluster(midpoints, { k, algorithm: "lloyd", seed, threads: 1 });
  const labels = new Uint16Array(n);
  for (const [at, pair] of pairs.entries()) for (const row of pair) labels[row] = found.labels[at];
  return labels;
}

/** Fairlets (Chierichetti et al. 2017) of two groups of the same size: the pairs of least squared distances in all, by the Hungarian method. */
export function fairlets(people: People): Pairs {
  const [ones, others] = groupsOf(people);
  const n = ones.length;
  const cost = (i: number, j: number) =>
    people.dimensions.reduce((sum, values) => sum + (values[ones[i]] - values[others[j]]) ** 2, 0);
  // Rows enter one by one; each finds the cheapest path of exchanges to a free column, at reduced costs. Row and column 0 stand for nobody.
  const rowPrice = new Float64Array(n + 1);
  const columnPrice = new Float64Array(n + 1);
  const rowOf = new Int32Array(n + 1);
  for (let row = 1; row <= n; row++) {
    const least = new Float64Array(n + 1).fill(Number.POSITIVE_INFINITY);
    const before = new Int32Array(n + 1);
    const seen = new Uint8Array(n + 1);
    rowOf[0] = row;
    let column = 0;
    do {
      seen[column] = 1;
      let next = 0;
      let step = Number.POSITIVE_INFINITY;
      for (let j = 1; j <= n; j++) {
        if (seen[j]) continue;
        const reduced = cost(rowOf[column] - 1, j - 1) - rowPrice[rowOf[column]] - columnPrice[j];
        if (reduced < least[j]) [least[j], before[j]] = [reduced, column];
        if (least[j] < step) [step, next] = [least[j], j];
      }
      for (let j = 0; j <= n; j++) {
        if (seen[j]) {
          rowPrice[rowOf[j]] += step;
          columnPrice[j] -= step;
        } else least[j] -= step;
      }
      column = next;
    } while (rowOf[column] !== 0);
    for (; column !== 0; column = before[column]) rowOf[column] = rowOf[before[column]];
  }
  return Array.from(others, (other, j) => [ones[rowOf[j + 1] - 1], other] as const);
}

/** Cells of the finest grid are 2^-levels of the widest range. */
const levels = 20;

/** Scalable fairlets (Backurs et al. 2019) of two groups of the same size: in a randomly shifted quadtree, those are paired who share the smallest cells, from the leaves up. */
export function scalableFairlets(people: People, seed: number): Pairs {
  const { dimensions } = people;
  const random = new Random(seed);
  const shifts = dimensions.map(() => random.uniform());
  let reach = 0;
  const lows = dimensions.map((values) => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
    reach = Math.max(reach, high - low);
    return low;
  });
  const pairs: [number, number][] = [];
  let left = groupsOf(people);
  for (let level = levels; level >= -1; level--) {
    // Above the root everybody is in one cell.
    const cellOf = (row: number) =>
      level < 0
        ? ""
        : dimensions
            .map((values, j) => Math.floor(2 ** level * ((values[row] - lows[j]) / (2 * reach || 1) + shifts[j] / 2)))
            .join();
    const cells = new Map<string, [number[], number[]]>();
    left.forEach((rows, group) => {
      for (const row of rows) {
        const key = cellOf(row);
        if (!cells.has(key)) cells.set(key, [[], []]);
        cells.get(key)![group].push(row);
      }
    });
    left = [[], []];
    for (const [ones, others] of cells.values()) {
      const both = Math.min(ones.length, others.length);
      for (let at = 0; at < both; at++) pairs.push([ones[at], others[at]]);
      left[0].push(...ones.slice(both));
      left[1].push(...others.slice(both));
    }
  }
  return pairs;
}

function groupsOf({ attributes }: People): [number[], number[]] {
  const [{ codes }] = attributes as [People["attributes"][number]];
  const rows = [...codes.keys()];
  return [rows.filter((row) => codes[row] === 0), rows.filter((row) => codes[row] === 1)];
}
