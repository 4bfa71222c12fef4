import * as z from "zod";
import { defined } from "../defined.js";

import { MoietyError } from "../errors.js";
import { closeLanes, type Lane, openLanes } from "../kernels/lanes.js";
import { MixtureRows, termsOf } from "../kernels/mixture-rows.js";
import type { FairnessMeasures } from "../metrics/index.js";
import { LocalColumns } from "../parties/local-columns.js";
import { loadSnapped, nearest } from "../parties/mixture-site.js";
import { encodingsSchema } from "../table/encoding-schema.js";
import { encodePeople } from "../table/index.js";
import type { MissingRule, People, Table } from "../table/types.js";
import { version } from "../version.js";
import { faultInPromises, peopleInClusters, promisesOf, promisesSchema } from "./model-promises.js";
import type { PeopleClustering } from "./types.js";

const schema = z.object({
  format: z.literal("moiety-model"),
  /** 2 where distances are not squared, 3 where densities decide: a reader who knows nothing of that must not take the nearest centre. */
  formatVersion: z.literal([1, 2, 3]),
  provenance: z.object({
    version: z.string(),
    algorithm: z.string(),
    seed: z.number(),
    /** Null where the number of people is private. */
    n: z.number().nullable(),
    sse: z.number().nullable(),
    /** The sum of distances, where they are not squared. */
    cost: z.number().optional(),
    fair: z.boolean().nullable(),
    protected: z.array(z.string()),
  }),
  k: z.number().int().positive().max(65_536),
  dimensions: z.array(z.string()),
  encodings: encodingsSchema,
  gridBits: z.number().int().min(-1000).max(1000),
  /** What newcomers are near by; absent where distances are squared. */
  distance: z.literal("manhattan").optional(),
  centres: z.array(z.array(z.number())),
  /** Where a cluster is made of several cells: the cluster of each centre. Coordinates are then held in [-1, 1]. */
  clusters: z.array(z.number().int().nonnegative()).optional(),
  /** Where the highest density decides instead of the nearest centre: log densities as functions of 1, x and its products. */
  densities: z.array(z.array(z.number())).optional(),
  /** What was promised about groups and sizes, for newcomers. */
  promises: promisesSchema.optional(),
  /** People in each cluster; absent where a count is small. */
  people: z.array(z.number().nonnegative()).optional(),
});

/** What newcomers need of a clustering: no person. */
export type Model = z.infer<typeof schema>;

export function toModel(
  people: People,
  clustering: Pick<PeopleClustering, "result" | "gridBits" | "cells" | "centres" | "prices">,
): Model {
  const promises = promisesOf(people, clustering);
  const sizes = peopleInClusters(clustering);
  const { result, gridBits, cells } = clustering;
  // What the data say without noise stays with their owner.
  const hidden = result.privacy?.mode === "all";
  const { centres, encodings } = cells ?? { centres: clustering.centres, encodings: people.encodings };
  return {
    format: "moiety-model",
    formatVersion: cells?.densities ? 3 : result.distance ? 2 : 1,
    provenance: {
      version,
      algorithm: result.algorithm,
      seed: result.seed,
      n: hidden ? null : result.n,
      sse: hidden ? null : result.sse,
      ...defined({ cost: result.cost }),
      fair: result.privacy ? null : result.fair,
      protected: people.attributes.map(({ name }) => name),
    },
    k: result.k,
    dimensions: [...people.dimensionNames],
    encodings: encodings.map((each) =>
      each.kind === "categorical" ? { ...each, levels: [...each.levels] } : { ...each },
    ),
    gridBits,
    ...(result.distance ? { distance: result.distance } : {}),
    centres: centres.map((centre) => Array.from(centre)),
    ...(cells ? { clusters: Array.from(cells.clusters) } : {}),
    ...(cells?.densities ? { densities: cells.densities.map((each) => Array.from(each)) } : {}),
    ...(promises ? { promises } : {}),
    ...(sizes ? { people: sizes } : {}),
  };
}

/** Throws "input" when the JSON is not a model that this version reads, and names where it came from. */
export function parseModel(json: unknown, source = "this"): Model {
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue && issue.path.length > 0 ? `${issue.path.join(".")}: ${issue.message}` : "not a model";
    throw new MoietyError("input", `${source} is not a model file of Moiety (${where}): make one with moiety cluster`);
  }
  const fault = faultOf(parsed.data);
  if (fault === undefined) return parsed.data;
  throw new MoietyError("input", `${source} is not a model that people can be labelled by (${fault}): make it again`);
}

/** What of a model contradicts itself. */
function faultOf({
  k,
  centres,
  dimensions,
  clusters,
  densities,
  encodings,
  gridBits,
  promises,
  people,
}: Model): string | undefined {
  const encoded = encodings.reduce((sum, each) => sum + (each.kind === "numeric" ? 1 : each.levels.length), 0);
  if (encoded !== dimensions.length) return `its columns make ${encoded} dimensions, and it names ${dimensions.length}`;
  const count = clusters?.length ?? k;
  if (
    clusters?.some((cluster) => cluster >= k) ||
    centres.length !== count ||
    centres.some((centre) => centre.length !== dimensions.length)
  ) {
    return `centres that do not fit k=${k} and d=${dimensions.length}`;
  }
  const terms = termsOf(dimensions.length);
  if (densities && !(densities.length === clusters?.length && densities.every((each) => each.length === terms))) {
    return "densities that do not fit its cells";
  }
  const broken = promises && faultInPromises(promises, k);
  if (broken) return broken;
  if (people && people.length !== k) return `people of ${people.length} clusters, and k=${k}`;
  const onGrid = (value: number) => Math.round(value * 2 ** gridBits);
  if (centres.some((centre) => centre.some((value) => !Number.isSafeInteger(onGrid(value))))) {
    return "centres too large for its grid";
  }
  const differ = (place: (value: number) => number) =>
    centres.some((centre) => centre.some((value, d) => place(value) !== place(centres[0][d])));
  return differ(Number) && !differ(onGrid) ? "centres too close for its grid" : undefined;
}

export interface PredictOptions {
  readonly id?: string;
  /** Where groups are given, what the answer would mean for them is measured; it does not depend on them. */
  readonly protect?: readonly string[];
  readonly missing?: MissingRule;
  readonly threads?: number;
}

export interface PeoplePrediction {
  readonly labels: Uint16Array;
  readonly sourceRows: Uint32Array;
  readonly ids?: NonNullable<People["ids"]>;
  /** Where groups were given: how far they are from the model's bounds, or from those around their own shares. */
  readonly fairness?: FairnessMeasures;
  readonly warnings: readonly string[];
}

/**
 * The nearest centre of each person, by the same exact arithmetic as in training: the people that an unconstrained model
 * was made from get their labels back. No protected attribute is looked at, but to say what the answer means for its groups.
 */
export async function predict(model: Model, table: Table, options: PredictOptions = {}): Promise<PeoplePrediction> {
  const people = encodePeople(table, model.encodings, options);
  const labels = await nearestCentres(model, people, options.threads);
  if (people.attributes.length === 0) return { labels, ...about(people) };
  const { judgeNewcomers } = await import("./newcomers.js");
  return { labels, fairness: judgeNewcomers(model, people, labels), ...about(people) };
}

export async function nearestCentres(model: Model, people: People, threads = 1): Promise<Uint16Array> {
  const lanes = openLanes(threads, people.n * people.dimensions.length * model.centres.length);
  try {
    if (model.clusters) return await byCells(model, model.clusters, people, lanes);
    const party = new LocalColumns(lanes, { n: people.n, dimensions: people.dimensions, constraints: [], leads: true });
    await party.open({
      k: model.k,
      grid: {
        ...{ bits: model.gridBits, weightBits: 0, quantum: 1, reach: 53 },
        distance: model.distance ?? "euclidean",
      },
    });
    party.setScaledCentres(model.centres.flat());
    await party.prepare({ kind: "nearest" });
    await party.assign({ from: 0, to: people.n }, false);
    return await party.labels();
  } finally {
    await closeLanes(lanes);
  }
}

function about({ sourceRows, ids, warnings }: People): Omit<PeoplePrediction, "labels"> {
  return { sourceRows, warnings, ...(ids ? { ids } : {}) };
}

/** The nearest cell, or that of the highest density, and then its cluster. */
async function byCells(
  { centres, densities, gridBits }: Model,
  clusters: readonly number[],
  people: People,
  lanes: readonly Lane[],
): Promise<Uint16Array> {
  const rows = new MixtureRows(lanes, people.n, people.dimensions.length);
  await loadSnapped(rows, people.dimensions, gridBits);
  const cells = densities
    ? await rows.best(Float64Array.from(densities.flat()), densities.length)
    : await nearest(rows, Float64Array.from(centres.flat()));
  return cells.map((cell) => clusters[cell]);
}
