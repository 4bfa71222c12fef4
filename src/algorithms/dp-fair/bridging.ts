import { cholesky, solveFactored } from "../../constraints/cholesky.js";
import type { Mixture } from "./mixture.js";

/** Two cells that touch, and the density at the highest point of their common face, as f in [-1, 0]. */
export interface Bridge {
  readonly a: number;
  readonly b: number;
  readonly f: number;
}

/** All half-spaces |x - m_i| <= |x - m_k|, as normal . x <= limit with normals of length 1. */
interface CellFace {
  /** The bisector of the pair: x stays on it. */
  readonly normal: Float64Array;
  readonly limit: number;
  /** [others][dims] and [others] */
  readonly normals: Float64Array;
  readonly limits: Float64Array;
  readonly count: number;
}

/** Faces further than this from the middle of their pair, in units of sqrt(d), lie outside the box: nobody is there. */
const reach = 2;
/** The most sweeps of Hildreth's projections, and EM steps of a climb; by how much a half-space may be left. */
const mostSweeps = 500;
const mostSteps = 60;
const slack = 1e-7;

/**
 * Bridging points (equation 13): for each pair of centres, the point of highest density on the common face of their
 * Voronoi cells. A face is a polytope in the bisector. Projections find a point of it, and EM steps held to the bisector
 * climb from there, as far as the first other face in the way.
 */
export function findBridges(mixture: Mixture): Bridge[] {
  const { dims, components } = mixture;
  const climber = new Climber(mixture);
  const top = Math.max(...components.map(({ mean }) => climber.logDensity(mean)));
  const bridges: Bridge[] = [];
  for (let a = 0; a < components.length; a++) {
    for (let b = a + 1; b < components.length; b++) {
      const face = faceOf(mixture, a, b);
      if (face === null) {
        // The same centre twice: the density between them is that of the centre.
        bridges.push({ a, b, f: -Math.exp(climber.logDensity(components[a].mean) - top) });
        continue;
      }
      const middle = components[a].mean.map((value, j) => (value + components[b].mean[j]) / 2);
      const start = feasible(face, middle, dims);
      if (start !== null) bridges.push({ a, b, f: -Math.min(1, Math.exp(climber.climb(face, start) - top)) });
    }
  }
  return bridges;
}

function faceOf({ dims, components }: Mixture, a: number, b: number): CellFace | null {
  const own = components[a].mean;
  const normals = new Float64Array(components.length * dims);
  const limits = new Float64Array(components.length);
  let bisector: { normal: Float64Array; limit: number } | null = null;
  let count = 0;
  components.forEach(({ mean }, k) => {
    if (k === a) return;
    let length = 0;
    for (let j = 0; j < dims; j++) length += (mean[j] - own[j]) ** 2;
    length = Math.sqrt(length);
    if (length === 0) return;
    const at = k === b ? -1 : count++;
    const normal = at < 0 ? new Float64Array(dims) : normals.subarray(at * dims, (at + 1) * dims);
    let limit = 0;
    for (let j = 0; j < dims; j++) {
      normal[j] = (mean[j] - own[j]) / length;
      limit += normal[j] * (mean[j] + own[j]) * 0.5;
    }
    if (at < 0) bisector = { normal, limit };
    else limits[at] = limit;
  });
  return bisector === null
    ? null
    : { ...(bisector as { normal: Float64Array; limit: number }), normals, limits, count };
}

/**
 * The point of the face that is nearest to the middle of the pair, or null when the face is empty or out of reach.
 * Hildreth's projections: dual ascent, half-space by half-space, on min |x - start|^2 / 2 within the bisector. The dual value
 * is a lower bound of that, so once it exceeds reach^2 / 2 no point within reach is on the face.
 */
function feasible(face: CellFace, start: Float64Array, dims: number): Float64Array | null {
  const { normal, normals, limits, count } = face;
  const alongs = new Float64Array(count);
  const violations = new Float64Array(count);
  let violated = false;
  for (let k = 0; k < count; k++) {
    alongs[k] = dot(normals, k, normal);
    violations[k] = dot(normals, k, start) - limits[k];
    if (violations[k] > slack) violated = true;
  }
  if (!violated) return start;
  if (dims === 2) return nearestOnLine(face, start, violations);
  const x = Float64Array.from(start);
  const prices = new Float64Array(count);
  const bound = (reach ** 2 * dims) / 2;
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    let worst = 0;
    for (let k = 0; k < count; k++) {
      const square = 1 - alongs[k] ** 2;
      let excess = -limits[k];
      for (let j = 0; j < dims; j++) excess += normals[k * dims + j] * x[j];
      if (excess > worst) worst = excess;
      // Parallel to the bisector: nothing on it can help.
      if (square < 1e-12) {
        if (excess > slack) return null;
        continue;
      }
      const change = Math.max(-prices[k], excess / square);
      if (change === 0) continue;
      prices[k] += change;
      for (let j = 0; j < dims; j++) x[j] -= change * (normals[k * dims + j] - alongs[k] * normal[j]);
    }
    if (worst <= slack) return x;
    let dual = 0;
    for (let k = 0; k < count; k++) dual += prices[k] * violations[k];
    for (let j = 0; j < dims; j++) dual -= (x[j] - start[j]) ** 2 / 2;
    if (dual > bound) return null;
  }
  return null;
}

/** In the plane a bisector is a line and a face an interval of it, which needs no search. */
function nearestOnLine(
  { normal, normals, count }: CellFace,
  start: Float64Array,
  violations: Float64Array,
): Float64Array | null {
  const along = [-normal[1], normal[0]];
  let [from, to] = [-reach * Math.SQRT2, reach * Math.SQRT2];
  for (let k = 0; k < count; k++) {
    const slope = normals[2 * k] * along[0] + normals[2 * k + 1] * along[1];
    if (Math.abs(slope) < 1e-12) {
      if (violations[k] > slack) return null;
    } else if (slope > 0) to = Math.min(to, -violations[k] / slope);
    else from = Math.max(from, -violations[k] / slope);
  }
  if (from > to) return null;
  const step = Math.max(from, Math.min(to, 0));
  return start.map((value, j) => value + step * along[j]);
}

/** Climbs the mixture's log density. Scratch memory is allocated once. */
class Climber {
  private readonly parts: Float64Array;
  private readonly offsets: Float64Array;
  private readonly pulls: readonly Float64Array[];
  private readonly curvature: Float64Array;
  private readonly pull: Float64Array;

  constructor(private readonly mixture: Mixture) {
    const { dims, components, theta } = mixture;
    const terms = theta.length / components.length;
    this.parts = new Float64Array(components.length);
    this.offsets = Float64Array.from(components, (_, c) => theta[c * terms]);
    this.pulls = components.map((_, c) => theta.subarray(c * terms + 1, c * terms + 1 + dims));
    this.curvature = new Float64Array(dims * dims);
    this.pull = new Float64Array(dims);
  }

  /** Log density, leaving each component's share of it in `parts`. */
  logDensity(x: Float64Array): number {
    const { dims, precisions } = this.mixture;
    let most = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < this.parts.length; c++) {
      const p = precisions[c];
      const pull = this.pulls[c];
      let log = this.offsets[c];
      for (let i = 0; i < dims; i++) {
        log += x[i] * (pull[i] - 0.5 * dot(p, i, x));
      }
      this.parts[c] = log;
      if (log > most) most = log;
    }
    let total = 0;
    for (let c = 0; c < this.parts.length; c++) {
      this.parts[c] = Math.exp(this.parts[c] - most);
      total += this.parts[c];
    }
    for (let c = 0; c < this.parts.length; c++) this.parts[c] /= total;
    return most + Math.log(total);
  }

  /** The highest log density that is reached from x without leaving the face. */
  climb(face: CellFace, start: Float64Array): number {
    let x = start;
    let height = this.logDensity(x);
    for (let step = 0; step < mostSteps; step++) {
      const target = this.expected(face);
      if (target === null) return height;
      const { point, stopped } = upTo(face, x, target);
      const next = this.logDensity(point);
      if (!(next > height + 1e-7)) return Math.max(next, height);
      x = point;
      height = next;
      if (stopped) return height;
    }
    return height;
  }

  /**
   * The EM step from the point that `parts` belong to: the x on the bisector that minimises the sum of share times
   * (x - m)' P (x - m), hence H x = g + mu normal with normal . x = limit.
   */
  private expected({ normal, limit }: CellFace): Float64Array | null {
    const { dims, precisions } = this.mixture;
    const [h, g] = [this.curvature.fill(0), this.pull.fill(0)];
    for (let c = 0; c < this.parts.length; c++) {
      const share = this.parts[c];
      if (share < 1e-7) continue;
      const p = precisions[c];
      const pull = this.pulls[c];
      for (let i = 0; i < h.length; i++) h[i] += share * p[i];
      for (let i = 0; i < dims; i++) g[i] += share * pull[i];
    }
    const factor = cholesky(h, dims);
    if (factor === null) return null;
    const free = solveFactored(factor, Float64Array.from(g));
    const across = solveFactored(factor, Float64Array.from(normal));
    let [gap, width] = [limit, 0];
    for (let i = 0; i < dims; i++) {
      gap -= normal[i] * free[i];
      width += normal[i] * across[i];
    }
    for (let i = 0; i < dims; i++) free[i] += (gap / width) * across[i];
    return free;
  }
}

/** From x towards the target, up to the first other face. */
function upTo(
  { normals, limits, count }: CellFace,
  x: Float64Array,
  target: Float64Array,
): { point: Float64Array; stopped: boolean } {
  let part = 1;
  for (let k = 0; k < count; k++) {
    const [here, there] = [dot(normals, k, x), dot(normals, k, target)];
    if (there <= limits[k] + slack || there <= here) continue;
    part = Math.min(part, Math.max(0, (limits[k] - here) / (there - here)));
  }
  return { point: x.map((value, j) => value + part * (target[j] - value)), stopped: part < 1 };
}

/** The product of a row of a matrix, given by number, and a vector. */
function dot(matrix: Float64Array, row: number, x: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) sum += matrix[row * x.length + j] * x[j];
  return sum;
}
