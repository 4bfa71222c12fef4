import { solvePositive } from "../constraints/cholesky.js";
import { squaredDistance } from "../parties/points.js";
import type { AnswerFields, AskedQuestion } from "../parties/questions.js";
import { RowClusters } from "../parties/row-clusters.js";
import { assign, below, measure } from "../parties/row-questions.js";
import type { RowSite } from "../parties/row-site.js";
import { Random } from "../table/generators/random.js";
import { type CountedMoves, gapsOf, movesFrom } from "./row-counts.js";
import type { RowRun } from "./row-run.js";
import { rowTuning } from "./row-tuning.js";

/** What one question tells of everybody at some centres, assigned by some offsets. */
export interface Look extends CountedMoves {
  readonly centres: Float64Array;
  readonly offsets: Float64Array;
  readonly unit: number;
  /** [patterns][k] */
  readonly inClusters: Float64Array;
}

/**
 * Assigns everybody, and asks how many people of each pattern are in each cluster, how many of them are how near to each other one, and
 * what else is to be asked of these clusters: together, or in two questions where moves are very many. How near they are is not asked of patterns with
 * fewer people than `least`: whoever is alone in one would be located by it (`bench attacks`).
 */
export async function lookAt(
  { group, k, patterns, least }: Pick<RowRun, "group" | "k" | "patterns"> & { readonly least: number },
  { centres, offsets, unit }: Pick<Look, "centres" | "offsets" | "unit">,
  also: readonly AskedQuestion<RowSite>[] = [],
): Promise<{ readonly look: Look; readonly others: readonly AnswerFields<string>[] }> {
  await group.ask(measure, { centres, jitter: Math.floor(unit / 1000) });
  const first = [{ question: assign, request: { offsets } }, ...also];
  const marginsOf = (moves: Uint32Array) => {
    const edges = edgesFor(moves.length);
    return { edges, thresholds: gapsOf(moves, edges, { k, offsets, unit }) };
  };
  const found = (
    { edges, thresholds }: ReturnType<typeof marginsOf>,
    counts: Float64Array,
    [{ counts: inClusters }, ...others]: readonly AnswerFields<string>[],
  ) => ({ look: { ...thresholds, edges, counts, centres, offsets, unit, inClusters }, others });
  const asked = (counts: Float64Array) =>
    movesFrom(
      counts.map((people, cell) => (patterns.counts[Math.floor(cell / k)] < least ? 0 : people)),
      k,
    );
  const everywhere = asked(new Float64Array(offsets.length).fill(1));
  if (everywhere.length * fewestEdges <= rowTuning.margins) {
    const margins = marginsOf(everywhere);
    const answers = await group.askAll([...first, { question: below, request: margins.thresholds }]);
    return found(margins, answers[answers.length - 1].counts, answers.slice(0, -1));
  }
  const answers = await group.askAll(first);
  const margins = marginsOf(asked(answers[0].counts));
  return found(margins, (await group.ask(below, margins.thresholds)).counts, answers);
}

const fewestEdges = 5;

/** From 2^-doublings to 2^doublings, as finely as so many moves allow. */
function edgesFor(moves: number): number[] {
  const { doublings, margins } = rowTuning;
  const affordable = Math.max(fewestEdges, Math.floor(margins / Math.max(1, moves)));
  let apart = 0.5;
  while ((2 * doublings) / apart + 1 > affordable && (2 * doublings) / apart + 1 > fewestEdges) apart *= 2;
  return Array.from({ length: (2 * doublings) / apart + 1 }, (_, step) => 2 ** (step * apart - doublings));
}

/**
 * People on paper who stand for everybody: of each pattern in each cluster as many as there are, each for a few, whose gaps to each other
 * cluster are spread as those that were counted. How the gaps of one person go together was not asked: it is as among people who are
 * spread evenly in all directions. At the centres of the look, or at the next ones.
 */
export function standIns(run: Pick<RowRun, "k" | "columns">, look: Look, next?: NextCentres): RowClusters {
  const { k, columns } = run;
  const { moves, edges, counts, offsets, unit, inClusters } = look;
  const patternCount = inClusters.length / k;
  const cells = inClusters.reduce((occupied, people) => occupied + (people > 0 ? 1 : 0), 0);
  const each = Math.max(4, Math.min(rowTuning.standIns, Math.floor(mostScores / (cells * k))));
  const parts = inClusters.map((people) => Math.min(people, each));
  const size = parts.reduce((sum, part) => sum + part, 0);
  const people = { persons: new Float64Array(size), patterns: new Uint16Array(size), weights: new Float64Array(size) };
  const costs = new Float64Array(size * k);
  const owns = new Uint16Array(size);
  const place = new Map(Array.from(moves, (move, at) => [move, at * edges.length]));
  const ranks = ranksIn(look.centres, k, columns, each);
  let first = 0;
  inClusters.forEach((count, cell) => {
    const [pattern, own] = [Math.floor(cell / k), cell % k];
    const part = parts[cell];
    for (let i = 0; i < part; i++) {
      people.patterns[first + i] = pattern;
      people.weights[first + i] = Math.floor((count * (i + 1)) / part) - Math.floor((count * i) / part);
      owns[first + i] = own;
    }
    for (let to = 0; part > 0 && to < k; to++) {
      const paid = offsets[pattern * k + to];
      if (to === own) {
        for (let i = 0; i < part; i++) costs[(first + i) * k + to] = -paid;
        continue;
      }
      const at = place.get(cell * k + to);
      if (at === undefined) {
        const gap = rowTuning.unaskedGap * unit;
        for (let i = 0; i < part; i++) costs[(first + i) * k + to] = Math.round(gap - paid);
        continue;
      }
      const order = ranks(own, to, part);
      for (let rank = 0, edge = 0; rank < part; rank++) {
        const before = (count * (rank + 0.5)) / part;
        while (edge < edges.length && counts[at + edge] <= before) edge++;
        const [low, high] = edgesAround(edges, edge);
        const [fewer, more] = [
          edge === 0 ? 0 : counts[at + edge - 1],
          edge === edges.length ? count : counts[at + edge],
        ];
        const gap = unit * (low + ((high - low) * (before - fewer)) / Math.max(1, more - fewer));
        costs[(first + order[rank]) * k + to] = Math.round(gap - paid);
      }
    }
    first += part;
  });
  if (next) moveCentres(costs, owns, look.centres, next, k);
  const clusters = new RowClusters({ ...people, patternCount }, k);
  clusters.measure(fromLeast(costs, k), 0);
  return clusters;
}

/** Where centres go from those of a look, and the means of the clusters at the look. */
export interface NextCentres {
  readonly centres: Float64Array;
  readonly means: Float64Array;
}

/** The most costs of people on paper. */
const mostScores = 4e6;

/** Beyond the last edge as far as that. */
function edgesAround(edges: readonly number[], edge: number): readonly [number, number] {
  const last = edges[edges.length - 1];
  if (edge === edges.length) return [last, 2 * last];
  return [edge === 0 ? 0 : edges[edge - 1], edges[edge]];
}

/** The order of the first few people of a cluster by their gap to another one, were they spread evenly around. */
function ranksIn(centres: Float64Array, k: number, columns: number, most: number) {
  const random = new Random(0);
  const directions = Array.from({ length: most }, () => Float64Array.from({ length: columns }, () => random.normal()));
  const whole = new Map<number, Uint32Array>();
  const wholeOrder = (own: number, to: number): Uint32Array => {
    const known = whole.get(own * k + to);
    if (known) return known;
    const gaps = directions.map((direction) =>
      direction.reduce((sum, value, j) => sum - value * (centres[to * columns + j] - centres[own * columns + j]), 0),
    );
    const order = Uint32Array.from(gaps.keys()).sort((a, b) => gaps[a] - gaps[b] || a - b);
    whole.set(own * k + to, order);
    return order;
  };
  return (own: number, to: number, people: number) => wholeOrder(own, to).filter((person) => person < people);
}

/** In place, so that sums are exact. */
function fromLeast(costs: Float64Array, k: number): Float64Array {
  for (let from = 0; from < costs.length; from += k) {
    const least = costs.subarray(from, from + k).reduce((one, other) => Math.min(one, other));
    for (let m = 0; m < k; m++) costs[from + m] -= least;
  }
  return costs;
}

/**
 * What people cost at other centres follows from what they cost at these, exactly so far as the new ones are between or around them:
 * where c = sum of w_j c_j with weights that add up to 1, |x - c|^2 = sum of w_j (|x - c_j|^2 - |c - c_j|^2). For what is left
 * over of a step, people count as the mean of their cluster.
 */
function moveCentres(
  costs: Float64Array,
  owns: Uint16Array,
  centres: Float64Array,
  { centres: next, means }: NextCentres,
  k: number,
): void {
  const columns = centres.length / k;
  const centre = (list: Float64Array, m: number) => list.subarray(m * columns, (m + 1) * columns);
  const weights = new Float64Array(k * k);
  // [own][k]: what the squared distances do not say, but for a number of each person.
  const constants = new Float64Array(k * k);
  for (let m = 0; m < k; m++) {
    const own = weightsOf(centres, k, m, centre(next, m));
    weights.set(own, m * k);
    const near = Float64Array.from({ length: columns }, (_, j) =>
      own.reduce((sum, weight, other) => sum + weight * centres[other * columns + j], 0),
    );
    const spread = own.reduce((sum, weight, other) => sum + weight * squaredDistance(centre(centres, other), near), 0);
    for (let from = 0; from < k; from++) {
      const mean = centre(means, from);
      constants[from * k + m] = squaredDistance(mean, centre(next, m)) - squaredDistance(mean, near) - spread;
    }
  }
  const before = new Float64Array(k);
  for (let i = 0; i < owns.length; i++) {
    before.set(costs.subarray(i * k, (i + 1) * k));
    for (let m = 0; m < k; m++) {
      let cost = constants[owns[i] * k + m];
      for (let other = 0; other < k; other++) cost += weights[m * k + other] * before[other];
      costs[i * k + m] = Math.round(cost);
    }
  }
}

/** Weights of centres that add up to 1 and to nearly a point, and are nearly those of centre m alone: ridge regression. */
function weightsOf(centres: Float64Array, k: number, m: number, point: Float64Array): Float64Array {
  const columns = point.length;
  const sides = Array.from({ length: k }, (_, other) =>
    Float64Array.from(point, (_, j) => centres[other * columns + j] - centres[m * columns + j]),
  );
  const dot = (one: Float64Array, other: Float64Array) => one.reduce((sum, value, j) => sum + value * other[j], 0);
  const step = Float64Array.from(point, (value, j) => value - centres[m * columns + j]);
  const products = new Float64Array(k * k);
  let spread = 0;
  for (let a = 0; a < k; a++) {
    for (let b = 0; b < k; b++) products[a * k + b] = dot(sides[a], sides[b]);
    spread += products[a * k + a] / k;
  }
  for (let a = 0; a < k; a++) products[a * k + a] += rowTuning.ridge * spread + 1;
  // The side of m itself is 0, and its weight is what the others leave.
  const weights = solvePositive(
    products,
    Float64Array.from(sides, (side) => dot(side, step)),
  );
  weights[m] = 0;
  weights[m] = 1 - weights.reduce((sum, weight) => sum + weight, 0);
  return weights;
}
