import { checkFeasible } from "../constraints/feasibility.js";
import { closeLanes, openLanes } from "../kernels/lanes.js";
import { evenness, measureFairness, sse } from "../metrics/index.js";
import type { LocalColumns } from "../parties/local.js";
import { columnsOf, splitColumns } from "../parties/split.js";
import { Coordinator } from "../solver/coordinator.js";
import type { Outcome } from "../solver/lloyd.js";
import type { People } from "../table/types.js";
import { version } from "../version.js";
import { type Settings, settle } from "./settings.js";
import { solve } from "./solve.js";
import type { Clustering, ClusterOptions, ClusterResult } from "./types.js";

/** Clusters people in this process. The result depends on the people, the options and the seed, on nothing else. */
export async function cluster(people: People, options: ClusterOptions): Promise<Clustering> {
  const clock = options.clock ?? (() => 0);
  const began = clock();
  const settings = await settle(people, options);
  const work = people.n * (people.dimensions.length + 1) * settings.k;
  const lanes = openLanes(settings.threads, work);
  try {
    const promises = settings.algorithm === "f3km" ? settings : undefined;
    const parties = splitColumns(people, settings.parties, lanes, promises);
    const coordinator = await Coordinator.open(parties, settings.k, options.signal);
    const from = settings.from;
    const { outcome, history, seeding, unconstrainedSse } = await solve({
      coordinator,
      settings,
      promised: people.attributes.length > 0 || settings.sizes.min > 1 || settings.sizes.max < people.n,
      people,
      ...(from ? { place: () => placeCentres(parties, from) } : {}),
      costOf: async (free) => sse(people.dimensions, await free.labelsNow(), settings.k),
      ...(options.onProgress ? { onProgress: options.onProgress } : {}),
      clock,
    });
    const labels = await coordinator.labelsNow();
    const done = clock();
    const seconds = {
      read: 0,
      seed: seeding / 1000,
      solve: (done - began - seeding) / 1000,
      total: (done - began) / 1000,
    };
    const result = { ...describe(people, settings, labels, outcome, coordinator, seconds), unconstrainedSse };
    if (!settings.feasible && result.fair === false) await decideAfterAll(people, settings, options.signal);
    return {
      labels,
      centres: centresOf(parties, settings.k, people.dimensions.length),
      gridBits: coordinator.grid.bits,
      history,
      result,
    };
  } finally {
    await closeLanes(lanes);
  }
}

/**
 * It was not known whether any clustering meets the request, and this one does not: then it is worth all effort to know.
 * Throws "infeasible" when none can.
 */
async function decideAfterAll(people: People, settings: Settings, signal: AbortSignal | undefined): Promise<void> {
  const { n, attributes } = people;
  const { k, sizes, bounds, tolerance } = settings;
  await checkFeasible({ n, k, sizes, bounds, tolerance, attributes }, { effort: "thorough", signal });
}

function describe(
  people: People,
  settings: Settings,
  labels: Uint16Array,
  outcome: Outcome,
  coordinator: Coordinator,
  seconds: ClusterResult["seconds"],
): Omit<ClusterResult, "unconstrainedSse"> {
  const { k, bounds, tolerance, sizes: limits } = settings;
  const measures = measureFairness({ people, labels, k, bounds, tolerance });
  const { sizes, balance, groups, maxViolation, tooSmall } = measures;
  const wrongSizes = sizes.flatMap((size, m) => (size < limits.min || size > limits.max ? [m] : []));
  const warnings = [...people.warnings];
  if (wrongSizes.length > 0) {
    warnings.push(
      `${wrongSizes.length} of ${k} clusters are outside the sizes ${limits.min} to ${limits.max}: ${wrongSizes.join(", ")}`,
    );
  }
  if (measures.fair !== null && tooSmall.length > 0) {
    warnings.push(
      `${tooSmall.length === 1 ? "cluster" : "clusters"} ${tooSmall.join(", ")} ${tooSmall.length === 1 ? "is" : "are"} so small that a tolerance of ${tolerance} covers a whole lower bound there: use --min-size`,
    );
  }
  if (!outcome.converged) warnings.push(`not converged after ${outcome.passes} passes: use a larger --max-iter`);
  return {
    algorithm: settings.algorithm,
    version,
    seed: settings.seed,
    n: people.n,
    d: people.dimensions.length,
    k,
    // Of the people as they are, not as the grid rounds them: what anybody computes from the labels.
    sse: sse(people.dimensions, labels, k),
    iterations: outcome.passes,
    converged: outcome.converged,
    fair: measures.fair === null ? null : measures.fair && wrongSizes.length === 0,
    maxViolation,
    tolerance,
    minSize: limits.min,
    balance,
    sizes,
    groups,
    bounds: measures.bounds,
    evenness: evenness(sizes),
    communication: { ...coordinator.traffic },
    seconds,
    warnings,
  };
}

/** Every party takes its slice of the centres. */
function placeCentres(parties: readonly LocalColumns[], centres: readonly Float64Array[]): void {
  parties.forEach((party, index) => {
    const { from, to } = columnsOf(index, parties.length, centres[0]!.length);
    party.setScaledCentres(centres.flatMap((centre) => Array.from(centre.subarray(from, to))));
  });
}

/** The parties' slices of the centres put side by side again. */
function centresOf(parties: readonly LocalColumns[], k: number, dims: number): Float64Array[] {
  const centres = Array.from({ length: k }, () => new Float64Array(dims));
  parties.forEach((party, index) => {
    const { from, to } = columnsOf(index, parties.length, dims);
    const slice = party.scaledCentres();
    centres.forEach((centre, m) => {
      centre.set(slice.subarray(m * (to - from), (m + 1) * (to - from)), from);
    });
  });
  return centres;
}
