import { defaultDelta } from "../constraints/bounds.js";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { judge, measureFairness } from "../metrics/index.js";
import { originOf } from "../table/origin.js";
import type { People } from "../table/types.js";
import { methodOf, runsPrivately } from "./catalogue.js";
import { cluster } from "./cluster.js";
import { withoutMeaning } from "./describe.js";
import { growCentres } from "./grow.js";
import { findKnee } from "./knee.js";
import type { ClusterMethod } from "./method.js";
import { costsOf, priceOf } from "./price-of-fairness.js";
import { settle } from "./settings.js";
import {
  type Balance,
  type FeasiblePoint,
  type PeopleSweep,
  placeOf,
  type SweepKnee,
  type SweepOptions,
  type SweepPoint,
  type SweepResult,
  type SweepValue,
} from "./sweep-types.js";
import type { ClusterOptions, ClusterResult, PeopleClustering } from "./types.js";

/** What was asked for, and what came of it. */
interface SweepEntry extends SweepValue {
  readonly clustering: PeopleClustering | null;
  readonly start: FeasiblePoint["start"];
  /** The least cost without promises that any start of it found; null when nothing was promised. */
  readonly free: number | null;
  readonly reason: string;
}

/** All values of a sweep, and what follows from them. */
interface SweepRuns extends Pick<SweepResult, "points" | "knees"> {
  readonly found: readonly SweepEntry[];
}

/**
 * The cost of every k with every balance and every delta. Each value starts afresh, as a run by itself would, and also from the clusters of
 * the value before; the better one counts, so no value costs more than a run by itself. A delta never costs more than a
 * smaller one, unless it asks for larger clusters: what keeps the tighter bounds keeps the looser ones.
 */
export async function sweep(people: People, options: SweepOptions): Promise<PeopleSweep> {
  const clock = options.clock ?? (() => 0);
  const began = clock();
  const ks = rising(options.k, "k");
  const method = options.algorithm === undefined ? undefined : methodOf(options.algorithm);
  const isPrivate = method !== undefined && runsPrivately(method, options) && method.privacy!.sharesFit;
  const { found, points, knees } = isPrivate
    ? await sweepPrivately(people, ks, options, method)
    : await sweepValues(people, ks, options);
  const clusterings = found.map(({ clustering }) => clustering);
  const last = clusterings.findLast((clustering) => clustering !== null);
  if (!last) {
    const which = found.length === 1 ? "the one value is not" : `none of the ${found.length} values is`;
    throw new MoietyError("infeasible", `${which} feasible: ${found[found.length - 1].reason}`);
  }
  const { algorithm, version, seed, n, d, tolerance, privacy } = last.result;
  const facts = { algorithm, version, seed, n, d, ...originOf(people), tolerance, points, knees };
  const seconds = { read: 0, total: (clock() - began) / 1000 };
  const result = {
    ...facts,
    seconds,
    warnings: warningsOf(people, found),
    ...(isPrivate && privacy ? { privacy } : {}),
  };
  return { result, clusterings };
}

/** One run, and one from the clusters of a neighbouring value, for every value. */
async function sweepValues(people: People, ks: readonly number[], options: SweepOptions): Promise<SweepRuns> {
  if (Number.isFinite(options.epsilon)) {
    throw new MoietyError("usage", "a sweep of private k-means would spend for each k: cluster with one k");
  }
  const deltas = people.attributes.length > 0 ? rising(options.delta ?? [defaultDelta], "delta") : [null];
  if (people.attributes.length === 0 && options.delta !== undefined) {
    throw new MoietyError("usage", "a sweep over delta needs something that is protected: name it with `protect`");
  }
  const etas = balancesOf(options);
  const found: SweepEntry[] = [];
  const unconstrained = new Map<number, number>();
  for (const k of ks) {
    for (const eta of etas) {
      for (const delta of deltas) {
        options.onValue?.({ k, eta, delta, done: found.length });
        const before = (like: (other: SweepEntry) => boolean) =>
          found.findLast((other) => other.clustering !== null && like(other))?.clustering ?? null;
        const tighter = before((other) => other.k === k && other.eta === eta);
        // With another balance the promises differ: its clusters are not an answer, but a good place to start from.
        const other = before((one) => one.k === k && one.delta === delta);
        const fewer = tighter || other ? null : before((one) => one.eta === eta && one.delta === delta);
        const from = (tighter ?? other)?.centres ?? (fewer && growCentres(people, fewer.labels, k));
        found.push(await findOne(people, options, { k, eta, delta }, tighter, from));
      }
    }
    const free = found.flatMap((one) => (one.k === k && one.free !== null ? [one.free] : []));
    if (free.length > 0) unconstrained.set(k, Math.min(...free));
  }
  const points = found.map((one) => pointOf(one, unconstrained.get(one.k) ?? null));
  return { found, points, knees: kneesOf(points, ks, etas, deltas) };
}

/** One fit and one draw of noise serve every k, so the sweep costs what its largest k alone would. */
async function sweepPrivately(
  people: People,
  ks: readonly number[],
  options: SweepOptions,
  { name, privacy }: ClusterMethod,
): Promise<SweepRuns> {
  const [delta = defaultDelta, ...others] = options.delta ?? [];
  if (others.length > 0) {
    throw new MoietyError("usage", `${name} is not steered by delta: give one, by which its clusters are measured`);
  }
  const [eta, ...otherEtas] = balancesOf(options);
  if (otherEtas.length > 0) {
    throw new MoietyError("usage", `${name} takes one \`balance\` for all k of a sweep: leave out the others`);
  }
  const asked = askedOf(options, { k: ks[ks.length - 1], eta, delta });
  const { clusterPrivately } = await import("./cluster-privately.js");
  const clusterings = await clusterPrivately(privacy!, people, ks, await settle(people, asked), asked);
  const found = clusterings.map((clustering, at): SweepEntry => {
    return { k: ks[at], eta, delta, clustering, start: "fresh", free: null, reason: "" };
  });
  const points = found.map((one) => ({ ...pointOf(one, null), ...one.clustering?.result.privacy?.quality }));
  return { found, points, knees: [] };
}

/** "hard" first, then from the most even to the least. */
function balancesOf({ balance }: SweepOptions): (Balance | null)[] {
  if (balance === undefined) return [null];
  if (!Array.isArray(balance)) return [balance as Balance];
  const order = (value: Balance) => (value === "hard" ? 0 : value);
  if (balance.length === 0) throw new MoietyError("usage", "a sweep needs at least one value of balance");
  return [...new Set(balance as readonly Balance[])].sort((a, b) => order(a) - order(b));
}

function rising(values: readonly number[], name: string): number[] {
  if (values.length === 0) throw new MoietyError("usage", `a sweep needs at least one value of ${name}`);
  return [...new Set(values)].sort((a, b) => a - b);
}

/** The best of a fresh start, of a warm one, and of the clusters of a smaller delta. */
async function findOne(
  people: People,
  options: SweepOptions,
  value: SweepValue,
  tighter: PeopleClustering | null,
  from: readonly Float64Array[] | null,
): Promise<SweepEntry> {
  const nothing = { ...value, clustering: null, start: "fresh", free: null } as const;
  const { k } = value;
  if (k > people.n) return { ...nothing, reason: `there are ${people.n} people for k=${k} clusters` };
  const asked = askedOf(options, value);
  try {
    const fresh = await cluster(people, asked);
    const found: [FeasiblePoint["start"], PeopleClustering][] = [["fresh", fresh]];
    if (from) found.push(["warm", await cluster(people, { ...asked, from })]);
    if (tighter) found.push(["tighter", loosened(people, tighter, fresh.result, asked)]);
    const [start, clustering] = found.reduce((best, other) => (better(other[1], best[1]) ? other : best));
    const free = found.flatMap(([, { result }]) => costsOf(result).unconstrained ?? []);
    return { ...value, clustering, start, free: free.length > 0 ? Math.min(...free) : null, reason: "" };
  } catch (error) {
    if (error instanceof MoietyError && error.code === "infeasible") return { ...nothing, reason: error.message };
    throw error;
  }
}

function askedOf(options: SweepOptions, { k, eta, delta }: SweepValue): ClusterOptions {
  const { k: _, delta: __, balance: ___, onValue, ...rest } = options;
  return { ...rest, k, ...(delta === null ? {} : { delta }), ...(eta === null ? {} : { balance: eta }) };
}

/** Fair before unfair, then the nearer to fair, then the cheaper. */
function better({ result: one }: PeopleClustering, { result: other }: PeopleClustering): boolean {
  if (one.fair !== other.fair) return one.fair === true;
  if (one.fair === false && one.maxViolation !== other.maxViolation) return one.maxViolation < other.maxViolation;
  if (one.sizesKept !== other.sizesKept) return one.sizesKept === true;
  // Smaller clusters are cheaper, but with larger ones the bounds mean something.
  if (one.minSize !== other.minSize) return one.minSize > other.minSize;
  return (one.objective ?? costsOf(one).cost) < (other.objective ?? costsOf(other).cost);
}

/** The same clusters, measured by the looser bounds and the sizes of another result. */
function loosened(
  people: People,
  clustering: PeopleClustering,
  { minSize, minSizeFrom, sseAtMinSize2, costAtMinSize2, maxSize, tolerance }: ClusterResult,
  { k, delta, bounds: explicit }: ClusterOptions,
): PeopleClustering {
  const { labels, result: before } = clustering;
  const looser = resolveBounds(people.attributes, { delta: delta!, bounds: explicit });
  const measures = measureFairness({ people, labels, k, bounds: looser, tolerance });
  const { maxViolation, bounds, sizes } = measures;
  const fair = measures.fair && sizes.every((size) => size >= minSize && size <= maxSize);
  const asked = { minSize, minSizeFrom, sseAtMinSize2, ...defined({ costAtMinSize2 }), maxSize };
  const judged = judge({ ...measures, fair }, people.weights?.unit);
  const result = { ...before, ...asked, fair, ...judged, maxViolation, bounds };
  const gone = withoutMeaning(before);
  const warnings = [...before.warnings.filter((warning) => !gone.includes(warning)), ...withoutMeaning(result)];
  return { ...clustering, result: { ...result, warnings } };
}

function pointOf({ k, eta, delta, clustering, start, reason }: SweepEntry, unconstrained: number | null): SweepPoint {
  if (!clustering) return { k, eta, delta, feasible: false, reason };
  const { sse, distance, fair, verdict, maxViolation, balance, minSize } = clustering.result;
  const { sizes, evenness, iterations, converged } = clustering.result;
  const { cost } = costsOf(clustering.result);
  const price = priceOf({ cost, unconstrained });
  const costs = distance
    ? { sse, unconstrainedSse: null, distance, cost, unconstrainedCost: unconstrained, price }
    : { sse, unconstrainedSse: unconstrained, price };
  const fairness = { fair, verdict, maxViolation, balance: balance.length > 0 ? Math.min(...balance) : null };
  const shape = { minSize, sizes, evenness, iterations, converged };
  return { k, eta, delta, feasible: true, ...costs, ...fairness, ...shape, start };
}

/** The warnings of all runs, each once, with the values that it is about. */
function warningsOf(people: People, found: readonly SweepEntry[]): string[] {
  const places = new Map<string, string[]>();
  for (const { clustering, k, eta, delta } of found) {
    for (const warning of clustering?.result.warnings ?? []) {
      if (people.warnings.includes(warning)) continue;
      places.set(warning, [...(places.get(warning) ?? []), placeOf({ k, eta, delta })]);
    }
  }
  const everywhere = found.filter(({ clustering }) => clustering !== null).length;
  return [
    ...people.warnings,
    ...Array.from(places, ([warning, where]) => {
      return where.length === everywhere ? warning : `at ${where.join("; ")}: ${warning}`;
    }),
  ];
}

function kneesOf(
  points: readonly SweepPoint[],
  ks: readonly number[],
  etas: readonly (Balance | null)[],
  deltas: readonly (number | null)[],
): SweepKnee[] {
  const feasible = points.filter((point) => point.feasible);
  const knees: SweepKnee[] = [];
  for (const eta of etas) {
    const evenly = feasible.filter((point) => point.eta === eta);
    for (const k of deltas.length > 1 ? ks : []) {
      const curve = evenly.filter((point) => point.k === k);
      const knee = findKnee({ x: curve.map(({ delta }) => delta!), y: curve.map((point) => costsOf(point).cost) });
      knees.push({ along: "delta", k, eta, delta: null, ...knee });
    }
    for (const delta of ks.length > 1 ? deltas : []) {
      const curve = evenly.filter((point) => point.delta === delta);
      const y = curve.map((point) => costsOf(point).cost);
      const knee = findKnee({ x: curve.map(({ k }) => k), y, logarithmic: true });
      knees.push({ along: "k", k: null, eta, delta, ...knee });
    }
  }
  return knees;
}
