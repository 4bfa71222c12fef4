import type { ExplicitBounds } from "../constraints/bounds.js";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import type { FairnessMeasures } from "../metrics/index.js";
import type { MissingRule, People, Table } from "../table/types.js";
import { atomFacts } from "./atoms.js";
import { cluster } from "./cluster.js";
import { CountedClusters } from "./counted-clusters.js";
import { distancesTo } from "./distances.js";
import { clusterAtCost } from "./given-costs.js";
import { type Model, nearestCentres } from "./model.js";
import type { ModelPromises } from "./model-promises.js";
import {
  askedAttributes,
  costsInClusters,
  heldTo,
  judgeNewcomers,
  type ModelAttribute,
  newcomersOf,
  promisesIn,
  withBounds,
} from "./newcomers.js";
import type { ClusterOptions, ClusterResult } from "./types.js";

export interface AssignOptions
  extends Pick<ClusterOptions, "tolerance" | "threads" | "seed" | "signal" | "onProgress"> {
  readonly id?: string;
  readonly missing?: MissingRule;
  /** The column that says how many people each newcomer counts for; default: each is one. */
  readonly weights?: string;
  /** The protected columns; default: those that the model was made with. */
  readonly protect?: readonly string[];
  /** Replaces the model's bounds for the attributes that it names; groups that it leaves out are unbounded. */
  readonly bounds?: ExplicitBounds;
  /**
   * Whether bounds and sizes hold for the people of the model and the newcomers together, or for the newcomers alone. Default:
   * alone; together with `online` where the model has counts.
   */
  readonly together?: boolean;
  /** Whether newcomers are placed one at a time, in the order of their rows, rather than as one batch. */
  readonly online?: boolean;
}

/** As `moiety assign --json` prints it. */
export interface AssignResult extends FairnessMeasures {
  /** Of the model. */
  readonly algorithm: string;
  readonly method: ClusterResult["method"];
  /** Of people who are only scanned. */
  readonly scanned?: NonNullable<ClusterResult["scanned"]>;
  readonly n: number;
  /** Where newcomers have weights: sizes, shares, tolerance and SSE are in weight. */
  readonly weights?: NonNullable<ClusterResult["weights"]>;
  readonly k: number;
  readonly together: boolean;
  readonly online: boolean;
  /** Around the model's centres. */
  readonly sse: number;
  /** The same if everybody went to the nearest centre, and how many people the worst group would then be beyond its bounds. */
  readonly nearestSse: number;
  /** With a model of Manhattan distances: what is minimised, the sum of distances to the model's centres, and the same at the nearest ones. */
  readonly distance?: "manhattan";
  readonly cost?: number;
  readonly nearestCost?: number;
  readonly nearestViolation: number;
  /** How far the cost is above a certified lower bound within the bounds, as a part of it; null for newcomers one at a time, and where only a sample was solved. */
  readonly gap: number | null;
  /** One at a time: who found no cluster within its limits, and by how many people they are beyond all together. */
  readonly beyond?: { readonly people: number; readonly excess: number };
  readonly warnings: readonly string[];
}

/** Newcomers in the clusters of a model. */
export interface PeopleAssignment extends Pick<People, "sourceRows" | "ids"> {
  readonly people: People;
  readonly labels: Uint16Array;
  /** One at a time: by how many people each one's cluster was beyond its limits when they joined it; 0 is within. */
  readonly excess?: Float64Array;
  readonly result: AssignResult;
  /** The model with the newcomers counted in it, as far as small cells allow; a model of a private clustering stays as it is. */
  readonly model: Model;
}

/**
 * Newcomers join the clusters of a model within its bounds, tolerance and sizes; the centres stay. As one batch they do so at the
 * least cost. Throws "infeasible", with the nearest bounds that the batch can keep, where it cannot keep these.
 */
export async function assign(given: Model, table: Table, options: AssignOptions = {}): Promise<PeopleAssignment> {
  const { id, missing, weights, protect, bounds, online = false } = options;
  if (given.densities) {
    const why = "this model's clusters are decided by densities, which are no costs to weigh against bounds";
    throw new MoietyError("usage", `${why}: use predict`);
  }
  const bounded = withBounds(promisesIn(given), bounds);
  const asked = askedAttributes(bounded, protect);
  const people = newcomersOf(given, asked, table, defined({ id, missing, weights }));
  const heaviest = atomFacts(people)?.largest;
  const model = heldTo(given, bounded, options.tolerance, heaviest);
  const clusters = new CountedClusters(model, asked, options.together ?? (online ? undefined : false));
  const { together } = clusters;
  const costs = online || model.clusters ? costsInClusters(model, people) : undefined;
  const placed =
    online && costs
      ? clusters.place(people, (person, cluster) => costs[cluster][person])
      : { ...(await joinTogether(model, people, asked, together, options, costs)), excess: undefined };
  const { labels, excess } = placed;
  if (!online) clusters.count(people, labels);
  const { k, provenance, distance } = model;
  const nearest = await nearestCentres(model, people, options.threads);
  const weightOf = (person: number) => people.weights?.values[person] ?? 1;
  const sseOf = (found: Uint16Array) =>
    model.clusters && costs
      ? found.reduce((sum, cluster, person) => sum + weightOf(person) * costs[cluster][person], 0)
      : distancesTo(model.centres, people, found);
  const result: AssignResult = {
    algorithm: provenance.algorithm,
    method: "in-memory",
    n: people.n,
    ...weightsIn(people),
    k,
    together,
    online,
    sse: sseOf(labels),
    nearestSse: sseOf(nearest),
    ...(distance === "manhattan"
      ? {
          distance,
          cost: distancesTo(model.centres, people, labels, distance),
          nearestCost: distancesTo(model.centres, people, nearest, distance),
        }
      : {}),
    nearestViolation: judgeNewcomers(model, people, nearest, together).maxViolation,
    gap: null,
    ...placed.facts,
    ...judgeNewcomers(model, people, labels, together),
    warnings: people.warnings,
  };
  const { sourceRows, ids } = people;
  return {
    people,
    labels,
    sourceRows,
    ...defined({ ids, excess }),
    result,
    model: clusters.updatedModel(Math.max(1, heaviest ?? 1)),
  };
}

function weightsIn({ weights }: People): Pick<AssignResult, "weights"> {
  return weights ? { weights: { column: weights.column, total: weights.total, unit: weights.unit } } : {};
}

/** Everybody of a batch at once, at the least cost. */
async function joinTogether(
  model: Model,
  people: People,
  asked: readonly ModelAttribute[],
  together: boolean,
  { threads, seed, signal, onProgress }: AssignOptions,
  costs?: readonly Float64Array[],
) {
  const { k, seats, ...promised } = joiningRequest(model, asked, together, people.weights?.total ?? people.n);
  const request = { ...promised, ...defined({ threads, seed, signal, onProgress }) };
  const { labels, result } = costs
    ? await clusterAtCost(
        { ...people, dimensions: costs, dimensionNames: costs.map((_, m) => `cluster ${m}`) },
        request,
      )
    : await cluster(people, { ...request, k, seats, ...defined({ distance: model.distance }) });
  return { labels, facts: { gap: result.gap } };
}

/** What is asked of a batch of so many people: to go to the model's centres, which stay, within its bounds and sizes. */
export function joiningRequest(
  model: Model,
  asked: readonly ModelAttribute[],
  together: boolean,
  people: number,
): ClusterOptions & Required<Pick<ClusterOptions, "seats">> {
  const promises = promisesIn(model);
  const bounds: ExplicitBounds = Object.fromEntries(
    asked.map(({ name, groups, lower, upper }) => [
      name,
      Object.fromEntries(groups.map((group, at) => [group, { min: lower[at], max: upper[at] }])),
    ]),
  );
  const capacity = roomFor(promises, people, model, together);
  return {
    k: model.k,
    seats: model.centres.map((centre) => Float64Array.from(centre)),
    tolerance: promises.tolerance,
    ...(asked.length > 0 ? { bounds } : {}),
    ...(together && asked.length > 0 ? { present: presentOf(asked) } : {}),
    ...defined({ capacity }),
  };
}

function presentOf(asked: readonly ModelAttribute[]): NonNullable<ClusterOptions["present"]> {
  return Object.fromEntries(
    asked.map(({ name, groups, counts }) => [
      name,
      Object.fromEntries(groups.map((group, at) => [group, counts![at]])),
    ]),
  );
}

/** Room is what the people of the model leave of it; a smallest size is one of everybody, not of a batch. */
function roomFor(
  { sizes }: ModelPromises,
  n: number,
  { k, people }: Model,
  together: boolean,
): ClusterOptions["capacity"] {
  if (!sizes) return undefined;
  const before = together && people ? people : new Array<number>(k).fill(0);
  const everybody = before.reduce((sum, size) => sum + size, n);
  return before.map((present, m) => {
    const even = { min: Math.floor(everybody / k), max: Math.ceil(everybody / k) };
    const { min, max } = sizes.even ? even : (sizes.each?.[m] ?? sizes);
    const least = together || sizes.even ? min : 0;
    return { min: Math.max(0, least - present), max: Math.max(0, max - present) };
  });
}
