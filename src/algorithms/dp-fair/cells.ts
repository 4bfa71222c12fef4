import { termsOf } from "../../kernels/mixture-rows.js";
import { type MixtureSite, nearestTheta } from "../../parties/mixture-site.js";
import { joinPoints } from "../../parties/points.js";
import type { Group } from "../../parties/questions.js";
import { everybody, type Fit, stopIfAsked, sumsOver } from "./em.js";
import { type Component, type ComponentRules, componentsFrom, split } from "./mixture.js";

export interface FittedCells {
  /** [cells][dims]: a person is in the cell of the nearest centre. */
  readonly centres: Float64Array;
  /** [cells][dims]: the mean of each cell's people; and how many there are. */
  readonly means: Float64Array;
  readonly sizes: Float64Array;
  readonly rounds: number;
  readonly converged: boolean;
}

/** Directions are all that covariances are needed for: a ridge only keeps them from vanishing. */
const rules: ComponentRules = { ridge: 1e-5, eigenvalues: null, fewest: 1 };
/** Passes stop when one explains less than this part more of the squared lengths. */
const leastGain = 1e-4;

/**
 * Cells by k-means of the features alone, where these are not private. It grows from one cell by splitting, one round for each
 * doubling, and needs nothing of the people but sums by nearest centre, so rows may lie with any number of parties.
 */
export async function fitCells(group: Group<MixtureSite>, fit: Fit, maxRounds: number): Promise<FittedCells> {
  const { dims, people } = fit;
  let rounds = 0;
  const ask = async (theta: Float64Array, components: number) => {
    stopIfAsked(fit);
    const { sums } = await sumsOver(group, { theta, components }, { people, hard: true, number: rounds });
    rounds++;
    fit.onRound?.(rounds, Number.NaN);
    return sums;
  };
  let components = componentsFrom(await ask(everybody(dims).theta, 1), dims, rules);
  while (components.length < fit.components) {
    const before = components.length;
    const halves = split(components, dims, fit.components, fit.normal);
    components = componentsFrom(await ask(withProducts(centresOf(halves), dims), halves.length), dims, rules);
    // With hardly more distinct people than cells, splitting makes no more cells.
    if (components.length <= before) break;
  }
  let centres = centresOf(components);
  let explained = 0;
  for (let pass = 1; ; pass++) {
    const cells = centres.length / dims;
    const { means, sizes, explained: now } = cellsFrom(await ask(nearestTheta(centres, dims), cells), dims);
    const settled = now - explained <= leastGain * now;
    // Nobody is nearest to a centre that was dropped: the cells of the others stay as they are.
    if (sizes.length === cells && (settled || pass >= maxRounds)) {
      return { centres, means, sizes, rounds, converged: settled };
    }
    explained = now;
    centres = means;
  }
}

function centresOf(components: readonly Component[]): Float64Array {
  return joinPoints(components.map(({ mean }) => mean));
}

/** The nearest centre decides, and products are asked for as well. */
function withProducts(centres: Float64Array, dims: number): Float64Array {
  const nearest = nearestTheta(centres, dims);
  const count = centres.length / dims;
  const theta = new Float64Array(count * termsOf(dims));
  for (let c = 0; c < count; c++) theta.set(nearest.subarray(c * (dims + 1), (c + 1) * (dims + 1)), c * termsOf(dims));
  return theta;
}

/** Means and sizes of the cells that somebody is in, and the squared lengths that they explain. */
function cellsFrom(sums: Float64Array, dims: number) {
  const means: number[] = [];
  const sizes: number[] = [];
  let explained = 0;
  for (let at = 0; at < sums.length; at += dims + 1) {
    const people = sums[at];
    if (people <= 0) continue;
    sizes.push(people);
    for (let j = 1; j <= dims; j++) {
      const mean = sums[at + j] / people;
      means.push(mean);
      explained += people * mean * mean;
    }
  }
  return { means: Float64Array.from(means), sizes: Float64Array.from(sizes), explained };
}
