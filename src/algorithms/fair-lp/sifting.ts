import { MoietyError } from "../../errors.js";
import { type Assignment, type MemberPrices, solveRestricted } from "./relaxation.js";

export interface FractionalAssignment {
  /** The cluster of each crowd that is whole in it; of the others, the nearest one at the final prices. */
  readonly home: Uint16Array;
  /** The crowds that the last program decided, and their people for each cluster. */
  readonly crowds: Uint32Array;
  readonly people: Float64Array;
  readonly objective: number;
}

/** The most crowds that go into one program without sifting. */
const fewCrowds = 2500;
/** Crowds of the sample that gives the first prices. */
const sampleSize = 1200;
/** Crowds that join the program in the first round, and at most in a later one. */
const firstRound = 2000;
const laterRound = 3000;
const mostRounds = 200;
/** By how much another cluster must be better for a crowd to be misplaced; the solver's own dual tolerance is 1e-7. */
const tolerance = 1e-6;

/**
 * The optimum of the whole LP by sifting. Its coupling rows have few prices, and at given prices a crowd far from every boundary
 * between clusters has one best cluster, its home. So a stratified sample gives first prices, the crowds nearest to a boundary go
 * into a program, the others stay at home, and those for whom another cluster is better at the program's prices join the
 * next program. When none is left to join, the prices prove the solution to be the optimum for all.
 */
export async function solveBySifting(assignment: Assignment, signal?: AbortSignal): Promise<FractionalAssignment> {
  const { k, bounds, weights } = assignment;
  const count = weights.length;
  const largest = assignment.costs.reduce((most, cost) => Math.max(most, cost), 1);
  let penalty = 4 * largest;
  const active = new Uint8Array(count);
  const home = new Uint16Array(count);
  if (count <= fewCrowds) {
    active.fill(1);
  } else {
    const nobody = bounds.map(({ groups }) => new Float64Array(groups.length * k));
    const sample = stratify(assignment, sampleSize);
    const first = await solveRestricted(assignment, sample.crowds, sample.weights, nobody, penalty, signal);
    activateNearest(assignment, first.prices, active, home);
  }
  for (let round = 0; round < mostRounds; round++) {
    const crowds = Uint32Array.from(active.keys()).filter((crowd) => active[crowd] === 1);
    const members = countMembers(assignment, active, home);
    const crowdWeights = Float64Array.from(crowds, (crowd) => weights[crowd]);
    const answer = await solveRestricted(assignment, crowds, crowdWeights, members, penalty, signal);
    const joined = activateMisplaced(assignment, answer.prices, active, home);
    if (joined > 0) continue;
    if (answer.missed > 1e-6 * Math.max(1, weights.length)) {
      // The penalty was cheaper than a fair place for someone. The whole program is feasible, so a higher penalty will not be.
      penalty *= 10;
      continue;
    }
    return { home, crowds, people: answer.people, objective: answer.objective + costAtHome(assignment, active, home) };
  }
  throw new MoietyError("failed", `the assignment program did not converge in ${mostRounds} rounds`);
}

/** Some crowds of each pattern, weighted so that every group has the share that it has among all. */
function stratify(assignment: Assignment, size: number): { crowds: Uint32Array; weights: Float64Array } {
  const { attributes, examples, weights } = assignment;
  const patterns = new Map<string, number[]>();
  for (let crowd = 0; crowd < weights.length; crowd++) {
    const name = attributes.map(({ codes }) => codes[examples[crowd]]).join();
    const pattern = patterns.get(name);
    if (pattern) pattern.push(crowd);
    else patterns.set(name, [crowd]);
  }
  const crowds: number[] = [];
  const sampleWeights: number[] = [];
  for (const all of patterns.values()) {
    const total = all.reduce((sum, crowd) => sum + weights[crowd], 0);
    const take = Math.min(all.length, Math.max(5, Math.round((size * all.length) / weights.length)));
    // Evenly spaced in order of occurrence: as good as random, and the same on every run.
    const chosen = Array.from({ length: take }, (_, at) => all[Math.floor((at * all.length) / take)]);
    const chosenTotal = chosen.reduce((sum, crowd) => sum + weights[crowd], 0);
    for (const crowd of chosen) {
      crowds.push(crowd);
      sampleWeights.push((weights[crowd] * total) / chosenTotal);
    }
  }
  return { crowds: Uint32Array.from(crowds), weights: Float64Array.from(sampleWeights) };
}

/** Homes at these prices; the crowds whose second best cluster is nearest become active. */
function activateNearest(assignment: Assignment, prices: MemberPrices, active: Uint8Array, home: Uint16Array): void {
  const scores = new Float64Array(assignment.k);
  const margins = new Float64Array(active.length);
  for (let crowd = 0; crowd < active.length; crowd++) {
    home[crowd] = scoreCrowd(assignment, prices, crowd, scores);
    const best = scores[home[crowd]];
    scores[home[crowd]] = Number.POSITIVE_INFINITY;
    margins[crowd] = Math.min(...scores) - best;
  }
  const limit = Float64Array.from(margins).sort()[Math.min(active.length, firstRound) - 1];
  for (let crowd = 0; crowd < active.length; crowd++) if (margins[crowd] <= limit) active[crowd] = 1;
}

/** Crowds at home for which another cluster is better at these prices become active, those that gain most first. */
function activateMisplaced(
  assignment: Assignment,
  prices: MemberPrices,
  active: Uint8Array,
  home: Uint16Array,
): number {
  const scores = new Float64Array(assignment.k);
  const misplaced: { crowd: number; gain: number }[] = [];
  for (let crowd = 0; crowd < active.length; crowd++) {
    if (active[crowd] === 1) continue;
    const best = scoreCrowd(assignment, prices, crowd, scores);
    const gain = scores[home[crowd]] - scores[best];
    if (gain > tolerance) misplaced.push({ crowd, gain });
  }
  misplaced.sort((a, b) => b.gain - a.gain || a.crowd - b.crowd);
  for (const { crowd } of misplaced.slice(0, laterRound)) active[crowd] = 1;
  return misplaced.length;
}

function scoreCrowd(assignment: Assignment, prices: MemberPrices, crowd: number, scores: Float64Array): number {
  const { k, attributes, costs, examples } = assignment;
  let best = 0;
  for (let m = 0; m < k; m++) {
    let score = costs[crowd * k + m];
    for (let a = 0; a < attributes.length; a++) score -= prices[a][attributes[a].codes[examples[crowd]] * k + m];
    scores[m] = score;
    if (score < scores[best]) best = m;
  }
  return best;
}

function countMembers(assignment: Assignment, active: Uint8Array, home: Uint16Array): Float64Array[] {
  const { k, attributes, bounds, examples, weights } = assignment;
  const members = bounds.map(({ groups }) => new Float64Array(groups.length * k));
  for (let crowd = 0; crowd < active.length; crowd++) {
    if (active[crowd] === 1) continue;
    for (let a = 0; a < members.length; a++) {
      members[a][attributes[a].codes[examples[crowd]] * k + home[crowd]] += weights[crowd];
    }
  }
  return members;
}

function costAtHome({ k, costs, weights }: Assignment, active: Uint8Array, home: Uint16Array): number {
  let cost = 0;
  for (let crowd = 0; crowd < active.length; crowd++) {
    if (active[crowd] === 0) cost += weights[crowd] * costs[crowd * k + home[crowd]];
  }
  return cost;
}
