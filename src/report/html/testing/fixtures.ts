import type { ClusterResult, PeopleClustering, Progress } from "../../../algorithms/types.js";
import { boundsFromDelta } from "../../../constraints/bounds.js";
import { clusterMeans, evenness, measureFairness, sse } from "../../../metrics/index.js";
import { originOf } from "../../../table/origin.js";
import type { People } from "../../../table/types.js";
import { Draws } from "../../../testing/draws.js";

export interface FixtureOptions {
  readonly n?: number;
  readonly k?: number;
  /** Attributes and their groups. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  readonly columns?: readonly string[];
  /** A category with these levels. */
  readonly levels?: readonly string[];
  readonly delta?: number;
  /** Of the people of the first group, all go to the first cluster. */
  readonly apart?: boolean;
  readonly warnings?: readonly string[];
  readonly emptyLast?: boolean;
}

/** People in heaps with a clustering by heap: made by hand, so that a page can be tested without a run. */
export function fixture(options: FixtureOptions = {}): { people: People; clustering: PeopleClustering } {
  const {
    n = 400,
    k = 3,
    groups = { sex: ["F", "M"] },
    columns = ["age", "income"],
    levels = [],
    delta = 0.2,
  } = options;
  const draws = new Draws(7);
  const attributes = Object.entries(groups).map(([name, names]) => ({
    name,
    groups: names,
    codes: Uint16Array.from({ length: n }, (_, i) => (i + Math.floor(i / names.length)) % names.length),
  }));
  const used = options.emptyLast ? k - 1 : k;
  const labels = Uint16Array.from({ length: n }, (_, i) =>
    options.apart && attributes[0].codes[i] === 0 ? 0 : Math.floor(i / 7) % used,
  );
  const numbers = columns.map((_, j) =>
    Float64Array.from({ length: n }, (_, i) => ((labels[i] * (j + 2)) % k) - k / 2 + 0.3 * draws.normal()),
  );
  const weight = Math.SQRT1_2;
  const category = levels.map((_, level) =>
    Float64Array.from({ length: n }, (_, i) => ((i + labels[i]) % levels.length === level ? weight : 0)),
  );
  const people: People = {
    n,
    dimensions: [...numbers, ...category],
    dimensionNames: [...columns, ...levels.map((level) => `job=${level}`)],
    encodings: [
      ...columns.map((column) => ({ kind: "numeric" as const, column, shift: 40, scale: 10 })),
      ...(levels.length > 0 ? [{ kind: "categorical" as const, column: "job", levels, weight }] : []),
    ],
    attributes,
    sourceRows: Uint32Array.from({ length: n }, (_, i) => i),
    ids: { column: "person", values: Array.from({ length: Math.min(n, 1000) }, (_, i) => `id-${i}-secret`) },
    warnings: [],
  };
  return { people, clustering: clusteringOf(people, labels, k, delta, options.warnings ?? []) };
}

function clusteringOf(
  people: People,
  labels: Uint16Array,
  k: number,
  delta: number,
  warnings: readonly string[],
): PeopleClustering {
  const bounds = people.attributes.map((attribute) => boundsFromDelta(attribute, delta));
  const measures = measureFairness({ people, labels, k, bounds, tolerance: 1 });
  const cost = sse(people.dimensions, labels, k);
  const { sizes, balance, groups, maxViolation, fair, verdict, verdictDetails } = measures;
  // Without promises the first group would be by itself.
  const apart = labels.map((label, i) => (people.attributes[0]?.codes[i] === 0 && i % 3 > 0 ? 0 : label));
  const free = measureFairness({ people, labels: apart, k, bounds, tolerance: 1 });
  const step = (phase: Progress["phase"], pass: number): Progress => ({
    phase,
    start: 0,
    starts: 1,
    pass,
    passes: 50,
    sse: cost * (phase === "fair" ? 1 + 0.01 / pass : 0.9),
    violation: phase === "fair" ? maxViolation : maxViolation + 20,
  });
  const result: ClusterResult = {
    algorithm: bounds.length > 0 ? "f3km" : "lloyd",
    version: "0.0.0",
    seed: 1,
    effort: "normal",
    method: "in-memory",
    n: people.n,
    d: people.dimensions.length,
    ...originOf(people),
    k,
    sse: cost,
    unconstrainedSse: bounds.length > 0 ? cost * 0.95 : null,
    gap: bounds.length > 0 ? 0.002 : null,
    ...(bounds.length > 0 ? { unconstrainedSizes: free.sizes, unconstrainedGroups: free.groups } : {}),
    iterations: 6,
    converged: true,
    fair,
    verdict,
    verdictDetails,
    maxViolation,
    tolerance: 1,
    minSize: 2,
    minSizeFrom: "request",
    sseAtMinSize2: null,
    maxSize: people.n,
    sizesKept: null,
    eta: null,
    objective: null,
    balance,
    sizes,
    groups,
    bounds: measures.bounds,
    evenness: evenness(sizes),
    communication: { rounds: 0, bytesUp: 0, bytesDown: 0 },
    seconds: { read: 0.1, seed: 0.1, solve: 0.2, total: 0.4 },
    warnings,
  };
  const history = [step("seed", 1), step("descent", 1), step("descent", 2), step("fair", 1), step("fair", 2)];
  return { labels, centres: clusterMeans(people.dimensions, labels, k), gridBits: 20, history, result };
}
