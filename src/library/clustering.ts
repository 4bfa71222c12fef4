import { cluster as clusterPeople } from "../algorithms/cluster.js";
import {
  toModel as modelOf,
  type PeoplePrediction,
  parseModel as parse,
  predict as predictPeople,
} from "../algorithms/model.js";
import { sweep as sweepPeople } from "../algorithms/sweep.js";
import type { PeopleSweep } from "../algorithms/sweep-types.js";
import { host } from "../host/index.js";
import type { NoiseSource } from "../privacy/noise/chance.js";
import { guarded, guardedLater } from "./guard.js";
import { byRow, type Clustering, clusteringByRow } from "./labels.js";
import { clusterOptions, predictOptions, sweepOptions } from "./options.js";
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

/** The clusters of new people. */
export interface Prediction extends Omit<PeoplePrediction, "labels"> {
  /** The cluster of each row of the table; -1 where the row was left out for a missing value. */
  readonly labels: Int32Array;
  /** The same by person, in the order of `sourceRows` and `ids`. */
  readonly assignment: Uint16Array;
}

/** The nearest centre of each person of a table. No protected attribute is looked at. */
export const predict = guardedLater(
  "predict",
  async (...[model, from, asked]: Parameters<typeof predictPeople>): Promise<Prediction> => {
    const { labels: assignment, ...rest } = await predictPeople(parse(model), from, asked);
    return { ...rest, labels: byRow(assignment, { ...rest, rows: from.rows }), assignment };
  },
  { model: anything, table, options: optional(predictOptions) },
);

/** A clustering as JSON that can label new people. */
export const toModel = guarded("toModel", modelOf, { people, clustering });

/** Throws "input" when the JSON is not a model that this version reads. */
export const parseModel = guarded("parseModel", parse, { json: anything });
