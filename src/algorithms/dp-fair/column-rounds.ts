import { MoietyError } from "../../errors.js";
import { privateGridBits, privateUnit } from "../../parties/mixture-site.js";
import { joinPoints } from "../../parties/points.js";
import type { NoisyColumns } from "../method.js";
import { type Fit, type PrivateRounds, stopIfAsked } from "./em.js";
import { round as toThreeDigits } from "./noisy-rounds.js";

interface NoisyCell {
  readonly people: number;
  readonly mean: Float64Array;
}

/** The deviation of a number that is anywhere in [-1, 1]: a centre that noise moves as far says nothing about people. */
const uselessDeviation = 1 / Math.sqrt(3);
/** How far each half of a cell goes from its mean, in distances to the nearest other one. */
const apart = 0.25;

/**
 * Cells of people whose columns several hold, by rounds of Lloyd's with noise on counts and sums, as many as the plan says. They grow from one cell by
 * splitting, one round for each doubling. Products of columns would need both in one place: so a cell is split along any direction,
 * and the rounds that follow turn it. Nothing but the noisy sums is looked at, also to see that they are of no use.
 */
export async function fitOverColumns(
  columns: NoisyColumns,
  fit: Fit,
  plan: PrivateRounds,
  epsilon: number,
): Promise<Float64Array> {
  const { dims } = fit;
  // A smaller noisy count may be of nobody.
  const fewest = Math.max(2, 3 * plan.countDeviation);
  let centres: Float64Array = new Float64Array(dims);
  for (let round = 0; round < plan.rounds; round++) {
    stopIfAsked(fit);
    const sums = await columns.sums(centres, round);
    const cells = cellsFrom(sums, dims, fewest);
    if (round === 0) checkUse(cells, fit, plan, epsilon);
    if (cells.length === 0) throw drowned("every cell of people");
    fit.onRound?.(round + 1, Number.NaN);
    const grows = round + 1 < plan.rounds && cells.length < fit.components;
    const placed = grows ? halved(cells, fit) : cells.map(({ mean }) => mean);
    centres = joinPoints(placed.map((mean) => mean.map(onGrid)));
  }
  return centres;
}

function cellsFrom(sums: Float64Array, dims: number, fewest: number): NoisyCell[] {
  const cells: NoisyCell[] = [];
  for (let at = 0; at < sums.length; at += dims + 1) {
    const people = sums[at] * privateUnit;
    if (!(people >= fewest)) continue;
    const mean = Float64Array.from({ length: dims }, (_, j) => inBox((sums[at + 1 + j] * privateUnit) / people));
    cells.push({ people, mean });
  }
  return cells;
}

/** How many people there are is private: their noisy number decides. */
function checkUse(
  cells: readonly NoisyCell[],
  { dims, components }: Fit,
  { sumDeviation }: PrivateRounds,
  epsilon: number,
) {
  const people = cells[0]?.people ?? 0;
  const moved = (sumDeviation * components) / people;
  if (moved <= uselessDeviation) return;
  if (people === 0) throw drowned("all people together");
  throw new MoietyError(
    "infeasible",
    `about ${Math.round(people)} people are too few for epsilon ${epsilon}: the noise moves each of ${components} centres by about ${toThreeDigits(moved * Math.sqrt(dims))} where the whole box is 2 wide, so they would say nothing; use a larger \`epsilon\`, fewer \`components\`, or more people`,
  );
}

function drowned(what: string): MoietyError {
  return new MoietyError(
    "infeasible",
    `the noise is larger than ${what}; use a larger \`epsilon\`, fewer \`components\`, or more people`,
  );
}

/** Up to as many cells as are wanted, at most twice as many as there are: those with many people far from the others become two. */
function halved(cells: readonly NoisyCell[], { components, normal, dims }: Fit): Float64Array[] {
  const reaches = cells.map(({ mean }) => {
    const others = cells.map((other) => (other.mean === mean ? Number.POSITIVE_INFINITY : distance(mean, other.mean)));
    const nearest = Math.min(...others);
    return Number.isFinite(nearest) ? nearest : Math.sqrt(dims);
  });
  const order = Array.from(cells.keys());
  const spread = (at: number) => cells[at].people * reaches[at] ** 2;
  order.sort((a, b) => spread(b) - spread(a) || a - b);
  const chosen = new Set(order.slice(0, components - cells.length));
  return cells.flatMap(({ mean }, at) => {
    if (!chosen.has(at)) return [mean];
    const way = Float64Array.from({ length: dims }, normal);
    const scale = (apart * reaches[at]) / (Math.hypot(...way) || 1);
    return [1, -1].map((sign) => mean.map((value, j) => inBox(value + sign * scale * way[j])));
  });
}

function distance(a: Float64Array, b: Float64Array): number {
  return Math.sqrt(a.reduce((sum, value, j) => sum + (value - b[j]) ** 2, 0));
}

function inBox(value: number): number {
  return Math.max(-1, Math.min(1, value));
}

function onGrid(value: number): number {
  const steps = 2 ** privateGridBits;
  return Math.round(value * steps) / steps;
}
