import { type NotionOptions, notionOf } from "../algorithms/settle-notion.js";
import { defaultDelta, freeBounds } from "../constraints/bounds.js";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { type Evaluation, evaluate, evenness, measureCounts, measureRepresentation } from "../metrics/index.js";
import { checkLabels } from "../metrics/labelled-points.js";
import { type Origin, originOf } from "../table/origin.js";
import type { PeopleOptions } from "../table/types.js";
import { samplePeople } from "./sampled.js";
import type { Scanner } from "./scanner.js";

export interface ScannedEvaluation extends Evaluation, Origin {
  /** The people whom silhouettes and Davies-Bouldin were measured on. */
  readonly sampled: number;
  readonly warnings: readonly string[];
}

/** Of two clusters nobody goes to the one with this offset: their scores are all 0. */
const never = 2 ** 50;

/**
 * Measures clusters that a column names. Counts and SSE are everybody's; what needs distances between people is that of a
 * sample.
 */
export async function evaluateScanned(
  scanner: Scanner,
  columns: PeopleOptions,
  clusterColumn: string,
  asked: NotionOptions & { readonly k?: number },
): Promise<ScannedEvaluation> {
  const { everybody, people, scanned, gridBits } = await samplePeople(scanner, columns, clusterColumn);
  const clusters = everybody.attributes.at(-1)!;
  const numbers = clusters.groups.map(Number);
  const named = numbers.every((number) => Number.isInteger(number) && number >= 0 && number < 65_536);
  const clusterOf = (group: number) => (named ? numbers[group] : group);
  const k = asked.k ?? Math.max(...clusters.groups.map((_, group) => clusterOf(group))) + 1;
  checkLabels(
    Uint16Array.from(clusters.groups, (_, group) => clusterOf(group)),
    k,
  );
  const dims = everybody.dimensionNames.length;
  const offsets = Float64Array.from({ length: scanned.counts.length * k }, (_, cell) =>
    clusterOf(clusters.codes[Math.floor(cell / k)]) === cell % k ? 0 : never,
  );
  const decision = { k, centres: new Float64Array(k * dims), offsets, jitter: 0 };
  const { sums } = await scanned.sums(decision, { hashes: new Float64Array(0), clusters: new Uint16Array(0) });
  const attributes = everybody.attributes.slice(0, -1);
  const sizes = new Array<number>(k).fill(0);
  const counts = attributes.map(({ groups }) => groups.map(() => new Array<number>(k).fill(0)));
  scanned.counts.forEach((count, pattern) => {
    const cluster = clusterOf(clusters.codes[pattern]);
    sizes[cluster] += count;
    attributes.forEach(({ codes }, a) => {
      counts[a][codes[pattern]][cluster] += count;
    });
  });
  const [high, low] = scanned.squares;
  const between = sums.reduce((all, sum, cell) => all + sum ** 2 / (sizes[Math.floor(cell / dims)] || 1), 0);
  const notion = notionOf({ ...everybody, attributes }, k, asked);
  const judged =
    notion?.name === "representation" ? measureRepresentation(attributes, counts, sizes, notion) : undefined;
  const bounds = judged
    ? attributes.map(freeBounds)
    : resolveBounds(attributes, { delta: asked.delta ?? defaultDelta, bounds: asked.bounds });
  const tolerance = asked.tolerance ?? everybody.atoms?.largest ?? 1;
  const sample = { ...people, attributes: people.attributes.slice(0, -1) };
  const labels = Uint16Array.from(people.attributes.at(-1)!.codes, clusterOf);
  const all = people.n === everybody.n;
  const about = `silhouettes and Davies-Bouldin are those of a sample of ${people.n} of ${everybody.n} people`;
  return {
    ...evaluate({ people: sample, labels, bounds, tolerance, k }),
    ...measureCounts({ attributes, counts, sizes, bounds, tolerance }),
    ...judged,
    ...originOf(everybody),
    n: everybody.n,
    ...(everybody.weights ? { weights: everybody.weights } : {}),
    sse: Math.max(0, high * 2 ** 20 + low - between) * 4 ** -gridBits,
    evenness: evenness(sizes),
    sampled: people.n,
    warnings: all ? everybody.warnings : [...everybody.warnings, about],
  };
}
