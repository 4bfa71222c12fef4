import type { Bounds } from "../bounds.js";
import { greatestDivisor } from "../greatest-divisor.js";
import { leastMembers, mostMembers, type Requirements } from "./request.js";

/** What makes a request impossible, as far as one thing can be named. */
export interface Binding {
  readonly kind: "minSize" | "maxSize" | "sizeOrder" | "lower" | "upper" | "sizes" | "together";
  readonly attribute?: string;
  readonly group?: string;
}

/** Beyond this many cells the search over all sizes is left out: rounding hardly matters in clusters so large. */
const mostCells = 2e7;

export function sizeConflict(request: Pick<Requirements, "n" | "k" | "sizes">): Binding | null {
  const { n, k, sizes } = request;
  if (sizes.each) {
    if (sizes.each.some(({ min, max }) => min > max || max < 0)) return { kind: "sizeOrder" };
    if (sizes.each.reduce((sum, { min }) => sum + Math.max(0, min), 0) > n) return { kind: "minSize" };
    if (sizes.each.reduce((sum, { max }) => sum + Math.min(n, max), 0) < n) return { kind: "maxSize" };
    return null;
  }
  // A maximum of all people is none that anybody asked for.
  if (sizes.min > sizes.max && sizes.max < n) return { kind: "sizeOrder" };
  if (k * sizes.min > n) return { kind: "minSize" };
  if (k * sizes.max < n) return { kind: "maxSize" };
  return null;
}

/**
 * Adding lower_l n_m - tol <= N_lm <= upper_l n_m + tol over the clusters: lower_l n - k tol <= N_l <= upper_l n + k tol.
 * It is what fractions of people could meet in clusters of equal size.
 */
export function fractionalConflict(request: Requirements): Binding | null {
  const { n, k, tolerance } = request;
  // Twice the 1e-9 of `excess`, and the rounding of share * n: a conflict must be beyond doubt.
  const slack = k * (tolerance + 2e-9) + n * 1e-15;
  for (const { attribute, groups, counts, lower, upper } of request.bounds) {
    for (let l = 0; l < groups.length; l++) {
      if (lower[l] * n - slack > counts[l]) return { kind: "lower", attribute, group: groups[l] };
      if (upper[l] * n + slack < counts[l]) return { kind: "upper", attribute, group: groups[l] };
    }
  }
  return null;
}

/**
 * What whole people rule out whichever sizes are chosen: a cluster's size must leave each attribute a way to fill it,
 * k such sizes must add up to n, and the least (most) members that group l needs (may have) at those sizes, on
 * average, must fit N_l. The average is taken on the convex envelope of the need as a function of the size.
 */
export function wholePeopleConflict(request: Requirements): Binding | null {
  const { n, k, sizes, bounds, tolerance } = request;
  for (const { attribute, groups, counts, lower } of bounds) {
    for (let l = 0; l < groups.length; l++) {
      if (k * leastMembers(sizes.min, lower[l], tolerance) > counts[l])
        return { kind: "lower", attribute, group: groups[l] };
    }
  }
  const possible = possibleSizes(request);
  if (possible === null) return null;
  if (possible.length === 0) {
    const alone = bounds.find((entry) => possibleSizes({ ...request, bounds: [entry] })?.length === 0);
    return alone ? { kind: "sizes", attribute: alone.attribute } : { kind: "together" };
  }
  if (!sizesCanAddUp(possible, n, k)) {
    return bounds.length === 1 ? { kind: "sizes", attribute: bounds[0].attribute } : { kind: "together" };
  }
  for (const attribute of bounds) {
    for (let l = 0; l < attribute.groups.length; l++) {
      const named = { attribute: attribute.attribute, group: attribute.groups[l] };
      const { lower, upper } = attribute;
      const need = (size: number) => leastMembers(size, lower[l], tolerance);
      if (lower[l] > 0 && leastTotal(possible, n, k, need) > attribute.counts[l]) return { kind: "lower", ...named };
      const room = (size: number) => -mostMembers(size, upper[l], tolerance);
      if (upper[l] < 1 && -leastTotal(possible, n, k, room) < attribute.counts[l]) return { kind: "upper", ...named };
    }
  }
  return null;
}

/** The sizes that whole people can fill, ascending; null when there are too many to look at. */
export function possibleSizes(request: Requirements): Int32Array | null {
  const { n, k, sizes, bounds, tolerance } = request;
  const last = Math.min(sizes.max, n - (k - 1) * sizes.min);
  const groups = bounds.reduce((sum, attribute) => sum + attribute.groups.length, 0);
  if ((last - sizes.min + 1) * groups > mostCells) return null;
  const possible: number[] = [];
  for (let size = sizes.min; size <= last; size++) {
    if (bounds.every((attribute) => fills(size, attribute, tolerance))) possible.push(size);
  }
  return Int32Array.from(possible);
}

function fills(size: number, bounds: Bounds, tolerance: number): boolean {
  let least = 0;
  let most = 0;
  for (let l = 0; l < bounds.groups.length; l++) {
    const from = leastMembers(size, bounds.lower[l], tolerance);
    const to = mostMembers(size, bounds.upper[l], tolerance);
    if (from > to || from > bounds.counts[l]) return false;
    least += from;
    most += Math.min(to, bounds.counts[l]);
  }
  return least <= size && size <= most;
}

function sizesCanAddUp(possible: Int32Array, n: number, k: number): boolean {
  const smallest = possible[0];
  const largest = possible[possible.length - 1];
  if (k * smallest > n || k * largest < n) return false;
  let step = 0;
  for (let s = 1; s < possible.length && step !== 1; s++) step = greatestDivisor(step, possible[s] - smallest);
  return step === 0 ? k * smallest === n : (n - k * smallest) % step === 0;
}

/** The lower convex envelope of `need` over the possible sizes, at n/k and times k; exact, as all of it is whole. */
function leastTotal(possible: Int32Array, n: number, k: number, need: (size: number) => number): number {
  const hullSizes = new Float64Array(possible.length);
  const hullNeeds = new Float64Array(possible.length);
  let top = 0;
  for (const size of possible) {
    const value = need(size);
    while (top >= 2) {
      const rise = (hullNeeds[top - 1] - hullNeeds[top - 2]) * (size - hullSizes[top - 2]);
      if (rise < (value - hullNeeds[top - 2]) * (hullSizes[top - 1] - hullSizes[top - 2])) break;
      top--;
    }
    hullSizes[top] = size;
    hullNeeds[top] = value;
    top++;
  }
  let right = 0;
  while (right < top - 1 && k * hullSizes[right] < n) right++;
  const left = Math.max(0, right - 1);
  const width = hullSizes[right] - hullSizes[left];
  if (width === 0) return k * hullNeeds[right];
  return (hullNeeds[left] * (k * hullSizes[right] - n) + hullNeeds[right] * (n - k * hullSizes[left])) / width;
}
