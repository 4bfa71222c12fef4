import { assign as assignPeople, type PeopleAssignment } from "../algorithms/assign.js";
import { cluster as clusterPeople } from "../algorithms/cluster.js";
import { clusterAtCost as clusterPeopleAtCost } from "../algorithms/given-costs.js";
import {
  type Model,
  toModel as modelOf,
  type PeoplePrediction,
  parseModel as parse,
  predict as predictPeople,
} from "../algorithms/model.js";
import { centresFor as centresOfModel, encodePlaces as placesOf } from "../algorithms/places.js";
import { sweep as sweepPeople } from "../algorithms/sweep.js";
import type { PeopleSweep } from "../algorithms/sweep-types.js";
import type { ClusterResult } from "../algorithms/types.js";
import { type PeopleUpdate, update as updateModel } from "../algorithms/update.js";
import { host } from "../host/index.js";
import type { NoiseSource } from "../privacy/noise/chance.js";
import type { Table } from "../table/types.js";
import { guarded, guardedLater } from "./guard.js";
import { byRow, type Clustering, clusteringByRow } from "./labels.js";
import { assignOptions, clusterOptions, costOptions, predictOptions, sweepOptions, updateOptions } from "./options.js";
import { anything, optional } from "./rules.js";
import { clustering, people, table } from "./things.js";

/** Privacy's noise is never seeded by `seed`: it comes from the operating system. */
const operatingSystem: NoiseSource = { secret: true, fill: host.fillRandom };
const clock = () => performance.now();

/**
 * Divides people into k clusters, with every protected group within its bounds in each of them. The labels depend on
 * the people, the options and the seed: not on threads, on parties or on the machine.
 *
 * @param people - from {@link preparePeople}
 * @param options - k, and what is not to be as by default
 * @returns the cluster of each row of the table, the centres, and the result as `moiety cluster --json` prints it
 * @throws MoietyError "infeasible" before the run when no clustering can meet the request; "cancelled" on an abort
 */
export const cluster = guardedLater(
  "cluster",
  async (...[whom, asked]: Parameters<typeof clusterPeople>): Promise<Clustering> =>
    clusteringByRow(await clusterPeople(whom, { clock, noise: operatingSystem, ...asked }), whom),
  { people, options: clusterOptions },
);

/** The curve as `moiety sweep --json` prints it, and the clustering of each point; null where it is not feasible. */
export interface Sweep extends Omit<PeopleSweep, "clusterings"> {
  readonly clusterings: readonly (Clustering | null)[];
}

/**
 * What fairness costs: every k with every delta, each started afresh and from the value before, whichever is better.
 *
 * @param people - from {@link preparePeople}
 * @param options - the values of k and delta, and what is not to be as by default
 * @returns the curve as `moiety sweep --json` prints it, and the clustering of each value
 * @throws MoietyError "infeasible" when no value is feasible; "cancelled" on an abort
 */
export const sweep = guardedLater(
  "sweep",
  async (...[whom, asked]: Parameters<typeof sweepPeople>): Promise<Sweep> => {
    const { clusterings, result } = await sweepPeople(whom, { clock, noise: operatingSystem, ...asked });
    return { result, clusterings: clusterings.map((each) => each && clusteringByRow(each, whom)) };
  },
  { people, options: sweepOptions },
);

/** A result, and the model that newcomers join. */
export interface ModelledClustering {
  /** As `moiety cluster --json` prints it. */
  readonly result: ClusterResult;
  readonly model: Model;
}

/** Labels of the rows of a table. */
type LabelledByRow<Found> = Omit<Found, "labels"> & {
  /** The cluster of each row of the table; -1 where the row was left out for a missing value. */
  readonly labels: Int32Array;
  /** The same by person, in the order of `sourceRows` and `ids`. */
  readonly assignment: Uint16Array;
};

function labelledByRow<Found extends { readonly labels: Uint16Array; readonly sourceRows: Uint32Array }>(
  { labels: assignment, ...found }: Found,
  { rows }: Pick<Table, "rows">,
): LabelledByRow<Found> {
  return { ...found, labels: byRow(assignment, { sourceRows: found.sourceRows, rows }), assignment };
}

/** The clusters of new people. */
export type Prediction = LabelledByRow<PeoplePrediction>;

/** The nearest centre of each person of a table. No protected attribute is looked at. */
export const predict = guardedLater(
  "predict",
  async (...[model, from, asked]: Parameters<typeof predictPeople>): Promise<Prediction> => {
    return labelledByRow(await predictPeople(parse(model), from, asked), from);
  },
  { model: anything, table, options: optional(predictOptions) },
);

/** A clustering as JSON that can label new people. */
export const toModel = guarded("toModel", modelOf, { people, clustering });

/** Throws "input" when the JSON is not a model that this version reads. */
export const parseModel = guarded("parseModel", parse, { json: anything });

/** New people in the clusters of a model. */
export type NewcomersAssigned = LabelledByRow<Omit<PeopleAssignment, "people">>;

/**
 * New people join the clusters of a model within its bounds, tolerance and sizes; the centres stay. With `online` they do so one at
 * a time: pass the `model` of the result on to the next ones.
 *
 * @throws MoietyError "infeasible" when a batch cannot keep the bounds, with the nearest that it can keep
 */
export const assign = guardedLater(
  "assign",
  async (...[model, from, asked]: Parameters<typeof assignPeople>): Promise<NewcomersAssigned> => {
    const { people: _, ...found } = await assignPeople(parse(model), from, asked);
    return labelledByRow(found, from);
  },
  { model: anything, table, options: optional(assignOptions) },
);

/** A model after new people have joined it. */
export type ModelUpdate = LabelledByRow<PeopleUpdate>;

/** New people join the clusters of a model within its bounds, and the centres follow; people of before lose the part `forget` of their weight. */
export const update = guardedLater(
  "update",
  async (...[model, from, asked]: Parameters<typeof updateModel>): Promise<ModelUpdate> => {
    return labelledByRow(await updateModel(parse(model), from, asked), from);
  },
  { model: anything, table, options: optional(updateOptions) },
);

/** Given places, one in each row of a table, as centres in the space of people: for the option `seats` of {@link cluster}. */
export const encodePlaces = guarded("encodePlaces", placesOf, { people, table });

/** The centres of a model in the space of other people: for the option `from` of {@link cluster}, so that clusters keep their numbers. */
export const centresFor = guarded(
  "centresFor",
  (...[whom, model]: Parameters<typeof centresOfModel>) => centresOfModel(whom, parse(model)),
  { people, model: anything },
);

/**
 * Divides people over places whose costs are given instead of distances: `people.dimensions` has one cost of everybody for each
 * place (prepare them with `scale: "none"`), and `result.sse` is the sum of the costs.
 */
export const clusterAtCost = guardedLater(
  "clusterAtCost",
  async (...[whom, asked]: Parameters<typeof clusterPeopleAtCost>): Promise<Clustering> =>
    clusteringByRow(await clusterPeopleAtCost(whom, { clock, ...asked }), whom),
  { people, options: costOptions },
);
