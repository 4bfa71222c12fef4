import type { GroupPatterns } from "../constraints/feasibility/index.js";
import { MoietyError } from "../errors.js";
import { joined } from "../kernels/wide-sums.js";
import { type ColumnHolder, type ColumnReach, findReach } from "../parties/column-reach.js";
import { chooseGrid, type Grid } from "../parties/grid.js";
import type { Group } from "../parties/questions.js";
import { silhouetteUnit } from "../parties/row-clusters.js";
import { assign, measure, moments, open, place, silhouette } from "../parties/row-questions.js";
import type { RowScaling } from "../parties/row-scaling.js";
import type { RowSite } from "../parties/row-site.js";
import { scalingOf } from "../table/scale.js";
import type { Scaling } from "../table/types.js";
import { fineGrid, firstGrid, fromSums } from "./exact-moments.js";
import type { PricedAtoms } from "./priced-assignment.js";

/** All holders of rows. */
export type RowGroup = Group<RowSite>;

/** Whoever can be asked about columns of numbers. */
type ColumnGroup = Group<ColumnHolder & Pick<RowSite, "moments">>;

/** How often people count, in whole units: everybody together, and one of them on average and at most. */
export interface RowWeights extends PricedAtoms {
  /** The weight of one unit. */
  readonly unit: number;
  readonly total: number;
}

/** A clustering of people whose rows several parties hold: what the coordinator knows from the start. */
export interface RowRun {
  readonly group: RowGroup;
  readonly k: number;
  readonly n: number;
  readonly columns: number;
  /** Where people count more than once: sums, counts and costs are then in units. */
  readonly weights?: RowWeights;
  /** The combinations of protected groups; one when nothing is protected. */
  readonly patterns: GroupPatterns;
  readonly grid: Grid;
  /** Where the people lie, in grid units, and the sum of all squared coordinates. */
  readonly box: ColumnReach;
  readonly squares: number;
  /** Mean and standard deviation of each column, in grid units. */
  readonly spread: { readonly mean: Float64Array; readonly deviation: Float64Array };
}

/** How often everybody counts, in units. */
export function totalOf({ n, weights }: Pick<RowRun, "n" | "weights">): number {
  return weights?.total ?? n;
}

/** One squared grid unit of a person who counts once, or for one unit, in squared distances. */
export function sseUnit({ grid, weights }: Pick<RowRun, "grid" | "weights">): number {
  return 4 ** -grid.bits * (weights?.unit ?? 1);
}

/** Agrees on the grid and begins. Nothing but the reach and sums over all parties is used, and places that may be further out. */
export async function openRows(
  group: RowGroup,
  columns: number,
  k: number,
  patterns: GroupPatterns,
  { weights, places = [] }: { readonly weights?: RowWeights; readonly places?: readonly Float64Array[] } = {},
): Promise<RowRun> {
  const held = await findReach(group, columns, "roughly");
  const { people, mean, variance } = await momentsWithin(group, held);
  const reach = {
    least: held.least.map((value, j) => Math.min(value, ...places.map((place) => place[j]))),
    most: held.most.map((value, j) => Math.max(value, ...places.map((place) => place[j]))),
  };
  const largest = reach.least.map((least, j) => Math.max(least * least, reach.most[j] ** 2));
  const grid = chooseGrid({ largest: sum(largest), variance: sum(variance), columns });
  const { squares } = await group.ask(open, { k, bits: grid.bits });
  const onGrid = (value: number) => Math.round(value * 2 ** grid.bits);
  const box = { least: reach.least.map(onGrid), most: reach.most.map(onGrid) };
  const spread = { mean: mean.map(onGrid), deviation: variance.map((value) => Math.sqrt(value) * 2 ** grid.bits) };
  const weighed = weights ? { weights } : {};
  return { group, k, n: people[0], ...weighed, columns, patterns, grid, box, squares: joined(squares), spread };
}

/** What all parties' people are like together, before anything is scaled. */
export interface ColumnFacts extends ColumnReach {
  /** People whose value is known; the mean and the standard deviation of these. */
  readonly people: Float64Array;
  readonly mean: Float64Array;
  readonly deviation: Float64Array;
}

/** The facts of raw columns, from sums over all parties alone: they do not depend on who holds which rows. */
export async function surveyColumns(group: ColumnGroup, columns: number): Promise<ColumnFacts> {
  const reach = await findReach(group, columns);
  const nobody = reach.most.indexOf(Number.NEGATIVE_INFINITY);
  if (nobody >= 0) throw new MoietyError("input", `column ${nobody + 1} has no value at any party: leave it out`);
  const rough = await momentsWithin(group, reach);
  const { people, mean, variance } = await momentsOn(group, reach, (least, most, j) =>
    fineGrid(least, most, rough.mean[j], rough.people[j]),
  );
  return { ...reach, people, mean, deviation: variance.map(Math.sqrt) };
}

/** How raw columns are to be scaled: as one table of all of them would be. */
export function scalingFrom({ least, most, mean, deviation }: ColumnFacts, scaling: Scaling): RowScaling {
  const each = Array.from(mean, (_, j) =>
    scalingOf({ min: least[j], max: most[j], mean: mean[j], deviation: deviation[j] }, scaling),
  );
  const of = (pick: "shift" | "scale") => Float64Array.from(each, (one) => one[pick]);
  return { shift: of("shift"), scale: of("scale").map((width) => width || 1), mean };
}

function momentsWithin(group: ColumnGroup, reach: ColumnReach) {
  return momentsOn(group, reach, firstGrid);
}

/** Mean and variance of each column from whole sums. */
async function momentsOn(
  group: ColumnGroup,
  { least, most }: ColumnReach,
  gridOf: (least: number, most: number, column: number) => { shift: number; step: number },
): Promise<{ people: Float64Array; mean: Float64Array; variance: Float64Array }> {
  const grids = Array.from(least, (value, j) => gridOf(value, most[j], j));
  const { people, sums, squares } = await group.ask(moments, {
    shift: Float64Array.from(grids, ({ shift }) => shift),
    step: Float64Array.from(grids, ({ step }) => step),
  });
  if (people.includes(0)) throw new MoietyError("input", "the parties hold nobody: give each at least one row");
  const found = grids.map((grid, j) => fromSums(people[j], sums[j], squares[j], grid));
  return {
    people,
    mean: Float64Array.from(found, ({ mean }) => mean),
    variance: Float64Array.from(found, ({ variance }) => variance),
  };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/** A run that goes on with other parties: the grid is that of before. */
export async function reopenRows(
  group: RowGroup,
  { k, n, patterns, grid, box }: Pick<RowRun, "k" | "n" | "patterns" | "grid" | "box">,
): Promise<RowRun> {
  const { squares } = await group.ask(open, { k, bits: grid.bits });
  // It goes on from given centres: nobody asks where people may be.
  const spread = {
    mean: box.least.map((least, j) => (least + box.most[j]) / 2),
    deviation: box.least.map((least, j) => (box.most[j] - least) / 4),
  };
  return { group, k, n, columns: box.least.length, patterns, grid, box, squares: joined(squares), spread };
}

/** Centres that nobody was asked about yet, a step of the grid beside those that everybody was. */
export function nextTo(centres: Float64Array): Float64Array {
  return centres.map((value, at) => value + (at % 2 === 0 ? 1 : -1));
}

/** Everybody to the nearest of these centres: the squared distances, in squared grid units, and people in each cluster. */
export async function assignToNearest(
  { group, patterns, k }: RowRun,
  centres: Float64Array,
): Promise<{ readonly cost: number; readonly sizes: Float64Array }> {
  await group.ask(measure, { centres, jitter: 0 });
  const { cost, counts } = await group.ask(assign, { offsets: new Float64Array(patterns.counts.length * k) });
  const sizes = new Float64Array(k);
  counts.forEach((people, cell) => {
    sizes[cell % k] += people;
  });
  return { cost: joined(cost), sizes };
}

/** The squared distances of everybody to the nearest of these centres, in squared grid units. Nobody changes cluster. */
export async function placeAt({ group, k }: Pick<RowRun, "group" | "k">, centres: Float64Array): Promise<number> {
  return joined((await group.ask(place, { numbers: Uint32Array.of(0), centres: [centres], cells: k })).cost);
}

/** The squared distances of everybody to their cluster's mean, in squared grid units, so rounded that order cannot matter. */
export function costOf(
  { squares, grid, columns }: RowRun,
  { sums, counts }: Readonly<Record<"sums" | "counts", Float64Array>>,
): number {
  let between = 0;
  sums.forEach((sum, cell) => {
    const count = counts[Math.floor(cell / columns)];
    if (count > 0) between += sum ** 2 / count;
  });
  const quantum = grid.quantum * 2 ** (2 * grid.bits);
  return Math.round((squares - between) / quantum) * quantum;
}

/**
 * The simplified silhouette of the present clusters around the measured centres: the mean over everybody of how much nearer the
 * own centre is than the next. No point is moved; each party adds up its own. Null with fewer than two clusters.
 */
export async function rowSilhouette(run: RowRun, sizes: Float64Array): Promise<number | null> {
  if (sizes.filter((size) => size > 0).length < 2) return null;
  const { total } = await run.group.ask(silhouette, { sizes });
  return (total[0] * silhouetteUnit) / totalOf(run);
}
