import { cholesky } from "../../constraints/cholesky.js";
import { termsOf } from "../../kernels/mixture-rows.js";
import { clipEigenvalues, inverse, logDeterminant, type Matrix } from "./linear.js";

export interface Component {
  readonly weight: number;
  readonly mean: Float64Array;
  readonly covariance: Matrix;
}

/** Weighted Gaussians with full covariance (equation 12), and what evaluating them needs. */
export interface Mixture {
  readonly dims: number;
  readonly components: readonly Component[];
  readonly precisions: readonly Matrix[];
  /** Log densities are theta . z(x), see assembly/mixture.ts: [components][terms]. */
  readonly theta: Float64Array;
}

export function mixtureOf(dims: number, components: readonly Component[]): Mixture {
  const terms = termsOf(dims);
  const theta = new Float64Array(components.length * terms);
  const precisions = components.map(({ weight, mean, covariance }, c) => {
    const factor = cholesky(covariance, dims)!;
    const precision = inverse(factor, dims);
    const at = c * terms;
    let square = 0;
    for (let i = 0; i < dims; i++) {
      let linear = 0;
      for (let j = 0; j < dims; j++) linear += precision[i * dims + j] * mean[j];
      theta[at + 1 + i] = linear;
      square += linear * mean[i];
    }
    let term = at + 1 + dims;
    for (let i = 0; i < dims; i++) {
      for (let j = i; j < dims; j++) theta[term++] = -precision[i * dims + j] * (i === j ? 0.5 : 1);
    }
    theta[at] = Math.log(weight) - 0.5 * (dims * Math.log(2 * Math.PI) + logDeterminant(factor, dims) + square);
    return precision;
  });
  return { dims, components, precisions, theta };
}

/** How a component is made from its sums. */
export interface ComponentRules {
  /** Added to the diagonal. */
  readonly ridge: number;
  /** Eigenvalues are clamped to these, against noise; null where there is none. */
  readonly eigenvalues: { readonly least: number; readonly most: number } | null;
  /** Components with fewer people are dropped. */
  readonly fewest: number;
}

/** The M-step: components from the sums of z, without those of too few people. Means are clamped to the box. */
export function componentsFrom(sums: Float64Array, dims: number, rules: ComponentRules): Component[] {
  const terms = termsOf(dims);
  const found: Component[] = [];
  for (let at = 0; at < sums.length; at += terms) {
    const people = sums[at];
    if (!(people >= rules.fewest)) continue;
    const mean = Float64Array.from({ length: dims }, (_, j) => Math.max(-1, Math.min(1, sums[at + 1 + j] / people)));
    const covariance = new Float64Array(dims * dims);
    let term = at + 1 + dims;
    for (let i = 0; i < dims; i++) {
      for (let j = i; j < dims; j++) {
        const value = sums[term++] / people - mean[i] * mean[j];
        covariance[i * dims + j] = value;
        covariance[j * dims + i] = value;
      }
    }
    found.push({ weight: people, mean, covariance: regularised(covariance, dims, rules) });
  }
  const total = found.reduce((sum, { weight }) => sum + weight, 0);
  return found.map((component) => ({ ...component, weight: component.weight / total }));
}

function regularised(covariance: Matrix, dims: number, { ridge, eigenvalues }: ComponentRules): Matrix {
  if (eigenvalues) return clipEigenvalues(covariance, dims, eigenvalues.least, eigenvalues.most);
  for (let i = 0; i < dims; i++) covariance[i * dims + i] += ridge;
  // Rounding alone can make a flat covariance indefinite.
  return cholesky(covariance, dims) ? covariance : clipEigenvalues(covariance, dims, ridge, Number.POSITIVE_INFINITY);
}

/**
 * Up to `limit` components, at most twice as many as there are: those with the most spread are split in two along a long
 * axis, each half with the covariance that is left, so that the density hardly changes. `normal` gives seeded
 * directions to start the search for that axis.
 */
export function split(
  components: readonly Component[],
  dims: number,
  limit: number,
  normal: () => number,
): Component[] {
  const spread = ({ weight, covariance }: Component) => {
    let trace = 0;
    for (let i = 0; i < dims; i++) trace += covariance[i * dims + i];
    return weight * trace;
  };
  const order = components.map((component, at) => ({ at, spread: spread(component) }));
  order.sort((a, b) => b.spread - a.spread || a.at - b.at);
  const chosen = new Set(order.slice(0, limit - components.length).map(({ at }) => at));
  return components.flatMap((component, at) => (chosen.has(at) ? halves(component, dims, normal) : [component]));
}

/** The distance of each half's mean from the old one, in deviations along the axis. */
const apart = 0.8;

function halves({ weight, mean, covariance }: Component, dims: number, normal: () => number): Component[] {
  let axis: Float64Array = Float64Array.from({ length: dims }, normal);
  // Two steps of power iteration: towards the longest axis, but not onto it.
  for (let step = 0; step < 2; step++) axis = unit(times(covariance, axis, dims));
  const along = times(covariance, axis, dims);
  const deviation = Math.sqrt(axis.reduce((sum, value, i) => sum + value * along[i], 0));
  // With a = apart S v / sqrt(v' S v), a' inv(S) a = apart^2 < 1: what is left is positive definite whatever v is.
  const offset = along.map((value) => (apart * value) / deviation);
  const rest = covariance.map((value, at) => value - offset[Math.floor(at / dims)] * offset[at % dims]);
  return [1, -1].map((sign) => ({
    weight: weight / 2,
    mean: mean.map((value, i) => Math.max(-1, Math.min(1, value + sign * offset[i]))),
    covariance: rest,
  }));
}

function times(a: Matrix, x: Float64Array, dims: number): Float64Array {
  return Float64Array.from({ length: dims }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < dims; j++) sum += a[i * dims + j] * x[j];
    return sum;
  });
}

function unit(x: Float64Array): Float64Array {
  const length = Math.sqrt(x.reduce((sum, value) => sum + value * value, 0)) || 1;
  return x.map((value) => value / length);
}
