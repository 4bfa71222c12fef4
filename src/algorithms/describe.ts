import { limitsSizes, sizesIn } from "../constraints/bounds.js";
import { evenness, type FairnessMeasures, judge, measureFairness, sse } from "../metrics/index.js";
import type { Traffic } from "../parties/traffic.js";
import type { Outcome } from "../solver/lloyd.js";
import { originOf } from "../table/origin.js";
import type { People, WeightFacts } from "../table/types.js";
import { version } from "../version.js";
import { methodFor, methodOf, namesOf } from "./catalogue.js";
import type { Settings } from "./settings.js";
import type { ClusterResult } from "./types.js";

/** The most clusters that a warning names; the others are counted. */
const mostNamed = 12;

/** What came of a run, whoever held the data. */
export function describe(
  people: People,
  settings: Settings,
  labels: Uint16Array,
  outcome: Outcome,
  traffic: Traffic,
  seconds: ClusterResult["seconds"],
  // Of the people as they are, not as the grid rounds them: what anybody computes from the labels.
  total = sse(people.dimensions, labels, settings.k, people.weights?.values),
): DescribedRun {
  const { k, bounds, tolerance } = settings;
  const measures = measureFairness({ people, labels, k, bounds, tolerance });
  return describeMeasured(people, settings, measures, outcome, traffic, seconds, total);
}

export type DescribedRun = Omit<ClusterResult, "unconstrainedSse" | "unconstrainedSizes" | "unconstrainedGroups">;

/** The result of a run that was described by sums of distances, under the names that results have for them. */
export function inManhattan({ sse: cost, unconstrainedSse, ...run }: ClusterResult, squares: number): ClusterResult {
  const costs = { cost, unconstrainedCost: unconstrainedSse, costAtMinSize2: null };
  return { ...run, sse: squares, unconstrainedSse: null, distance: "manhattan", ...costs };
}

/** The same where only counts of people are known. */
export function describeMeasured(
  people: Pick<People, "n" | "dimensionNames" | "encodings" | "leftOut" | "dropped" | "warnings"> &
    Pick<People, "together" | "apart"> & { readonly weights?: WeightFacts },
  settings: Settings,
  measures: FairnessMeasures,
  outcome: Outcome,
  traffic: Traffic,
  seconds: ClusterResult["seconds"],
  total: number,
): DescribedRun {
  const { k, tolerance, sizes: limits } = settings;
  const { sizes, balance, groups, maxViolation } = measures;
  const wrongSizes = sizes.flatMap((size, m) => {
    const { min, max } = sizesIn(limits, m);
    return size < min || size > max ? [m] : [];
  });
  const warnings = [...people.warnings];
  const { name, promises } = methodOf(settings.algorithm);
  if (promises.sizes && !promises.groups && measures.fair === false) {
    const both = namesOf((method) => method.promises.groups && method.promises.sizes);
    warnings.push(
      `${name} looks at no groups, so they are only measured: use ${both}, which keeps both promises at once`,
    );
  }
  if (wrongSizes.length > 0) {
    const limited = limitsSizes(limits, people.weights?.total ?? people.n, 1);
    const asked = limits.each ? "their sizes" : `the sizes ${limits.min} to ${limits.max}`;
    const state = limited ? `outside ${asked}` : "empty";
    warnings.push(`${wrongSizes.length} of ${k} clusters are ${state}: ${wrongSizes.join(", ")}`);
  }
  const fair = measures.fair === null ? null : measures.fair && wrongSizes.length === 0;
  const { verdict, verdictDetails } = judge({ ...measures, fair }, people.weights?.unit);
  // Where the centres stay, sizes follow from who comes.
  if (!settings.seats) warnings.push(...withoutMeaning({ ...settings, sizes, fair, verdictDetails }));
  if (!outcome.converged) warnings.push(`not converged after ${outcome.passes} passes: use a larger \`maxIterations\``);
  const measured = evenness(sizes);
  const eta = settings.eta ?? null;
  return {
    algorithm: settings.algorithm,
    version,
    seed: settings.seed,
    method: "in-memory",
    n: people.n,
    d: people.dimensionNames.length,
    ...originOf(people),
    ...linksOf(people, settings, fair, wrongSizes.length === 0),
    k,
    sse: total,
    gap: null,
    effort: settings.split === "rows" || settings.from ? null : settings.effort,
    iterations: outcome.passes,
    converged: outcome.converged,
    fair,
    verdict,
    verdictDetails,
    maxViolation,
    tolerance,
    minSize: limits.min,
    minSizeFrom: settings.minSizeFrom,
    sseAtMinSize2: null,
    maxSize: limits.max,
    ...(limits.each ? { capacity: limits.each } : {}),
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

/** What is known of weights, of who belongs together, and of who is kept apart. */
function linksOf(
  { weights, together, apart }: Pick<People, "together" | "apart"> & { readonly weights?: WeightFacts },
  { atoms, feasible, sized }: Settings,
  fair: boolean | null,
  sizesKept: boolean,
): Pick<ClusterResult, "weights" | "together" | "apart" | "atoms"> {
  const promised = fair !== null || sized;
  const witnessed = feasible || ((fair ?? true) && sizesKept);
  return {
    ...(weights ? { weights: { column: weights.column, total: weights.total, unit: weights.unit } } : {}),
    ...(together ? { together: { column: together.column, households: together.count } } : {}),
    ...(apart ? { apart: { column: apart.column, values: apart.count } } : {}),
    ...(atoms
      ? {
          atoms: {
            count: atoms.count,
            largest: atoms.largest,
            ...(promised ? { feasible: witnessed ? ("witnessed" as const) : ("undecided" as const) } : {}),
          },
        }
      : {}),
  };
}

/** Warns of clusters so small that the tolerance covers a whole bound: a group may be absent there, or alone. */
export function withoutMeaning(
  result: Pick<ClusterResult, "algorithm" | "k" | "tolerance" | "minSizeFrom" | "sizes" | "fair" | "verdictDetails">,
): string[] {
  const { algorithm, k, tolerance, minSizeFrom, sizes, fair, verdictDetails } = result;
  if (verdictDetails === null || verdictDetails.withoutMeaning.count === 0) return [];
  const { meaningfulSize } = verdictDetails;
  const small = sizes.flatMap((size, m) => (size > 0 && size < meaningfulSize ? [m] : []));
  const named = small.slice(0, mostNamed).join(", ");
  const more = small.length > mostNamed ? ` and ${small.length - mostNamed} more` : "";
  const where = `${small.length === 1 ? "cluster" : "clusters"} ${named}${more}`;
  const what = `a tolerance of ${tolerance} covers whole bounds in ${where}, of fewer than ${meaningfulSize} people`;
  if (fair && minSizeFrom === "fallback") {
    return [`${what}; k=${k} clusters as large as that were not found to be feasible: use a smaller k or wider groups`];
  }
  const { sizes: keepsSizes } = methodOf(algorithm).promises;
  return [
    `${what}: use ${keepsSizes ? "" : `a smaller k, or ${methodFor("groups").name} with `}\`minSize: meaningful\``,
  ];
}
