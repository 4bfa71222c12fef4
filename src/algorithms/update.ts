import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import type { FairnessMeasures } from "../metrics/index.js";
import { differenceIn } from "../table/distance.js";
import type { People, Table } from "../table/types.js";
import { type AssignOptions, type AssignResult, assign } from "./assign.js";
import { atomFacts } from "./atoms.js";
import { distancesTo } from "./distances.js";
import { type Model, nearestCentres } from "./model.js";
import { lostCounts, withoutSmallCounts } from "./model-promises.js";
import { judgeNewcomers, promisesIn } from "./newcomers.js";

export interface UpdateOptions extends Omit<AssignOptions, "together" | "online"> {
  /** The part of their weight that people of before lose; 0 never forgets, 1 forgets everybody. Default 0. */
  readonly forget?: number;
}

/** As `moiety update --json` prints it. */
export interface UpdateResult extends FairnessMeasures {
  readonly algorithm: string;
  readonly n: number;
  readonly weights?: NonNullable<AssignResult["weights"]>;
  readonly k: number;
  readonly forget: number;
  /** Times that newcomers were placed and centres moved. */
  readonly rounds: number;
  /** Of the newcomers, around the centres of before (nearest) and of now. */
  readonly sseBefore: number;
  readonly sse: number;
  /** The same with a model of Manhattan distances, as sums of these. */
  readonly distance?: "manhattan";
  readonly costBefore?: number;
  readonly cost?: number;
  /** How far each centre moved in the scaled space. */
  readonly moved: readonly number[];
  /** How unfair the model of before is to the newcomers, by its nearest centres: people beyond the bounds in the worst group. */
  readonly violationBefore: number;
  /** By attribute and group: the share among the people of the model, where it has counts, and among the newcomers. */
  readonly drift: Readonly<
    Record<string, Readonly<Record<string, { readonly before: number | null; readonly now: number }>>>
  >;
  readonly warnings: readonly string[];
}

export interface PeopleUpdate extends Pick<People, "sourceRows" | "ids"> {
  readonly labels: Uint16Array;
  readonly result: UpdateResult;
  readonly model: Model;
}

/** Centres that move less than this, in distances of the scaled space, have come to rest; and the most rounds. */
const atRest = 1e-6;
const mostRounds = 20;
/** A share that changed by more than this part of its bounds' width deserves a warning. */
const notable = 0.5;

/**
 * People who arrive later change a model: they join its clusters within its bounds, the centres become the means (or medians) of everybody,
 * those of before with what is left of their weight, and so on until the centres are at rest. Clusters keep their numbers.
 */
export async function update(given: Model, table: Table, options: UpdateOptions = {}): Promise<PeopleUpdate> {
  const { forget = 0, ...search } = options;
  if (!(forget >= 0 && forget <= 1)) {
    throw new MoietyError("usage", `forget is ${forget}: give a number from 0 to 1, such as 0.1`);
  }
  promisesIn(given);
  const { people } = given;
  if (given.clusters) {
    throw new MoietyError(
      "usage",
      "the clusters of this model are made of cells, which do not move: use assign, or cluster everybody again",
    );
  }
  if (!people) {
    throw new MoietyError(
      "usage",
      "the model does not tell how many people its clusters have: make it again with larger clusters",
    );
  }
  const weights = people.map((count) => count * (1 - forget));
  let model = given;
  let rounds = 0;
  for (;;) {
    rounds++;
    const found = await assign(model, table, search);
    const move = given.distance === "manhattan" ? toMedians : toMeans;
    const moved = move(given, weights, found.people, found.labels);
    const step = Math.max(...model.centres.map((centre, m) => stepOf(given, centre, moved[m])));
    const { labels, sourceRows, ids } = found;
    if (step < atRest || rounds === mostRounds) {
      const heaviest = Math.max(1, atomFacts(found.people)?.largest ?? 1);
      const updated = { ...withoutSmallCounts(faded(found.model, given, forget), heaviest), centres: moved };
      const result = await describe(given, updated, found, forget, rounds);
      return { labels, sourceRows, ...defined({ ids }), result, model: updated };
    }
    model = { ...model, centres: moved };
  }
}

/** The means of those of before, at their centres and with their weights, and of the newcomers. */
function toMeans(
  { k, centres }: Model,
  weights: readonly number[],
  { dimensions, weights: own }: Pick<People, "dimensions" | "weights">,
  labels: Uint16Array,
): number[][] {
  const sums = centres.map((centre, m) => centre.map((value) => value * weights[m]));
  const totals = [...weights];
  const weightOf = (i: number) => (own ? own.values[i] : 1);
  for (let i = 0; i < labels.length; i++) totals[labels[i]] += weightOf(i);
  dimensions.forEach((column, j) => {
    for (let i = 0; i < labels.length; i++) sums[labels[i]][j] += weightOf(i) * column[i];
  });
  return Array.from({ length: k }, (_, m) => (totals[m] > 0 ? sums[m].map((sum) => sum / totals[m]) : centres[m]));
}

/** The lower medians of the same: people of before are all at their centre. */
function toMedians(
  { centres }: Model,
  weights: readonly number[],
  { dimensions }: Pick<People, "dimensions">,
  labels: Uint16Array,
): number[][] {
  return centres.map((centre, m) => {
    const members = Uint32Array.from(labels.keys()).filter((i) => labels[i] === m);
    return centre.map((before, j) => {
      const values = Float64Array.from(members, (i) => dimensions[j][i]).sort();
      const half = (values.length + weights[m]) / 2;
      let below = values.findIndex((value) => value > before);
      if (below < 0) below = values.length;
      if (below >= half && half > 0) return values[Math.ceil(half) - 1];
      return below + weights[m] >= half ? before : values[Math.ceil(half - weights[m]) - 1];
    });
  });
}

function stepOf({ distance }: Model, from: readonly number[], to: readonly number[]): number {
  const size = differenceIn(distance ?? "euclidean");
  return from.reduce((sum, value, j) => sum + size(value - to[j]), 0);
}

/** Counts of before lose their part; the newcomers count whole, or as much as they weigh. */
function faded(counted: Model, { promises, people }: Model, forget: number): Model {
  const less = (now: number, before: number) => {
    const left = now - before * forget;
    return Number.isInteger(now) && Number.isInteger(before) ? Math.round(left) : left;
  };
  const attributes = counted.promises!.attributes.map((attribute, at) => {
    const before = promises!.attributes[at].counts;
    const { counts, ...others } = attribute;
    if (!counts || !before) return others;
    return { ...others, counts: counts.map((row, group) => row.map((count, m) => less(count, before[group][m]))) };
  });
  return {
    ...counted,
    promises: { ...counted.promises!, attributes },
    ...(counted.people ? { people: counted.people.map((count, m) => less(count, people![m])) } : {}),
  };
}

async function describe(
  given: Model,
  model: Model,
  found: Awaited<ReturnType<typeof assign>>,
  forget: number,
  rounds: number,
): Promise<UpdateResult> {
  const { people, result } = found;
  const nearest = await nearestCentres(given, people);
  const { nearestSse, nearestCost, nearestViolation, gap, together, online, beyond, ...facts } = result;
  const { distance } = given;
  const drift = driftOf(given, people);
  return {
    ...facts,
    sse: distancesTo(model.centres, people, found.labels),
    forget,
    rounds,
    sseBefore: distancesTo(given.centres, people, nearest),
    ...(distance
      ? {
          cost: distancesTo(model.centres, people, found.labels, distance),
          costBefore: distancesTo(given.centres, people, nearest, distance),
        }
      : {}),
    moved: given.centres.map((centre, m) => {
      const step = stepOf(given, centre, model.centres[m]);
      return distance === "manhattan" ? step : Math.sqrt(step);
    }),
    violationBefore: judgeNewcomers(given, people, nearest).maxViolation,
    drift,
    warnings: [...result.warnings, ...driftWarnings(given, drift), ...lostCounts(given, model)],
  };
}

function driftOf({ promises }: Model, { attributes, n, weights }: People): UpdateResult["drift"] {
  const sum = (row: readonly number[]) => row.reduce((total, count) => total + count, 0);
  return Object.fromEntries(
    attributes.map(({ name, groups, codes }) => {
      const counts = promises?.attributes.find((each) => each.name === name)?.counts;
      const all = counts && sum(counts.map(sum));
      const now = groups.map(() => 0);
      for (let i = 0; i < n; i++) now[codes[i]] += weights ? weights.values[i] : 1;
      const shares = groups.map((group, at) => {
        return [
          group,
          { before: counts && all ? sum(counts[at]) / all : null, now: now[at] / (weights?.total ?? n) },
        ] as const;
      });
      return [name, Object.fromEntries(shares)];
    }),
  );
}

function driftWarnings({ promises }: Model, drift: UpdateResult["drift"]): string[] {
  return (promises?.attributes ?? []).flatMap(({ name, groups, lower, upper }) =>
    groups.flatMap((group, at) => {
      const share = drift[name]?.[group];
      if (!share || share.before === null) return [];
      const change = share.now - share.before;
      if (Math.abs(change) <= notable * (upper[at] - lower[at])) return [];
      const percent = (value: number) => `${(100 * value).toFixed(1)}%`;
      return [
        `the share of ${name} ${group} went from ${percent(share.before)} to ${percent(share.now)}: are the bounds still right?`,
      ];
    }),
  );
}
