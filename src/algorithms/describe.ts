import { evenness, measureFairness, sse } from "../metrics/index.js";
import type { Traffic } from "../parties/traffic.js";
import type { Outcome } from "../solver/lloyd.js";
import { originOf } from "../table/origin.js";
import type { People } from "../table/types.js";
import { version } from "../version.js";
import type { Settings } from "./settings.js";
import type { ClusterResult } from "./types.js";

/** What came of a run, whoever held the data. */
export function describe(
  people: People,
  settings: Settings,
  labels: Uint16Array,
  outcome: Outcome,
  traffic: Traffic,
  seconds: ClusterResult["seconds"],
  // Of the people as they are, not as the grid rounds them: what anybody computes from the labels.
  total = sse(people.dimensions, labels, settings.k),
): Omit<ClusterResult, "unconstrainedSse"> {
  const { k, bounds, tolerance, sizes: limits } = settings;
  const measures = measureFairness({ people, labels, k, bounds, tolerance });
  const { sizes, balance, groups, maxViolation, tooSmall } = measures;
  const wrongSizes = sizes.flatMap((size, m) => (size < limits.min || size > limits.max ? [m] : []));
  const warnings = [...people.warnings];
  if (settings.algorithm === "teb" && measures.fair === false) {
    warnings.push("teb looks at no groups, so they are only measured: use f3km, which keeps both promises at once");
  }
  if (wrongSizes.length > 0) {
    const limited = limits.min > 1 || limits.max < people.n;
    const state = limited ? `outside the sizes ${limits.min} to ${limits.max}` : "empty";
    warnings.push(`${wrongSizes.length} of ${k} clusters are ${state}: ${wrongSizes.join(", ")}`);
  }
  if (measures.fair !== null && tooSmall.length > 0) {
    warnings.push(
      `${tooSmall.length === 1 ? "cluster" : "clusters"} ${tooSmall.join(", ")} ${tooSmall.length === 1 ? "is" : "are"} so small that a tolerance of ${tolerance} covers a whole lower bound there: use --min-size`,
    );
  }
  if (!outcome.converged) warnings.push(`not converged after ${outcome.passes} passes: use a larger --max-iter`);
  const measured = evenness(sizes);
  const eta = settings.eta ?? null;
  return {
    algorithm: settings.algorithm,
    version,
    seed: settings.seed,
    n: people.n,
    d: people.dimensions.length,
    ...originOf(people),
    k,
    sse: total,
    iterations: outcome.passes,
    converged: outcome.converged,
    fair: measures.fair === null ? null : measures.fair && wrongSizes.length === 0,
    maxViolation,
    tolerance,
    minSize: limits.min,
    maxSize: limits.max,
    sizesKept: settings.sized ? wrongSizes.length === 0 : null,
    eta,
    objective: eta === null ? null : eta * total + (1 - eta) * measured.balanceLoss,
    balance,
    sizes,
    groups,
    bounds: measures.bounds,
    evenness: measured,
    communication: { ...traffic },
    seconds,
    warnings,
  };
}
